"""Fixtures of several rooms."""

import gc

import pytest
import torch

from tests.budget import PROVE, SEED


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """What is marked `prove` runs in `make prove` alone."""
    later = [] if PROVE else [item for item in items if item.get_closest_marker("prove")]
    if later:
        config.hook.pytest_deselected(items=later)
        items[:] = [item for item in items if item not in {*later}]


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"searched at random with the seed {SEED}: SEED={SEED} repeats it")


def pytest_collection_finish():
    """What was imported and collected stays to the end: no garbage collection, and no search for tensors, walks it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def one_thread():
    """On a busy machine two threads of PyTorch mostly wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)

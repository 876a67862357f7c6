"""Fixtures of several rooms."""

import gc

import pytest
import torch

from tests.budget import PROVE, SEED

# two processes test at once: more threads would mostly wait for each other
torch.set_num_threads(1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """What is marked `prove` runs in `make prove` alone."""
    later = [] if PROVE else [item for item in items if item.get_closest_marker("prove")]
    if later:
        config.hook.pytest_deselected(items=later)
        items[:] = [item for item in items if item not in later]


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"searched at random with the seed {SEED}: SEED={SEED} repeats it")


@pytest.fixture(autouse=True, scope="module")
def heap():
    """What is there now stays to the end: no garbage collection, and no search for tensors, walks
    it again.
    """
    gc.collect()
    gc.freeze()

"""Fixtures of several rooms."""

import gc

import pytest
import torch


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

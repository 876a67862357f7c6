"""Fixtures of several rooms."""

import pytest
import torch


@pytest.fixture
def one_thread():
    """On a busy machine two threads of PyTorch mostly wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)

"""The memory of a run, where it is known, and the life of a node."""

import pytest
import torch

import autograd_core
from autograd_core.lessons.memory import bytes_held, hang_note

KILOBYTES = 8000
x = torch.ones(1000, dtype=torch.float64)


def test_every_taking_and_giving_back():
    def run():
        a = torch.exp(x)
        b = torch.sin(a)
        del a
        return torch.cos(b)

    assert bytes_held(run) == [KILOBYTES, 2 * KILOBYTES, KILOBYTES, 2 * KILOBYTES, KILOBYTES, 0]


def test_what_was_there_before_counts_nothing():
    there = torch.exp(x)
    assert bytes_held(lambda: there.sum()) == [8, 0]


def test_backward_too():
    w = x.clone().requires_grad_()
    held = bytes_held(lambda: torch.exp(w).sum().backward())
    assert max(held) >= 2 * KILOBYTES and held[-1] == w.grad.numel() * 8, (
        "its result and the gradient; the gradient stays"
    )


def test_an_error_ends_the_measurement():
    with pytest.raises(ZeroDivisionError):
        bytes_held(lambda: 1 / 0)
    assert bytes_held(lambda: None) == []


@pytest.mark.parametrize("engine", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
def test_a_note_dies_with_its_node(engine):
    y = engine.exp(engine.tensor(1.0, requires_grad=True))
    loss, alive = y * 2, hang_note(y)
    del y
    assert alive(), "the loss holds it"
    del loss
    assert not alive()

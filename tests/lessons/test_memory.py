"""The memory of a run, where it is known."""

import pytest
import torch

from autograd_core.lessons.memory import bytes_held

KILOBYTES = 8000
x = torch.ones(1000, dtype=torch.float64)


def test_the_most_that_is_held_at_each_event():
    def run():
        a = torch.exp(x)
        b = torch.sin(a)
        del a
        return torch.cos(b)

    assert bytes_held(run) == [("exp", KILOBYTES), ("sin", 2 * KILOBYTES), ("cos", 2 * KILOBYTES)]


def test_what_was_there_before_counts_nothing():
    there = torch.exp(x)
    assert bytes_held(lambda: there.sum()) == [("sum", 8)]


def test_backward_too():
    w = x.clone().requires_grad_()
    held = bytes_held(lambda: torch.exp(w).sum().backward())
    names = [name for name, _ in held]
    assert names[:2] == ["exp", "sum"] and names[-2:] == ["ExpBackward0", "AccumulateGrad"]
    assert dict(held)["ExpBackward0"] >= 2 * KILOBYTES, "its result and the gradient"
    assert dict(held)["AccumulateGrad"] >= w.grad.numel() * 8, "the gradient stays"


def test_what_is_given_back_between_two_events_counts_for_the_first():
    def run():
        for _ in range(3):
            torch.exp(x)

    assert bytes_held(run) == [("exp", KILOBYTES)] * 3


def test_of_a_layer_inside_of_a_call_the_outermost_name_is_told():
    layer = torch.nn.Linear(4, 4)
    assert [name for name, _ in bytes_held(lambda: layer(torch.ones(2, 4)))] == ["ones", "linear"]


def test_an_error_ends_the_measurement():
    with pytest.raises(ZeroDivisionError):
        bytes_held(lambda: 1 / 0)
    assert bytes_held(lambda: None) == []

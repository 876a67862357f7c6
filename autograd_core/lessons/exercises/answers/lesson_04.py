"""Lesson 04, freed and retained: what PyTorch answers to its exercises."""

import torch

from ....trace import graph_size
from ..check import Function, exercise, function_exercise
from ..you_run import YouRun


@exercise(
    "04.1",
    tolerance=1e-3,
    mistakes={
        "that is two tensors: are the result of `exp` and the input of `sin` two?": 16000,
        "that counts the elements; each has 8 bytes": 1000,
        "that is the size of one number in float32; these have 8 bytes": 4000,
        "three tensors would be that many; who needs `x`, who needs `y`?": 24000,
        "something is saved: the slope of `exp` is its result": 0,
    },
)
def what_two_functions_save():
    x = torch.ones(1000, dtype=torch.float64, requires_grad=True)
    return {"saved_bytes": graph_size(torch.sin(torch.exp(x)))[1]}


def _gradient(x, exp=1.0, sin=1.0):
    x = x.detach().requires_grad_()
    h = torch.tanh(x)
    (exp * torch.exp(h).sum() + sin * torch.sin(h).sum()).backward()
    return x.grad


def _border(seen):
    if seen.retained:
        return "the gradient is right, but a pass left its graph retained"
    if seen.passes < 3 * seen.calls:
        return "the gradient is right, but each branch is to have a backward of its own, then the trunk"
    if seen.order.count("TanhBackward0") > seen.calls:
        return "the gradient is right, but the trunk was computed more than once"
    alive = set()
    for name in seen.order:
        alive = set() if name == "backward" else alive | {name} & {"ExpBackward0", "SinBackward0"}
        if len(alive) == 2:
            return (
                "the gradient is right, but both branches were held at once: finish the first"
                " before you compute the second"
            )
    return ""


TWICE = "goes through the trunk twice, and the first pass emptied the trunk. Where is the border?"


@function_exercise(
    "04.2",
    gradient=Function(
        _gradient,
        {"x": (5,)},
        [(0.5,), ([0.0],), (torch.arange(-3.0, 3.0).double().reshape(2, 3),)],
        conduct=_border,
        slips={"backward through the graph a second time": TWICE},
    ),
)
def wrong_gradients(x):
    whole, slope = _gradient(x), 1 - torch.tanh(x) ** 2
    return {
        "the branch `sin` is missing": _gradient(x, sin=0.0),
        "the branch `exp` is missing": _gradient(x, exp=0.0),
        "that is what stands at the border; it has yet to go through the trunk": whole / slope,
        "twice too much: something was sent through the trunk two times": 2 * whole,
        "`exp` counts twice": _gradient(x, exp=2.0),
        "the trunk got a 1 in place of what stands at the border": slope,
    }


@exercise("04.3")
def two_branches_by_hand():
    return {"run": YouRun(events=5, refuses="Mul")}

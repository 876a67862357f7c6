"""Lesson 04, freed and retained: what PyTorch answers to its exercises."""

import torch

from ....trace import graph_size
from ..check import exercise, function_exercise
from ..references import Function
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


def _at_the_copy(x):
    copy = torch.tanh(x).requires_grad_()
    (torch.exp(copy).sum() + torch.sin(copy).sum()).backward()
    return copy.grad


def _in_two_branches(seen):
    if seen.retained:
        return "the gradient is right, but a pass kept its graph with `retain_graph`"
    if seen.passes < 3 * seen.calls:
        return "the gradient is right, but each branch needs a backward of its own, then the trunk"
    if seen.order.count("TanhBackward0") > seen.calls:
        return "the gradient is right, but the trunk was computed more than once"
    alive = set()
    for name in seen.order:
        alive = set() if name == "backward" else alive | {name} & {"ExpBackward0", "SinBackward0"}
        if len(alive) == 2:
            return (
                "the gradient is right, but both branches were in memory at once: finish the first"
                " before you compute the second"
            )
    return ""


TWICE = (
    "runs the backward of the trunk twice, and the first pass freed the trunk. Let the branches read"
    " a detached copy of `h`"
)

WRONG_GRADIENTS = {
    "the branch `sin` is missing": lambda x: _gradient(x, sin=0.0),
    "the branch `exp` is missing": lambda x: _gradient(x, exp=0.0),
    "that is the gradient of the detached copy: it has yet to pass through the trunk": _at_the_copy,
    "that is twice the gradient: it went through the trunk twice": lambda x: 2 * _gradient(x),
    "`exp` counts twice": lambda x: _gradient(x, exp=2.0),
    "the trunk received ones: it needs the gradient of the detached copy": lambda x: (
        1 - torch.tanh(x) ** 2
    ),
}

function_exercise(
    "04.2",
    gradient=Function(
        _gradient,
        {"x": (5,)},
        [(0.5,), ([0.0],), (torch.arange(-3.0, 3.0).double().reshape(2, 3),)],
        conduct=_in_two_branches,
        slips={"backward through the graph a second time": TWICE},
        mistakes=WRONG_GRADIENTS,
    ),
)


@exercise("04.3")
def two_branches_by_hand():
    return {"run": YouRun(events=5, refuses="Mul")}

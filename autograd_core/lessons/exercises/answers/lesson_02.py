"""Lesson 02, backward step by step: what PyTorch answers to its exercises."""

import torch
from torch.nn.functional import mse_loss

from ..check import exercise, function_exercise
from ..references import Function, Refused
from ..you_run import YouRun

exercise("02.1")(lambda: {"run": YouRun(events=8)})  # two nodes are ready


def f(x):
    """The function of exercise 02.2."""
    return x.exp() * x.flip(0)


def _jacobian(x):
    return torch.autograd.functional.jacobian(f, x)


def _row(*v):
    """A function that computes `v` times the Jacobian of `f`."""

    def row(x):
        x = x.detach().requires_grad_()
        f(x).backward(torch.tensor(v, dtype=x.dtype))
        return x.grad

    return row


def _one_pass(seen):
    each = seen.passes / seen.calls
    if each < 1:
        return "The numbers are right, but no backward pass computed them. Run one from `f(x)`"
    return each > 1 and f"The numbers are right. You used {each:g} backward passes; one is enough"


class _Row(Function):
    """A row of a Jacobian, which `backward()` leaves in `x.grad`."""

    def call(self, function, given):
        row = super().call(function, given)
        if row is None:
            raise Refused("returns None. `backward()` returns nothing: the gradient is in `x.grad`")
        return row


function_exercise(
    "02.2",
    last_row=_Row(
        lambda x: _jacobian(x)[-1],
        {"x": (3,)},
        [([0.0, 0.0, 0.0],), ([2.0, -1.0, 2.0],), ([-1.0, 0.0, 3.0],)],
        conduct=_one_pass,
        slips={
            text: f"raises *{text}*: `f(x)` has three elements, so pass a `g` of three"
            for text in ("grad can be implicitly created only for scalar outputs",)
        },
        mistakes={
            "That is the first row": _row(1, 0, 0),
            "That is the second row": _row(0, 1, 0),
            "That is the last column: how every output depends on `x[2]`. A row belongs to one output": (
                lambda x: _jacobian(x)[:, -1]
            ),
            "You added all three rows. Which `g` chooses the last one?": _row(1, 1, 1),
            "That is the whole Jacobian": _jacobian,
            "That is `f(x)`, not a derivative": f,
            "That is three times the last row: `g` needs a single 1": _row(0, 0, 3),
        },
    ),
)


class _Start(Function):
    """What enters a network whose output is `out`: `autograd.grad` may compute it."""

    def call(self, function, given):
        out, target = given
        return super().call(function, [out.requires_grad_(), target])


function_exercise(
    "02.3",
    start=_Start(
        lambda out, target: 2 * (out - target).detach() / out.numel(),
        {"out": (4, 2), "target": (4, 2)},
        [([[1.0, 0.0, -2.0, 0.5, 3.0]] * 3, [[0.0, 2.0, -1.0, 0.5, 1.0]] * 3)],
        mistakes={
            "The sign is reversed: a step along −g would move `out` away from the target": [
                lambda out, target: target - out,
                lambda out, target: 2 * (target - out),
                lambda out, target: 2 * (target - out) / len(out),
                lambda out, target: 2 * (target - out) / out.numel(),
                lambda out, target: (target - out) / out.numel(),
            ],
            "The direction is right. The slope of a square is twice its base, and the mean divides "
            "by the number of elements": lambda out, target: out - target,
            "The slope of a square is twice its base: the factor 2 is missing": (
                lambda out, target: (out - target) / out.numel()
            ),
            "The mean is missing: divide by the number of elements": (
                lambda out, target: 2 * (out - target)
            ),
            "You divided by the number of rows. `mse_loss` divides by the number of all elements": (
                lambda out, target: 2 * (out - target) / len(out)
            ),
            "`g` needs one number for each element of `out`": mse_loss,
        },
    ),
)

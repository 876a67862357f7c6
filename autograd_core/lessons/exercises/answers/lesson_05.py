"""Lesson 05, stale and in place: what PyTorch answers to its exercises."""

import torch

from ..check import Function, exercise


@exercise("05.1", mistakes={
    "not every change in place is refused: only what a rule has yet to read": ["raises"] * 4,
    "some of these rules need their result, and it is no longer what it was": ["works"] * 4,
    "the product keeps its factors, not its result": ["raises", "raises", "raises", "works"],
    "`sqrt` keeps its result, and `detach()` shares it": ["raises", "works", "works", "works"],
    "`cos` keeps its input, not its result": ["raises", "works", "raises", "raises"],
    "`tanh` keeps its result": ["works", "works", "raises", "works"],
})
def in_place_and_then_backward(torch):
    def outcome(h):
        try:
            h.sum().backward()
        except RuntimeError:
            return "raises"
        return "works"

    w = torch.tensor([0.5, 1.0], requires_grad=True)
    after_sqrt = torch.sqrt(w)
    after_sqrt.detach().mul_(2)
    return {"outcomes": [outcome(torch.tanh(w).add_(1)), outcome((w * w).add_(1)), outcome(after_sqrt),
                         outcome(torch.cos(w).mul_(2))]}


def _recurrent(w, cut, steps=4):
    w = w.detach().requires_grad_()
    h, total = torch.zeros((), dtype=w.dtype), 0.0
    for _ in range(steps):
        h = torch.tanh(w * h + 1)
        total = total + h ** 2
        if cut:
            h = h.detach()
    total.backward()
    return w.grad


@exercise("05.2", mistakes={
    "that is the gradient through all steps: nothing was cut": lambda w: _recurrent(w, cut=False),
    "that is the last step alone": lambda w: _recurrent(w, cut=True) - _recurrent(w, cut=True, steps=3),
    "nothing arrives: the loss was cut off as well": lambda w: 0 * w,
    "one step too few": lambda w: _recurrent(w, cut=True, steps=3),
    "one step too many": lambda w: _recurrent(w, cut=True, steps=5),
    "that is the mean of the four; the sum is asked for": lambda w: _recurrent(w, cut=True) / 4,
})
def a_state_that_is_cut_at_each_step(torch):
    return {"gradient": Function(lambda w: _recurrent(w, cut=True), {"w": ()})}


@exercise("05.3", mistakes={
    "`exp` read the numbers that were written over: `.data` hides the write from the check": lambda x: 4 * torch.exp(x),
    "the gradient of `2 * exp(x)` is asked for: the factor 2 is missing": lambda x: torch.exp(x),
    "`exp` itself is missing": lambda x: 0 * x + 2,
    "everything was set to 0": lambda x: 0 * x,
})
def doubled_without_a_trace(torch):
    def conduct(seen):
        return "" if seen.passes else "the numbers are right, but `backward()` should compute them"
    return {"gradient": Function(lambda x: 2 * torch.exp(x), {"x": (4,)}, conduct=conduct)}

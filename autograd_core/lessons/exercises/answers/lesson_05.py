"""Lesson 05, stale and in place: what PyTorch answers to its exercises."""

import torch

from ..check import function_exercise
from ..references import Loss


def _recurrent(w, cut=1, steps=4, last=False):
    """The loss of `steps` steps. The state is detached after every `cut` steps, never if `cut` is 0."""
    h, total = torch.zeros((), dtype=w.dtype), 0.0
    for step in range(1, steps + 1):
        h = torch.tanh(w * h + 1)
        total = h**2 if last else total + h**2
        if cut and step % cut == 0:
            h = h.detach()
    return total


OWN_PASS = "calls `backward()`, and `check` does so too: return the whole loss, not yet sent back"
SLIPS = {"backward through the graph a second time": OWN_PASS}


@function_exercise("05.1", loss=Loss(_recurrent, {"w": ()}, [(0.0,), (2.5,), (-4.0,)], slips=SLIPS))
def wrong_cuts(w):
    return {
        "the gradient goes back through all steps: nothing was cut": _recurrent(w, cut=0),
        "the state is cut after every second step only": _recurrent(w, cut=2),
        "that is the last step alone": _recurrent(w, last=True),
        "one step too few": _recurrent(w, steps=3),
        "one step too many": _recurrent(w, steps=5),
        "that is the mean of the four; the sum is asked for": _recurrent(w) / 4,
    }


def _block(h):
    """The elements of `h` that are 0.5 or more, and 0 for the others."""
    return h * (h >= 0.5)


def _changed(change, finish=torch.sum):
    """The loss of a block that adds `change(sigmoid, x)`."""
    return lambda x: finish(_block(change(torch.sigmoid(x), x)))


def _hidden(x):
    h = torch.sigmoid(x)
    h.data += x
    h.data[h < 0.5] = 0
    return h.sum()


def _set_in_data(x):
    h = torch.sigmoid(x) + x
    h.data[h < 0.5] = 0
    return h.sum()


ROWS = [
    ([0.0, 0.01, -0.01, -0.1, 0.5, -2.0],),
    ([-3.0, -1.0],),
    ([[0.1, 3.0], [-0.3, 0.0]],),
    ([],),
    ([0.7],),
]

WRONG_BLOCKS = {
    "the loss is right, but the gradient isn't: a write to `.data` is not recorded": _hidden,
    "elements below the threshold still get a gradient: a write to `.data` is not recorded": (
        _set_in_data
    ),
    "the loss is right, but no gradient passes the sigmoid": _changed(lambda s, x: s.detach() + x),
    "the loss is right, but no gradient passes the shortcut": _changed(lambda s, x: s + x.detach()),
    "the shortcut is missing": _changed(lambda s, x: s),
    "the sigmoid is missing": _changed(lambda s, x: x),
    "the threshold is missing": lambda x: (torch.sigmoid(x) + x).sum(),
    "add the shortcut first, then apply the threshold": lambda x: (
        _block(torch.sigmoid(x)) + x
    ).sum(),
    "keep elements that equal the threshold": lambda x: (
        (torch.sigmoid(x) + x) * (torch.sigmoid(x) + x > 0.5)
    ).sum(),
    "set elements below the threshold to 0": lambda x: (torch.sigmoid(x) + x).clamp(min=0.5).sum(),
    "don't square the elements": _changed(torch.add, lambda h: (h**2).sum()),
    "that is the mean; the loss is the sum": _changed(torch.add, torch.mean),
}

function_exercise(
    "05.2",
    loss=Loss(_changed(torch.add), {"x": (4,)}, ROWS, mistakes=WRONG_BLOCKS),
)

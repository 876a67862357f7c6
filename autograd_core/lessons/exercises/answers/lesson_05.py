"""Lesson 05, stale and in place: what PyTorch answers to its exercises."""

import torch

from ..check import Loss, function_exercise


def _recurrent(w, cut=1, steps=4, last=False):
    """The loss of `steps` steps whose state is cut after every `cut` of them; 0: never."""
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
    """`h` where it is 0.5 or more."""
    return h * (h >= 0.5)


def _written(h):
    """The same, written past the graph."""
    h.data[h < 0.5] = 0
    return h


def _hidden(x):
    h = torch.sigmoid(x)
    h.data += x
    return _written(h)


ROWS = [
    ([0.0, 0.01, -0.01, -0.1, 0.5, -2.0],),
    ([-3.0, -1.0],),
    ([[0.1, 3.0], [-0.3, 0.0]],),
    ([],),
    ([0.7],),
]


@function_exercise(
    "05.2", loss=Loss(lambda x: _block(torch.sigmoid(x) + x).sum(), {"x": (4,)}, ROWS)
)
def wrong_blocks(x):
    s = torch.sigmoid(x)
    h = s + x
    right, written = _block(h), _written(s + x)
    ways = {
        "the value is right, and the gradient is wrong: `.data` hides the writes": _hidden(x),
        "the threshold is written, not recorded: what was set to 0 still gets a gradient": written,
        "the value is right; no gradient comes through the sigmoid": _block(s.detach() + x),
        "the value is right; no gradient comes through the shortcut": _block(s + x.detach()),
        "the shortcut is missing": _block(s),
        "the sigmoid is missing": _block(x + 0 * s),
        "the threshold is missing": h,
        "the threshold comes last: after the shortcut": s * (s >= 0.5) + x,
        "what lies below the threshold is set to 0, not to the threshold": h.clamp(min=0.5),
        "what lies exactly on the threshold stays": h * (h > 0.5),
        "nothing is to be squared": right**2,
    }
    summed = {words: way.sum() for words, way in ways.items()}
    return {**summed, "that is the mean; the sum is asked for": right.mean()}

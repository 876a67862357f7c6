"""Lesson 05, stale and in place: what PyTorch answers to its exercises."""

import torch

from ..check import Loss, exercise


@exercise(
    "05.1",
    mistakes={
        "not every change in place is refused: only what a rule has yet to read": ["raises"] * 4,
        "some of these rules need their result, and it is no longer what it was": ["works"] * 4,
        "the product keeps its factors, not its result": ["raises", "raises", "raises", "works"],
        "`sqrt` keeps its result, and `detach()` shares it": ["raises", "works", "works", "works"],
        "`cos` keeps its input, not its result": ["raises", "works", "raises", "raises"],
        "`tanh` keeps its result": ["works", "works", "raises", "works"],
        'the two words are `"works"` and `"raises"`': ["raise", "work", "raise", "work"],
    },
)
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
    return {
        "outcomes": [
            outcome(torch.tanh(w).add_(1)),
            outcome((w * w).add_(1)),
            outcome(after_sqrt),
            outcome(torch.cos(w).mul_(2)),
        ]
    }


def _recurrent(w, cut=1, steps=4, last=False):
    """The loss of `steps` steps whose state is cut after every `cut` of them; 0: never."""
    h, total = torch.zeros((), dtype=w.dtype), 0.0
    for step in range(1, steps + 1):
        h = torch.tanh(w * h + 1)
        total = h**2 if last else total + h**2
        if cut and step % cut == 0:
            h = h.detach()
    return total


@exercise(
    "05.2",
    mistakes={
        "the gradient goes back through all steps: nothing was cut": lambda w: _recurrent(w, cut=0),
        "the state is cut after every second step only": lambda w: _recurrent(w, cut=2),
        "that is the last step alone": lambda w: _recurrent(w, last=True),
        "one step too few": lambda w: _recurrent(w, steps=3),
        "one step too many": lambda w: _recurrent(w, steps=5),
        "that is the mean of the four; the sum is asked for": lambda w: _recurrent(w) / 4,
    },
)
def a_state_that_is_cut_at_each_step(torch):
    return {
        "loss": Loss(
            _recurrent,
            {"w": ()},
            cases=[(torch.tensor(w, dtype=torch.float64),) for w in (0.0, 2.5, -4.0)],
        )
    }


def _block(x, activation=torch.sigmoid, bound=0.5):
    h = activation(x) + x
    return h * (h >= bound)


def _hidden(x):
    h = torch.sigmoid(x)
    h.data += x
    h.data[h < 0.5] = 0
    return h.sum()


def _half_hidden(x):
    h = torch.sigmoid(x) + x
    h.data[h < 0.5] = 0
    return h.sum()


@exercise(
    "05.3",
    mistakes={
        "the value is right, and the gradient is wrong: `.data` hides the writes from the check and from the graph": (
            _hidden
        ),
        "the threshold is written, and not recorded: what was set to 0 still gets a gradient": (
            _half_hidden
        ),
        "the value is right; no gradient comes through the sigmoid": (
            lambda x: _block(x, lambda x: torch.sigmoid(x).detach()).sum()
        ),
        "the value is right; no gradient comes through the shortcut": (
            lambda x: _block(x, lambda given: torch.sigmoid(given) - given + given.detach()).sum()
        ),
        "the shortcut is missing": lambda x: _block(x, lambda x: torch.sigmoid(x) - x).sum(),
        "the sigmoid is missing": lambda x: _block(x, lambda x: 0 * x).sum(),
        "the threshold is missing": lambda x: _block(x, bound=-torch.inf).sum(),
        "the threshold comes last: after the shortcut": (
            lambda x: (torch.sigmoid(x) * (torch.sigmoid(x) >= 0.5) + x).sum()
        ),
        "what lies below the threshold is set to 0, not to the threshold": lambda x: (
            (torch.sigmoid(x) + x).clamp(min=0.5).sum()
        ),
        "what lies exactly on the threshold stays": (
            lambda x: ((torch.sigmoid(x) + x) * (torch.sigmoid(x) + x > 0.5)).sum()
        ),
        "nothing is to be squared": lambda x: (_block(x) ** 2).sum(),
        "that is the mean; the sum is asked for": lambda x: _block(x).mean(),
    },
)
def a_block_that_writes_in_place(torch):
    cases = [
        ([0.0, 0.01, -0.01, -0.1, 0.5, -2.0],),
        ([-3.0, -1.0],),
        ([[0.1, 3.0], [-0.3, 0.0]],),
        ([],),
        ([0.7],),
    ]
    return {
        "loss": Loss(
            lambda x: _block(x).sum(),
            {"x": (4,)},
            cases=[(torch.tensor(x, dtype=torch.float64),) for (x,) in cases],
        )
    }

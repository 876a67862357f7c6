"""Lesson 11, two networks: what PyTorch answers to its exercises."""

import torch

from ..check import exercise, function_exercise
from ..conduct import Conduct
from ..references import Loss
from ..you_run import YouRun

exercise("11.1")(lambda: {"run": YouRun(events=10)})  # through a frozen network


class Uses(Conduct):
    """Whether each of `leaves` requires a gradient when an operation uses it."""

    def __init__(self, leaves):
        super().__init__()
        self.leaves, self.kept = leaves, []

    def on_operation(self, operation, node, args, outs):
        used = [leaf for leaf in self.leaves if any(arg is leaf for arg in args)]
        self.kept += [leaf.requires_grad for leaf in used]


class LeavesAsTheyAre(Loss):
    """A loss whose function may not change `requires_grad`, not even for a while."""

    def call(self, function, arguments):
        def watched(*leaves):
            uses = Uses(leaves)
            with uses.watching():
                loss = function(*leaves)
            if not all([*uses.kept, *(leaf.requires_grad for leaf in leaves)]):
                raise TypeError("requires_grad of an input was changed, and that may not be")
            return loss

        return super().call(watched, arguments)


FACTORS = [
    ([1.0, -2.0], [0.0, 0.5]),
    ([3.0], [-2.0]),
    ([0.0, 1.0], [0.0, 1.0]),
    ([[1.0, 2.0], [3.0, 4.0]], [[-1.0, 0.5], [2.0, 0.25]]),
]


@function_exercise(
    "11.2",
    loss=LeavesAsTheyAre(
        lambda w, second: ((w * second.detach()) ** 2).sum(), {"w": (4,), "second": (4,)}, FACTORS
    ),
)
def wrong_cuts(w, second):
    u, cut = w * second, w * second.detach()
    twice = cut * u.detach()
    half = "Only one factor of the square is cut, so half of the gradient still arrives at `second`"
    return {
        "`second` gets a gradient too": (u**2).sum(),
        "The path to `w` is cut: `w` learns nothing": ((w.detach() * second) ** 2).sum(),
        "That is the mean, and the sum is asked for": (cut**2).mean(),
        "The square is missing": cut.sum(),
        half: (u * cut).sum(),
        "The product is cut too: only half of the gradient arrives at `w`": twice.sum(),
    }


def _only_means(seen):
    if seen.on_leaves <= {"MeanBackward0", "MeanBackward1"}:
        return ""
    return "combine `a.mean()` and `b.mean()`, because a training loop has only these two means"


NUMBERS = [3.0, -1.0, 0.5, 4.0, 0.0, 1.0]


@function_exercise(
    "11.3",
    loss=Loss(
        lambda a, b: torch.cat([a, b]).mean(),
        {"a": (4,), "b": (2,)},
        [(NUMBERS[:n], NUMBERS[n:end]) for n, end in ((2, 6), (1, 2), (3, 6), (5, 6))],
        conduct=_only_means,
    ),
)
def wrong_means(a, b):
    first, second, n, m = a.mean(), b.mean(), len(a), len(b)
    sums, added = n * first + m * second, first + second
    swapped = (m * first + n * second) / (n + m)
    larger = "Two means are added: above any mean over all, the smaller loader counts too much"
    fixed, two_and_one = (4 * first + 2 * second) / 6, 2 * first + second
    weights = "2 and 1 are right weights for 4 and 2 samples."
    return {
        "Both loaders count the same here, so a sample of the smaller one counts more": added / 2,
        larger: added,
        "The shares are swapped: the larger loader gets the smaller one": swapped,
        "That is the sum over all samples. Divide it by their number": sums,
        "Right for 4 and 2 samples alone. How many there are, `len(a)` and `len(b)` say": fixed,
        "The right weights, but they must be divided by their sum": sums / 2,
        "Each mean must first be multiplied by how many samples it is of": added / (n + m),
        f"{weights} Divide by their sum, and ask `len` for them": two_and_one,
    }

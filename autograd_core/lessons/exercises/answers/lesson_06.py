"""Lesson 06, masked losses: what PyTorch answers to its exercises."""

import torch

from ..check import exercise, function_exercise
from ..references import BackwardRule, Loss
from ..you_run import YouRun

exercise("06.1")(lambda: {"run": YouRun(events=5)})  # nan behind a mask


def _lengths(square, least=0.0):
    """The root of each number above `least`, and 0 for the others."""
    return torch.where(square > least, torch.sqrt(torch.where(square > least, square, 1.0)), 0.0)


def _points(generator):
    drawn = torch.randn(5, 2, generator=generator, dtype=torch.float64)
    drawn[1] = 0
    return drawn


def _no_norm(seen):
    if any(name.startswith("LinalgVectorNorm") for name in seen.order):
        return (
            "`norm` sends 0 to a zero row by a rule of its own, so nothing is guarded: use `T.sqrt`"
        )
    return ""


ROWS = [
    [[0, 0], [3, 4]],
    [[1, 0], [0, 0], [0, -2], [0.5, 0.5]],
    [[0, 0]],
    [[-0.3, 0.01]],
    [[1, 2, 2], [0, 0, 0]],
    [[3e-3, -4e-3]],
    [[0, 0], [3e-5, 0]],
]


@function_exercise(
    "06.2",
    tolerance=1e-5,
    loss=Loss(
        lambda points: points[points.any(1)].norm(dim=1).sum(),
        {"points": _points},
        [(each,) for each in ROWS],
        conduct=_no_norm,
    ),
)
def wrong_lengths(points):
    square = (points**2).sum(1)
    late = torch.where(square > 0, torch.sqrt(square), 0.0)
    unmasked = torch.sqrt(torch.where(square > 0, square, 1.0))
    right, too_large = _lengths(square), "a number that is added under the root is too large"
    of_rows, moved = right.sum() / points.any(1).sum(), torch.sqrt(square + 1e-6).sum()
    return {
        "the zero row's gradient is nan: the guard comes after the root, which is too late": late.sum(),
        "the zero row's 1 under the root is added to the loss: mask the result as well": unmasked.sum(),
        f"{too_large}: a zero row costs its root, and every length is changed": moved,
        f"{too_large}: a zero row costs its root": torch.sqrt(square + 1e-8).sum(),
        "a row that is short, but not 0, is left out or lengthened": [
            _lengths(square, least).sum() for least in (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
        ],
        "the root is missing: those are squares": square.sum(),
        "that is the mean; the lengths are added": right.mean(),
        "that is the mean over the rows that are not 0; the lengths are added": of_rows,
    }


def _mean_above(x, above=None):
    above = x > 1 if above is None else above
    return x[above].sum() / above.sum().clamp(min=1)


def _quotient(x):
    return (x * (x > 1)).sum() / (x > 1).sum()


NUMBERS = [
    [1.62, 0.81, 2.53, -0.95],
    [-2.41, -3.2, -1.13, -4.8],
    [1.88, 0.57, 2.71, -0.64],
    [1.0, 2.0, 0.0, 3.0],
    [1.0, 1.0],
    [1.001, 0.999],
    [2.0, 3.0, 4.0],
    [0.0, 0.0],
    [1.05, 7.0, 0.95, 1.0, -3.0],
]


WRONG_MEANS = {
    "if no element is above 1, the loss is nan: a mean of no elements": lambda x: x[x > 1].mean(),
    "if no element is above 1, loss and gradient are nan: 0 / 0": _quotient,
    "if no element is above 1, the loss is 0, but the gradient is nan: the division still ran": lambda x: (
        _quotient(x).nan_to_num()
    ),
    "the index takes `x[0]` and `x[1]`; use the mask": lambda x: x[(x > 1).long()].mean(),
    "the sum is over all elements": lambda x: x.sum() / (x > 1).sum().clamp(min=1),
    "an element that equals 1 is not above 1": lambda x: _mean_above(x, x >= 1),
    "that is the mean distance from 1: don't subtract 1": lambda x: _mean_above(
        (x - 1).clamp(min=0), x > 1
    ),
    "you divide by the number of all elements, not of those above 1": [
        lambda x: (x * (x > 1)).sum() / 4,
        lambda x: (x * (x > 1)).mean(),
    ],
    "that is the mean of the elements below 1": lambda x: _mean_above(x, x < 1),
    "an element below −1 is not above 1": lambda x: _mean_above(x, x.abs() > 1),
    "that is the sum; divide it by the number of elements above 1": lambda x: x[x > 1].sum(),
    "the mask is missing: that is the mean of all elements": lambda x: x.mean(),
    "elements below 1 count as 1; leave them out": lambda x: x.clamp(min=1).mean(),
    "the count is too large by 1": lambda x: x[x > 1].sum() / ((x > 1).sum() + 1),
}

function_exercise(
    "06.3",
    loss=Loss(
        _mean_above,
        {"x": (4,)},
        [(numbers,) for numbers in NUMBERS],
        random=0,
        mistakes=WRONG_MEANS,
    ),
)


def _no_pass(seen):
    return "`backward()` does it for you here; write what it does" if seen.passes else ""


@function_exercise("06.4", rule=BackwardRule(lambda x: x[[2, 0, 2]], {"x": (4,)}, conduct=_no_pass))
def wrong_rules(g, x):
    nothing = torch.zeros_like(x[0])
    last = torch.stack([g[1], nothing, g[2], nothing])
    first = torch.stack([g[1], nothing, g[0], nothing])
    counts = torch.tensor([1.0, 0.0, 2.0, 0.0], dtype=x.dtype)
    return {
        "overwritten where two meet: element 2 was used twice, and what arrives is added": last,
        "element 2 has kept the first of two that arrive": first,
        "that gathers once more; what arrives has to go back to its places": g[[2, 0, 2]],
        "`gradient` has three numbers; the gradient of `x` has four": g,
        "that counts how often an element was used; what arrived is missing": counts,
        "the places are those of `gradient`; `index` is not used": torch.cat([g, nothing[None]]),
    }

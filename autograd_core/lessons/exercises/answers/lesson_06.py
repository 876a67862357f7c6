"""Lesson 06, masked losses: what PyTorch answers to its exercises."""

import itertools

import torch

from ..check import BackwardRule, Loss, exercise


@exercise(
    "06.1",
    mistakes={
        "what is divided by is missing: two elements are kept": [2, 0, 6, 0],
        "divided by all four; the mask keeps two": [0.5, 0, 1.5, 0],
        "the mask is missing: outside of it nothing arrives": [1, 2, 3, 4],
        "mask and division are both missing": [2, 4, 6, 8],
        "those are values, not slopes": [0.5, 0, 4.5, 0],
        "the mask is the other way round": [0, 2, 0, 4],
        "outside of the mask it is 0, not `None`": [1, None, 3, None],
        "the mask is missing, and the division is by all four": [0.5, 1, 1.5, 2],
    },
)
def a_mean_over_the_mask(torch):
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    (x[[0, 2]] ** 2).mean().backward()
    return {"x_grad": x.grad}


def _lengths(points, guard=True):
    square = (points**2).sum(1)
    safe = torch.where(square > 0, square, 1.0) if guard else square
    return torch.where(square > 0, torch.sqrt(safe), 0.0)


def _short(least):
    def loss(points):
        square = (points**2).sum(1)
        return torch.where(
            square > least, torch.sqrt(torch.where(square > least, square, 1.0)), 0.0
        ).sum()

    return loss


@exercise(
    "06.2",
    tolerance=1e-5,
    mistakes={
        "the gradient of the zero row is nan: the guard comes after the root, which is too late": (
            lambda points: _lengths(points, guard=False).sum()
        ),
        "the 1 under the root of the zero row is added to the loss: mask the result as well": (
            lambda points: torch.sqrt(
                torch.where((points**2).sum(1) > 0, (points**2).sum(1), 1.0)
            ).sum()
        ),
        "a number that is added under the root is too large: a zero row costs its root, and every length is changed": lambda points: (
            torch.sqrt((points**2).sum(1) + 1e-6).sum()
        ),
        "a number that is added under the root is too large: a zero row costs its root": (
            lambda points: torch.sqrt((points**2).sum(1) + 1e-8).sum()
        ),
        "a row that is short, but not 0, is left out or lengthened": tuple(
            _short(least) for least in (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
        ),
        "the root is missing: those are squares": lambda points: (points**2).sum(),
        "that is the mean; the lengths are added": lambda points: _lengths(points).mean(),
        "that is the mean over the rows that are not 0; the lengths are added": lambda points: (
            _lengths(points).sum() / points.any(1).sum()
        ),
    },
)
def lengths_of_rows_that_are_not_zero(torch):
    def points(generator):
        drawn = torch.randn(5, 2, generator=generator, dtype=torch.float64)
        drawn[1] = 0
        return drawn

    rows = [
        [[0, 0], [3, 4]],
        [[1, 0], [0, 0], [0, -2], [0.5, 0.5]],
        [[0, 0]],
        [[-0.3, 0.01]],
        [[1, 2, 2], [0, 0, 0]],
        [[3e-3, -4e-3]],
        [[0, 0], [3e-5, 0]],
    ]
    return {
        "loss": Loss(
            lambda points: points[points.any(1)].norm(dim=1).sum(),
            {"points": points},
            cases=[(torch.tensor(each, dtype=torch.float64),) for each in rows],
        )
    }


def _mean_above(x, number=None, above=None):
    above = x > 1 if above is None else above
    return x[above].sum() / (above.sum().clamp(min=1) if number is None else number)


@exercise(
    "06.3",
    mistakes={
        "right, except where nothing is above 1: then the loss is nan": lambda x: x[x > 1].mean(),
        "right, except where nothing is above 1: then it divides by 0": lambda x: (
            ((x > 1) * x).sum() / (x > 1).sum()
        ),
        "right, except where nothing is above 1: the loss is repaired there, its gradient is nan": (
            lambda x: torch.nan_to_num(((x > 1) * x).sum() / (x > 1).sum())
        ),
        "those are places, not a mask: `x[0]` and `x[1]` are taken": (
            lambda x: x[(x > 1).long()].mean()
        ),
        "the sum is over all; only those above 1 are asked for": lambda x: (
            x.sum() / (x > 1).sum().clamp(min=1)
        ),
        "what is exactly 1 is not above 1": lambda x: _mean_above(x, above=x >= 1),
        "how far above 1 they are: the 1 is subtracted": lambda x: (
            _mean_above(x) - ((x > 1).any()).to(x.dtype)
        ),
        "divided by all elements, not by those that are kept": (
            lambda x: _mean_above(x, 4),
            lambda x: _mean_above(x, max(len(x), 1)),
        ),
        "those are the numbers below 1": lambda x: _mean_above(x, above=x < 1),
        "a number below −1 is not above 1": lambda x: _mean_above(x, above=x.abs() > 1),
        "that is the sum; the mean is asked for": lambda x: _mean_above(x, 1),
        "the mask is missing: that is the mean of all": lambda x: x.mean(),
        "the numbers below 1 count as 1; they should be left out": lambda x: x.clamp(min=1).mean(),
        "the count is one too large": lambda x: _mean_above(x, (x > 1).sum() + 1),
    },
)
def mean_of_what_is_above_one(torch):
    lowered = itertools.cycle([0.0, 4.0])

    def numbers(generator):
        """Four numbers, two of them above 1; every other time none is."""
        drawn = torch.tensor([1.5, 0.5, 2.5, -1.0], dtype=torch.float64)
        return drawn + 0.4 * torch.rand(4, generator=generator, dtype=torch.float64) - next(lowered)

    cases = [
        [1.0, 2.0, 0.0, 3.0],
        [1.0, 1.0],
        [1.001, 0.999],
        [2.0, 3.0, 4.0],
        [0.0, 0.0],
        [1.05, 7.0, 0.95, 1.0, -3.0],
    ]
    return {
        "loss": Loss(
            _mean_above,
            {"x": numbers},
            cases=[(torch.tensor(x, dtype=torch.float64),) for x in cases],
        )
    }


def _scattered(gradient, x, index=(2, 0, 2), adds=True):
    return torch.zeros_like(x).index_put((torch.tensor(index),), gradient, accumulate=adds)


@exercise(
    "06.4",
    mistakes={
        "overwritten where two meet: element 2 was used twice, and what arrives is added": (
            lambda gradient, x: torch.stack(
                [gradient[1], 0 * gradient[0], gradient[2], 0 * gradient[0]]
            )
        ),
        "element 2 has kept the first of two that arrive": lambda gradient, x: torch.stack(
            [gradient[1], 0 * gradient[0], gradient[0], 0 * gradient[0]]
        ),
        "that gathers once more; what arrives has to go back to its places": lambda gradient, x: (
            gradient[[2, 0, 2]]
        ),
        "`gradient` has three numbers; the gradient of `x` has four": lambda gradient, x: gradient,
        "that counts how often an element was used; what arrived is missing": lambda gradient, x: (
            torch.tensor([1.0, 0.0, 2.0, 0.0], dtype=x.dtype)
        ),
        "the places are those of `gradient`; `index` is not used": lambda gradient, x: torch.cat(
            [gradient, 0 * gradient[:1]]
        ),
    },
)
def backward_of_a_gather(torch):
    def conduct(seen):
        return "`backward()` does it for you here; write what it does" if seen.passes else ""

    return {"rule": BackwardRule(lambda x: x[[2, 0, 2]], {"x": (4,)}, conduct=conduct)}

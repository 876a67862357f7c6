"""Lesson 06, masked losses: what PyTorch answers to its exercises."""

import torch

from ..check import exercise, function_exercise
from ..references import Loss

DISTANCES = (
    lambda x, mask: torch.where(mask, torch.sqrt(x**2), 0.0),
    lambda x, mask: torch.sqrt(torch.where(mask, x**2, 1.0)),
    lambda x, mask: mask * torch.sqrt(x**2),
    lambda x, mask: torch.sqrt(x[mask] ** 2),
)


@exercise(
    "06.1",
    mistakes={
        "In 1 the square root still reads 0": "0 0 nan 0".split(),
        "In 3 the product sends 0 times the mask, and the square root still reads 0": (
            "nan 0 0 0".split()
        ),
        "Where does the square root still read 0? Look at its backward rule": "0 0 0 0".split(),
        "In 2 the square root never reads 0: its derivative is finite": "nan nan nan 0".split(),
        "In 4 the square root never reads the excluded element": "nan 0 nan nan".split(),
    },
)
def gradients_at_the_excluded_element():
    mask = torch.tensor([False, True])
    sent = []
    for way in DISTANCES:
        x = torch.tensor([0.0, 3.0], requires_grad=True)
        way(x, mask).sum().backward()
        sent.append(f"{x.grad[0].item():g}")
    return {"sent": sent}


EPSILONS = [10.0**-k for k in range(3, 13)]


def _entropy(p):
    return -(p * torch.log(torch.where(p > 0, p, 1.0))).sum()


def _late(p):
    return torch.where(p > 0, -p * torch.log(p), 0.0)


def _protected(change, epsilon):
    """The entropy with a changed argument of the logarithm, without a mask."""
    return lambda p: -(p * torch.log(change(p, epsilon))).sum()


def _rows(generator):
    return torch.randn(2, 3, generator=generator, dtype=torch.float64).softmax(1)


WEIGHTS = [
    [[0.0, 0.5, 0.5], [0.25, 0.75, 0.0]],
    [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]],
    [[1.0, 0.0, 0.0], [0.6, 0.4, 0.0]],
    [[1e-5, 0.99999, 0.0], [0.0, 0.0, 1.0]],
]
TOO_LATE = (
    "The loss is right, but the gradient is nan at the zeros: the logarithm still reads 0. A `where` "
    "or a `nan_to_num` after it is too late"
)
WRONG_ENTROPIES = {
    TOO_LATE: lambda p: _late(p).sum(),
    "The loss is nan: 0 · log 0 is 0 · (−∞)": [
        lambda p: -(p * torch.log(p)).sum(),
        lambda p: -(p * torch.log(p)).sum(1).mean(),
        lambda p: -(p * torch.log(p)).mean(),
    ],
    "The zeros get a large gradient, −log ε: the logarithm is protected, but the factor p still has "
    "a path": [
        _protected(change, epsilon)
        for epsilon in EPSILONS
        for change in (lambda p, epsilon: p.clamp(min=epsilon), torch.add)
    ],
    "A small p counts too: leave out only those that are 0": [
        lambda p, least=least: _entropy(torch.where(p > least, p, 0.0))
        for least in (0.1, 0.01, 1e-3, 1e-4)
    ],
    "That adds the lengths of the rows, not their entropies": lambda p: p.norm(dim=1).sum(),
    "The loss is right. Its gradient at 0 is inf, the true derivative; this exercise asks for 0": (
        lambda p: torch.special.entr(p).sum()
    ),
    "Add the entropies of the rows; don't average them": [
        lambda p: _entropy(p) / 2,
        lambda p: _entropy(p) / 6,
    ],
    "Two mistakes: the logarithm still reads 0, and the sum isn't divided by a count": [
        lambda p: _late(p).sum() / 2,
        lambda p: _late(p).mean(),
        lambda p: _late(p).sum() / (p > 0).sum(),
    ],
    "The sum isn't divided by the number of probabilities above 0": lambda p: (
        _entropy(p) / (p > 0).sum()
    ),
    "The minus sign is missing": [lambda p: -_entropy(p), lambda p: -_late(p).sum()],
    "The second `where` adds the replacement's value to the loss": lambda p: (
        -(torch.where(p > 0, p, 0.5) * torch.log(torch.where(p > 0, p, 0.5))).sum()
    ),
}

function_exercise(
    "06.2",
    loss=Loss(_entropy, {"p": _rows}, [(each,) for each in WEIGHTS], mistakes=WRONG_ENTROPIES),
)


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
    [[0.5, 2.0], [4.0, 1.0]],
]


WRONG_MEANS = {
    "The loss is nan if no element is above 1: the mean of no elements": lambda x: x[x > 1].mean(),
    "Loss and gradient are nan if no element is above 1: 0 / 0": _quotient,
    "If no element is above 1, the loss is 0, but the gradient is nan: the division still happened": (
        lambda x: _quotient(x).nan_to_num()
    ),
    "You divide by the number of all elements, not by the number above 1": [
        lambda x: (x * (x > 1)).mean(),
        lambda x: (x * (x > 1)).sum() / 4,
    ],
    "An ε in the divisor changes every mean. Use `clamp(min=1)`": [
        lambda x, epsilon=epsilon: (x * (x > 1)).sum() / ((x > 1).sum() + epsilon)
        for epsilon in EPSILONS[:5]
    ],
    "The divisor is too large by 1": lambda x: x[x > 1].sum() / ((x > 1).sum() + 1),
    "That is the sum. Divide it by the number of elements above 1": lambda x: x[x > 1].sum(),
    "An integer index gathers the first two elements. Use the mask": lambda x: x[
        (x > 1).long()
    ].mean(),
    "An element that equals 1 is not above 1": lambda x: _mean_above(x, x >= 1),
    "The sum is over all elements": lambda x: x.sum() / (x > 1).sum().clamp(min=1),
    "The mask is missing: that is the mean of all elements": lambda x: x.mean(),
    "Elements below 1 count as 1. Leave them out": lambda x: x.clamp(min=1).mean(),
    "That is the mean distance from 1. Don't subtract 1": lambda x: _mean_above(
        (x - 1).clamp(min=0), x > 1
    ),
}

function_exercise(
    "06.3",
    tolerance=1e-9,
    loss=Loss(
        _mean_above,
        {"x": (4,)},
        [(numbers,) for numbers in NUMBERS],
        random=0,
        mistakes=WRONG_MEANS,
    ),
)

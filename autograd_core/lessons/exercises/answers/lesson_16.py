"""Lesson 16, many processes: what PyTorch answers to its exercises."""

import torch

from ..check import function_exercise
from ..references import Function
from . import gradient_of


def _mean_over_all(of_12, of_4):
    rows = torch.cat([of_12.expand(12, 3), of_4.expand(4, 3)])
    return gradient_of(lambda w: (rows @ w).mean(), 0 * of_12)


@function_exercise("16.1", gradient=Function(_mean_over_all, {"of_12": (3,), "of_4": (3,)}))
def wrong_shards(a, b):
    total = 12 * a + 4 * b
    same = "Each process counts the same here: each of the 4 rows weighs three times too much"
    means_already = "These are means already: a mean times its rows is a sum"
    return {
        same: (a + b) / 2,
        "These are means, and means that are added are too large": a + b,
        "The shares are swapped": (4 * a + 12 * b) / 16,
        "That is the gradient of the sum over all rows. Divide by their number": total,
        "A mean that is divided by its rows once more is too small": (a / 12 + b / 4) / 2,
        "12 + 4 rows are 16 rows": total / 2,
        "12 + 4 rows are 16 rows, and not 8": total / 8,
        means_already: a / 12 + b / 4,
        "Only one of the two sums is divided: brackets are missing": 12 * a + 4 * b / 16,
    }


def _whole(s1, n1, s2, n2, least=1):
    return (s1 + s2) / (n1 + n2).clamp(min=least)


def _means(s1, n1, s2, n2, least=1):
    return (s1 / n1.clamp(min=least) + s2 / n2.clamp(min=least)) / 2


SUMS = [
    (0.63, 3, -1.24, 1),
    (2.11, 4, 0.48, 4),
    (0, 0, 1.37, 2),
    (-0.85, 2, 0, 0),
    (0, 0, 0, 0),
    (0.7, 1, 0, 0),
    (0, 0, -1.3, 1),
    (2.1, 1, 0.4, 1),
    (1.7, 5, -2.9, 1),
]


@function_exercise(
    "16.2",
    means=Function(
        lambda *four: (_whole(*four), _means(*four)),
        {"sum_1": (), "number_1": (), "sum_2": (), "number_2": ()},
        SUMS,
        random=0,
    ),
)
def wrong_means(s1, n1, s2, n2):
    four = s1, n1, s2, n2
    whole, means = _whole(*four), _means(*four)
    unguarded, divided = _means(*four, least=0), _whole(*four, least=0)
    clamped = (s1 + s2) / (n1.clamp(min=1) + n2.clamp(min=1))
    of_those_with_any = means * 2 / ((n1 > 0).double() + (n2 > 0)).clamp(min=1)

    def shifted(by):
        return (s1 + s2) / (n1 + n2 + by), (s1 / (n1 + by) + s2 / (n2 + by)) / 2

    both_means = "Both are the mean of the means. The first adds before it divides"
    both_whole = "Both are the mean over all. The second is what averaging would give"
    clamp = "Clamp the sum of the numbers: an empty process adds no element"
    empty = "An empty process counts as well: its mean is 0, and there are two"
    return {
        "A process without valid elements divides 0 by 0": (whole, unguarded),
        "Where nothing is valid anywhere, 0 is divided by 0": (divided, unguarded),
        "The two are swapped": (means, whole),
        "The second is a mean of two means: halve their sum": (whole, 2 * means),
        both_means: (means, means),
        clamp: (clamped, means),
        empty: (whole, of_those_with_any),
        "1e-6 shifts every result. Divide by at least 1 instead": shifted(1e-6),
        "1 is added to each number, where it is not 0 as well": shifted(1),
        both_whole: (whole, whole),
    }

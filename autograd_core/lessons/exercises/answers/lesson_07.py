"""Lesson 07, hard negative mining: what PyTorch answers to its exercises."""

import numpy as np
import torch
from torch.nn import functional as F

from ....parity.results import as_array
from ..check import exercise, function_exercise
from ..references import BackwardRule, Loss, Refused


@exercise(
    "07.1",
    mistakes={
        "both rows move in each step, in opposite directions, so their difference moves twice as"
        " far as one row": 1.0,
        "this is the inverse. The difference moves farther than one row, so it needs a larger"
        " rate": 0.5,
        "each row moves by lr·g, not by 2·lr·g: p₁ − onehot₁ is already the gradient for `d`": 4.0,
    },
)
def rate_of_the_difference():
    pair = torch.tensor([[0.0, 1.0]], dtype=torch.float64, requires_grad=True)
    F.cross_entropy(pair, torch.tensor([1])).backward()
    d = (pair[0, 1] - pair[0, 0]).detach().requires_grad_()
    F.binary_cross_entropy_with_logits(d, torch.ones_like(d)).backward()
    return {"lr": (pair.grad[0, 1] - pair.grad[0, 0]) / d.grad}


def _in_order(gradient, numbers, kinds=None):
    """A gradient as an array, sorted among equal numbers of a kind; anything else as it is."""
    if tuple(getattr(gradient, "shape", ("none",))) != tuple(numbers.shape):
        return gradient
    gradient, numbers = as_array(gradient), as_array(numbers.detach())
    kinds = np.zeros(len(numbers)) if kinds is None else as_array(kinds)
    result = gradient.copy()
    result[np.lexsort((numbers, kinds))] = gradient[np.lexsort((gradient, numbers, kinds))]
    return result


class TieTolerantMixin:
    """`topk` may pick any of several tied elements, so their gradients are compared in the order of
    their size. `numbers` says which of the arguments are the numbers."""

    numbers = slice(None)

    def ordered(self, results, arguments):
        return [_in_order(result, *arguments[self.numbers]) for result in results]

    def trial(self, generator, arguments):
        arguments, expected, names = super().trial(generator, arguments)
        return arguments, self.ordered(expected, arguments), names

    def call(self, function, arguments):
        results = super().call(function, arguments)
        if isinstance(results, tuple):
            return tuple(self.ordered(results, arguments))
        return self.ordered([results], arguments)[0]


class RuleOfTies(TieTolerantMixin, BackwardRule):
    numbers = slice(1, None)  # after the gradient


class LossOfTies(TieTolerantMixin, Loss):
    """A reference for a loss of three arguments: the loss of each pixel, whether the pixel is text,
    and whether it counts."""

    def ordered(self, results, arguments):
        losses, is_text, train = arguments
        return [_in_order(result, losses, is_text + 2 * train) for result in results]

    def call(self, function, given):
        try:
            return super().call(function, given)
        except Refused as refused:
            if "without a graph" in str(refused) and not (given[1] & given[2]).any():
                no_graph = "returns a tensor without a graph for a crop without text, so"
                raise Refused(f"{no_graph} `backward()` raises") from None
            raise


EDGES = [
    [3.0, -1.0, 2.0, 0.0, 1.0, -2.0, -3.0, -4.0],
    [-5.0, -4.0, -1.0, -2.0, -3.0, -6.0, -7.0, -8.0],
    [1.0, 3.0, 2.0],
    [0.5, 2.0, 1.0, 3.0],
    [1.0, 1.0, 1.0, 1.0, 0.0],
    [2.0, 0.0, 2.0, 2.0, 3.0],
    [0.0, -1.0, 2.0, -3.0, 4.0, -5.0, 6.0, -7.0, 8.0, -9.0, 10.0, -11.0],
]


def _at(places, numbers=lambda g, x: g):
    """A rule that writes `numbers(g, x)` at the indices `places(x)`."""

    def rule(g, x):
        gradient = torch.zeros_like(x)
        gradient[places(x)] = numbers(g, x)
        return gradient

    return rule


def _largest(x):
    return x.topk(3)[1]


def _by_value(g, x):
    gradient = torch.zeros_like(x)
    for each, value in zip(g, x.topk(3)[0]):
        gradient[x == value] = each
    return gradient


def _mask(x):
    return (x >= x.topk(3)[0].min()).to(x.dtype)


WRONG_RULES = {
    "`topk` returns indices of the largest elements; the first three elements are something else": (
        _at(lambda x: torch.arange(3))
    ),
    "those are the smallest elements": _at(lambda x: x.topk(3, largest=False)[1]),
    "the indices are in the order of `x`, not of `g`": _at(lambda x: _largest(x).sort()[0]),
    "`topk` returns the largest element first, and `g` has the same order": (
        _at(lambda x: x.argsort()[-3:])
    ),
    "each number of `g` belongs to one place. A mask loses which number goes where": [
        lambda g, x: _mask(x) * g.sum(),
        lambda g, x: _mask(x) * g.mean(),
        lambda g, x: _mask(x),
    ],
    "`g` is missing: each selected element gets a 1": _at(_largest, lambda g, x: g**0),
    "you multiply `g` by the selected values": _at(_largest, lambda g, x: g * x.topk(3)[0]),
    "those are the selected values. Write `g` there": _at(_largest, lambda g, x: x.topk(3)[0]),
    "the gradient of `x` has the shape of `x`: 0 where nothing was chosen": lambda g, x: g,
    "matched by value: with ties, only selected elements get a gradient": _by_value,
    "the gradient is still 0: write `g` into it": lambda g, x: torch.zeros_like(x),
}

function_exercise(
    "07.2",
    rule=RuleOfTies(
        lambda x: x.topk(3)[0], {"x": (8,)}, [(edge,) for edge in EDGES], mistakes=WRONG_RULES
    ),
)


def _crop(*losses, text, ignored=()):
    places = range(len(losses))
    return [*losses], [k in text for k in places], [k not in ignored for k in places]


CROPS = [
    (torch.zeros(0), torch.zeros(0, dtype=torch.bool), torch.zeros(0, dtype=torch.bool)),
    _crop(0.7, text=()),
    _crop(0.7, text=[0]),
    _crop(0.3, 0.9, text=[0]),
    _crop(0.3, 0.9, text=(), ignored=[0, 1]),
    _crop(0.2, 1.1, 0.6, text=[1]),
    _crop(0.2, 1.1, 0.6, 0.4, text=[3], ignored=[1]),
    _crop(2.0, 0.1, 0.5, 0.9, 1.4, text=[0, 2], ignored=[2]),
    _crop(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, text=[6, 7]),
    _crop(*(0.1 * k for k in range(1, 25)), text=range(6)),
    _crop(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, text=[0]),
    _crop(2.0, *[0.7] * 7, text=[0]),
    _crop(0.7, 0.7, 0.7, 0.7, 0.1, text=[1]),
]
"""No pixel, one; more, as many, and fewer others than twice the text; ignored ones; and ties."""


def _losses(generator):
    return torch.randn(12, generator=generator, dtype=torch.float64).abs()


def _mask_of(*shares):
    """A mask whose share of True is one of these."""

    def draw(generator):
        share = shares[torch.randint(len(shares), (), generator=generator)]
        return torch.rand(12, generator=generator) < share

    return draw


def _hardest(negative, wanted):
    return negative.sort(descending=True)[0][:wanted]


def _mining(ratio=2, pick=_hardest, ignore=(True, True), without_text=0, over=None, keep=1):
    """A mining function. `over` is the denominator, a function of the numbers of positives, of
    chosen negatives, and of pixels; `keep` multiplies the losses of the positives."""

    def mined(losses, is_text, train):
        positive = losses[is_text & train if ignore[0] else is_text]
        negative = losses[~is_text & train if ignore[1] else ~is_text]
        wanted = min(ratio * len(positive) or without_text, len(negative))
        chosen = pick(negative, wanted)
        counts = len(positive), len(chosen), len(losses)
        number = over(*counts) if over else max(counts[0] + counts[1], 1)
        return (keep * positive.sum() + chosen.sum()) / number

    return mined


def _two_means(losses, is_text, train):
    positive, negative = losses[is_text & train], losses[~is_text & train]
    hardest = _hardest(negative, 2 * len(positive))
    return positive.sum() / max(len(positive), 1) + hardest.sum() / max(len(hardest), 1)


def _counting_all_text(losses, is_text, train):
    positive, negative = losses[is_text & train], losses[~is_text & train]
    hardest = _hardest(negative, 2 * int(is_text.sum()))
    return (positive.sum() + hardest.sum()) / max(len(positive) + len(hardest), 1)


def _threshold(negative, wanted):
    return negative[negative >= _hardest(negative, wanted)[-1:].sum()] if wanted else negative[:0]


WRONG_MININGS = {
    "without a chosen pixel you divide 0 by 0: the loss is nan, although every gradient is 0": (
        _mining(over=lambda text, others, pixels: text + others)
    ),
    "divide by the number of chosen pixels. Yours shrinks with the size of the crop": (
        _mining(over=lambda text, others, pixels: max(pixels, 1))
    ),
    "ignored pixels get a gradient. Both selections need `& train`": [
        _mining(ignore=(False, False)),
        _mining(ignore=(False, True)),
        _mining(ignore=(True, False)),
    ],
    "text pixels get no gradient: mining keeps all positives": [
        _mining(keep=0),
        _mining(keep=0, over=lambda text, others, pixels: max(others, 1)),
    ],
    "an ignored text pixel asks for no negatives: count only the text pixels inside `train`": (
        _counting_all_text
    ),
    "two negatives for each text pixel; yours takes three": _mining(ratio=3),
    "two negatives for each text pixel; yours takes one": _mining(ratio=1),
    "all negatives are in it: nothing was selected": _mining(
        pick=lambda negative, wanted: negative
    ),
    "those are the easiest negatives, with the smallest losses": (
        _mining(pick=lambda negative, wanted: negative.sort()[0][:wanted])
    ),
    "those are the first negatives, not the hardest": (
        _mining(pick=lambda negative, wanted: negative[:wanted])
    ),
    "that is the sum; divide it by the number of chosen pixels": (
        _mining(over=lambda text, others, pixels: 1)
    ),
    "the denominator counts only the text pixels": (
        _mining(over=lambda text, others, pixels: max(text, 1))
    ),
    "the denominator counts the negatives that you wanted; a crop may have fewer": (
        _mining(over=lambda text, others, pixels: max(3 * text, 1))
    ),
    "with ties, a threshold takes all equal losses. `topk` takes as many as you ask for": (
        _mining(pick=_threshold)
    ),
    "two means are added; one denominator is asked for": _two_means,
    "without text, no negatives are wanted either": [
        _mining(without_text=1),
        _mining(without_text=100),
    ],
}

function_exercise(
    "07.3",
    loss=LossOfTies(
        _mining(),
        {"losses": _losses, "is_text": _mask_of(0.3, 0.0, 1.0), "train": _mask_of(0.8, 1.0)},
        CROPS,
        slips={
            "selected index k out of range": (
                "asks `topk` for more negatives than the crop has, so `topk` raises"
            )
        },
        mistakes=WRONG_MININGS,
    ),
)

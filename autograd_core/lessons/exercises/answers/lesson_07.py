"""Lesson 07, hard negative mining: what PyTorch answers to its exercises."""

import itertools

import numpy as np
import torch
from torch.nn import functional as F

from ....parity.results import as_array
from ..check import BackwardRule, Loss, exercise

THIRD = 1 / 3


@exercise(
    "07.1",
    mistakes={
        "those are the probabilities; the one at the label is missing": [THIRD, THIRD, THIRD],
        "the sign is the other way round: a step against the gradient should raise the label's output": [
            -THIRD,
            -THIRD,
            2 * THIRD,
        ],
        "the label is the number of an output, counted from 0": [THIRD, -2 * THIRD, THIRD],
        "label 2 is the last of the three": [-2 * THIRD, THIRD, THIRD],
        "the others get a gradient as well: their outputs are in the loss": [0, 0, -2 * THIRD],
        "before anything is known, no output has the probability 0": [0, 0, -1],
        "the three have to add up to 0": [THIRD, THIRD, -THIRD],
        "three outputs share the probability, not two": [0.5, 0.5, -1],
    },
)
def three_outputs_that_know_nothing(torch):
    logits = torch.zeros(1, 3, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(logits, torch.tensor([2])).backward()
    return {"gradient": logits.grad[0]}


def _loss(d, label=(0.0, 1.0, 1.0, 0.0), reduction="mean"):
    return F.binary_cross_entropy_with_logits(
        d, torch.tensor(label, dtype=d.dtype), reduction=reduction
    )


_LABEL = torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=torch.float64)


def _on_paper(d):
    p = torch.sigmoid(d)
    return -(_LABEL * torch.log(p) + (1 - _LABEL) * torch.log(1 - p)).mean()


@exercise(
    "07.2",
    mistakes={
        "that is the sum; the loss must be a mean": lambda d: _loss(d, reduction="sum"),
        "the wrong way round: a large `d` speaks for text, that is label 1": lambda d: _loss(-d),
        "the difference of the two logits is to be `d`; yours is twice that": lambda d: _loss(
            2 * d
        ),
        "`d` is a logit, not a probability": lambda d: _loss(torch.sigmoid(d)),
        "right on paper. For a large `d`, `1 - sigmoid(d)` loses its digits: stay with logits": (
            lambda d: F.binary_cross_entropy(torch.sigmoid(d), _LABEL),
            _on_paper,
        ),
        "no logarithm in it: a cross-entropy is one of a probability": lambda d: (
            (torch.sigmoid(d) - torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=d.dtype)).abs().mean()
        ),
        "only half of it: where `label` is 0, a large `d` has to cost something too": (
            lambda d: (F.softplus(-d) * torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=d.dtype)).mean()
        ),
        "`label` is not used: that is the loss of text everywhere": lambda d: _loss(
            d, (1.0, 1.0, 1.0, 1.0)
        ),
        "`label` is not used: that is the loss of no text anywhere": lambda d: _loss(
            d, (0.0, 0.0, 0.0, 0.0)
        ),
        "no logarithm in it: a loss on squared differences of probabilities is another one": (
            lambda d: (
                (torch.sigmoid(d) - torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=d.dtype)) ** 2
            ).mean()
        ),
    },
)
def one_output_in_place_of_two(torch):
    return {
        "loss": Loss(
            _loss,
            {"d": (4,)},
            cases=[
                (torch.tensor(d, dtype=torch.float64),)
                for d in ([0.0, 0.0, 0.0, 0.0], [8.0, -8.0, 8.0, -8.0], [-30.0, 30.0, -30.0, 30.0])
            ],
        )
    }


def _placed(g, x, places):
    return torch.zeros_like(x).index_put((places,), g)


def _by_value(g, x):
    gradient = torch.zeros_like(x)
    for each, value in zip(g, x.topk(3)[0]):
        gradient[x == value] = each
    return gradient


class OfTies(BackwardRule):
    """Of equal numbers it is not promised which are taken: their gradients are compared in the
    order of their size.
    """

    def trial(self, torch, generator, arguments):
        arguments, (expected,), names = super().trial(torch, generator, arguments)
        return arguments, [_in_order(expected, arguments[1])], names

    def call(self, function, arguments):
        result = super().call(function, arguments)
        return _in_order(result, arguments[1]) if hasattr(result, "shape") else result

    def mistaken(self, wrong, arguments):
        return [_in_order(each, arguments[1]) for each in super().mistaken(wrong, arguments)]


@exercise(
    "07.3",
    mistakes={
        "`g` belongs to the places that were taken, not to the first three": lambda g, x: _placed(
            g, x, torch.arange(3)
        ),
        "those are the places of the smallest": lambda g, x: _placed(
            g, x, x.topk(3, largest=False)[1]
        ),
        "the places in the order of `x`; `g` comes in the order of the values, the largest first": (
            lambda g, x: _placed(g, x, x.topk(3)[1].sort()[0])
        ),
        "what arrived is missing: that is a 1 for each place": lambda g, x: _placed(
            torch.ones_like(g), x, x.topk(3)[1]
        ),
        "a chosen value is handed on as it is; its slope is 1, not itself": lambda g, x: _placed(
            g * x.topk(3)[0], x, x.topk(3)[1]
        ),
        "`g` has three numbers; the gradient of `x` has eight": lambda g, x: g,
        "by value: of equal numbers only those that were taken get something": _by_value,
        "that is `x`; what arrived is `g`": lambda g, x: _placed(x.topk(3)[0], x, x.topk(3)[1]),
        "smallest first; `g` has the largest first": lambda g, x: _placed(g, x, x.argsort()[-3:]),
        "nothing was written": lambda g, x: torch.zeros_like(x),
    },
)
def the_rule_of_top_k(torch):
    edges = (
        [3.0, -1.0, 2.0, 0.0, 1.0, -2.0, -3.0, -4.0],
        [-5.0, -4.0, -1.0, -2.0, -3.0, -6.0, -7.0, -8.0],
        [1.0, 3.0, 2.0],
        [0.5, 2.0, 1.0, 3.0],
        [1.0, 1.0, 1.0, 1.0, 0.0],
        [2.0, 0.0, 2.0, 2.0, 3.0],
        [0.0, -1.0, 2.0, -3.0, 4.0, -5.0, 6.0, -7.0, 8.0, -9.0, 10.0, -11.0],
    )
    return {
        "rule": OfTies(
            lambda x: torch.topk(x, 3)[0],
            {"x": (8,)},
            cases=[(torch.tensor(x, dtype=torch.float64),) for x in edges],
        )
    }


def _mined(loss, text, ratio=2, largest=True, positives=True, number=None):
    hardest = loss[~text].sort(descending=largest)[0][: ratio * int(text.sum())]
    taken = int(text.sum()) * positives + len(hardest)
    total = loss[text].sum() * positives + hardest.sum()
    return total / (max(taken, 1) if number is None else number(taken))


class OfLosses(Loss):
    """Of equal losses it is not promised which are taken: their gradients are compared in the order
    of their size.
    """

    def trial(self, torch, generator, arguments):
        losses, text = arguments
        arguments, (loss, gradient, none), names = super().trial(torch, generator, arguments)
        return arguments, [loss, _in_order(gradient, losses.detach(), text), none], names

    def call(self, function, arguments):
        results = super().call(function, arguments)
        if not isinstance(results, tuple):
            return results
        loss, gradient, none = results
        return loss, _in_order(gradient, *arguments), none

    def mistaken(self, wrong, arguments):
        loss, gradient, none = super().mistaken(wrong, arguments)
        return [loss, _in_order(gradient, *arguments), none]


def _in_order(gradient, numbers, kinds=None):
    """A gradient as an array, sorted among equal numbers of a kind."""
    if gradient is None or tuple(gradient.shape) != tuple(numbers.shape):
        return gradient
    gradient, numbers = as_array(gradient), as_array(numbers.detach())
    kinds = np.zeros(len(numbers)) if kinds is None else as_array(kinds)
    places, result = np.lexsort((numbers, kinds)), gradient.copy()
    result[places] = gradient[np.lexsort((gradient, numbers, kinds))]
    return result


def _crop(*losses, text):
    mask = [place in text for place in range(len(losses))]
    return torch.tensor(losses, dtype=torch.float64), torch.tensor(mask, dtype=torch.bool)


CROPS = [
    _crop(text=()),
    _crop(0.7, text=()),
    _crop(0.7, text=[0]),
    _crop(0.3, 0.9, text=[0]),
    _crop(0.3, 0.9, text=()),
    _crop(0.2, 1.1, 0.6, text=[1]),
    _crop(0.2, 1.1, 0.6, 0.4, text=[3]),
    _crop(2.0, 0.1, 0.5, 0.9, 1.4, text=[0, 2]),
    _crop(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, text=[6, 7]),
    _crop(*(0.1 * k for k in range(1, 25)), text=range(6)),
    _crop(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, text=[0]),
    _crop(2.0, *[0.7] * 7, text=[0]),
    _crop(0.7, 0.7, 0.7, 0.7, 0.1, text=[1]),
]
"""Nothing at all, one pixel, more text than twice which there are others, exactly so many, fewer,
and equal losses.
"""


def _wanted(text):
    return min(2 * int(text.sum()), int((~text).sum()))


def _above_a_threshold(number):
    def loss_of(loss, text):
        wanted = _wanted(text)
        bar = loss[~text].sort(descending=True)[0][wanted - 1].item() if wanted else float("inf")
        counts = text | (loss >= bar)
        return loss[counts].sum() / number(int(counts.sum()), int(text.sum()) + wanted)

    return loss_of


def _two_means(loss, text):
    hardest = loss[~text].sort(descending=True)[0][: _wanted(text)]
    return loss[text].sum() / max(int(text.sum()), 1) + hardest.sum() / max(len(hardest), 1)


def _at_least(number):
    def loss_of(loss, text):
        wanted = min(2 * int(text.sum()) if text.any() else number, int((~text).sum()))
        hardest = loss[~text].sort(descending=True)[0][:wanted]
        return (loss[text].sum() + hardest.sum()) / max(int(text.sum()) + wanted, 1)

    return loss_of


@exercise(
    "07.4",
    mistakes={
        "right, except for a crop without text: it divides by 0": lambda loss, text: _mined(
            loss, text, number=lambda taken: torch.tensor(float(taken), dtype=loss.dtype)
        ),
        "two negatives for each text pixel; yours takes three": lambda loss, text: _mined(
            loss, text, ratio=3
        ),
        "two negatives for each text pixel; yours takes one": lambda loss, text: _mined(
            loss, text, ratio=1
        ),
        "all negatives are in it: nobody was chosen": lambda loss, text: loss.mean(),
        "nobody was chosen: all negatives are in it": lambda loss, text: (
            loss.sum() / max(len(loss), 1)
        ),
        "those are the easiest negatives, with the smallest loss": lambda loss, text: _mined(
            loss, text, largest=False
        ),
        "the text pixels are missing": lambda loss, text: _mined(loss, text, positives=False),
        "divided by all pixels; only the chosen count": lambda loss, text: _mined(
            loss, text, number=lambda taken: max(len(loss), 1)
        ),
        "divided by 12, in crops of all sizes; only the chosen count": lambda loss, text: _mined(
            loss, text, number=lambda taken: 12
        ),
        "that is the sum; it is divided by how many were taken": lambda loss, text: _mined(
            loss, text, number=lambda taken: 1
        ),
        "the denominator counts the text pixels alone": lambda loss, text: _mined(
            loss, text, number=lambda taken: max(int(text.sum()), 1)
        ),
        "divided by as many as were wanted; fewer may be there": lambda loss, text: _mined(
            loss, text, number=lambda taken: max(3 * int(text.sum()), 1)
        ),
        "the value is right, but no gradient goes back: nothing would be trained": (
            lambda loss, text: _mined(loss.detach(), text) + 0 * loss.sum()
        ),
        "equal losses: a threshold takes all of them, `topk` as many as you ask for": (
            _above_a_threshold(lambda taken, wanted: max(taken, 1)),
            _above_a_threshold(lambda taken, wanted: max(wanted, 1)),
        ),
        "the hardest of *all*: text may be among them, and counts twice": lambda loss, text: (
            (loss[text].sum() + loss.sort(descending=True)[0][: _wanted(text)].sum())
            / max(int(text.sum()) + _wanted(text), 1)
        ),
        "those are the first negatives, not the hardest": lambda loss, text: (
            (loss[text].sum() + loss[~text][: _wanted(text)].sum())
            / max(int(text.sum()) + _wanted(text), 1)
        ),
        "two means are added; one denominator is asked for": _two_means,
        "no text: then no negatives are wanted either": tuple(
            _at_least(number) for number in (1, 100)
        ),
        "the text pixels have no gradient": lambda loss, text: _mined(
            torch.where(text, loss.detach(), loss), text
        ),
        "the negatives have no gradient": lambda loss, text: _mined(
            torch.where(text, loss, loss.detach()), text
        ),
    },
)
def a_loss_for_every_crop(torch):
    shares = itertools.cycle([0.3, 0.0, 1.0])

    def text_of(generator):
        """Twelve labels: of three crops one without any text, and one of nothing else."""
        return torch.rand(12, generator=generator) < next(shares)

    def losses(generator):
        return torch.randn(12, generator=generator, dtype=torch.float64).abs()

    return {"loss": OfLosses(_mined, {"loss": losses, "text": text_of}, cases=CROPS)}

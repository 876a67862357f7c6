"""Lesson 07, hard negative mining: what PyTorch answers to its exercises."""

import numpy as np
import torch
from torch.nn import functional as F

from ....parity.results import as_array
from ..check import exercise, function_exercise
from ..references import BackwardRule, Loss


def _thirds(*numbers):
    return [number / 3 for number in numbers]


@exercise(
    "07.1",
    mistakes={
        "those are the probabilities; the one at the label is missing": _thirds(1, 1, 1),
        "the sign is the other way round: a step raises the label's output": _thirds(-1, -1, 2),
        "the label is the number of an output, counted from 0": _thirds(1, -2, 1),
        "label 2 is the last of the three": _thirds(-2, 1, 1),
        "the others get a gradient as well: their outputs are in the loss": _thirds(0, 0, -2),
        "before anything is known, no output has the probability 0": [0, 0, -1],
        "the three have to add up to 0": _thirds(1, 1, -1),
        "three outputs share the probability, not two": [0.5, 0.5, -1],
    },
)
def three_outputs_that_know_nothing():
    logits = torch.zeros(1, 3, dtype=torch.float64, requires_grad=True)
    F.cross_entropy(logits, torch.tensor([2])).backward()
    return {"gradient": logits.grad[0]}


LABEL = torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=torch.float64)


def _loss(d, label=LABEL, reduction="mean"):
    return F.binary_cross_entropy_with_logits(d, label, reduction=reduction)


LOGITS = [([0.0, 0.0, 0.0, 0.0],), ([8.0, -8.0, 8.0, -8.0],), ([-30.0, 30.0, -30.0, 30.0],)]


@function_exercise("07.2", loss=Loss(_loss, {"d": (4,)}, LOGITS))
def wrong_losses(d):
    p = torch.sigmoid(d)
    squares = (p - LABEL) ** 2
    on_paper = -(LABEL * torch.log(p) + (1 - LABEL) * torch.log(1 - p)).mean()
    clamped = F.binary_cross_entropy(p, LABEL)
    paper = "right on paper. For a large `d`, `1 - sigmoid(d)` loses its digits: stay with logits"
    half = "only half of it: where `label` is 0, a large `d` has to cost something too"
    unused, no_log = "`label` is not used: that is the loss of", "no logarithm in it"
    return {
        "that is the sum; the loss must be a mean": _loss(d, reduction="sum"),
        "the wrong way round: a large `d` speaks for text, that is label 1": _loss(-d),
        "the difference of the two logits is to be `d`; yours is twice that": _loss(2 * d),
        "`d` is a logit, not a probability": _loss(p),
        paper: [clamped, on_paper],
        f"{no_log}: a cross-entropy is one of a probability": (p - LABEL).abs().mean(),
        half: (F.softplus(-d) * LABEL).mean(),
        f"{unused} text everywhere": _loss(d, torch.ones_like(d)),
        f"{unused} no text anywhere": _loss(d, torch.zeros_like(d)),
        f"{no_log}: squared differences of probabilities are another one": squares.mean(),
    }


def _in_order(gradient, numbers, kinds=None):
    """A gradient as an array, sorted among equal numbers of a kind; anything else as it is."""
    if tuple(getattr(gradient, "shape", ("none",))) != tuple(numbers.shape):
        return gradient
    gradient, numbers = as_array(gradient), as_array(numbers.detach())
    kinds = np.zeros(len(numbers)) if kinds is None else as_array(kinds)
    result = gradient.copy()
    result[np.lexsort((numbers, kinds))] = gradient[np.lexsort((gradient, numbers, kinds))]
    return result


class OfTies:
    """Of equal numbers it is not promised which are taken: their gradients are compared in the
    order of their size. `numbers` says which of the arguments are the numbers, and their kinds."""

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


class RuleOfTies(OfTies, BackwardRule):
    numbers = slice(1, None)  # after the gradient


class LossOfTies(OfTies, Loss):
    """The loss of each pixel, and whether it is text."""


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


WRONG_RULES = {
    "`g` belongs to the selected elements, not to the first three": _at(lambda x: torch.arange(3)),
    "those are the smallest elements": _at(lambda x: x.topk(3, largest=False)[1]),
    "the indices are in the order of `x`, not of `g`": _at(lambda x: _largest(x).sort()[0]),
    "`g` has the largest element first, not the smallest": _at(lambda x: x.argsort()[-3:]),
    "`g` is missing: each selected element gets a 1": _at(_largest, lambda g, x: g**0),
    "you multiply `g` by the selected values": _at(_largest, lambda g, x: g * x.topk(3)[0]),
    "those are the selected values. Write `g` there": _at(_largest, lambda g, x: x.topk(3)[0]),
    "`g` has three numbers; the gradient of `x` has eight": lambda g, x: g,
    "matched by value: with ties, only selected elements get a gradient": _by_value,
    "the gradient is still 0: write `g` into it": lambda g, x: torch.zeros_like(x),
}

function_exercise(
    "07.3",
    rule=RuleOfTies(
        lambda x: x.topk(3)[0], {"x": (8,)}, [(edge,) for edge in EDGES], mistakes=WRONG_RULES
    ),
)


def _crop(*losses, text):
    return [*losses], [place in text for place in range(len(losses))]


CROPS = [
    (torch.zeros(0), torch.zeros(0, dtype=torch.bool)),
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
"""No pixel, one; more, as many, and fewer others than twice the text; and equal losses."""


def _losses(generator):
    return torch.randn(12, generator=generator, dtype=torch.float64).abs()


def _text(generator):
    share = (0.3, 0.0, 1.0)[torch.randint(3, (), generator=generator)]
    return torch.rand(12, generator=generator) < share


def _mined(loss, text):
    hardest = loss[~text].sort(descending=True)[0][: 2 * int(text.sum())]
    return (loss[text].sum() + hardest.sum()) / max(int(text.sum()) + len(hardest), 1)


@function_exercise("07.4", loss=LossOfTies(_mined, {"loss": _losses, "text": _text}, CROPS))
def wrong_minings(loss, text):
    hard, all_hard = loss[~text].sort(descending=True)[0], loss.sort(descending=True)[0]
    number, positives = int(text.sum()), loss[text].sum()
    hardest, wanted = hard[: 2 * number], min(2 * number, len(hard))
    total, taken = positives + hardest.sum(), number + wanted

    def mean(chosen):
        return (positives + chosen.sum()) / max(number + len(chosen), 1)

    counts = text | (loss >= (hard[wanted - 1].item() if wanted else torch.inf))
    above, of_all = loss[counts].sum(), positives + all_hard[:wanted].sum()
    two_means = positives / max(number, 1) + hardest.sum() / max(wanted, 1)
    without_text = [hardest if number else hard[:least] for least in (1, 100)]
    ties = "equal losses: a threshold takes all of them, `topk` as many as you ask for"
    no_gradient = "the value is right, but no gradient goes back: nothing would be trained"
    twice = "the hardest of *all*: text may be among them, and counts twice"
    return {
        "right, except for a crop without text: it divides by 0": total / taken,
        "two negatives for each text pixel; yours takes three": mean(hard[: 3 * number]),
        "two negatives for each text pixel; yours takes one": mean(hard[:number]),
        "all negatives are in it: nobody was chosen": [loss.mean(), loss.sum() / max(len(loss), 1)],
        "those are the easiest negatives, with the smallest loss": mean(hard.flip(0)[:wanted]),
        "the text pixels are missing": hardest.sum() / max(wanted, 1),
        "divided by all pixels; only the chosen count": total / max(len(loss), 1),
        "divided by 12, in crops of all sizes; only the chosen count": total / 12,
        "that is the sum; it is divided by how many were taken": total,
        "the denominator counts the text pixels alone": total / max(number, 1),
        "divided by as many as were wanted; fewer may be there": total / max(3 * number, 1),
        no_gradient: total.detach() / max(taken, 1) + 0 * loss.sum(),
        ties: [above / max(int(counts.sum()), 1), above / max(taken, 1)],
        twice: of_all / max(taken, 1),
        "those are the first negatives, not the hardest": mean(loss[~text][:wanted]),
        "two means are added; one denominator is asked for": two_means,
        "no text: then no negatives are wanted either": [mean(chosen) for chosen in without_text],
        "the text pixels have no gradient": _mined(torch.where(text, loss.detach(), loss), text),
        "the negatives have no gradient": _mined(torch.where(text, loss, loss.detach()), text),
    }

"""Exercises 09 to 16: plausible wrong answers, and the words that each must get."""

import pytest

import autograd_core as T
from autograd_core.lessons.exercises.check import check

WRONG = []


def wrong(exercise, words, **answer):
    WRONG.append(pytest.param(exercise, answer, words, id=f"{exercise}: {words[:40]}"))


# 09.1: the mean over a mask

wrong("09.1", "mean over all elements", loss=lambda each, mask: (each * mask.detach()).mean())
wrong("09.1", "mean over all elements", loss=lambda each, mask: T.where(mask.bool(), each, 0.0 * each).mean())
wrong("09.1", "divides 0 by 0", loss=lambda each, mask: each[mask.bool()].sum() / mask.detach().sum())
wrong("09.1", "divides 0 by 0", loss=lambda each, mask: each[mask.bool()].mean())
wrong("09.1", "the sum over the mask, not its mean", loss=lambda each, mask: each[mask.bool()].sum())
wrong("09.1", "Make it boolean", loss=lambda each, mask: each[mask.long()].sum() / mask.detach().sum().clamp(min=1))
wrong("09.1", "at least 1 is not 1 more", loss=lambda each, mask: each[mask.bool()].sum() / (mask.detach().sum() + 1))
wrong("09.1", "without a graph", loss=lambda each, mask: each[mask.bool()].mean() if mask.any() else T.tensor(0.0))
wrong("09.1", "a float", loss=lambda each, mask: each[mask.bool()].mean() if mask.any() else 0.0)
wrong("09.1", "without a graph", loss=lambda each, mask: each.detach()[mask.bool()].sum())
wrong("09.1", "raises IndexError", loss=lambda each, mask: each[mask.detach()].sum() / mask.detach().sum().clamp(min=1))

# 09.2: scaling to the circle


def unit(pairs):
    return pairs / pairs.norm(dim=1, keepdim=True)


def across(g, u):
    return g - u * (u * g).sum(dim=1, keepdim=True)


wrong("09.2", "a long vector turns less", rule=lambda g, pairs: across(g, unit(pairs)))
wrong("09.2", "The part along the vector is still there", rule=lambda g, pairs: g / pairs.norm(dim=1, keepdim=True))
wrong("09.2", "you kept it", rule=lambda g, pairs: unit(pairs) * (unit(pairs) * g).sum(
    dim=1, keepdim=True) / pairs.norm(dim=1, keepdim=True))
wrong("09.2", "sum over dim=1", rule=lambda g, pairs: (g - unit(pairs) * (unit(pairs) * g).sum()) / pairs.norm(
    dim=1, keepdim=True))
wrong("09.2", "once is enough", rule=lambda g, pairs: across(g, unit(pairs)) / (pairs ** 2).sum(dim=1, keepdim=True))
wrong("09.2", "with the unit vector", rule=lambda g, pairs: across(g, pairs) / pairs.norm(dim=1, keepdim=True))
wrong("09.2", "times PyTorch's", rule=lambda g, pairs: -across(g, unit(pairs)) / pairs.norm(dim=1, keepdim=True))
wrong("09.2", "raises RuntimeError", rule=lambda g, pairs: across(g, unit(pairs)) / pairs.norm(dim=1))


@pytest.mark.parametrize("exercise, answer, words", WRONG)
def test_a_plausible_wrong_answer_is_refused_and_told_why(exercise, answer, words):
    verdict = check(exercise, **answer)
    assert not verdict.correct and words in repr(verdict), repr(verdict)

"""Exercises 09 to 16: plausible wrong answers, and the words that each must get."""

import numpy as np
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


# 10.1: intersection over union

wrong("10.1", "that do not count are counted", iou=lambda f, t, c: (f & t).sum() / (f | t).sum())
wrong("10.1", "still holds pixels", iou=lambda f, t, c: (f & t & c).sum() / (f | t).sum())
wrong("10.1", "the union counts it once", iou=lambda f, t, c: (f & t & c).sum() / ((f & c).sum() + (t & c).sum()))
wrong("10.1", "false alarms cost nothing", iou=lambda f, t, c: (f & t & c).sum() / (t & c).sum())
wrong("10.1", "what was missed costs nothing", iou=lambda f, t, c: (f & t & c).sum() / (f & c).sum())
wrong("10.1", "On background everybody agrees", iou=lambda f, t, c: ((f == t) & c).sum() / c.sum())
wrong("10.1", "In the result", iou=lambda f, t, c: 0.5)
wrong("10.1", "shape", iou=lambda f, t, c: f & t & c)

# 10.2: degrees


def turn(sin, cos, true_sin, true_cos):
    return np.arctan2(sin, cos) - np.arctan2(true_sin, true_cos)


def whole(*four):
    return np.degrees(np.arctan2(np.sin(turn(*four)), np.cos(turn(*four))))


wrong("10.2", "A full turn is missing", degrees=lambda *four: np.degrees(abs(turn(*four))))
wrong("10.2", "These are radians", degrees=lambda *four: np.radians(abs(whole(*four))))
wrong("10.2", "An error has no sign", degrees=whole)
wrong("10.2", "its sine alone", degrees=lambda s, c, ts, tc: np.degrees(abs(np.arcsin(s) - np.arcsin(ts))))
wrong("10.2", "are 180° apart", degrees=lambda *four: np.minimum(abs(whole(*four)), 180 - abs(whole(*four))))
wrong("10.2", "shape", degrees=lambda *four: abs(whole(*four)).mean())


# 11.1: how often each loss counts

wrong("11.1", "each of the three backward passes adds", a=1, b=1)
wrong("11.1", "no pass sends both", a=4, b=3)
wrong("11.1", "a: 0 is not what", a=0, b=3)
wrong("11.1", "b: 2 is not what", a=1, b=2)
wrong("11.1", "a: 3 is not what", a=3, b=1)
wrong("11.1", "b is still open", a=1, b=...)

# 11.2: through a network that gets nothing

wrong("11.2", "`second` gets a gradient too", loss=lambda w, s: ((w * s) ** 2).sum())
wrong("11.2", "`w` learns nothing", loss=lambda w, s: ((w.detach() * s) ** 2).sum())
wrong("11.2", "requires_grad of an input was changed", loss=lambda w, s: ((w * s.requires_grad_(False)) ** 2).sum())
wrong("11.2", "The sum is asked for".lower(), loss=lambda w, s: ((w * s.detach()) ** 2).mean())
wrong("11.2", "The square is missing", loss=lambda w, s: (w * s.detach()).sum())
wrong("11.2", "without a graph", loss=lambda w, s: ((w * s) ** 2).sum().detach())
wrong("11.2", "a float", loss=lambda w, s: ((w * s) ** 2).sum().item())

# 11.3: every sample counts the same

wrong("11.3", "a sample of `b` counts twice", loss=lambda a, b: (a.mean() + b.mean()) / 2)
wrong("11.3", "two means are added", loss=lambda a, b: a.mean() + b.mean())
wrong("11.3", "swapped", loss=lambda a, b: (2 * a.mean() + 4 * b.mean()) / 6)
wrong("11.3", "sum over all samples", loss=lambda a, b: a.sum() + b.sum())
wrong("11.3", "6 samples, not 8", loss=lambda a, b: (4 * a.mean() + 2 * b.mean()) / 8)
wrong("11.3", "In the result", loss=lambda a, b: a.mean())


# 12.1: two steps with momentum

wrong("12.1", "nothing is remembered", two_steps=lambda w, a, b: w - 0.1 * (a + b))
wrong("12.1", "not a tenth of it", two_steps=lambda w, a, b: w - 0.1 * a - 0.1 * (0.9 * a + 0.1 * b))
wrong("12.1", "That is Nesterov", two_steps=lambda w, a, b: w - 0.1 * 1.9 * a - 0.1 * (b + 0.9 * (0.9 * a + b)))
wrong("12.1", "The friction acts on the old buffer", two_steps=lambda w, a, b: w - 0.1 * a - 0.09 * (a + b))
wrong("12.1", "The learning rate is missing", two_steps=lambda w, a, b: w - a - (0.9 * a + b))
wrong("12.1", "The first step is missing", two_steps=lambda w, a, b: w - 0.1 * (0.9 * a + b))
wrong("12.1", "Downhill is minus", two_steps=lambda w, a, b: w + 0.1 * a + 0.1 * (0.9 * a + b))
wrong("12.1", "In the result", two_steps=lambda w, a, b: w)

# 12.2: micro-batches with masks


def loss_of(w, x):
    return (w * x - 1) ** 2


def by_rows(share):
    def row_by_row(w, x, mask):
        w = w.detach().requires_grad_()
        for row, valid in zip(x, mask):
            share(loss_of(w, row), valid, mask).backward()
        return w.grad
    return row_by_row


def at_once(w, x, mask):
    w = w.detach().requires_grad_()
    loss_of(w, x)[mask].mean().backward()
    return w.grad


def only_the_last(w, x, mask):
    w = w.detach().requires_grad_()
    for row, valid in zip(x, mask):
        w.grad = None
        (loss_of(w, row)[valid].sum() / mask.sum()).backward()
    return w.grad


wrong("12.2", "Each row counts the same here", gradient=by_rows(lambda each, valid, mask: each[valid].mean() / 3))
wrong("12.2", "The means of the rows are added", gradient=by_rows(lambda each, valid, mask: each[valid].mean()))
wrong("12.2", "never divided", gradient=by_rows(lambda each, valid, mask: each[valid].sum()))
wrong("12.2", "valid or not", gradient=by_rows(lambda each, valid, mask: each[valid].sum() / mask.numel()))
wrong("12.2", "The mask is not used", gradient=by_rows(lambda each, valid, mask: each.sum() / mask.numel()))
wrong("12.2", "Make one backward() for each row", gradient=at_once)
wrong("12.2", "nothing may be zeroed", gradient=only_the_last)
wrong("12.2", "raises", gradient=lambda w, x, mask: w.missing)

# 12.3: clipping by the common norm


def norm(*gradients):
    return sum((g ** 2).sum() for g in gradients).sqrt()


wrong("12.3", "A short gradient is made longer", clip=lambda a, b: (a / norm(a, b), b / norm(a, b)))
wrong("12.3", "by its own norm", clip=lambda a, b: (a / norm(a).clamp(min=1), b / norm(b).clamp(min=1)))
wrong("12.3", "clip_grad_value_", clip=lambda a, b: (a.clamp(-1, 1), b.clamp(-1, 1)))
wrong("12.3", "a root is missing", clip=lambda a, b: tuple(g / (norm(a, b) ** 2).clamp(min=1) for g in (a, b)))
wrong("12.3", "The two norms are added", clip=lambda a, b: tuple(g / (norm(a) + norm(b)).clamp(min=1) for g in (a, b)))
wrong("12.3", "Nothing is clipped", clip=lambda a, b: (a, b))
wrong("12.3", "1 result, and 2 are asked for", clip=lambda a, b: a)


@pytest.mark.parametrize("exercise, answer, words", WRONG)
def test_a_plausible_wrong_answer_is_refused_and_told_why(exercise, answer, words):
    verdict = check(exercise, **answer)
    assert not verdict.correct and words in repr(verdict), repr(verdict)

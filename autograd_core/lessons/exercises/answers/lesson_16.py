"""Lesson 16, many processes: the references of its exercises, computed by PyTorch."""

from functools import partial

import torch

import autograd_core

from ..check import function_exercise
from ..references import Function, Loss, Refused
from . import mask_of


class OnRanks(Function):
    """A reference for the loss of a rank: compares the mean of two ranks' losses, and their gradients
    as DDP averages them. No process is started: both ranks are called three times, each time with
    the tensors that the other rank passed to its all-reduces the time before."""

    def trial(self, generator, arguments):
        names = ["the mean of both losses", "the averaged gradient"]
        return arguments, list(self.call(self.reference, arguments)), names

    def call(self, function, given):
        sent = [], []
        for _ in range(3):
            leaves = [each.detach().requires_grad_() for each in given[0]]
            before, sent = sent, ([], [])
            losses = [
                function(*each, 2, partial(_all_reduce, mine, iter(others)))
                for *each, mine, others in zip(leaves, given[1], sent, before[::-1])
            ]
        if len(sent[0]) != len(sent[1]):
            raise Refused("skips an `all_reduce` on one rank, and the other rank waits for it")
        if losses[0] is ... or losses[0] is None:
            return losses[0]
        if not all(getattr(loss, "requires_grad", False) for loss in losses):
            raise Refused("returns a loss without a graph, so DDP on the other rank waits")
        sum(losses).backward()
        return sum(losses).detach() / 2, [leaf.grad / 2 for leaf in leaves]


def _all_reduce(mine, others, tensor):
    mine.append(tensor.detach().clone())
    with torch.no_grad(), autograd_core.no_grad():
        tensor.add_(next(others, 0))


def _over_all(world=True, both=False, least=1, first=0):
    """The sum of a rank over the count of all ranks, with these mistakes."""

    def loss(losses, valid, ranks, all_reduce):
        total, count = losses[valid].sum(), valid.sum().clamp(min=first)
        for each in (count, total)[: 1 + both]:
            all_reduce(each)
        return (ranks if world else 1) * total / count.clamp(min=least)

    return loss


MISTAKES = {
    "this averages two means: with 24 and 8 valid pixels, each pixel of rank 1 counts three times as much;"
    " with 24 and 0, you get half of the gradient": lambda losses, valid, *_: losses[valid].mean(),
    "you get half of the gradient, because DDP divides by the number of processes once more": [
        _over_all(world=False, least=least) for least in (1, 0)
    ],
    "the value is right, but each process has only its own graph: you get half of the gradient": [
        _over_all(world=False, both=True, least=least) for least in (1, 0)
    ],
    "the gradient is right, but the loss is twice the loss of the batch": _over_all(both=True),
    "with no valid pixel anywhere, the loss is 0 / 0 = nan": _over_all(least=0),
    "an empty rank adds 1 to the count. Clamp after `all_reduce`": _over_all(first=1),
}
LOSSES = torch.arange(8.0).reshape(2, 4) + 0.5
CASES = [(LOSSES, least > LOSSES) for least in (5, 4, 0)]  # 4 + 1, 4 + 0, and no valid pixel
INPUTS = {"losses": (2, 8), "valid": mask_of(2, 8)}
function_exercise("16.1", loss=OnRanks(_over_all(), INPUTS, CASES, mistakes=MISTAKES))


def _both_heads(text, line):
    return text.mean() + 0 * line.sum()


WAITS = "no path leads from the loss to `line` (`detach()` cuts it, too), so DDP still waits"
TRAINED = "DDP raises no error, but now `line` is trained: its gradient isn't zero"
HEADS = {
    WAITS: lambda text, line: text.mean(),
    TRAINED: lambda text, line: text.mean() + line.mean(),
}
function_exercise("16.2", loss=Loss(_both_heads, {"text": (3, 1), "line": (3, 1)}, mistakes=HEADS))

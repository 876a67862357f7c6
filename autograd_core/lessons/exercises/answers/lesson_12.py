"""Lesson 12, optimizer steps: what PyTorch answers to its exercises."""

import torch

from ..check import TRIALS, Function, each_way, function_exercise
from . import after_steps, gradient_of

W, G = torch.tensor([[0.5, -2.0], [1.0, -3.0]], dtype=torch.float64)
STEPS = [
    (W, G, 0 * G),
    (W, 0 * G, G),
    (0 * W, G, G),
    (W, G, -G),
    (W[0], G[0], G[1]),
    tuple(each.expand(3, 2) for each in (W, G, W)),
]


@function_exercise(
    "12.1",
    two_steps=Function(
        lambda *arguments: after_steps(*arguments, momentum=0.9),
        {"w": (3,), "g1": (3,), "g2": (3,)},
        STEPS,
    ),
)
def wrong_steps(w, g1, g2):
    first, second = w - 0.1 * g1, 0.9 * g1 + g2
    ahead, slowed = 0.1 * (g2 + 0.9 * second), first - 0.09 * g1
    a_mean = "The buffer keeps all of `g2`, not a tenth of it. A mean is what Adam keeps"
    twice = "Each gradient is multiplied by 0.1 twice: `lr` belongs into the step or the buffer"
    return {
        "That is plain SGD: nothing is remembered": first - 0.1 * g2,
        a_mean: first - 0.1 * (0.9 * g1 + 0.1 * g2),
        "That is Nesterov: it adds the gradient once more": w - 0.19 * g1 - ahead,
        "The friction acts on the old buffer alone, not on the new gradient": slowed - 0.09 * g2,
        "The learning rate is missing": w - g1 - second,
        "The first step is missing": w - 0.1 * second,
        "Downhill is minus": w + 0.1 * g1 + 0.1 * second,
        "That is Nesterov, at the second step only": first - ahead,
        "The second step is missing": first,
        "That is the buffer, not the weight": second,
        twice: w - 0.01 * g1 - 0.01 * second,
        "The buffer is used at the second step, and `g2` has not been added to it": slowed,
    }


ROWS = 3


def _valid(generator):
    """Rows with different numbers of valid elements, one at least."""
    valid = torch.rand(ROWS, 4, generator=generator) < 0.5
    valid[:, 0] = True
    return valid


NUMBERS = torch.outer(torch.tensor([1, -0.7, 0.3, 0.5]), torch.tensor([0.5, -1, 2, 3])).double()
SOME = torch.tensor([[1, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 0], [1, 0, 1, 1]], dtype=torch.bool)
BATCHES = [
    (NUMBERS[0], NUMBERS[1:], SOME[1:]),
    (NUMBERS[1], NUMBERS[:1], SOME[:1]),
    (NUMBERS[2], NUMBERS, SOME),
    (NUMBERS[0, :2], NUMBERS[:2, :2], SOME[:2, :2]),
    (NUMBERS[0], NUMBERS[:3], SOME[:3] & ~SOME[0]),
    (0 * NUMBERS[0], NUMBERS[:2], ~SOME[2:]),
    (NUMBERS[3], NUMBERS[2:], SOME[2:] | True),
]


def _one_for_each_row(seen):
    rows = TRIALS * ROWS + sum(len(x) for _, x, _ in BATCHES)
    # a row without a valid element may be left out
    empty = sum(int((~mask.any(1)).sum()) for _, _, mask in BATCHES)
    if not rows - empty <= seen.passes <= rows:
        return "make one backward() for each row, as if the whole batch did not fit into the memory"
    if any(len(shape) > 1 and shape[0] > 1 for shape in seen.shapes):
        return "all rows are in each graph. Make the loss of one row, and call backward() on it"
    return ""


@function_exercise(
    "12.2",
    tolerance=1e-5,
    gradient=Function(
        lambda w, x, mask: gradient_of(lambda w: ((w - x) ** 2)[mask].mean(), w),
        {"w": (4,), "x": (ROWS, 4), "mask": _valid},
        BATCHES,
        conduct=_one_for_each_row,
    ),
)
def wrong_gradients(w, x, mask):
    w = w.detach().clone().requires_grad_()
    each, number = (w - x) ** 2, mask.sum()
    total, last, rows = each[mask].sum(), each[-1][mask[-1]].sum(), len(mask)
    counts = mask.sum(1).cumsum(0)
    running = sum(row[valid].sum() / count for row, valid, count in zip(each, mask, counts))
    means = sum(row[valid].mean() for row, valid in zip(each, mask))
    early = "The mask is on the input: what is not valid still has a loss. Select after `loss_of`"
    of_all = "Divide by the valid elements of *all* rows, counted before the first backward()"
    added = "The means of the rows are added: divide by the valid elements of the whole batch"
    thirds = "Each row is a third here. Each valid element should count the same"
    losses = {
        early: ((w - x * mask) ** 2).sum() / number,
        "Elements that are not valid count too: select with the mask": each.sum() / number,
        of_all: [running, total / rows, total / ROWS],
        "Each row counts the same here. Each valid element should": means / rows,
        thirds: means / ROWS,
        added: means,
        "The sums are added and never divided": total,
        "Divided by all elements, valid or not": total / each.numel(),
        "The mask is not used": each.mean(),
        "Only the last row is left: nothing may be zeroed between the rows": last / number,
    }
    gradients = {words: [] for words in losses}
    for words, loss in each_way(losses):
        gradients[words] += torch.autograd.grad(loss, w, retain_graph=True)
    return gradients

"""Lesson 12, optimizer steps: what PyTorch answers to its exercises."""

import torch

from ..check import function_exercise
from ..references import TRIALS, Function
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


def _by_rows(loss):
    """A function that calls backward() on `loss(e, v, mask)` for each row: the losses of its elements,
    which of them are valid, and the mask of the batch."""

    def gradient(w, x, mask):
        w = w.detach().requires_grad_()
        for row, valid in zip(x, mask):
            loss((w - row) ** 2, valid, mask).backward()
        return w.grad

    return gradient


def _last_row(w, x, mask):
    return gradient_of(lambda w: ((w - x[-1]) ** 2)[mask[-1]].sum() / mask.sum(), w)


def _masked_early(w, x, mask):
    return gradient_of(lambda w: ((w - x * mask) ** 2).sum() / mask.sum(), w)


def _by_the_count_so_far(w, x, mask):
    counts = mask.sum(1).cumsum(0)
    return gradient_of(
        lambda w: sum(((w - r) ** 2)[v].sum() / count for r, v, count in zip(x, mask, counts)), w
    )


WRONG_GRADIENTS = {
    "the mask is on the input, so invalid elements still have a loss. Select after `loss_of`": (
        _masked_early
    ),
    "elements that are not valid count too: select with the mask": _by_rows(
        lambda e, v, mask: e.sum() / mask.sum()
    ),
    "divide by the valid elements of *all* rows, counted before the first backward()": [
        _by_the_count_so_far,
        _by_rows(lambda e, v, mask: e[v].sum() / len(mask)),
        _by_rows(lambda e, v, mask: e[v].sum() / ROWS),
    ],
    "each row counts the same here. Each valid element should": _by_rows(
        lambda e, v, mask: e[v].mean() / len(mask)
    ),
    "each row is a third here. Each valid element should count the same": _by_rows(
        lambda e, v, mask: e[v].mean() / ROWS
    ),
    "the means of the rows are added: divide by the valid elements of the whole batch": _by_rows(
        lambda e, v, mask: e[v].mean()
    ),
    "the sums are added but not divided": _by_rows(lambda e, v, mask: e[v].sum()),
    "you divide by all elements, but only valid ones count": _by_rows(
        lambda e, v, mask: e[v].sum() / mask.numel()
    ),
    "the mask is not used": _by_rows(lambda e, v, mask: e.sum() / mask.numel()),
    "only the last row is left: don't clear `.grad` between rows": _last_row,
}

function_exercise(
    "12.2",
    tolerance=1e-5,
    gradient=Function(
        lambda w, x, mask: gradient_of(lambda w: ((w - x) ** 2)[mask].mean(), w),
        {"w": (4,), "x": (ROWS, 4), "mask": _valid},
        BATCHES,
        conduct=_one_for_each_row,
        mistakes=WRONG_GRADIENTS,
    ),
)

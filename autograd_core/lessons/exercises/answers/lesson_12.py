"""Lesson 12, optimizer steps: what PyTorch answers to its exercises."""

import torch

from .... import nn, optim
from ...widgets.race import race
from ..check import exercise, function_exercise
from ..references import TRIALS, Function
from ..you_run import YouRun
from . import gradient_of


class MarkedStep(YouRun):
    """A step of momentum whose end the learner is to mark on the map of a race."""

    def judge(self, view: object) -> tuple[bool, str]:
        if not isinstance(view, race) or not view.by_hand:
            return False, "The map is asked for: what `lesson_12.you_step()` has returned."
        right = sorted({step for step, is_right in view.landed if is_right})
        if right:
            return (
                True,
                f"You marked the end of step {right[0] + 1}. PyTorch's step ends there too.",
            )
        return False, "No mark is near enough yet. Mark the next step." if view.landed else ""


exercise("12.1")(lambda: {"run": MarkedStep()})

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
    "the mask is on the input, so invalid elements still have a loss. Select the losses": (
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


class _Frozen(Function):
    """How far a layer moves after `freeze(layer)`, and whether the next layer still does: the loop
    calls it after `step()`, or between `backward()` and `step()`."""

    def trial(self, generator, arguments):
        names = [
            f"{what} {when} with {kind}"
            for kind in ("Adam", "SGD")
            for when in ("after step()", "before step()")
            for what in ("how far the layer moves, frozen", "if the other layer moves, frozen")
        ]
        return arguments, self.call(self.reference, arguments), names

    def call(self, function, given):
        is_torch = isinstance(given[0], torch.Tensor)
        nets, kinds = (torch.nn, torch.optim) if is_torch else (nn, optim)
        results = []
        for make, options in (
            (kinds.Adam, {}),
            (kinds.SGD, {"momentum": 0.9, "weight_decay": 0.1}),
        ):
            for early in (False, True):
                found = _trained(function, nets, given, early, make, options)
                if found is ...:
                    return ...
                results += found
        return results


def _trained(function, nets, given, early, make, options):
    x, y, *parameters = given
    layers = [nets.Linear(3, 4), nets.Linear(4, 1)]
    for layer, weight, bias in zip(layers, parameters[::2], parameters[1::2], strict=True):
        layer.weight, layer.bias = nets.Parameter(weight.clone()), nets.Parameter(bias.clone())
    net = nets.Sequential(*layers)
    optimizer, then = make(net.parameters(), lr=0.01, **options), []
    for step in range(10):
        optimizer.zero_grad(set_to_none=False)
        ((net(x)[:, 0] - y) ** 2).mean().backward()
        if not early:
            optimizer.step()
        if step == 4:
            then = [each.detach().clone() for each in net.parameters()]
            if function(layers[0]) is ...:
                return ...
        if early:
            optimizer.step()
    moved = [(a - b).detach().abs().sum().item() for a, b in zip(then, net.parameters())]
    return moved[0] + moved[1], float(moved[2] > 0 and moved[3] > 0)


def _frozen(without_graph=True, grad="None"):
    def freeze(layer):
        if without_graph:
            layer.requires_grad_(False)
        for p in layer.parameters():
            if grad == "None":
                p.grad = None
            elif grad == "0":
                p.grad.zero_()

    return freeze


SHAPES = {"x": (8, 3), "y": (8,), "w1": (4, 3), "b1": (4,), "w2": (1, 4), "b2": (1,)}

function_exercise(
    "12.3",
    freeze=_Frozen(
        _frozen(),
        SHAPES,
        random=2,
        mistakes={
            "`.grad` is still a tensor, so Adam still applies its `exp_avg`": (
                _frozen(grad="as it is")
            ),
            "A gradient of 0 is a gradient: Adam keeps moving the layer. Which value makes the "
            "optimizer skip it?": _frozen(grad="0"),
            "The next `backward()` fills `.grad` again: the layer must also stop requiring gradients": (
                _frozen(without_graph=False)
            ),
            "`eval()` freezes nothing: it changes dropout and BatchNorm": lambda layer: (
                layer.eval()
            ),
        },
    ),
)

"""Lesson 09, traps in one loss: what PyTorch answers to its exercises."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any

import torch
from torch.nn import functional as F

from ...lesson_09 import padded_crop
from ...loss_lines import on_engine, source_of
from ..check import exercise, function_exercise
from ..references import Loss, Refused
from . import mask_of

BLACK = 8  # columns at the right whose pairs are (0, 0)


def _crop(seed: int, text: bool = True) -> list[torch.Tensor]:
    """Outputs (pixels × 7) and targets of a crop: one text to learn, one to ignore, black columns."""
    _, *truth = padded_crop(seed=seed, size=48, ignored=text, text=text)
    generator = torch.Generator().manual_seed(seed)
    out = torch.randn(7, 48, 64, generator=generator, dtype=torch.float64)
    out[4:6, :, -BLACK:] = 0
    return [out.flatten(1).T.contiguous(), *map(torch.from_numpy, truth)]


def _right(out, tr, tcl, train, sin, cos, radius):
    """The loss without its faults, written independently."""
    pos, neg, line = tr & train, ~tr & train, tcl & train
    n_pos = int(pos.sum())
    n_neg = min(3 * n_pos if n_pos else 100, int(neg.sum()))
    hardest = F.cross_entropy(out[neg, :2], tr[neg].long(), reduction="none").topk(n_neg).values
    of_text = F.cross_entropy(out[pos, :2], tr[pos].long(), reduction="sum") + hardest.sum()
    total = of_text / max(n_pos + n_neg, 1)
    if n_pos:
        total = total + F.cross_entropy(out[pos, 2:4], tcl[pos].long())
    if line.any():
        pair = out[line, 4:6] / out[line, 4:6].norm(dim=1, keepdim=True)
        ratio = out[line, 6] / radius[line]
        total = total + F.smooth_l1_loss(pair[:, 0], sin[line])
        total = total + F.smooth_l1_loss(pair[:, 1], cos[line])
        total = total + F.smooth_l1_loss(ratio, torch.ones_like(ratio))
    return total


def _differentiated(loss, out, *truth):
    """(the value of a loss, its gradient)"""
    leaf = out.clone().requires_grad_()
    value = loss(leaf, *truth)
    value.backward()
    return value.item(), leaf.grad


def _filled(out, tr, tcl, train, sin, cos, radius):
    """The same crop with other numbers at all ignored pixels: nan, and the opposite masks."""
    no = torch.where(train, 0.0, nan)
    return out + no[:, None], tr ^ ~train, tcl ^ ~train, train, sin + no, cos + no, radius + no


@dataclass(frozen=True)
class FixedLoss:
    """A detector's loss without faults, on crops with ignored text, without text, and ignored."""

    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)

    def judge(self, loss: Callable) -> tuple[bool, str]:
        try:
            loss = on_engine(torch, loss)
        except Exception:  # a number, or a function without source
            return False, "The loss of the widget is asked for: page.loss."
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            problem = self._problem(loss)
        if problem:
            return False, problem
        if any("dtype" in str(each.message) for each in warned):
            return False, (
                "All numbers are right, but PyTorch announces that it will drop this index. Which"
                " type should a mask have?"
            )
        number = len(self.seeds) + 2
        return (
            True,
            f"Loss and gradient are right on {number} crops, and ignored pixels don't matter.",
        )

    def _problem(self, loss: Callable) -> str:
        street, empty = _crop(0), _crop(0, text=False)
        ignored = [*street[:3], street[3] & False, *street[4:]]
        found: dict[str, Any] = {}
        for name, batch in {"street": street, "no text": empty, "all ignored": ignored}.items():
            try:
                found[name] = _differentiated(loss, *batch)
            except Exception as error:
                found[name] = error
        return (
            self._on_street(source_of(loss), street, found["street"])
            or _on_no_text(found["no text"])
            or _on_all_ignored(found["all ignored"])
            or _on_filled(loss, street)
            or self._on_others(loss, [empty, ignored])
        )

    def _on_street(self, source: str, street: list[torch.Tensor], found: Any) -> str:
        if isinstance(found, Exception):
            return f"On the crop of the widget it raises {type(found).__name__}: {found}."
        gradient, right, train = found[1], _differentiated(_right, *street)[1], street[3]
        if (gradient[:, :2] != 0).any(1).sum() == 2:
            return (
                "Only two pixels learn text. An index of whole numbers takes rows 0 and 1 again and"
                " again; a mask must be boolean."
            )
        leaks = (gradient[~train].nan_to_num() != 0).any()
        if wrong := int(gradient.isnan().sum()):
            if "nan_to_num" in source or "torch.where" in source:
                return "This hides the value. The gradient at the ignored pixels is still nan."
            if "1 / (pair ** 2)" in source:
                rows = "Two rows of the table still fail. " if leaks else ""
                return f"{rows}Start with a striped pixel: which line computes with it before the selection?"
            return (
                f"{wrong} gradients are still nan. At 0, the slope of the root is infinite before"
                " anything is clamped."
            )
        if leaks and "tcl * tr\n" in source:
            return (
                "The center line is inside the text anyway, so nothing changed. Which mask says what"
                " may train?"
            )
        if leaks:
            maps = int((gradient[~train].nan_to_num() != 0).any(0).sum())
            return f"Ignored pixels still learn in {maps} maps. Which mask says what may train?"
        line = street[2]
        part = (line & train).sum() / line.sum()
        if torch.allclose(gradient[:, 4:], part * right[:, 4:]) and part < 1:
            return (
                f"No ignored pixel learns, but the learned ones get {(line & train).sum()}/{line.sum()}"
                f" of their gradient: the mean still counts {(line & ~train).sum()} ignored pixels."
            )
        return ""

    def _on_others(self, loss: Callable, batches: list) -> str:
        """A sentence on the first crop whose loss or gradient isn't right."""
        for number, batch in enumerate([*map(_crop, self.seeds), *batches], 1):
            value, gradient = _differentiated(_right, *batch)
            try:
                yours, other = _differentiated(loss, *batch)
                again, after = _differentiated(loss, *_filled(*batch))
            except Exception as error:
                return f"On another crop it raises {type(error).__name__}: {error}."
            if (again, after.nan_to_num().tolist()) != (yours, other.nan_to_num().tolist()):
                return "The loss or its gradient changes with what is ignored."
            if 1e-9 < abs(yours - value) < 1e-4 and torch.allclose(other, gradient, atol=1e-4):
                return "A small bound in a denominator changes every loss a little. `max(count, 1)` changes none."
            if abs(yours - value) > 1e-9 or not torch.allclose(other, gradient, rtol=0, atol=1e-9):
                return f"On crop {number} the loss is {yours:.4f}; without its faults it is {value:.4f}, or its gradient differs."
        return ""


def _on_no_text(found: Any) -> str:
    if isinstance(found, Exception):
        return f"On a crop without text it raises {type(found).__name__}: {found}."
    if found[0] != found[0] or not found[1].any():
        so = "its loss is 0/0" if found[0] != found[0] else "nothing is learned from it"
        return f"A crop without text has no negatives now, so {so}. Keep the 100, and limit it as well."
    return ""


def _on_all_ignored(found: Any) -> str:
    if isinstance(found, AttributeError):
        return (
            "`0.0` is a Python number without a graph. Divide by at least 1: an empty sum is a 0 with"
            " a graph."
        )
    if isinstance(found, Exception):
        return "If everything is ignored, there are fewer negatives than `topk` is asked for."
    if found[0] != found[0]:
        return (
            "If everything is ignored, the loss is nan and its gradient is 0. A printed nan is the"
            " only symptom."
        )
    return ""


def _on_filled(loss: Callable, street: list[torch.Tensor]) -> str:
    filled = street[0] + torch.where(street[3], 0.0, nan)[:, None]
    value, gradient = _differentiated(loss, filled, *street[1:])
    if value == value and (wrong := int(gradient.isnan().sum())):
        return (
            f"No nan on this crop. Filled with nan, the ignored pixels give {wrong:,} nan gradients:"
            " a line still computes with them."
        )
    return "" if value == value else "Filled with nan, the ignored pixels make the loss nan."


exercise("09.1")(lambda: {"loss": FixedLoss()})


def _distance(points, target):
    return (points - target).norm(dim=1)


def _root(points, target):
    return ((points - target) ** 2).sum(1).sqrt()


def _chosen(distance=_distance, count=lambda visible: visible.sum().clamp(min=1), mask=lambda v: v):
    """The loss that selects first: `distance` of the selected keypoints, divided by `count`."""

    def loss(points, target, visible):
        rows = mask(visible)
        return distance(points[rows], target[rows]).sum() / count(visible)

    return loss


def _late(distance=_root, count=lambda visible: visible.sum().clamp(min=1), multiplied=False):
    """The loss that computes all distances, and selects or multiplies then."""

    def loss(points, target, visible):
        each = distance(points, target)
        return (each * visible if multiplied else each[visible]).sum() / count(visible)

    return loss


def _sum(visible):
    return visible.sum()


class Keypoints(Loss):
    """A reference for a loss that may be an empty sum."""

    def call(self, function, given):
        try:
            found = super().call(function, given)
        except Refused as refused:
            if "without a graph" in str(refused):
                empty = "The sum of an empty selection is 0 and has a graph"
                raise Refused(
                    f"returns a 0 without a graph, so `backward()` raises. {empty}"
                ) from None
            raise
        if isinstance(found, tuple) and found[2] is None:  # the target isn't used
            found = (*found[:2], torch.zeros(given[1].shape), *found[3:])
        return found


def _numbers(rows):
    return torch.tensor(rows, dtype=torch.float64)


POINTS = _numbers([[1, 2], [3, 1], [0.5, 0.5], [2, 2]])
HIT = _numbers([[1, 2], [0, 0], [0.5, 1.5], [2, 2]])
UNKNOWN = _numbers([[0, 2], [nan, 0], [0.5, 1.5], [nan, nan]])
FAR = _numbers([[0, 2], [0, 0], [0.5, 1.5], [2, 1]])
PEOPLE = [
    (POINTS, FAR, [True, True, True, True]),
    (POINTS, FAR, [True, False, True, True]),
    (POINTS, HIT, [True, False, True, False]),
    (POINTS, UNKNOWN, [True, False, True, False]),
    (UNKNOWN, FAR, [True, False, True, False]),
    (POINTS, FAR, [False, False, False, False]),
    (UNKNOWN, HIT, [False, False, False, False]),
]

COUNTED = "The count is right now. "
LEFT = "Two faults are left: the distance is computed before the selection, and"
WRONG_LOSSES = {
    "": _late(count=_sum, multiplied=True),  # the loss as it is given
    f"{COUNTED}An invisible keypoint is still multiplied by 0, and 0 times nan is nan": [
        _late(multiplied=True),
        _late(_distance, multiplied=True),
    ],
    "The loss is right. The gradient is nan, because the distance was computed before the selection": [
        _late(),
        _late(_distance),
    ],
    f"{LEFT} no visible keypoint means 0/0": [_late(count=_sum), _late(_distance, count=_sum)],
    "Two faults are left: an invisible keypoint is still multiplied by 0, and no visible keypoint"
    " means 0/0": _late(_distance, count=_sum, multiplied=True),
    "Without a visible keypoint, the mean of nothing is nan": _chosen(count=_sum),
    "A keypoint that is hit exactly gets a nan gradient. `norm(dim=1)` has gradient 0 there": _chosen(
        _root
    ),
    "Two faults are left: a keypoint that is hit exactly gets a nan gradient, and no visible keypoint"
    " means 0/0": _chosen(_root, count=_sum),
    "Whole numbers as an index take keypoints 0 and 1 again and again. Use the mask as it is": [
        _chosen(mask=lambda visible: visible.long()),
        _chosen(mask=lambda visible: visible.long(), count=_sum),
        _chosen(_root, mask=lambda visible: visible.long()),
    ],
    "This divides by all keypoints. The mean over the visible ones divides by their number": [
        _chosen(count=len),
        _chosen(_root, count=len),
    ],
    "This is the sum over the visible keypoints, not their mean": _chosen(count=lambda visible: 1),
}

function_exercise(
    "09.2",
    loss=Keypoints(
        _chosen(),
        {"points": (17, 2), "target": (17, 2), "visible": mask_of(17)},
        PEOPLE,
        mistakes=WRONG_LOSSES,
    ),
)


def _seven(z):
    """The loss of exercise 09.3, of the seven outputs at one pixel."""
    pair = z[5:] / z[5:].norm()
    return (
        F.cross_entropy(z[None, :3], torch.tensor([1]))
        + F.binary_cross_entropy_with_logits(z[3], torch.tensor(1.0))
        + F.binary_cross_entropy_with_logits(z[4], torch.tensor(0.0))
        + F.smooth_l1_loss(pair, torch.tensor([0.6, -0.8]))
    )


SUM = "A sum of losses couples nothing, because its gradient is the sum of their gradients"
SIGMOIDS = "3 and 4 have two losses. Each contains a sigmoid, which reads one logit"
SOFTMAX = "`cross_entropy` contains a softmax. Which logits does it read"
LENGTH = "Scaling a pair divides by its length. Which outputs does the length contain"
WRONG_BLOCKS = {
    SUM: [[0, 1, 2, 3, 4, 5, 6]],
    SIGMOIDS: [[0, 1, 2], [3, 4], [5, 6]],
    f"{SOFTMAX}?": [[0], [1], [2], [3], [4], [5, 6]],
    f"{LENGTH}?": [[0, 1, 2], [3], [4], [5], [6]],
    f"{SIGMOIDS}. {SOFTMAX}?": [[0], [1, 2], [3, 4], [5, 6]],
    f"{SOFTMAX}? {LENGTH}?": [[0], [1], [2], [3], [4], [5], [6]],
}


class Blocks:
    """A reference for the blocks of coupled kernels, a list of lists. Two kernels are coupled if the
    second derivative of the loss for their outputs isn't 0."""

    def judge(self, value: Any) -> tuple[bool, str]:
        try:
            blocks = {frozenset(map(int, block)) for block in value}
            numbers = sorted(k for block in value for k in block)
        except (TypeError, ValueError):
            return False, "Write a list of lists, such as [[0, 1], [2]]."
        if numbers != [*range(7)]:
            return False, "Each of the kernels 0 to 6 belongs to exactly one block."
        z = torch.linspace(-1, 1, 7)
        coupled = torch.autograd.functional.hessian(_seven, z).abs() > 1e-6
        right = {frozenset(row.nonzero().flatten().tolist()) for row in coupled}
        if blocks == right:
            return True, "The blocks are those of PyTorch's second derivatives."
        block_of = {k: block for block in blocks for k in block}
        groups = {*range(3)}, {3, 4}, {5, 6}
        if any(not any(block <= group for group in groups) for block in blocks):
            return False, f"{SUM}."
        told = {
            f"{SIGMOIDS}.": 4 in block_of[3],
            f"{SOFTMAX}?": block_of[0] != block_of[1] or block_of[1] != block_of[2],
            f"{LENGTH}?": block_of[5] != block_of[6],
        }
        return False, " ".join(words for words, is_wrong in told.items() if is_wrong)


@exercise("09.3", mistakes=WRONG_BLOCKS)
def coupled_kernels():
    return {"blocks": Blocks()}

"""Lesson 09: the loss of a text detector, whose faulty lines are edited in place."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from ..widgets.kit.agreement import array_of
from ..widgets.kit.shade import address
from .datasets import curved_text
from .loss_lines import edited, lines_of, moved_up, on_engine, source_of
from .widgets.line_by_line import line_by_line as LineByLine

__all__ = ["corrected", "edited", "line_by_line", "lines_of", "loss_on", "padded_crop"]

PADDED = 16  # black columns at the right of a crop

MOVED = 19
EDITS = {
    2: (".byte()", ".bool()"),
    5: (
        "3 * n_pos, int(neg.sum())) if n_pos else 100",
        "3 * n_pos if n_pos else 100, int(neg.sum()))",
    ),
    9: ("/ (n_pos + n_neg)", "/ max(n_pos + n_neg, 1)"),
    16: ("tcl", "tcl * train"),
}
"""{line: (the faulty code, the correct code)}. Line MOVED moves up by one line."""
OFFERED = {
    2: ["tr, tcl, train = tr.long(), tcl.long(), train.long()",
        "tr, tcl, train = tr.bool(), tcl.bool(), train.bool()"],
    5: ["n_neg = min(3 * n_pos, int(neg.sum()))",
        "n_neg = min(3 * n_pos if n_pos else 100, int(neg.sum()))"],
    9: ["text_loss = (loss_pos + hardest.sum()) / max(n_pos + n_neg, 1)",
        "text_loss = (loss_pos + hardest.sum()) / (n_pos + n_neg) if n_pos + n_neg else 0.0"],
    13: ["line_loss = F.cross_entropy(out[pos, 2:4].softmax(1), tcl[pos].long())"],
    16: ["on_line = tcl * tr", "on_line = tcl * train"],
    18: ["pair = pair * torch.rsqrt((pair ** 2).sum(1, keepdim=True))",
         "pair = pair / (pair ** 2).sum(1, keepdim=True).sqrt().clamp(min=1e-6)",
         "pair = F.normalize(pair, dim=1)"],
    20: ['sin_loss = (F.smooth_l1_loss(pair[:, 0], sin[on_line], reduction="none") '
         "* train[on_line]).mean()"],
}  # fmt: skip
"""{line: the edits that the widget offers for it}. Some of them are faulty."""


# fmt: off
def detector_loss(out, tr, tcl, train, sin, cos, radius):
    tr, tcl, train = tr.byte(), tcl.byte(), train.byte()
    pos, neg = tr * train, (tr == 0) * train
    n_pos = int(pos.sum())
    n_neg = min(3 * n_pos, int(neg.sum())) if n_pos else 100
    loss_pos = F.cross_entropy(out[pos, 0:2], tr[pos].long(), reduction="sum")
    loss_neg = F.cross_entropy(out[neg, 0:2], tr[neg].long(), reduction="none")
    hardest = loss_neg.topk(n_neg).values
    text_loss = (loss_pos + hardest.sum()) / (n_pos + n_neg)

    line_loss = sin_loss = cos_loss = radius_loss = 0.0
    if pos.any():
        line_loss = F.cross_entropy(out[pos, 2:4], tcl[pos].long())

    if (tcl * train).any():
        on_line = tcl
        pair = out[:, 4:6]
        pair = pair * torch.sqrt(1 / (pair ** 2).sum(1, keepdim=True))
        pair = pair[on_line]
        sin_loss = F.smooth_l1_loss(pair[:, 0], sin[on_line])
        cos_loss = F.smooth_l1_loss(pair[:, 1], cos[on_line])
        ratio = out[on_line, 6] / radius[on_line]
        radius_loss = F.smooth_l1_loss(ratio, torch.ones_like(ratio))

    return text_loss + line_loss + sin_loss + cos_loss + radius_loss
# fmt: on


def loss_on(engine: Any) -> Callable:
    """The loss with its five traps, in which `torch` is this engine."""
    return on_engine(engine, detector_loss)


def padded_crop(**options: Any) -> list[np.ndarray]:
    """A crop with black columns at its right: the image, and tr, tcl, train, sin, cos and radius,
    one number for each pixel.
    """
    image, *truth = curved_text(**options)
    wide = [np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, PADDED)]) for a in (image, *truth)]
    return [wide[0], *(a.flatten() for a in wide[1:])]


def line_by_line(
    loss: Callable, batches: Mapping[str, tuple], crop: Any = None, **options: Any
) -> LineByLine:
    """Show the loss next to the gradients of its seven maps, on both engines, and its input `crop`."""
    if crop is not None:  # (1, rows, columns); 0 is black
        options["crop"] = address(255 * array_of(crop)[0].clip(0, 1), 8)
    return LineByLine(
        loss,
        batches,
        maps={
            "tr: text region": ["not text", "text"],
            "tcl: center line": ["not line", "line"],
            "direction": ["sin", "cos"],
            "radius": ["radius"],
        },
        joins=["softmax", "softmax", "unit length"],
        shape=(48, 64),
        offered=OFFERED,
        key="tr: text · tcl: its center line · train: may train · sin, cos, radius: its true direction"
        " and half width · hardest: 3 hard negatives for each text pixel · out: pixels × 7 maps",
        **options,
    )


def corrected(loss: Callable, but: int | None = None, only: int | None = None) -> Callable:
    """The loss with its five lines fixed: without the fix of line `but`, or with only the fix of
    line `only`.
    """
    for line in [only] if only else [2, 5, 9, 16, MOVED]:
        if line == but:
            continue
        if line == MOVED:
            loss = moved_up(loss, line)
        else:
            code = source_of(loss).splitlines()[line - 1]
            loss = edited(loss, line, code.replace(*EDITS[line]))
    return loss

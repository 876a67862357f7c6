"""Lesson 09: the loss of a text detector, whose faulty lines are edited in place."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

import autograd_core

from ..widgets.kit.shade import address
from .datasets import curved_text
from .loss_lines import edited, lines_of, moved_up, on_engine, source_of
from .widgets.line_by_line import line_by_line as LineByLine
from .widgets.table import table

__all__ = [
    "TRAPS",
    "corrected",
    "edited",
    "lines_of",
    "loss_on",
    "network",
    "output",
    "padded_crop",
    "table",
    "two_copies",
]

PADDED = 16  # black columns at the right of a crop

TRAPS = {
    "mask type": 2,
    "too many negatives": 5,
    "division by 0": 9,
    "wrong mask": 16,
    "late selection": 19,
}
"""The lines of the five traps in the faulty loss."""
EDITS = {
    2: (".byte()", ".bool()"),
    5: (
        "3 * n_pos, int(neg.sum())) if n_pos else 100",
        "3 * n_pos if n_pos else 100, int(neg.sum()))",
    ),
    9: ("/ (n_pos + n_neg)", "/ max(n_pos + n_neg, 1)"),
    16: ("tcl", "tcl * train"),
}
"""{line: (the faulty code, the correct code)}. The line of the late selection moves up by one line."""
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


def detector(engine: Any, seed: int) -> Any:
    """Four layers that the heads share, then one convolution with seven 1 × 1 kernels."""
    nn = engine.nn
    engine.manual_seed(seed)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 8, 3, padding=2, dilation=2),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, padding=4, dilation=4),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.Conv2d(16, 7, 1),
    ).double()


def network(engine: Any, seed: int = 2) -> Any:
    """An untrained detector, whose biases are 0. Its seven kernels are the rows of the last weight."""
    net, init = detector(engine, seed), engine.nn.init
    for p in net.parameters():
        init.kaiming_normal_(p) if p.ndim > 1 else init.zeros_(p)
    return net


def output(net: Any, image: Any) -> Any:
    """The seven maps of an image (1, rows, columns): pixels × 7."""
    return net(image[None])[0].flatten(1).T


def two_copies(T: Any) -> tuple[Any, Any, Any, Any]:
    """One crop twice, for a loss of `sin`: the maps of a network with a graph, their targets, the mask
    of the line, and the mask of the pixels that may train, which are those of the first copy."""
    doubled = (T.from_numpy(np.stack([a, a])) for a in curved_text(seed=0, size=48))
    images, _, tcl, train, sin, *_ = doubled
    train[1] = False
    return network(T)(images)[:, 4], sin, tcl, train


def line_by_line(**options: Any) -> LineByLine:
    """Show the faulty loss next to the gradients of its seven maps, on both engines. It is checked on
    three batches: a crop, one without text, and the crop with all pixels ignored."""
    net, found = network(autograd_core), {}
    for name, crop in {"this crop": {"ignored": True}, "no text": {"text": False}}.items():
        image, *truth = padded_crop(seed=0, size=48, **crop)
        with autograd_core.no_grad():
            found[name] = (output(net, autograd_core.from_numpy(image)), *truth)
        if name == "this crop":  # (1, rows, columns); 0 is black
            options["crop"] = address(255 * image[0].clip(0, 1), 8)
    out, tr, tcl, train, *rest = found["this crop"]
    return LineByLine(
        loss_on(autograd_core),
        {**found, "all ignored": (out, tr, tcl, train & False, *rest)},
        maps={
            "tr: text region": ["not text", "text"],
            "tcl: text center line": ["not line", "line"],
            "direction": ["sin", "cos"],
            "radius": ["radius"],
        },
        joins=["softmax", "softmax", "unit length"],
        shape=(48, 64),
        offered=OFFERED,
        key="tr: text region · tcl: text center line · train: may train · sin, cos, radius: its"
        " direction and half width · hardest: 3 hard negatives per text pixel · out: pixels × 7 maps",
        **options,
    )


def corrected(loss: Callable, but: str = "", only: str = "") -> Callable:
    """Fix all five traps of the loss, all `but` one, or `only` one."""
    for trap in [only] if only else TRAPS:
        line = TRAPS[trap]
        if trap == but:
            continue
        if line in EDITS:
            code = source_of(loss).splitlines()[line - 1]
            loss = edited(loss, line, code.replace(*EDITS[line]))
        else:
            loss = moved_up(loss, line)
    return loss

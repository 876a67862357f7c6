"""Lesson 07: a crop of a photo, and the pixels that a loss with hard negative mining trains."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..widgets.kit.agreement import array_of
from ..widgets.kit.format import number
from ..widgets.kit.sheet import Sheet
from .engines import ENGINES
from .widgets.figure import Figure
from .widgets.mining import mining as Mining
from .widgets.table import table

__all__ = ["crop", "outcomes", "table", "two_words", "who_learns"]

LABELS = 'labeled "not text"', "ignored", 'labeled "text"'
WORDS = {
    "negatives": "negatives per text pixel",
    "steps": "steps of SGD on the logits",
    "second": "forgotten word",
    "softmax": "softmax first",
}
SECOND = (3, 5), (4, 5)  # its first row and column, its height and width


def who_learns(more: bool = False) -> Mining:
    """The pixels that get a gradient, on both engines. With `more`, the crop has a second word, and
    the settings are its label and a softmax before the loss."""
    settings: dict[str, Any] = {"negatives": (3, 0, 15), "steps": (0, 0, 40)}
    if more:
        settings = {"second": [*LABELS], "softmax": False}
    return Mining(
        *map(runs, ENGINES),
        note="two logits for each pixel, one loss for all; a longer arrow is a larger gradient",
        words=WORDS,
        opens=SECOND[0] if more else (1, 1),
        plot="softmax" if more else "",
        framed=(*SECOND, "the forgotten word") if more else None,
        **settings,
    )


def runs(T: Any) -> Callable[..., dict[str, Any]]:
    """The `run` of the widget on one engine."""

    def run(
        negatives: int = 3, steps: int = 0, second: str | None = None, softmax: bool = False
    ) -> dict[str, Any]:
        logits, text, train = pixels(T, second)
        optimizer = T.optim.SGD([logits], lr=5.0)
        for step in range(steps + 1):
            optimizer.zero_grad()
            outputs = T.softmax(logits, -1) if softmax else logits
            loss = mined(T, outputs, text, train, negatives)
            loss.backward()
            if step < steps:
                optimizer.step()
        flat = {"logits": logits, "p": T.softmax(logits.detach(), -1), "gradient": logits.grad}
        maps = {name: each.reshape(8, 12, 2) for name, each in flat.items()}
        return {**maps, "text": text.reshape(8, 12), "train": train.reshape(8, 12), "loss": loss}

    return run


def pixels(T: Any, second: str | None) -> tuple[Any, Any, Any]:
    """Logits, labels and the mask `train` of 96 pixels. `second` is None if there is one word."""
    logits, word, other = two_words(T, 1 if second is None else 2)
    text = word | other if second == LABELS[2] else word
    train = ~other if second == LABELS[1] else T.ones(96, dtype=T.bool)
    return logits, text, train


def two_words(T: Any, seen: int = 2) -> tuple[Any, Any, Any]:
    """The logits of 96 pixels, in which the network has `seen` one or two words, and the masks of
    both words."""
    T.manual_seed(7)
    word, second = T.zeros(2, 8, 12, dtype=T.bool)
    (row, column), (height, width) = SECOND
    word[1:3, 1:4], second[row : row + height, column : column + width] = True, True
    logits = 0.5 * T.randn(8, 12, 2, dtype=T.float64)
    logits[:, :, 0] += 1.5  # the background is "not text"
    logits[:, :, 1] += 5.0 * (word if seen == 1 else word | second)
    return logits.reshape(96, 2).requires_grad_(), word.flatten(), second.flatten()


def mined(T: Any, outputs: Any, text: Any, train: Any, negatives: int) -> Any:
    """The loss of the text pixels and of the hardest others."""
    losses = T.nn.functional.cross_entropy(outputs, text.long(), reduction="none")
    positive, negative = losses[text & train], losses[~text & train]
    wanted = min(negatives * len(positive), len(negative))
    return (positive.sum() + negative.topk(wanted).values.sum()) / (len(positive) + wanted)


def crop(logits: Any, word: Any, second: Any) -> Figure:
    """The crop of 8 × 12 pixels: the probability of text in each, and the outlines of both words."""
    scores = np.exp(array_of(logits.detach()))
    p, side = (scores[:, 1] / scores.sum(1)).reshape(8, 12), 26
    sheet = Sheet(12 * side + 330, 8 * side + 8)
    for (row, column), each in np.ndenumerate(p):
        place = 4 + column * side, 4 + row * side, side, side
        sheet.rect(*place, fill="value", fill_opacity=round(float(each), 3), stroke="border-quiet")
    lines = [("blue: p of text, from 0 (white) to 1", "value")]
    texts = "labeled “text”", "the forgotten word, labeled “not text”"
    for mask, said, dashes in zip((word, second), texts, (None, "6 4")):
        rows, columns = np.nonzero(array_of(mask).reshape(8, 12))
        height, width = np.ptp(rows) + 1, np.ptp(columns) + 1
        place = [int(4 + side * each) for each in (columns.min(), rows.min())]
        size = int(width * side), int(height * side)
        sheet.rect(
            *place, *size, fill="none", stroke="text", stroke_width=3, stroke_dasharray=dashes
        )
        mean = number(round(float(p[rows, columns].mean()), 2))
        outline = "dashed" if dashes else "solid"
        lines += [(f"{outline}: {said}", "text"), (f"{len(rows)} pixels, mean p {mean}", "text2")]
    for k, (line, ink) in enumerate(lines):
        sheet.text(line, 12 * side + 18, 24 + 22 * k, ink)
    return Figure(sheet, ". ".join(line for line, _ in lines))


def outcomes(logits: Any, crops: Mapping[str, tuple], losses: Mapping[str, Callable]) -> table:
    """What each loss gives for each crop, (labels, mask): its value and the number of pixels with a
    gradient, or the error that it raises."""

    def outcome(loss: Callable, crop: tuple) -> str:
        try:
            leaf = logits.detach().requires_grad_()
            value = loss(leaf, *crop)
            value.backward()
            learns = int((leaf.grad != 0).any(1).sum().item())
            return f"{number(round(value.item(), 3))}; {learns} learn"
        except RuntimeError as error:
            return f"RuntimeError: {error}"

    rows = {
        crop: [outcome(loss, given) for loss in losses.values()] for crop, given in crops.items()
    }
    return table(rows, ["crop", *losses])

"""Lesson 07: a crop of a photo, and the pixels that a loss with hard negative mining trains."""

from collections.abc import Callable, Mapping
from typing import Any

from .widgets.mining import mining as Mining
from .widgets.table import table

__all__ = ["outcomes", "table", "who_learns"]

GUARDS = "as posted", "min in both branches", "min and max"
LABELS = 'labeled "not text"', "ignored", 'labeled "text"'
WORDS = {
    "negatives": "negatives per text pixel",
    "steps": "steps of SGD on the logits",
    "second": "second word",
    "softmax": "softmax first",
}


def who_learns(more: bool = False) -> Mining:
    """The pixels that get a gradient, on both engines. With `more`, the crop has a second word, and
    there are settings for it, for a softmax before the loss and for the guard."""
    import torch

    import autograd_core

    settings: dict[str, Any] = {"negatives": (3, 0, 15), "steps": (0, 0, 40)}
    settings["crop"] = ["one word", "all text"]
    if more:
        settings["crop"] = ["two words", "all text", "no text", "all ignored"]
        settings |= {"second": [*LABELS], "guard": [*GUARDS], "softmax": False}
    return Mining(
        runs(autograd_core),
        runs(torch),
        note="two logits for each pixel, one loss for all",
        words=WORDS,
        opens=(4, 4) if more else (1, 1),
        plot="softmax" if more else "",
        **settings,
    )


def runs(T: Any) -> Callable[..., dict[str, Any]]:
    """The `run` of the widget on one engine."""

    def run(
        negatives: int,
        steps: int,
        crop: str,
        second: str = LABELS[0],
        guard: str = GUARDS[0],
        softmax: bool = False,
    ) -> dict[str, Any]:
        logits, text, train = pixels(T, crop, second)
        optimizer = T.optim.SGD([logits], lr=5.0)
        for step in range(steps + 1):
            optimizer.zero_grad()
            outputs = T.softmax(logits, -1) if softmax else logits
            loss = mined(T, outputs, text, train, negatives, guard)
            loss.backward()
            if step < steps:
                optimizer.step()
        flat = {"logits": logits, "p": T.softmax(logits.detach(), -1), "gradient": logits.grad}
        maps = {name: each.reshape(8, 12, 2) for name, each in flat.items()}
        return {**maps, "text": text.reshape(8, 12), "train": train.reshape(8, 12), "loss": loss}

    return run


def pixels(T: Any, crop: str, second: str) -> tuple[Any, Any, Any]:
    """Logits, labels and the mask `train` of 96 pixels."""
    T.manual_seed(7)
    word, other = T.zeros(2, 8, 12, dtype=T.bool)
    word[1:3, 1:4], other[4:7, 4:10] = True, True
    seen = word if crop == "one word" else word | other
    logits = 0.5 * T.randn(8, 12, 2, dtype=T.float64)
    logits[:, :, 0] += 1.5
    logits[:, :, 1] += 5.0 * seen
    word, other = word.flatten(), other.flatten()
    every = T.ones(96, dtype=T.bool)
    text = {"all text": every, "no text": ~every}.get(crop, word)
    train = ~every if crop == "all ignored" else every
    if crop == "two words":
        text = word | other if second == LABELS[2] else text
        train = ~other if second == LABELS[1] else train
    return logits.reshape(96, 2).requires_grad_(), text, train


def mined(T: Any, outputs: Any, text: Any, train: Any, negatives: int, guard: str) -> Any:
    """The loss of the text pixels and of the hardest others."""
    losses = T.nn.functional.cross_entropy(outputs, text.long(), reduction="none")
    positive, negative = losses[text & train], losses[~text & train]
    wanted = negatives * len(positive) if len(positive) else 100
    if len(positive) or guard != GUARDS[0]:
        wanted = min(wanted, len(negative))
    number = len(positive) + wanted
    number = max(number, 1) if guard == GUARDS[2] else number
    return (positive.sum() + negative.topk(wanted).values.sum()) / number


def outcomes(logits: Any, crops: Mapping[str, tuple], losses: Mapping[str, Callable]) -> table:
    """What each loss gives for each crop, (labels, mask): a number, or the error that it raises."""

    def outcome(loss: Callable, crop: tuple) -> float | str:
        try:
            return round(loss(logits, *crop).item(), 3)
        except RuntimeError as error:
            return f"RuntimeError: {error}"

    rows = {
        crop: [outcome(loss, given) for loss in losses.values()] for crop, given in crops.items()
    }
    return table(rows, ["crop", *losses])

"""`follow(model, optimizer)`: what each step of a training did to each parameter.

    with follow(model, optimizer) as history:
        for x, y in batches:
            ...
            optimizer.step()
    print(history)
    history.compare(0, -1)
    history.to_csv("history.csv")
    history.write_to(SummaryWriter("runs/one"))         PyTorch's, from torch.utils.tensorboard
"""

import csv
import pathlib
from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from .nodes import numbers_of
from .report import brief
from .summary import norm, summary_of

COLUMNS = "gradient", "share", "zeros", "nan", "inf"
JUMP = 100.0                        # times what the gradient's norm was in the median of the steps before
BEFORE_JUMP = 5                     # steps that must have been
LEAP = 2.0                          # times its own length that one step may move a matrix: what begins at 0 needs 1
MOST_ALIKE = 3                      # rows of one step and one kind
MOST_ROWS = 10


def follow(model: Any, optimizer: Any) -> "History":
    """Write down, at each `optimizer.step()` from now on, what became of each parameter of `model`; of either engine.

    Ends with `history.stop()`, or with the block of `with follow(...) as history:`. No number of the training changes.
    It keeps a copy of the parameters, to know how far a step moved them. Raises TypeError for what is no module or no
    optimizer, ValueError where the optimizer moves none of the model's parameters.
    """
    if not hasattr(model, "named_parameters") or not hasattr(optimizer, "param_groups"):
        raise TypeError(f"follow() takes a module and an optimizer, not {type(model).__name__} and "
                        f"{type(optimizer).__name__}")
    moved = {id(p) for group in optimizer.param_groups for p in group["params"]}
    if not any(id(p) in moved for _, p in model.named_parameters()):
        raise ValueError("this optimizer moves none of the parameters of this model: was the model copied or moved after the "
                         "optimizer was made?")
    return History(model, optimizer, moved)


class History:
    """What `follow` wrote down. Each of the following is an array, steps × parameters in the order of `names`.

    gradient  the norm of `.grad` as the step found it; nan where there was none
    share     how far the step moved the parameter: the norm of the change as a share of the parameter's norm
    zeros     the share of the gradient's numbers that are 0
    nan, inf  how many of them are nan and inf
    """

    def __init__(self, model: Any, optimizer: Any, moved: Collection[int]):
        self.names, self._parameters = zip(*model.named_parameters())
        self._rows: list[np.ndarray] = []
        self._left_out = {place for place, p in enumerate(self._parameters) if id(p) not in moved}
        self._before = [np.array(numbers_of(p)[0]) for p in self._parameters]
        self._handles = [optimizer.register_step_pre_hook(lambda *_: self._step_begins()),
                         optimizer.register_step_post_hook(lambda *_: self._step_ended())]

    # ---- while it trains -------------------------------------------------------------------------------------------

    def _step_begins(self) -> None:
        for place, (parameter, before) in enumerate(zip(self._parameters, self._before)):
            now = numbers_of(parameter)[0]
            if place in self._left_out and len(self) and not np.array_equal(before, now):
                self._left_out.remove(place)            # another optimizer moves it
            np.copyto(before, now)

    def _step_ended(self) -> None:
        self._rows.append(np.array([self._row(*each) for each in enumerate(zip(self._parameters, self._before))]))

    def _row(self, place: int, pair: tuple[Any, np.ndarray]) -> tuple[float, ...]:
        parameter, before = pair
        if parameter.grad is None:
            return np.nan, 0.0, 0.0, 0.0, 0.0
        gradient, moved, size = summary_of(numbers_of(parameter.grad)[0]), 0.0, 0.0
        if place not in self._left_out:
            size = norm(before)
            moved = norm(np.subtract(numbers_of(parameter)[0], before, out=before))
        share = moved / size if size else float(moved > 0)
        return gradient.norm, share, gradient.zeros / max(gradient.size, 1), float(gradient.nan), float(gradient.inf)

    def stop(self) -> None:
        """Write down no more, and leave no hook."""
        for handle in self._handles:
            handle.remove()
        self._handles, self._before = [], []

    def __enter__(self) -> "History":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    # ---- what it says ----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many steps there were."""
        return len(self._rows)

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in COLUMNS:
            raise AttributeError(f"a history has {', '.join(COLUMNS)}, not {name!r}")
        rows = np.array(self._rows).reshape(len(self._rows), len(self.names), len(COLUMNS))
        return np.asarray(rows[:, :, COLUMNS.index(name)])

    @property
    def layers(self) -> tuple[str, ...]:
        """The modules that own parameters, in model order."""
        return tuple(dict.fromkeys(name.rpartition(".")[0] for name in self.names))

    def by_layer(self) -> np.ndarray:
        """Steps × layers: the largest norm of a gradient in each layer; nan where one is nan or there is none."""
        gradient, owners = self.gradient, np.array([name.rpartition(".")[0] for name in self.names])
        return np.stack([gradient[:, owners == layer].max(axis=1) for layer in self.layers], axis=1)

    def surprises(self) -> list[tuple[int, str]]:
        """(step, sentence) of each first nan or inf, gradient that is gone, jump of a gradient's norm, step that moves a
        matrix by more than twice its length, and gradient that no optimizer uses; in order of steps and of the model."""
        return [(step, f"{name}: {text}") for step, name, _, text in self._surprises()]

    def _surprises(self) -> list[tuple[int, str, str, str]]:
        """(step, parameter, kind, what is said of it)"""
        found, gradient, share = [], self.gradient, self.share
        for place, (name, parameter) in enumerate(zip(self.names, self._parameters)):
            norms = gradient[:, place]
            for word in ("nan", "inf"):
                steps = np.flatnonzero(getattr(self, word)[:, place])
                found += [(int(steps[0]), name, word, f"first {word} in its gradient")] if steps.size else []
            for step in range(BEFORE_JUMP, len(self)):
                usual = float(np.median(norms[:step]))
                if np.isfinite(norms[step]) and norms[step] > JUMP * usual > 0:
                    found.append((step, name, "jump", f"gradient of norm {brief(norms[step])}, {brief(usual)} before"))
                    break
            leaps = np.flatnonzero(share[:, place] > LEAP) if len(parameter.shape) > 1 else np.array([], int)
            if leaps.size and not any(step <= leaps[0] and other == name for step, other, *_ in found):
                found.append((int(leaps[0]), name, "leap", f"moved by {brief(share[leaps[0], place])} times its own length: "
                                                           "the learning rate or the gradient is too large"))
            gone = np.flatnonzero(np.isnan(norms) & (self.nan[:, place] == 0))
            if gone.size and gone[0] > 0:
                found.append((int(gone[0]), name, "gone", "no gradient any more"))
            unused = np.flatnonzero(norms > 0) if place in self._left_out and len(self) > 1 else np.array([], int)
            if unused.size:
                found.append((int(unused[0]), name, "unused", "it has a gradient, and no step moves it: was it made after "
                                                              "the optimizer, or left out?"))
        return sorted(found, key=lambda surprise: surprise[0])

    def compare(self, first: int, second: int) -> "Comparison":
        """Two steps beside each other, the largest change first. Raises IndexError for a step that was not."""
        count = len(self)
        for step in (first, second):
            if not -count <= step < count:
                raise IndexError(f"step {step}, but there were {count}: 0 to {count - 1}")
        return Comparison(self, first % count, second % count)

    def to_csv(self, path: str | pathlib.Path) -> None:
        """Write one line for each step and parameter."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["step", "parameter", *COLUMNS])
            for step, rows in enumerate(self._rows):
                table.writerows([step, name, *map(float, row)] for name, row in zip(self.names, rows))

    def write_to(self, writer: Any) -> None:
        """Hand all to a `SummaryWriter` of PyTorch's, for TensorBoard: "gradient/fc.weight" and the like."""
        for step, rows in enumerate(self._rows):
            for name, row in zip(self.names, rows):
                for column, number in zip(COLUMNS, row):
                    if not np.isnan(number):
                        writer.add_scalar(f"{column}/{name}", float(number), step)

    def __repr__(self) -> str:
        alike: dict[tuple[int, str], list[str]] = {}
        for step, name, kind, text in self._surprises():
            alike.setdefault((step, kind), []).append(f"step {step}: {name}: {text}")
        shown = [row for rows in alike.values() for row in (
            rows if len(rows) <= MOST_ALIKE else [f"{rows[0]}; and {len(rows) - 1} more like it"])]
        more = [f"and {len(shown) - MOST_ROWS} more"] if len(shown) > MOST_ROWS else []
        head = f"{len(self)} steps of {len(self.names)} parameters"
        return "\n".join([f"{head}; no surprise" if not shown else f"{head}:", *shown[:MOST_ROWS], *more])


class Comparison:
    """Two steps of a history: `rows` of (name, gradient's norm then and now, share then and now), most changed first."""

    def __init__(self, history: History, first: int, second: int):
        self.steps = first, second
        columns = [getattr(history, name)[step] for name in ("gradient", "share") for step in self.steps]
        rows = [(name, *map(float, numbers)) for name, *numbers in zip(history.names, *columns)]
        self.rows: Sequence[tuple[Any, ...]] = sorted(rows, key=_change, reverse=True)

    def __repr__(self) -> str:
        width = max(len(row[0]) for row in self.rows)
        lines = [f"{name:<{width}}  {brief(a):>8} → {brief(b):<8}  {100 * s:>8.3g} % → {100 * t:.3g} %"
                 for name, a, b, s, t in self.rows]
        return "\n".join([f"{'parameter':<{width}}  gradient in steps {self.steps[0]} and {self.steps[1]}, and how far "
                          "each moved the parameter", *lines])


def _change(row: tuple[Any, ...]) -> float:
    """How many times larger or smaller a gradient has become; nan and what is gone come first."""
    _, before, after, *_ = row
    if not (np.isfinite(before) and np.isfinite(after)):
        return np.inf if before != after and not (np.isnan(before) and np.isnan(after)) else -1.0
    return 0.0 if before == after else abs(float(np.log(max(after, 1e-300)) - np.log(max(before, 1e-300))))

"""`follow(model, optimizer)`: what each step of a training did to each parameter.

with follow(model, optimizer) as history:
    for x, y in batches:
        ...
        optimizer.step()
print(history)                                      surprises; `autograd_core.widgets.follow` draws
history.compare(0, -1)
history.to_csv("history.csv")
history.write_to(SummaryWriter("runs/one"))         PyTorch's, from torch.utils.tensorboard
"""

import csv
import io
import pathlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .asked import check_loss, check_start
from .build import trace
from .data import Trace
from .files import write_whole
from .kept import KeptTraces
from .names import names_in
from .nodes import MOST_NODES, count_nodes, engine_of, numbers_of, walk
from .report import brief
from .summary import norm, summary_of
from .surprises import Surprise, Surprises, in_sentences
from .tape import Tape, tape_of

COLUMNS = "gradient", "share", "zeros", "nan", "inf"
LOGGED = "loss", "nodes"
MOST_ROWS = 10
GROWING = 8  # steps in a row at which the graph has more nodes than before: no chance any more

LEFT_OUT = "it has a gradient, and no step moves it: was it made after the optimizer, or left out?"
REPLACED = "another Parameter is in its place, and the optimizer moves the former one"
NO_GRADIENT = (
    "the optimizer holds it, and no step found a gradient: is it used, and its path to the loss not"
    " cut?"
)
NO_GRADIENTS = (
    "no step found a gradient: was backward() called before step(), on a loss that was computed"
    " from them?"
)


def follow(model: Any, optimizer: Any, keep: int | None = None) -> "History":
    """Write down, at each `optimizer.step()` from now on, what became of each parameter of `model`;
    of either engine.

    keep  of every `keep`th step, and of each step with a surprise, a trace is kept, in
          `history.views`. For that write `history.backward(loss)` in place of `loss.backward()`.

    Ends with `history.stop()`, or with the block of `with follow(...) as history:`. No number of
    the training changes. It keeps a copy of the parameters, to know how far a step moved them.
    Raises TypeError for what is no module or no optimizer, ValueError where the optimizer moves
    none of the model's parameters, and for a `keep` below 1.
    """
    check_followed(model, optimizer, keep)
    return History(model, optimizer, keep)


def check_followed(model: Any, optimizer: Any, keep: int | None) -> None:
    """Raise what `follow` raises."""
    if not hasattr(model, "named_parameters") or not hasattr(optimizer, "param_groups"):
        given = f"{type(model).__name__} and {type(optimizer).__name__}"
        raise TypeError(f"follow() takes a module and an optimizer, not {given}")
    if len(_left_out(model, optimizer)) == len(list(model.named_parameters())):
        raise ValueError(
            "this optimizer moves none of the parameters of this model: was the model copied or"
            " moved after the optimizer was made?"
        )
    if keep is not None and (isinstance(keep, bool) or not isinstance(keep, int) or keep < 1):
        raise ValueError(
            f"keep={keep!r} is no number of steps: keep=100 keeps a view of every hundredth step"
        )


def _left_out(model: Any, optimizer: Any) -> set[int]:
    """The places of the parameters that `optimizer` does not move."""
    moved = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return {place for place, (_, p) in enumerate(model.named_parameters()) if id(p) not in moved}


class History:
    """What `follow` wrote down. Each of the following is an array, steps × parameters in the order
    of `names`.

    gradient  the norm of `.grad` as the step found it; nan where there was none
    share     how far the step moved the parameter: the norm of the change as a share of the
              parameter's norm
    zeros     the share of the gradient's numbers that are 0
    nan, inf  how many of them are nan and inf

    And, of steps before which `log(loss)` or `backward(loss)` was called, one number for each step,
    nan for others:

    loss      the loss
    nodes     how many nodes its graph had; nan for more than 20,000
    """

    def __init__(self, model: Any, optimizer: Any, keep: int | None = None):
        self.names, self._parameters = zip(*model.named_parameters())
        self._model, self._optimizer = model, optimizer
        self._rows: list[np.ndarray] = []
        # found at steps; and at backward passes, of which `backward` keeps traces
        self._surprises, self._arrived = Surprises(self.names), Surprises(self.names)
        self._kept = KeptTraces(keep) if keep else None
        self._latest: tuple[Trace, bool] | None = None  # of this step; whether it surprised
        self._logged: dict[int, tuple[float, float]] = {}  # step -> loss, nodes of its graph
        self._too_large = False  # a graph was, of PyTorch's: no other one is looked at
        self._left_out = _left_out(model, optimizer)
        self._since: dict[int, int] = {}  # place of a parameter that was replaced -> the step
        self._before = [np.array(numbers_of(p)) for p in self._parameters]
        self._handles = [
            optimizer.register_step_pre_hook(lambda *_: self._step_begins()),
            optimizer.register_step_post_hook(lambda *_: self._step_ended()),
        ]

    # ---- while it trains -------------------------------------------------------------------------

    def log(self, loss: Any) -> None:
        """Note the number of `loss` and the size of its graph, as those of the step that comes.

        After one of PyTorch's of more than MOST_NODES nodes no graph is looked at: it may be one
        that grows, until PyTorch does not bear it.
        """
        nodes = 0 if self._too_large else count_nodes(loss.grad_fn)
        large = nodes > MOST_NODES
        self._too_large |= large and engine_of(loss) == "torch"
        numbers = numbers_of(loss).real
        number = float(numbers) if numbers.size == 1 else np.nan
        self._logged[len(self)] = number, np.nan if large or self._too_large else nodes

    def _step_begins(self) -> None:
        self._replace()
        for place, (parameter, before) in enumerate(zip(self._parameters, self._before)):
            now = numbers_of(parameter)
            if place in self._left_out and len(self) and not np.array_equal(before, now):
                self._left_out.remove(place)  # another optimizer moves it
            np.copyto(before, now)

    def _replace(self) -> None:
        """Follow the Parameters that the model has now: a loop may put others in their places."""
        there = dict(self._model.named_parameters())
        now = tuple(there.get(name, former) for name, former in zip(self.names, self._parameters))
        new = {place for place, p in enumerate(now) if p is not self._parameters[place]}
        if new:
            left_out = _left_out(self._model, self._optimizer)
            self._left_out = (self._left_out - new) | (left_out & new)
            self._since |= dict.fromkeys(new, len(self))
            self._parameters = now
            for place in new:
                self._before[place] = np.array(numbers_of(now[place]))

    def _step_ended(self) -> None:
        self._rows.append(np.array([self._row(place) for place in range(len(self.names))]))
        gradient, share, _, nan, inf = self._rows[-1].T
        is_matrix = np.array([len(p.shape) > 1 for p in self._parameters])
        self._surprises.see(gradient, nan, inf, np.where(is_matrix, share, 0.0))
        if self._kept is not None and self._latest is not None:
            self._kept.add(len(self) - 1, *self._latest)
            self._latest = None

    def _row(self, place: int) -> tuple[float, ...]:
        parameter, before = self._parameters[place], self._before[place]
        if parameter.grad is None:
            return np.nan, 0.0, 0.0, 0.0, 0.0
        found, share = summary_of(numbers_of(parameter.grad)), 0.0
        if place not in self._left_out:
            size = norm(before)
            moved = norm(np.subtract(numbers_of(parameter), before, out=before))
            share = moved / size if size else float(moved > 0)
        return found.norm, share, found.zeros / max(found.size, 1), found.nan, found.inf

    def backward(self, loss: Any, gradient: Any = None) -> None:
        """`loss.backward(gradient)`; and where `follow(..., keep=n)` wants it, a trace of this step
        for `views`.

        Whether a step surprises is known after its backward pass, so each one is recorded, and
        takes about half as long again. Forward values and lines are known of what ran inside of
        `with watching():`. It calls `log(loss)`. From the first graph of PyTorch's on that has more
        than 20,000 nodes, no trace is kept.
        """
        check_loss(loss, "history.backward")
        check_start(loss, gradient)
        self.log(loss)
        if self._kept is None or not self._handles or self._too_large:
            loss.backward(gradient)
            return
        tape = tape_of(loss, walk(loss.grad_fn)) or Tape()
        with tape.during_backward([loss], True):
            loss.backward(gradient)
        gradients = [p.grad for p in self._parameters]
        there = np.array([g is not None for g in gradients])
        norms = np.array([np.nan if g is None else norm(numbers_of(g)) for g in gradients])
        surprising = self._arrived.see(norms, np.isnan(norms) & there, np.isinf(norms))
        if self._kept.wanted(len(self), surprising) and (self._latest is None or surprising):
            frame = sys._getframe(1)
            known = {**frame.f_globals, **frame.f_locals}
            known.setdefault("model", self._model)
            self._latest = trace(loss, names_in(known), tape, gradient), surprising

    @property
    def views(self) -> Mapping[int, Trace]:
        """The traces that were kept, by their step: every nth, 16 at most (then every second of
        these goes), and the first 8 surprises. Each has at most 4 MB of whole arrays.
        """
        return {} if self._kept is None else self._kept.all()

    @property
    def kept_every(self) -> int | None:
        """Of every how many steps a view is kept now; None for none."""
        return None if self._kept is None else self._kept.every

    def stop(self) -> None:
        """Write down no more, and leave no hook."""
        for handle in self._handles:
            handle.remove()
        self._handles, self._before = [], []

    def __enter__(self) -> "History":
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()

    # ---- what it says ----------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many steps there were."""
        return len(self._rows)

    def __getattr__(self, name: str) -> np.ndarray:
        if name in LOGGED:
            return np.array(self._of_steps(LOGGED.index(name), np.nan), float)
        if name not in COLUMNS:
            raise AttributeError(f"a history has {', '.join((*COLUMNS, *LOGGED))}, not {name!r}")
        rows = np.array(self._rows).reshape(len(self._rows), len(self.names), len(COLUMNS))
        return np.asarray(rows[:, :, COLUMNS.index(name)])

    def _of_steps(self, place: int, missing: float | None) -> list[float | None]:
        """Of each step one of the numbers that `log` noted."""
        return [self._logged.get(step, (missing,) * 2)[place] for step in range(len(self))]

    def surprises(self) -> list[tuple[int, str]]:
        """(step, sentence), as they came, of each first nan or inf, jump or end of a gradient, step
        that moves a matrix by more than twice its length, gradient that no optimizer uses,
        parameter of the optimizer that never has one, and graph that grows.
        """
        return [(found.step, f"{found.name}: {found.text}") for found in self._found()]

    def sentences(self) -> list[tuple[int, str]]:
        """The same; what befell more than three parameters at one step is told of the first."""
        return in_sentences(self._found())

    def _found(self) -> list[Surprise]:
        found = list(self._surprises.found)
        if len(self) > 1:  # what the second step has not moved either is not used by any optimizer
            found += [*self._unused(), *self._without_gradient()]
        return sorted([*found, *self._growing()], key=lambda surprise: surprise.step)

    def _unused(self) -> Iterator[Surprise]:
        """What has a gradient, and is moved by no step."""
        for place in sorted(self._left_out):
            since = self._since.get(place)
            steps = np.flatnonzero(self.gradient[since or 0 :, place] > 0)
            if steps.size:
                text = LEFT_OUT if since is None else REPLACED
                yield Surprise((since or 0) + int(steps[0]), self.names[place], "unused", text)

    def _growing(self) -> Iterator[Surprise]:
        """A graph that has more nodes at each of GROWING steps."""
        nodes = self.nodes
        grows = np.diff(nodes) > 0
        for step in range(GROWING, len(nodes)):
            if grows[step - GROWING : step].all():
                text = (
                    f"has more nodes at each step, {nodes[step]:.0f} by now: something in it was"
                    " computed in former steps"
                )
                yield Surprise(step, "the graph", "grows", text)
                return

    def _without_gradient(self) -> list[Surprise]:
        """What the optimizer holds, and had no gradient at any step."""
        known = enumerate(self._parameters)
        held = [n for n, p in known if p.requires_grad and n not in self._left_out]
        without = set(np.flatnonzero(self._without.all(axis=0)))
        places = [place for place in held if place in without]
        if places and places == held:
            return [Surprise(0, "all parameters", "none", NO_GRADIENTS)]
        return [Surprise(0, self.names[place], "none", NO_GRADIENT) for place in places]

    def data(self) -> dict[str, Any]:
        """All numbers: {"loss": [...], "nodes": [...], "gradient": {name: [...]}, "share": ...};
        None where there was no loss or no gradient.
        """
        data: dict[str, Any] = {
            name: self._of_steps(place, None) for place, name in enumerate(LOGGED)
        }
        for column in COLUMNS:
            data[column] = dict(zip(self.names, getattr(self, column).T.tolist()))
        known = self.gradient.astype(object)
        known[self._without] = None
        return {**data, "gradient": dict(zip(self.names, known.T.tolist()))}

    @property
    def _without(self) -> np.ndarray:
        """steps × parameters: where there was no gradient."""
        return np.asarray(np.isnan(self.gradient) & (self.nan == 0))

    def compare(self, first: int, second: int) -> "Comparison":
        """Two steps beside each other, the largest change first. IndexError for one that was not."""
        count = len(self)
        for step in (first, second):
            if not -count <= step < count:
                raise IndexError(f"step {step}, but there were {count}: 0 to {count - 1}")
        return Comparison(self, first % count, second % count)

    def to_csv(self, path: str | pathlib.Path) -> None:
        """Write one line for each step and parameter."""
        text = io.StringIO(newline="")
        table = csv.writer(text)
        table.writerow(["step", "parameter", *COLUMNS])
        for step, rows in enumerate(self._rows):
            table.writerows([step, name, *map(float, row)] for name, row in zip(self.names, rows))
        write_whole(path, text.getvalue())

    def write_to(self, writer: Any) -> None:
        """Hand all to PyTorch's `SummaryWriter`: "gradient/fc.weight" and the like."""
        for step, rows in enumerate(self._rows):
            for tag, number in zip(LOGGED, self._logged.get(step, ())):
                writer.add_scalar(tag, number, step)
            for name, row in zip(self.names, rows):
                for column, number in zip(COLUMNS, row):
                    if not np.isnan(number):
                        writer.add_scalar(f"{column}/{name}", float(number), step)

    def __repr__(self) -> str:
        surprises = self.sentences()
        lines = [f"step {step}: {text}" for step, text in surprises[:MOST_ROWS]]
        if len(surprises) > MOST_ROWS:
            lines.append(f"and {len(surprises) - MOST_ROWS} more")
        end = ":" if surprises else "; no surprise"
        return "\n".join([f"{len(self)} steps of {len(self.names)} parameters{end}", *lines])


class Comparison:
    """Two steps: `rows` of (name, gradient's norm then and now, share then and now), changed first."""

    def __init__(self, history: History, first: int, second: int):
        self.steps = first, second
        shown = history.gradient[[*self.steps]], history.share[[*self.steps]]
        rows = zip(history.names, *np.concatenate(shown).tolist())
        self.rows: Sequence[tuple[Any, ...]] = sorted(rows, key=_change, reverse=True)

    def __repr__(self) -> str:
        width, (first, second) = max(len(row[0]) for row in self.rows), self.steps
        head = f"gradient in steps {first} and {second}, and how far each moved the parameter"
        lines = [
            f"{name:<{width}}  {brief(a):>8} → {brief(b):<8}  {100 * s:>8.3g} % → {100 * t:.3g} %"
            for name, a, b, s, t in self.rows
        ]
        return "\n".join([f"{'parameter':<{width}}  {head}", *lines])


def _change(row: tuple[Any, ...]) -> float:
    """How many times larger or smaller a gradient has become; nan and what is gone come first."""
    _, before, after, *_ = row
    if before == after or np.isnan(before) and np.isnan(after):
        return 0.0 if np.isfinite(before) else -1.0
    if not (np.isfinite(before) and np.isfinite(after)):
        return np.inf
    return abs(float(np.log(max(after, 1e-300)) - np.log(max(before, 1e-300))))

"""Steps that do nothing, and parameters to which nothing happens, found as the steps come."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .surprises import Surprise

ALWAYS = 3  # steps, from the first on
SMALL = 1e-4  # of the largest gradient of a step: a step may well not move what has less

NO_GRADIENT = (
    "the optimizer holds it, and no step found a gradient: is it used, and its path to the loss not"
    " cut?"
)
NO_GRADIENTS = (
    "no step found a gradient: was backward() called before step(), on a loss that was computed"
    " from them?"
)
TAKEN_AWAY = (
    "no step found a gradient {when}, though backward() brought some: set to None before step()"
)
ZEROED = "every gradient is 0 {when}, though backward() brought others: zeroed before step()"
ARRIVED = "every gradient is 0 {when}, as it arrived: report(loss) says from where on"
ZEROS = "every gradient is 0 {when}: zeroed before step(), or nothing else arrived"
NO_RATE = "nothing moves {when}: the learning rate is 0"
GONE = "no gradient any more"
ZERO = "its gradient is 0 at every step: report(loss) says from where on"
STUCK_BY_RATE = "it has a gradient, and no step moves it: the learning rate of its group is 0"
STUCK = "it has a gradient, and no step moves it: is each step smaller than {dtype} resolves?"


@dataclass
class Run:
    """Steps of one optimizer in a row that did nothing; `begins` if they are its first ones.

    kind     "none" or "zero", of all gradients; "rate" where it is only the learning rates
    brought  whether a backward pass brought a gradient that is not 0; None if that is not known
    """

    kind: str
    first: int
    begins: bool
    last: int = 0
    count: int = 0
    moved: bool = False
    brought: bool | None = None

    def add(self, step: int, moved: bool, brought: bool | None) -> None:
        self.last, self.count, self.moved = step, self.count + 1, self.moved or moved
        if brought is not None:
            self.brought = brought or bool(self.brought)

    @property
    def alarming(self) -> bool:
        """A schedule may begin at a rate of 0, a batch may have nothing to teach."""
        if self.kind == "none":
            return bool(self.brought) or self.begins and self.count > 1
        if self.kind == "zero":
            return self.begins or self.count > (2 if self.moved else 1)
        return self.count > 1

    @property
    def text(self) -> str:
        of_zeros = {True: ZEROED, False: ARRIVED, None: ZEROS}[self.brought]
        of_none = TAKEN_AWAY if self.brought else NO_GRADIENTS
        when = f"in steps {self.first} to {self.last}" if self.count > 1 else "in this step"
        return {"none": of_none, "zero": of_zeros, "rate": NO_RATE}[self.kind].format(when=when)


class Idle:
    """What the steps left undone: of each optimizer by its number, of each parameter by its place."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self._runs: dict[int, list[Run]] = {}
        self._latest: dict[int, Run | None] = {}  # None after a step that did something
        self._first, self._optimizer = (np.full(len(names), -1) for _ in range(2))
        # in how many steps it was held, had a gradient; and in steps that were not idle had one of
        # 0, was not moved, and that at a rate of 0
        self._held, self._had, self._zero, self._stuck, self._slow = np.zeros((5, len(names)), int)
        self._not_zero, self._moved = np.zeros((2, len(names)), bool)
        # since when, for how long, and how long it was at most before one came again
        self._gone, self._without, self._longest = np.zeros((3, len(names)), int)

    def see(
        self,
        step: int,
        optimizer: int,
        held: np.ndarray,
        row: np.ndarray,
        rates: np.ndarray,
        brought: tuple[bool, bool | None],
    ) -> bool:
        """A step of an optimizer that holds the parameters at `held`, with their learning `rates`;
        whether a backward pass `brought` something, and something that is not 0. Whether it was idle.
        """
        if not held.any():
            return False
        gradient, share, _, nan, _inf = row.T
        there = held & ~(np.isnan(gradient) & (nan == 0))
        zero, stays = there & (gradient == 0), there & (share == 0)
        kind = ""
        if not there.any():
            kind = "none"
        elif (zero == there).all():
            kind = "zero"
        elif (stays == there).all() and (rates[there] == 0).all():
            kind = "rate"
        self._first[there & (self._first < 0)] = step
        self._optimizer[held] = optimizer
        self._gone[held & (self._without == 0)] = step
        self._without[held] += 1
        self._longest[there] = np.maximum(self._longest, self._without)[there]
        self._without[there] = 0
        self._held += held
        self._had += there
        self._not_zero |= there & ~zero
        self._moved |= there & ~stays
        if not kind:
            largest = np.max(gradient, where=there & np.isfinite(gradient), initial=0.0)
            stuck = stays & (gradient > SMALL * largest)
            self._zero += zero
            self._stuck += stuck
            self._slow += stuck & (rates == 0)
        run, begins = self._latest.get(optimizer), optimizer not in self._latest
        if kind and (run is None or run.kind != kind):
            run = Run(kind, step, begins)
            self._runs.setdefault(optimizer, []).append(run)
        self._latest[optimizer] = run if kind else None
        if kind and run is not None:
            run.add(step, bool((there & ~stays).any()), brought[kind != "none"])
        return bool(kind)

    def runs(self, alarming: bool) -> Iterator[tuple[int, Run]]:
        """(optimizer, run): the first of each kind that is alarming, or is not."""
        for optimizer, runs in self._runs.items():
            chosen = [run for run in runs if run.alarming == alarming]
            yield from ((optimizer, run) for run in {r.kind: r for r in chosen[::-1]}.values())

    def found(self, whose: Callable[[int], str], parameters: Sequence[Any]) -> Iterator[Surprise]:
        """What is wrong; `whose(optimizer)` names all its parameters."""
        for optimizer, idle in self.runs(alarming=True):
            yield Surprise(idle.first, whose(optimizer), idle.kind, idle.text)
        for place, (name, parameter) in enumerate(zip(self.names, parameters)):
            run = self._latest.get(int(self._optimizer[place]))
            none_has = run is not None and run.kind == "none" and (run.alarming or run.begins)
            first = int(self._first[place])
            if not self._had[place]:
                if self._held[place] > 1 and not none_has:
                    yield Surprise(int(self._gone[place]), name, "none", NO_GRADIENT)
            elif self._without[place] >= max(ALWAYS, self._longest[place]) and not none_has:
                yield Surprise(int(self._gone[place]), name, "gone", GONE)
            elif self.is_zero(place) and len(parameter.shape) > 1:
                yield Surprise(first, name, "zero", ZERO)
            elif not self._moved[place] and self._stuck[place] >= ALWAYS:
                by_rate = self._slow[place] == self._stuck[place]
                dtype = str(parameter.dtype).rpartition(".")[2]
                text = STUCK_BY_RATE if by_rate else STUCK.format(dtype=dtype)
                yield Surprise(first, name, "stuck", text)

    def is_zero(self, place: int) -> bool:
        """Whether its gradient was 0 at every step, and others were not."""
        return bool(not self._not_zero[place] and self._zero[place] >= ALWAYS)

    def notes(self, whose: Callable[[int], str], parameters: Sequence[Any]) -> Iterator[Surprise]:
        """What is usual: a single step at a rate of 0; a bias of which the loss knows nothing."""
        for optimizer, run in self.runs(alarming=False):
            if run.kind != "none" and not run.moved:
                yield Surprise(run.first, whose(optimizer), run.kind, run.text)
        for place, (name, parameter) in enumerate(zip(self.names, parameters)):
            if self.is_zero(place) and len(parameter.shape) < 2:
                yield Surprise(int(self._first[place]), name, "zero", ZERO)

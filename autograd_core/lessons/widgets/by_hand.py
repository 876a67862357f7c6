"""You step: the learner is the optimizer of a loss, or makes the calls of a training loop.

All that so many moves can lead to is computed once, on both engines, and compared. So a page needs
no kernel for it."""

from collections.abc import Callable
from typing import Any

import contourpy
import numpy as np
import torch
import traitlets

import autograd_core

from ...widgets.kit.chart import Chart, Panel, range_of
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet
from .bowl import bowl

WIDTH, HEIGHT = 400, 250  # of the losses and of the map, in pixels
SLOPE = "slope of the loss"
LEVELS = 0.02, 0.1, 0.25, 0.5, 1.0
"""The contour lines of the map, as fractions of the first loss."""


class _Hands(Live):
    """A way of moves, and the numbers after each. A subclass says in `state` which these are, by
    name, in `won` whether a state ends the game early, and in `picture` what is drawn, and what the
    browser gets of it.

    loss   a function of the tensors in `start`, in operators alone: both engines call it.
    start  {name: its number at first}
    lr     of the optimizer, plain SGD.
    most   how many moves there are.
    """

    walked = traitlets.List(traitlets.Int()).tag(sync=True)  # the moves so far, by their places
    state: Callable[[Any, tuple[int, ...]], dict[str, float | None]]
    won: Callable[[dict[str, Any]], bool]
    picture: Callable[[bool], tuple[Sheet, dict]]

    def __init__(self, loss, start, moves, *, lr, most, **options):
        self.loss, self.start, self.moves, self.lr, self.most = loss, start, moves, lr, most
        super().__init__(lambda: self.table(autograd_core), lambda: self.table(torch), **options)

    def optimized(self, engine: Any, start: dict[str, float]) -> tuple[dict, Any]:
        """The tensors of `start`, and an optimizer of them."""
        kind = {"dtype": engine.float64, "requires_grad": True}
        tensors = {name: engine.tensor(value, **kind) for name, value in start.items()}
        return tensors, engine.optim.SGD(list(tensors.values()), lr=self.lr)

    def table(self, engine: Any) -> dict[str, list]:
        """The states that moves lead to, the nearest first; and from each, by move, the next."""
        ways: list[tuple[int, ...]] = [()]
        states, leads = [self.state(engine, ())], []
        places = {tuple(states[0].values()): 0}
        for way in ways:  # which grows
            leads.append([])
            for move in range(len(self.moves)) if len(way) < self.most else ():
                state = self.state(engine, (*way, move))
                place = places.setdefault(tuple(state.values()), len(states))
                leads[-1].append(place)
                if place == len(states):
                    states.append(state)
                    ways.append((*way, move))
        return {"states": states, "leads": leads}

    def draw(self, ours: dict, theirs: object) -> dict:
        self.result = ours
        sheet, places = self.picture(live=True)
        known = {"names": list(ours["states"][0]), "moves": self.moves, "most": self.most}
        known["ends"] = [i for i, state in enumerate(ours["states"]) if self.won(state)]
        states = [list(state.values()) for state in ours["states"]]
        svg = sheet.svg(self.title, role="group")
        return {**ours, **known, "states": states, "svg": svg, **places}

    def still(self) -> str:
        return self.picture(live=False)[0].svg(repr(self))

    def __repr__(self) -> str:
        first = self.result["states"][0].items()
        numbers = ", ".join(f"{name} is {number(value)}" for name, value in first)
        return f"{self.title}, in {self.most} moves; at first {numbers}"


class optimizer_by_hand(_Hands):
    """Bring `loss` down: a move takes one of two numbers `by` down or up. SGD starts at the same
    place and moves whenever the learner does. When the game is over, a map shows the loss and both
    paths: after the last move, or as soon as both gradients are 0. Raises ValueError for other
    than two numbers."""

    view = traitlets.Unicode("optimizerByHand").tag(sync=True)
    called = "You are the optimizer"

    def __init__(self, loss, start, *, by, lr, most=12, **options):
        self.by, (first, second) = by, start
        moves = [f"{name} {sign} {number(by)}" for name in (first, second) for sign in "−+"]
        super().__init__(loss, start, moves, lr=lr, most=most, **options)

    def state(self, engine: Any, way: tuple[int, ...]) -> dict[str, float]:
        ups = (way.count(2 * i + 1) - way.count(2 * i) for i in range(len(self.start)))
        moved = {name: at + self.by * up for (name, at), up in zip(self.start.items(), ups)}
        tensors, _ = self.optimized(engine, moved)
        loss = self.backward(tensors)
        gradients = {f"{name}.grad": each.grad.item() for name, each in tensors.items()}
        return {"loss": loss, **moved, **gradients}

    def won(self, state: dict[str, Any]) -> bool:
        return not any(state[f"{name}.grad"] for name in self.start)

    def backward(self, tensors: dict) -> float:
        loss = self.loss(**tensors)
        loss.backward()
        return loss.item()

    def table(self, engine: Any) -> dict[str, list]:
        (tensors, optimizer), losses, trail = self.optimized(engine, self.start), [], []
        for _ in range(self.most + 1):
            optimizer.zero_grad()
            trail.append([each.item() for each in tensors.values()])
            losses.append(self.backward(tensors))
            optimizer.step()
        return {**super().table(engine), "rival": losses, "trail": trail}

    def draw(self, ours: dict, theirs: object) -> dict:
        return {**super().draw(ours, theirs), **self.map()}

    def map(self) -> dict:
        """The loss as contour lines, around the start and the lowest place; and where in it each
        state and each of SGD's places are."""
        states = self.result["states"]
        spots = np.array([[state[name] for name in self.start] for state in states])
        ends = spots[[0, int(np.argmin([state["loss"] for state in states]))]]
        scale = HEIGHT / (np.ptp(ends[:, 1]) + 4 * self.by)
        reach, middle = np.array([WIDTH, HEIGHT]) / scale / 2, ends.mean(0)

        def place(spots: np.ndarray) -> list:
            at = (np.asarray(spots) - middle) * [scale, -scale] + [WIDTH / 2, HEIGHT / 2]
            return np.round(at, 1).tolist()

        sheet = Sheet(WIDTH, HEIGHT, live=True)
        x, y = (np.linspace(at - far, at + far, 80) for at, far in zip(middle, reach))
        generator = contourpy.contour_generator(
            x, y, self.loss(**dict(zip(self.start, (x[None, :], y[:, None]))))
        )
        for level in states[0]["loss"] * np.array(LEVELS):
            for line in generator.lines(level):
                path = "L".join(f"{left} {down}" for left, down in place(line))
                sheet.add("path", d=f"M{path}", fill="none", stroke="border", stroke_width=1)
        first, lowest = place(ends)
        sheet.add("circle", cx=first[0], cy=first[1], r=8, fill="none", stroke="text2")
        sheet.text("start", first[0] - 14, first[1] + 4, "text2", anchor="end")
        cross = "M{} {}m-6 -6l12 12m0 -12l-12 12".format(*lowest)
        sheet.add("path", d=cross, fill="none", stroke="value", stroke_width=2)
        sheet.text("lowest loss", lowest[0] + 14, lowest[1] + 4, "value")
        for name, down in zip(self.start, (HEIGHT - 8, 16)):
            sheet.text(f"{name} {'→' if down > 16 else '↑'}", 8, down, "text2")
        for name, ink, down in (("you", "text", 16), ("SGD", "series-2", 34)):
            sheet.text(name, WIDTH - 8, down, ink, anchor="end")
        self.paths(sheet)
        svg = sheet.svg("The loss as a map, with your path and SGD's", role="group")
        return {"map": svg, "at": place(spots), "trail": place(self.result["trail"])}

    def paths(self, sheet: Sheet) -> None:
        """What the browser moves: both lines, and the dots at their ends."""
        for part, ink in {"rival": "series-2", "line": "text"}.items():
            sheet.add("path", d="", fill="none", stroke=ink, stroke_width=2, part=part)
        for part, ink in {"SGD": "series-2", "you": "text"}.items() if sheet.live else ():
            sheet.add("circle", r=5, fill=ink, part=part)

    def picture(self, live: bool) -> tuple[Sheet, dict]:
        """The first loss, on a scale that starts at 0. The browser adds the losses of the learner
        and of SGD, move by move."""
        first, later = self.result["rival"][:1], [None] * self.most
        panel = Panel("loss", {"you": [*first, *later], "SGD": [None, *later]}, {})
        chart = Chart([panel], "move", WIDTH, live)
        self.paths(chart)
        return chart, {"places": chart.places, "range": range_of(first)}


class calls_by_hand(_Hands):
    """Make the three calls of a training loop on one number, until it is within `within` of `goal`,
    where the loss is lowest. The loss is a bowl, drawn between the two numbers of `edges`. Raises
    ValueError for more than one number."""

    view = traitlets.Unicode("callsByHand").tag(sync=True)
    called = "You make the calls"

    def __init__(self, loss, start, *, goal, within, edges, lr, most=9, **options):
        self.goal, self.within, self.edges = goal, within, edges
        (self.name,), called = start, loss.__name__
        moves = [f"{called}({self.name}).backward()", "optimizer.step()", "optimizer.zero_grad()"]
        super().__init__(loss, start, moves, lr=lr, most=most, **options)

    def state(self, engine: Any, way: tuple[int, ...]) -> dict[str, float | None]:
        tensors, optimizer = self.optimized(engine, self.start)
        ((name, w),) = tensors.items()
        calls = (lambda: self.loss(w).backward()), optimizer.step, optimizer.zero_grad
        for call in way:
            calls[call]()
        grad = None if w.grad is None else w.grad.item()
        w.grad = None
        self.loss(w).backward()
        return {name: w.item(), f"{name}.grad": grad, SLOPE: w.grad.item()}

    def won(self, state: dict[str, Any]) -> bool:
        return abs(state[self.name] - self.goal) <= self.within

    def picture(self, live: bool) -> tuple[Sheet, dict]:
        states = self.result["states"]
        rows = {name: [state[name] for state in states] for name in states[0] if name != SLOPE}
        goal = self.goal, self.within
        sheet, at = bowl(self.loss, *self.edges, rows, live, goal=goal, lr=self.lr)
        return sheet, {"at": at, "goal": self.goal, "within": self.within}

"""Measure a training loop from outside, by the events of our engine and the hooks of PyTorch."""

import contextlib
import math
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.overrides import TorchFunctionMode

from ..core.recording import recording
from ..parity.agreement_report import first_line
from ..trace.measure import copied, measured, share_moved
from ..trace.nodes import some_nodes
from .failing_loops import setting

FILE = "<loop>"  # in tracebacks
MOST_STEPS, EARLY, GROWING = 400, 5, 8
NUDGE = 1e-6
ALARMS = {
    "no gradient": "no gradient at two steps in a row: {}",
    "not moved": "a gradient, but no movement at two steps in a row: {}",
    "nan": "the gradient is nan or inf: {}",
    "used twice": "backward() adds to a .grad that a step has already used: {}",
    "grows": "the graph has grown at eight steps in a row: {}",
}


class Record:
    """The measurements of one run of a loop.

    loss, nodes      for each backward pass: the loss, and the size of its graph, or None if a graph
                     had more than 20,000 nodes
    gradient, moved  for each step: {parameter: the norm of `.grad`, or None}, {parameter: the length
                     of the update, divided by the length of the parameter}
    error, line      the message that ended the loop, and the line that raised it; or "" and 0
    names            the variables of the loop
    optimizers       (name, learning rate) of each optimizer that held a parameter
    """

    def __init__(self, names: dict[str, Any] | None = None):
        self.names = {} if names is None else names
        self.loss: list[float] = []
        self.nodes: list[int | None] = []
        self.gradient: list[dict[str, float | None]] = []
        self.moved: list[dict[str, float]] = []
        self.heard: dict[str, tuple[int, list[str]]] = {}  # {alarm: (step, parameters)}
        self.optimizers: set[tuple[str, float]] = set()
        self.error, self.line = "", 0

    @property
    def alarms(self) -> dict[str, tuple[int, str]]:
        """{kind: (step, sentence)}: the first alarm of each kind."""
        return {
            kind: (step, ALARMS[kind].format(first + f" and {len(more)} more" * bool(more)))
            for kind, (step, (first, *more)) in self.heard.items()
        }

    def row(self, name: str) -> list[float | None]:
        """The gradient norms of a parameter at all steps."""
        return [norms.get(name) for norms in self.gradient]

    def reference(self, name: str) -> float | None:
        """The median of its first five norms, or None."""
        early = [norm for norm in self.row(name) if norm is not None][:EARLY]
        return statistics.median(early) if early else None

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all parameters, by name."""
        return {name: tuple(p.shape) for name, p in parameters_of(self.names).items()}


class Enough(Exception):
    """Ends a loop that is measured for one step."""


def parameters_of(names: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the network `net`, or if there is none, of all modules among `names`."""
    modules = {name: value for name, value in names.items() if hasattr(value, "named_parameters")}
    modules = {"net": modules["net"]} if "net" in modules else modules
    found = {name: dict(module.named_parameters()) for name, module in modules.items()}
    found = {name: parameters for name, parameters in found.items() if parameters}
    return {
        f"{name}.{key}" if len(found) > 1 else key: p
        for name, parameters in found.items()
        for key, p in parameters.items()
    }


class Instruments(TorchFunctionMode):
    """Fill `record` inside `watching()`. `names` returns the variables of the loop, `at_step` is
    called when a step begins, and `once` ends the loop after its first backward pass."""

    is_own = False  # for the learner's own loop: the limit of steps ends it without an error

    def __init__(
        self,
        record: Record,
        names: Callable[[], Mapping[str, Any]],
        at_step: Callable[[], object] = lambda: None,
        once: bool = False,
    ):
        super().__init__()
        self.record, self.names, self.at_step, self.once = record, names, at_step, once
        self.used: dict[str, Any] = {}  # each gradient that a step has used
        self.growing = 0  # passes in a row whose graph was larger than the one before

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        with contextlib.ExitStack() as hooks:
            hooks.callback(register_optimizer_step_pre_hook(self.step_begins).remove)
            hooks.callback(register_optimizer_step_post_hook(self.step_ended).remove)
            hooks.enter_context(recording.subscribed(self))
            hooks.enter_context(self)
            hooks.enter_context(np.errstate(all="ignore"))  # PyTorch warns of no nan either
            yield

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """PyTorch calls one of its functions."""
        if function is torch.Tensor.backward:
            self.pass_begins(args[0])
        return function(*args, **(kwargs or {}))

    @contextlib.contextmanager
    def during_backward(self, roots: Any, accumulates: bool) -> Iterator[None]:
        """A pass of autograd_core."""
        if accumulates:
            self.pass_begins(roots[0])
        yield

    @contextlib.contextmanager
    def during_step(self, optimizer: Any, closure: object) -> Iterator[None]:
        """A step of autograd_core."""
        self.step_begins(optimizer)
        yield
        self.step_ended(optimizer)

    def pass_begins(self, loss: Any) -> None:
        record = self.record
        self._stop_if_done(len(record.loss))
        too_large = None in record.nodes[-1:]  # then it isn't counted again
        nodes, more = ([], True) if too_large else some_nodes(loss.grad_fn)
        record.loss.append(loss.detach().sum().item())
        record.nodes.append(None if more else len(nodes))
        self._hear_growth()
        for name, p in parameters_of(self.names()).items():
            used = self.used.get(name)
            if used is not None and p.grad is not None and _same_numbers(used, p.grad):
                self._alarm("used twice", len(record.gradient), name)

    def step_begins(self, optimizer: Any, *_: object) -> None:
        record, parameters = self.record, parameters_of(self.names())
        self._stop_if_done(len(record.gradient))
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        if any(id(p) in held for p in parameters.values()):
            rate = float(optimizer.param_groups[0]["lr"])
            record.optimizers.add((type(optimizer).__name__, rate))
        record.gradient.append(
            {n: None if p.grad is None else measured(p.grad)[0] for n, p in parameters.items()}
        )
        self.before = {name: copied(p) for name, p in parameters.items()}
        self.at_step()

    def step_ended(self, *_: object) -> None:
        record, parameters = self.record, parameters_of(self.names())
        known = {name: p for name, p in parameters.items() if name in self.before}
        record.moved.append({n: share_moved(self.before[n], p) for n, p in known.items()})
        for name in known:
            self._hear_step(name)
        self.used = {n: p.grad.detach().clone() for n, p in known.items() if p.grad is not None}

    def _hear_growth(self) -> None:
        *_, before, now = None, None, *self.record.nodes
        self.growing = self.growing + 1 if before and now and now > before else 0
        if self.growing == GROWING:
            self._alarm("grows", len(self.record.gradient), f"now {now} nodes")

    def _hear_step(self, name: str) -> None:
        """The alarms about one parameter after a step."""
        step, norm = len(self.record.moved) - 1, self.record.gradient[-1].get(name)
        if norm is not None and not math.isfinite(norm):
            self._alarm("nan", step, name)
        if step and name in self.record.gradient[-2]:
            before = self.record.gradient[-2][name]
            if norm is None and before is None:
                self._alarm("no gradient", step - 1, name)
            if norm and before and not any(moved.get(name) for moved in self.record.moved[-2:]):
                self._alarm("not moved", step - 1, name)

    def _alarm(self, kind: str, step: int, name: str) -> None:
        first, names = self.record.heard.setdefault(kind, (step, []))
        names += [name] * (step == first and name not in names)

    def _stop_if_done(self, count: int) -> None:
        if self.once and self.record.loss:
            raise Enough
        if count == MOST_STEPS:
            if self.is_own:
                raise Enough
            raise RuntimeError(f"{MOST_STEPS} steps: does this loop end?")


def _same_numbers(used: Any, grad: Any) -> bool:
    same = used.shape == grad.shape and bool((used == grad).all())
    return same and bool((grad != 0).any())


def measure(
    loop: str,
    torch: Any,
    seed: int = 0,
    *,
    made: Callable[[Any], Any] = lambda net: net,
    at_step: Callable[[dict[str, Any]], object] = lambda names: None,
    once: bool = False,
    **names: Any,
) -> Record:
    """Run the text of a loop and measure it. `torch` is either engine, and `names` replaces
    names of `setting`. An error ends the loop and is kept in the record."""
    record = Record(setting(torch, seed, made) | names)
    instruments = Instruments(record, lambda: record.names, lambda: at_step(record.names), once)
    with instruments.watching(), ended_by(record, FILE):
        exec(compile(loop, FILE, "exec"), record.names)
    return record


def measure_own(loop: Callable[[], object]) -> Record:
    """Call a learner's function and measure it, for at most 400 steps, with all modules among its
    variables. The line of an error counts from the line of its `def`."""
    record, code = Record(), loop.__code__

    def names() -> dict[str, Any]:
        frame = sys._getframe(1)
        while frame is not None and frame.f_code is not code:
            frame = frame.f_back
        if frame is not None:
            used = {n: frame.f_globals[n] for n in code.co_names if n in frame.f_globals}
            record.names = used | frame.f_locals
        return record.names

    instruments = Instruments(record, names)
    instruments.is_own = True
    with instruments.watching(), ended_by(record, code.co_filename):
        loop()
    record.line -= code.co_firstlineno - 1
    return record


@contextlib.contextmanager
def ended_by(record: Record, file: str) -> Iterator[None]:
    """Keep the error that ends the block, with its last line in `file`."""
    try:
        yield
    except Enough:
        pass
    except (Exception, SystemExit) as error:
        record.error, lines = first_line(error), []
        trace = error.__traceback__
        while trace is not None:
            lines += [trace.tb_lineno] * (trace.tb_frame.f_code.co_filename == file)
            trace = trace.tb_next
        record.line = getattr(error, "lineno", None) or [0, *lines][-1]


def slope(loop: str, torch: Any, seed: int = 0) -> tuple[float, float | None]:
    """The slope of the first loss along the first number of the last bias: (the central finite
    difference, the number in `.grad`)."""

    def nudged(by: float) -> Record:
        def made(net: Any) -> Any:
            with torch.no_grad():
                [*net.parameters()][-1][0] += by
            return net

        return measure(loop, torch, seed, made=made, once=True)

    above, below, here = (nudged(by) for by in (NUDGE, -NUDGE, 0.0))
    grad = [*here.names["net"].parameters()][-1].grad
    measured_slope = (above.loss[0] - below.loss[0]) / (2 * NUDGE)
    return measured_slope, None if grad is None else grad[0].item()


def points(loop: str, torch: Any, seed: int = 0) -> list[float]:
    """For each point, the norm of the first gradient that arrives at its row of the output."""
    arrived: list[Any] = []

    def made(net: Any) -> Any:
        def watch(_net: Any, _inputs: Any, out: Any) -> None:
            out.register_hook(lambda gradient: arrived.append(gradient.detach().clone()))

        net.register_forward_hook(watch)
        return net

    measure(loop, torch, seed, made=made, once=True)
    return [measured(row)[0] for row in arrived[0]] if arrived else []

"""Lesson 02: the backward pass that the learner runs by hand."""

import linecache
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from ..parity.torch_tape import TorchTape
from ..trace import Tape, Trace, names_in, trace
from ..widgets import GraphView, watch
from .engines import ENGINES
from .widgets.ladder import ladder as Ladder

LEAVES = {"a": 2.0, "b": -0.5, "c": 0.3}
PROGRAM = """u = a * b
v = torch.sigmoid(u + c)
loss = u * v"""
FILE = "<lesson 02>"  # where the program is for the trace, which looks its lines up
WORDS = {"lines": "lines y = y + y", "nodes_are": "each node is"}
NODES = 4  # nodes that run forward before the loss


def run_it(two_ready: bool = False) -> GraphView:
    """The step view of `loss = u * v`, where `u = a * b` and `v = sigmoid(u + c)`, as both engines
    computed it. With `two_ready`, the loss is `v + u * c`: two nodes are ready after the first."""
    program = PROGRAM.replace("u * v", "v + u * c") if two_ready else PROGRAM
    ours, theirs = (traced(engine, program) for engine in ENGINES)
    return watch(ours, theirs, title="The backward pass", event=NODES + two_ready + 1)


def traced(T: Any, program: str, leaves: Mapping[str, float] = LEAVES) -> Trace:
    """The trace of a program on one engine, with its values and source lines."""
    linecache.cache[FILE] = len(program), None, program.splitlines(True), FILE
    names = {name: T.tensor(value, requires_grad=True) for name, value in leaves.items()}
    with (tape := TorchTape() if T.__name__ == "torch" else Tape()).recording():
        exec(compile(program, FILE, "exec"), {"torch": T}, names)
        names["loss"].backward()
    return trace(names["loss"], names_in(names), tape)


def ladder() -> Ladder:
    """A backward pass through several lines `y = y + y`, with and without waiting, on both
    engines."""
    runs = map(doublings, ENGINES)
    return Ladder(*runs, lines=(3, 1, 5), nodes_are=["not waiting", "waiting"], words=WORDS)


def doublings(T: Any) -> Callable[..., dict[str, Any]]:
    """The `run` of the ladder on one engine."""

    def run(lines: int, nodes_are: str) -> dict[str, Any]:
        results = [T.tensor(1.0, requires_grad=True)]
        for _ in range(lines):
            results.append(results[-1] + results[-1])
            results[-1].retain_grad()
        results.reverse()
        counts: Counter[Any] = Counter()

        def send(node: Any) -> None:
            """Send an arriving gradient on at once, without waiting for others."""
            counts[node] += 1
            for producer, _ in node.next_functions:
                send(producer)

        if nodes_are == "waiting":
            results[0].backward()
            got = [1] + [2] * lines
            return {"got": got, "sums": [y.grad.item() for y in results], "runs": lines}
        send(results[0].grad_fn)
        leaf = results[-2].grad_fn.next_functions[0][0]
        got = [counts[y.grad_fn] for y in results[:-1]] + [counts[leaf]]
        return {"got": got, "sums": [float(count) for count in got], "runs": sum(got[:-1])}

    return run

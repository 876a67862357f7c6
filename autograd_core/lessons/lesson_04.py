"""Lesson 04: four ways to call `backward()`, a second call, and what a loop keeps alive."""

from collections.abc import Callable
from typing import Any

from ..trace import graph_size
from ..trace.nodes import saved_in
from ..widgets import GraphView, watch
from .engines import ENGINES
from .widgets.live_graph import BYTES, NODES
from .widgets.live_graph import live_graph as LiveGraph
from .widgets.memory_over_time import memory_over_time as MemoryOverTime

UNIT = 800_000  # bytes of `h`, 2000 × 50 numbers of float64
KINDS = "tanh", "sigmoid", "exp", "softmax"
WAYS = {
    "One sum": "sum(losses).backward()",
    "Each loss, kept": "loss.backward(\n    retain_graph=not last)\nlosses.append(loss)",
    "Each loss, dropped": "loss.backward(\n    retain_graph=not last)\ndel loss",
    "A detached copy": "copy = h.detach()\ncopy.requires_grad_()\nloss.backward()\n"
    "h.backward(copy.grad)",
}
"""Each way with its code."""


def memory_over_time() -> MemoryOverTime:
    """Saved memory, event by event, for four ways to call `backward()`, on both engines."""
    return MemoryOverTime(*map(recorded, ENGINES), ways=WAYS, kinds=KINDS, branches=(3, 2, 4))


def recorded(T: Any) -> Callable[..., dict[str, Any]]:
    """The `run` of the picture on one engine."""
    return lambda branches: {way: Recording(T, branches).run(way) for way in WAYS}


class Recording:
    """One way, event by event: which node ran, which nodes there are, and what they hold."""

    def __init__(self, T: Any, branches: int):
        self.T, self.branches = T, branches
        T.manual_seed(0)
        # so small that it counts as 0 units
        self.x = T.randn(2000, 5, dtype=T.float64)
        self.weight = (0.1 * T.randn(5, 50, dtype=T.float64)).requires_grad_()
        self.held: dict[str, Any] = {}  # tensors that a name refers to, by the node of each
        self.events: list[dict[str, Any]] = []
        self.passes = 0

    def run(self, way: str) -> dict[str, Any]:
        """Return the events, the number of backward passes through the trunk, and the gradient."""
        T, branches = self.T, range(self.branches)
        h = self.forward("T.tanh", T.tanh, self.forward("T.x @ w", T.matmul, self.x, self.weight))
        self.held = {"T.tanh": h}
        if way == "One sum":
            total, *rest = [self.branch(h, k) for k in branches]
            for i, loss in enumerate(rest, 1):
                total = self.forward(f"+.{i}", T.add, total, loss)
                self.held[f"+.{i}"] = total
            self.backward(f"+.{len(rest)}")
        elif way == "A detached copy":
            copy = h.detach().requires_grad_()
            for k in branches:
                self.branch(copy, k)
                self.backward(f"{k + 1}.mean")
            self.backward("T.tanh", copy.grad)
        else:
            for k in branches:
                self.branch(h, k)
                self.backward(f"{k + 1}.mean", retain_graph=k + 1 < self.branches)
                if way == "Each loss, dropped":
                    del self.held[f"{k + 1}.mean"]
                    self.note("", "deleted")
        return {"events": self.events, "passes": self.passes, "gradient": self.weight.grad}

    def branch(self, h: Any, k: int) -> Any:
        """The loss of a branch, held under a name."""
        T, bend = self.T, getattr(self.T, KINDS[k])
        arguments = (h, 1) if KINDS[k] == "softmax" else (h,)
        bent = self.forward(f"{k + 1}.bend", bend, *arguments)
        loss = self.forward(f"{k + 1}.mean", T.mean, self.forward(f"{k + 1}.exp", T.exp, bent))
        self.held[f"{k + 1}.mean"] = loss
        return loss

    def forward(self, key: str, operation: Callable[..., Any], *inputs: Any) -> Any:
        out = operation(*inputs)
        self.note(key, "forward", {**self.held, key: out})
        return out

    def backward(self, key: str, *gradient: Any, **options: Any) -> None:
        """Run backward from a tensor, with a note after each node."""
        begun: list[str] = []

        def before(name: str) -> None:
            if begun:
                self.note(begun[-1], "backward")
            begun.append(name)
            self.passes += name == "T.tanh"

        handles = [
            node.register_prehook(lambda _, name=name: before(name))
            for name, node in named({key: self.held[key]}).items()
        ]
        self.held[key].backward(*gradient, **options)
        self.note(begun[-1], "backward")
        for handle in handles:
            handle.remove()

    def note(self, key: str, kind: str, held: dict[str, Any] | None = None) -> None:
        nodes = named(self.held if held is None else held)
        units = {name: _units(node) for name, node in nodes.items()}
        holding = sorted(name for name, count in units.items() if count)
        event = {"node": key, "kind": kind, "units": sum(units.values())}
        self.events.append({**event, "nodes": sorted(nodes), "holding": holding})


BEFORE = {"mean": "exp", "exp": "bend", "bend": "T.tanh", "tanh": "x @ w"}
"""The node to which each node leads, in its own branch."""


def named(held: dict[str, Any]) -> dict[str, Any]:
    """All nodes that the tensors in `held` reach, by name. Each key of `held` names a `grad_fn`."""
    found: dict[str, Any] = {}
    waiting = [(name, tensor.grad_fn) for name, tensor in held.items()]
    while waiting:
        name, node = waiting.pop()
        if node is None or hasattr(node, "variable") or name in found:
            continue
        found[name] = node
        home, _, kind = name.partition(".")
        if home == "+":
            i = int(kind)
            names = ["1.mean" if i == 1 else f"+.{i - 1}", f"{i + 1}.mean"]
        else:
            before = BEFORE.get(kind, "")
            names = [before if "." in before else f"{home}.{before}"]
        waiting += zip(names, (each for each, _ in node.next_functions))
    return found


def _units(node: Any) -> int:
    """The memory that a node saves, in units of the size of `h`."""
    saved = [value for _, value in saved_in(node) if hasattr(value, "grad_fn")]
    return sum(value.detach().numpy().nbytes // UNIT for value in saved)


def second_backward(loss: Any, other: Any) -> GraphView:
    """The first pass of a loss, over, with a button that asks where a second one raises."""
    view = watch(loss, other, title="Call backward() again", event=-1)
    view.you = {"again": True}
    return view


def live_graph() -> LiveGraph:
    """The nodes that are alive after each step of a loop, on both engines."""
    return LiveGraph(
        *map(loop, ENGINES),
        note="60 steps of h = tanh(x @ weight + h)",
        words={"detach": "h = h.detach()", "backward": "loss.", "total": "total +="},
        detach=True,
        backward=["backward()", "backward(retain_graph=True)", "no backward"],
        total=["loss.item()", "loss"],
        no_grad=False,
    )


def loop(T: Any, steps: int = 60) -> Callable[..., dict[str, list]]:
    """The `run` of the live graph on one engine."""

    def run(detach: bool, backward: str, total: str, no_grad: bool) -> dict[str, list]:
        T.manual_seed(0)
        weight = (0.3 * T.randn(16, 16)).requires_grad_()
        h, summed = T.zeros(8, 16), 0.0
        rows: list[tuple[int | None, float | None]] = [(0, 0.0)]
        for x in T.randn(steps, 8, 16):
            with T.set_grad_enabled(not no_grad):
                h = T.tanh(x @ weight + h)
                loss = (h**2).mean()
            if backward != "no backward" and not no_grad:
                try:
                    loss.backward(retain_graph="retain" in backward)
                except RuntimeError:
                    break
            h = h.detach() if detach else h
            summed = summed + (loss if total == "loss" else loss.item())
            nodes, saved = graph_size(loss, h, summed)
            rows.append((nodes, saved / 1000))
        rows += [(None, None)] * (steps + 1 - len(rows))
        return dict(zip((NODES, BYTES), map(list, zip(*rows))))

    return run

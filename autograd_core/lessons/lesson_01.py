"""Lesson 01: two networks and one loss, the graph of a loop, and the tensors that a loss keeps."""

from collections.abc import Callable
from typing import Any

from ..trace.nodes import saved_in, walk
from .engines import ENGINES
from .widgets.held_by import held_by as HeldBy
from .widgets.reachable import reachable as Reachable
from .widgets.unrolled import unrolled as Unrolled

VERSIONS = {
    "torch.zeros(4, 1)": lambda T, out2: T.zeros(4, 1),
    "out2": lambda T, out2: out2,
    "0 * out2": lambda T, out2: 0 * out2,
    "out2.detach()": lambda T, out2: out2.detach(),
}
"""The target: the tensor that the loss subtracts from the output of `net`."""


def reachable() -> Reachable:
    """Show which nodes and parameters a tensor reaches along its pointers, on both engines."""
    return Reachable(*map(recorded, ENGINES))


def recorded(T: Any) -> Callable[[], dict[str, Any]]:
    """Return the `run` of the picture on one engine: {version: its loss, pointers, gradients}."""
    return lambda: {name: _version(T, target) for name, target in VERSIONS.items()}


def _version(T: Any, target: Callable[[Any, Any], Any]) -> dict[str, Any]:
    nn = T.nn
    T.manual_seed(0)
    nets = {
        name: nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)) for name in ("net", "net2")
    }
    x = T.randn(4, 2)
    outs = {name: net(x) for name, net in nets.items()}
    loss = ((outs["net"] - target(T, outs["net2"])) ** 2).mean()
    parameters = {
        f"{name}.{key}": p for name, net in nets.items() for key, p in net.named_parameters()
    }
    names = {id(p): key for key, p in parameters.items()}
    pointers: dict[str, list[str]] = {}

    def follow(node: Any, home: str, layer: int) -> str:
        """Record the pointers of a node and all earlier nodes. Return the name of its box."""
        for each, out in outs.items():
            home, layer = (each, 2) if node is out.grad_fn else (home, layer)
        kind = node.name().removesuffix("Backward0")
        called = f"{home}.{layer}" if home else kind.lower()
        leads = [(each, layer - 1) for each, _ in node.next_functions if each is not None]
        found = [
            names[id(leaf)] if (leaf := _leaf(each)) is not None else follow(each, home, below)
            for each, below in leads
        ]
        pointers[called] = sorted(found)
        return called

    for node in (loss.grad_fn, *(out.grad_fn for out in outs.values())):
        follow(node, "", 0)
    loss.backward()
    gradients = {key: p.grad for key, p in parameters.items()}
    return {"loss": loss.detach(), "pointers": pointers, "gradients": gradients}


def _leaf(node: Any) -> Any:
    """Return the parameter that a node accumulates into, directly or after a transpose, or None."""
    if node.name().startswith("TBackward"):
        node = node.next_functions[0][0]
    return getattr(node, "variable", None)


def unrolled(function: Callable[[Any], Any], on_torch: Callable[[Any], Any]) -> Unrolled:
    """Show the nodes that a function of one number records, on both engines."""

    def run(T: Any, function: Callable[[Any], Any]) -> Callable[..., dict[str, Any]]:
        return lambda v: chain(function(leaf := T.tensor(v, requires_grad=True)), leaf)

    runs = [*map(run, ENGINES, (function, on_torch))]
    curve = [(v / 20, runs[0](v / 20)) for v in range(8, 241)]
    points = [(v, each["result"].item(), len(each["nodes"])) for v, each in curve]
    return Unrolled(*runs, curve=points, v=(3.0, 0.4, 12.0, 0.2))


def chain(result: Any, leaf: Any) -> dict[str, Any]:
    """Return the nodes from `result` to `leaf`, and the gradient that each of them receives."""
    nodes, sent, node = [], [], result.grad_fn
    while node is not None and _leaf(node) is None:
        nodes.append(node.name().removesuffix("Backward0"))
        node.register_prehook(lambda arrived: sent.append(arrived[0].item()))
        node = node.next_functions[0][0]
    result.backward()
    return {"result": result.detach(), "gradient": leaf.grad, "sent": sent, "nodes": nodes}


KEPT = ["as returned", "after backward()", "after .item()"]


def held_by(make: Callable[[], Any], on_torch: Callable[[], Any]) -> HeldBy:
    """Show which objects the loss that `make()` returns keeps alive, on both engines."""

    def run(make: Callable[[], Any]) -> Callable[..., dict[str, Any]]:
        return lambda loss: _kept(make(), loss)

    return HeldBy(run(make), run(on_torch), loss=KEPT)


def _kept(loss: Any, state: str) -> dict[str, Any]:
    """Return the value, nodes, parameters and saved image that are alive in one of the states KEPT."""
    value, spine, saved, node = loss.detach(), [], [], loss.grad_fn
    if state == KEPT[2]:
        return {"value": value, "spine": [], "nodes": 0, "saved": None}
    if state == KEPT[1]:
        loss.backward()
    nodes = len(walk(node))
    while node is not None:
        below = [each for each, _ in node.next_functions if each is not None]
        leaves = [
            (tuple(leaf.shape), not hasattr(each, "variable"))
            for each in below
            if (leaf := _leaf(each)) is not None
        ]
        spine.append((node.name().removesuffix("Backward0"), leaves))
        saved = [each for name, each in saved_in(node) if name == "mat1"]
        node = next((each for each in below if _leaf(each) is None), None)
    image = saved[0].reshape(31, 31).detach() if saved else None
    return {"value": value, "spine": spine, "nodes": nodes, "saved": image}

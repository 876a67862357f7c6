"""Lesson 01: two networks, one loss, and four versions of the line that computes it."""

from collections.abc import Callable
from typing import Any

from .widgets.reachable import reachable as Reachable

VERSIONS = {
    "torch.zeros(4, 1)": lambda T, out2: T.zeros(4, 1),
    "out2": lambda T, out2: out2,
    "0 * out2": lambda T, out2: 0 * out2,
    "out2.detach()": lambda T, out2: out2.detach(),
}
"""What is subtracted from the output of `net`."""


def reachable() -> Reachable:
    """What a loss, or any other tensor, reaches along its pointers: recorded on both engines."""
    import torch

    import autograd_core

    return Reachable(recorded(autograd_core), recorded(torch))


def recorded(T: Any) -> Callable[[], dict[str, Any]]:
    """The `run` of the picture on one engine: {version: its loss, pointers and gradients}."""
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
        """Note the pointers of a node and of all that it leads to; what the node is called here."""
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
    """The parameter to which a node leads at once, past the transpose of a weight; or None."""
    if node.name().startswith("TBackward"):
        node = node.next_functions[0][0]
    return getattr(node, "variable", None)

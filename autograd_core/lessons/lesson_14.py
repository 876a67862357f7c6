"""Lesson 14: the learner's class, which grows method by method, and the network that it trains."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..widgets import GraphView
from .datasets import curved_text_pixels
from .exercises.check import Verdict
from .exercises.check import check as _check
from .exercises.own_parts import (
    DEEP,
    PARTS,
    WIDE,
    as_tensors,
    chain_of,
    diamonds,
    run,
    sums_in,
    torch_tensor,
    using,
)
from .exercises.own_pass import watch_pass
from .own_engine import fitted, lent
from .own_trace import trace_own
from .widgets.maps import maps
from .widgets.own_class import own_class
from .widgets.table import table

_added: dict[str, Any] = {}  # methods of a notebook: if its class is made again, they join it


class engine(own_class):
    """The learner's class `cls`: its methods, and a picture that follows each new one."""

    def __init__(self, cls: type):
        self.cls, self.parts = cls, dict.fromkeys(PARTS)
        self.added = _added if cls.__module__ == "__main__" else {}
        for name, method in self.added.items():
            setattr(cls, name, method)
        slider = -3.0, 3.0, 1.0  # so that each number fits into its box
        super().__init__(self.attempt, a=(2.0, *slider), b=(3.0, *slider), loss=["u + v", "u * v"])

    def add(self, given: Any) -> Any:
        """Add a function to the class, or all methods of a class. As a decorator."""
        names = [*vars(given)] if isinstance(given, type) else []
        found = {n: vars(given)[n] for n in names if callable(vars(given)[n]) or "ufunc" in n}
        self._set(found or {given.__name__: given})
        return given

    def lend(self, *names: str) -> None:
        """Add methods of the lesson's own engine."""
        self._set({name: lent(name, self.cls) for name in names})

    def check(self, name: str, *functions: Callable) -> Verdict:
        """Compare methods with PyTorch. Each right one joins the class, or else the lesson's does."""
        verdict = _check(name, **{each.__name__: each for each in functions})
        for each in functions:
            part = each.__name__
            self.parts[part] = part in verdict.right
            method = each if self.parts[part] else lent(part, self.cls)
            self._set({part: as_tensors(method) if part == "order" else method})
        if verdict.right and not verdict.correct and "Right" not in verdict.message:
            kept = f" `{verdict.right[0]}` is right, and in your class."
            verdict = replace(verdict, message=kept + verdict.message)
        return verdict

    def _set(self, methods: dict[str, Any]) -> None:
        self.added.update(methods)
        if self.added.keys() >= {"fit", "record"}:
            self.added["record"] = fitted(inspect.unwrap(self.added["record"]))
        for name, method in self.added.items():
            setattr(self.cls, name, method)
        self.update()

    def using(self, **methods: Callable) -> Any:
        """The class with other methods, for the length of a block."""
        return using(self.cls, **methods)

    def attempt(self, a: float, b: float, loss: str) -> dict[str, Any]:
        """The program of the picture, in the class and in PyTorch."""
        lines = [f"a = Tensor({a}, requires_grad=True)", f"b = Tensor({b}, requires_grad=True)"]
        lines += ["u = a * b", "v = u * b", f"loss = {loss}", "loss.backward()"]
        names: dict[str, Any] = {}
        ran, error = run(lines, self.cls, names)
        yours = boxes(names)
        if yours.get("loss", {}).get("inputs"):
            traced, _ = trace_own(names["loss"], names)
            for event in traced.events:
                if event.kind in ("backward", "accumulate"):
                    grad = event.before if event.kind == "backward" else event.after
                    yours[traced.nodes[event.node].label]["grad"] = float(grad)
            found = names["loss"].order() if hasattr(self.cls, "order") else []
            for name, each in names.items():
                yours[name]["order"] = found.index(each) + 1 if each in found else None
        known: dict[str, Any] = {}
        retain = [f"{name}.retain_grad()" for name in ("u", "v", "loss")]
        run([*lines[:-1], *retain, lines[-1]], torch_tensor, known)
        theirs = boxes(known)
        for name, each in known.items():
            theirs[name]["grad"] = each.grad.item()
        return {"lines": lines, "ran": ran, "error": error, "yours": yours, "PyTorch": theirs}

    @property
    def names(self) -> dict[str, Any]:
        """The tensors in variables of the module of the class."""
        names = vars(sys.modules[self.cls.__module__]).items()
        return {name: each for name, each in names if isinstance(each, self.cls)}

    def watch(self, loss: Any, order: Callable | None = None) -> GraphView:
        """The step view of a loss; or of a pass in another order, at its first wrong event."""
        if order:
            methods = {"order": order, "backward": lent("backward", self.cls)}
            return watch_pass(loss, self.names, methods)
        note = "" if hasattr(self.cls, "backward") else "no backward() yet: exercise 14.3"
        traced, _ = trace_own(loss, self.names)
        return GraphView(traced, title="Your engine", note=note, event=-1)

    def gradients(self, loss: Any, order: Callable) -> dict[str, float]:
        """{variable: gradient} of the leaves, after a pass in this order; no `.grad` changes."""
        found = sums_in(order, loss)
        return {name: float(found[each]) for name, each in self.names.items() if each in found}

    def cases(self, *orders: Callable) -> table:
        """A table: each order, and the learner's, on the cases that break an order."""
        rows: dict[str, list[Any]] = {}
        for order in (*orders, self.cls.order):
            name = "your `order`" if order is self.cls.order else f"`{order.__name__}`"
            leaves = [diamonds(self.cls, count) for count in (1, WIDE)]
            found = [float(sums_in(order, loss)[leaf]) for leaf, loss in leaves]
            rows[name] = [*found, len(order(leaves[1][1])), "runs"]
            try:
                order(chain_of(self.cls))
            except RecursionError:
                rows[name][-1] = "RecursionError"
        grads = "a.grad, 1 diamond", f"a.grad, {WIDE} diamonds"
        return table(rows, ["", *grads, "length of its list", f"chain of {DEEP:,}"])


def boxes(names: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The boxes of the picture: what is known of each tensor before the pass."""
    found = {}
    for name, each in names.items():
        recorded = bool(getattr(each, "inputs", None) or getattr(each, "grad_fn", None))
        found[name] = {"value": float(each.data), "inputs": recorded}
    return found


def crop(train: Callable, make: Callable) -> maps:
    """A crop that the network has never seen, its text, and the output after some steps."""
    pixels, truth = curved_text_pixels(seed=1)
    planes = {"image": truth.image, "text": truth.tr_mask}
    for step in (0, 4, 15, 60):
        w1, b1, w2, b2 = (np.asarray(p.data) for p in train(make, steps=step)[1])
        planes[f"after {step} steps"] = np.maximum(pixels @ w1 + b1, 0) @ w2 + b2
    return maps({name: each.reshape(-1, 32, 32)[0] for name, each in planes.items()})

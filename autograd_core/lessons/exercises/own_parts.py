"""References for the methods of the learner's own engine, lesson 14's. A method is put into the
learner's class for the time of the test, and the class is run beside PyTorch (`Method`)."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from ...widgets.kit.format import shorten
from ..own_engine import Tensor, fitted, lent
from ..own_trace import made_before
from .conduct import few_lines
from .judging import shown
from .references import Function

PARTS = "record", "__mul__", "order", "backward", "fit", "__matmul__"
LENT = {name for name, method in vars(Tensor).items() if callable(method)}
STUB = re.compile(r"^\s*(return )?\.\.\.\s*(#.*)?$", re.MULTILINE)
DEEP, WIDE = 10_000, 10  # operations of a chain, and diamonds in a row


def class_of(function: Any) -> type:
    """The class that the function's module calls `Tensor`."""
    found = getattr(inspect.unwrap(function), "__globals__", {}).get("Tensor")
    return found if isinstance(found, type) else Tensor


def using(cls: type, **methods: Any) -> Any:
    """A class with other methods, for the length of a block."""
    return patch.multiple(cls, create=True, **methods)


def completed(cls: type, fits: bool = False, **methods: Any) -> Any:
    """`using` with `methods`; the lesson's engine lends the other methods that the class lacks. If it
    `fits`, each rule's results get the shapes of the inputs; or else the rule's arrays are shared."""
    made = {name: lent(name, cls) for name in LENT - vars(cls).keys()} | methods
    record = inspect.unwrap(made.get("record") or vars(cls)["record"])
    return using(cls, **{**made, "record": fitted(record) if fits else record})


def as_tensors(function: Callable) -> Callable:
    """A method `order` whose result is a list of tensors. In the learner's list, their rules or
    `_backward` functions may stand for them, and leaves, if all are missing, come last."""

    def order(self: Any) -> list[Any]:
        made, found = made_before(self), list(function(self))
        owners = {getattr(tensor, "_backward", tensor.rule): tensor for tensor in made}
        owners |= {tensor.rule: tensor for tensor in made}
        tensors = [owners.get(each, each) if callable(each) else each for each in found]
        leaves = [each for each in made if not each.inputs]
        return tensors if any(each in tensors for each in leaves) else tensors + leaves

    order.__wrapped__ = function  # type: ignore[attr-defined]
    return order


def sums_in(order: Callable, loss: Any) -> dict[Any, Any]:
    """{leaf: its gradient} of a pass in this order. Gradients that come too late are lost."""
    arrived, ran = {loss: 1}, {}
    for node in order(loss):
        if node in ran or node not in arrived:
            continue
        ran[node] = arrived.pop(node)
        for x, part in zip(node.inputs, node.rule(ran[node]) if node.inputs else ()):
            if x.requires_grad:
                arrived[x] = arrived[x] + part if x in arrived else part
    return {node: g for node, g in ran.items() if not node.inputs}


def torch_tensor(value: Any, requires_grad: bool = False) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64, requires_grad=requires_grad)


def run(lines: Sequence[str], make: Callable, names: dict[str, Any]) -> tuple[int, str]:
    """Run a program on these names: the number of lines that ran, and the error of the next one."""
    for ran, line in enumerate(lines):
        try:
            exec(line, {"Tensor": make}, names)
        except Exception as error:
            return ran, f"{type(error).__name__}: {error}"
    return len(lines), ""


def program(make: Callable) -> dict[str, Any]:
    """The named tensors of the first picture."""
    names = {"a": make(2.0, requires_grad=True), "b": make(3.0, requires_grad=True)}
    run(["u = a * b", "v = u * b", "loss = u + v"], make, names)
    return names


def diamonds(make: Any, count: int) -> tuple[Any, Any]:
    """A leaf, and a loss behind diamonds in a row, through each of which two paths lead."""
    node = leaf = make(1.0, requires_grad=True)
    for _ in range(count):
        node = node + node * 1.0
    return leaf, node


def chain_of(make: Any) -> Any:
    """A loss at the end of a long chain of additions."""
    node = make(1.0, requires_grad=True)
    for _ in range(DEEP):
        node = node + 1.0
    return node


@dataclass(frozen=True)
class Trial:
    """A program, "u = a * b; loss = u + a", whose results are compared, with `calls` of backward()."""

    code: str
    leaves: Mapping[str, Any]
    constants: Mapping[str, Any] = field(default_factory=dict)
    calls: int = 1

    def rows(self, make: Callable, backward: Callable) -> dict[str, str]:
        """{what is compared: its value as text}; the calls end with an error."""
        names = {name: make(value, requires_grad=True) for name, value in self.leaves.items()}
        names |= {name: make(value) for name, value in self.constants.items()}
        lines = self.code.split("; ") + ["backward(loss)"] * (self.calls if self.leaves else 0)
        names["backward"] = backward
        _, error = run(lines, make, names)
        rows = {"error": error.partition("\n")[0]} if error else {}
        if hasattr(names.get("loss"), "requires_grad"):
            rows["loss"] = text_of(names["loss"].data)
            rows["loss.requires_grad"] = str(names["loss"].requires_grad)
        return rows | {f"{name}.grad": text_of(names[name].grad) for name in self.leaves}

    def on_torch(self) -> dict[str, str]:
        return self.rows(
            torch_tensor, lambda loss: loss.backward(torch.ones_like(loss), retain_graph=True)
        )

    def facts(self, mine: Mapping[str, str], theirs: Mapping[str, str]) -> str:
        """The program, its loss, and the first number that differs; if none does, a gradient."""
        given = [f"{name} = {text_of(v)}" for name, v in {**self.leaves, **self.constants}.items()]
        test = (
            f"Test: {', '.join([*map(shorten, given), *self.code.split('; ')])} = {theirs['loss']}"
        )
        calls = ", and backward() twice" if self.calls > 1 else ""
        differ = [name for name in theirs if mine.get(name) != theirs[name]]
        name = (differ or [name for name in theirs if name.endswith(".grad")])[0]
        yours, other = shorten(mine.get(name, "None")), shorten(theirs[name])
        error = f" Yours raises {mine['error']}." if "error" in mine else ""
        return f"{test}{calls}. {name}: yours {yours}, PyTorch {other}.{error}"


def text_of(value: Any) -> str:
    """Numbers as text; something else is named by its class."""
    try:
        return "None" if value is None else shown(np.asarray(value, float))
    except (TypeError, ValueError):
        return f"a {type(value).__name__}"


@dataclass(frozen=True, kw_only=True)
class Method(Function):
    """A reference for the method `name`: its results in `programs` are PyTorch's. A method with all
    results of one in `mistakes`, {sentence: a wrong method}, gets the sentence."""

    name: str
    programs: Sequence[Trial]
    reference: Callable = Tensor
    inputs: Mapping[str, Any] = ()  # type: ignore[assignment]

    def methods(self, function: Callable) -> dict[str, Callable]:
        """The methods that are put into the class."""
        return {self.name: function}

    def results(self, function: Callable) -> list[dict[str, str]]:
        """The rows of each program, with the method in the class."""
        cls, fits = class_of(function), self.name in ("fit", "__matmul__")
        with completed(cls, fits, **self.methods(function)):
            return [trial.rows(cls, lambda loss: loss.backward()) for trial in self.programs]

    def judge(self, function: Any) -> tuple[bool, str]:
        """(whether it is right, a sentence); no sentence for a stub."""
        with few_lines():
            mine = self.results(function)
            theirs = [trial.on_torch() for trial in self.programs]
            pairs = list(zip(self.programs, mine, theirs))
            wrong = [pair for pair in pairs if pair[1] != pair[2]]
            trial, *rows = (wrong or pairs)[0]
            cause = self.cause(function, mine) if wrong else self.objection(function)
            if (wrong or cause) and is_stub(function):
                return False, ""
            more = cause if wrong or cause else self.limits(function)
        return not (wrong or cause), f"{trial.facts(*rows)} {more}".rstrip()

    def cause(self, function: Callable, mine: list[dict]) -> str:
        """The sentence of the wrong method with the same results."""
        for words, wrong in self.wrong_functions():
            if self.results(wrong) == mine:
                return words if words.endswith((".", "?", "!")) else f"{words}."
        return self.objection(function)

    def objection(self, function: Callable) -> str:
        """Why a method is refused whatever its results, or ""."""
        return ""

    def limits(self, function: Callable) -> str:
        """A sentence on what a right method can't do, or ""."""
        cls = class_of(function)
        methods = {"order": lambda self: made_before(self)[::-1], **self.methods(function)}
        with completed(cls, **methods):
            try:
                chain_of(cls).backward()
            except RecursionError:
                return f"But it calls itself: a chain of {DEEP:,} operations raises RecursionError."
        return ""


class Order(Method):
    """A reference for `order`: a list of tensors, or of their rules or `_backward` functions."""

    def methods(self, function: Callable) -> dict[str, Callable]:
        order = as_tensors(function)

        def backward(loss: Any) -> None:
            for leaf, g in sums_in(order, loss).items():
                leaf.grad = g if leaf.grad is None else leaf.grad + g

        return {"order": order, "backward": backward}

    def objection(self, function: Callable) -> str:
        cls = class_of(function)
        with completed(cls, **self.methods(function)):
            names = program(cls)
            names["c"] = cls(5.0)
            try:
                found = names["loss"].order()
                mixed = (names["a"] * names["c"]).order()
            except RecursionError:
                return "Your search never ends: visit the inputs of `node`, not of `self`."
            except Exception:
                return ""
        called = {id(tensor): name for name, tensor in names.items()}
        mine = [called.get(id(tensor), "?") for tensor in found]
        listed = f"Your list: {', '.join(mine)}."
        for name in ("loss", *"uvab"):
            if (times := mine.count(name)) != 1:
                return f"{listed} `{name}` must be there once, not {times} times."
        for place, node in enumerate(found):
            for x in node.inputs:
                if x in found[:place]:
                    pair = f"`{called[id(x)]}` comes before `{mine[place]}`, which uses it"
                    return f"{listed} {pair}: every consumer must come first."
        constant = "In `(a * Tensor(5.0)).order()`, 5 is listed: it doesn't require a gradient."
        return constant if names["c"] in mixed else ""


def is_stub(function: Any) -> bool:
    """Whether the lesson's `...` is still in it."""
    try:
        return bool(STUB.search(inspect.getsource(function)))
    except (OSError, TypeError):
        return False

"""What an operation is: a function of arrays, and one backward rule for each input. A rule is written
once. It runs on arrays, or on tensors under `create_graph`.

    @operation(
        input=lambda g, other: g * other,
        other=lambda g, input: g * input,
        broadcasts=True)
    def mul(input, other):
        return input * other

The keyword is the input that the rule is for. A rule's parameters say what it needs, by name, and
that is what the node saves:

    g               the gradient that arrived (for an operation with several outputs: a list, one
                    for each)
    input, other…   an argument of the forward, tensor or not
    input_shape     only the shape of that argument
    result          what the forward returned; `result0`, `result1` where it returns several
    ops             operations by name: `ops.exp(result)`. In an ordinary backward these work on
                    plain arrays; under `create_graph` they record, and so the rule can itself be
                    differentiated. `+`, `*` and other operators work on both.

What the decorator returns is called with tensors: it computes, and records a node if one of them
requires a gradient. `calls.py` says how.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import calls
from .graph import FREED, LEAF, NO_EDGE, AccumulateGrad, Node, check, spoken_name
from .rule_text import NodeDocstring
from .tensor import TensorBase, wrap
from .types import bring_to_one_type, type_name

REGISTRY: dict[str, "Operation"] = {}  # every operation by its node's name: "MulBackward0"
NUMBERS = (int, float, bool)  # Python's own, which have no type to bring along


def operation(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorator: make a function of arrays an operation. Options and rules as in `Operation`."""
    return lambda forward: Operation(forward, **options).function


def formula(text: str, **instead: dict[Any, str]) -> Callable[[Any], Any]:
    """Decorator of a rule that is no lambda: what the view shows of it. In it `g` is the gradient
    that arrived.

    instead  for an argument {its value: the text that is shown where it has that value}.
    """

    def note(rule: Any) -> Any:
        rule.formula, rule.instead = text, instead
        return rule

    return note


class Saved(NamedTuple):
    """A value that a node keeps for its rules."""

    name: str
    kind: str  # "argument", "shape" (of an argument) or "result"
    position: int  # of the argument, or of the result
    slots: tuple[int, ...]  # the positions of the inputs whose rules ask for it
    counted: bool  # whether it is a tensor, so that somebody could change it in place


class Operation:
    """An array function with its backward rules. People call `function`.

    name        PyTorch's name for it, if `forward` has another one.
    node        the node's name, if it is not PyTorch's usual one (`mul` gives "MulBackward0").
    broadcasts  the inputs may be stretched to a common shape; the engine sums gradients back.
    promotes    tensors of different types are brought to one type first, by `result_type`;
                "float" also makes integers floating point first.
    view        the result shares the first input's memory and version.
    results     how many arrays the forward returns, as a tuple; the first is differentiable.
                None: any number, and all are.
    optional    the names of inputs in whose place `None` may stand.
    constants   the names of arguments that are tensors too, but take no gradient: masks, indices,
                targets.
    sign        two or three characters for it in a picture of the graph: "×".
    rules       one for each differentiable input, in the order of PyTorch's `next_functions`.

    Derived from these: `slots`, the positions of the differentiable inputs; `operands`, the
    positions of arguments that must be tensors (or numbers, if another operand is a tensor);
    `tensors`, the positions of all arguments that may be tensors; `saves`, what a node keeps,
    tensors first.
    """

    def __init__(
        self,
        forward: Callable[..., Any],
        *,
        name: str | None = None,
        node: str | None = None,
        broadcasts: bool = False,
        promotes: bool | str = False,
        view: bool = False,
        results: int | None = 1,
        optional: Iterable[str] = (),
        constants: Iterable[str] = (),
        sign: str = "",
        **rules: Callable[..., Any],
    ):
        self.forward, self.rules, self.__name__ = forward, rules, name or forward.__name__
        self.broadcasts, self.promotes, self.view = broadcasts, promotes, view
        self.sign = sign
        # one differentiable output, or None if all are differentiable
        self.returns_one, self.outputs = results == 1, results and 1
        self.parameters, self.default_values = parameters_of(forward), forward.__defaults__ or ()
        with_default = self.parameters[len(self.parameters) - len(self.default_values) :]
        self.defaults = dict(zip(with_default, self.default_values))
        kinds = [type(self.defaults.get(name)) for name in self.parameters]
        self.numbers = [(i, kind) for i, kind in enumerate(kinds) if kind in NUMBERS]
        self.variadic = self.parameters[0] == "tensors"  # a list of tensors takes the place of all
        self.slots = tuple(map(self._place, rules))
        needed = tuple(self._place(name) for name in rules if name not in optional)
        self.operands = needed or ((0, 1) if broadcasts else (0,))
        self.tensors = {*self.slots, *self.operands, *map(self._place, constants)}
        self.may_be_tensors = tuple(sorted(self.tensors))
        self.saves = self._saves()
        words = self.__name__.split("_")
        self.node_name = node or "".join(map(str.capitalize, words)) + "Backward0"
        taken = REGISTRY.setdefault(self.node_name, self)
        if taken is not self:
            known = f"{taken.__name__} has node {self.node_name} already"
            raise TypeError(f"{self.__name__}: {known}")
        call = calls.make_call(self)
        call.forward = forward  # `gelu` computes with `erf.forward`: that records nothing
        self.function = functools.update_wrapper(call, forward)

    def _place(self, name: str) -> int:
        """The position of an argument. Raises TypeError for one that the forward does not take."""
        if name not in self.parameters:
            taken = ", ".join(self.parameters)
            raise TypeError(
                f"{self.__name__}: there is a rule for '{name}', but the forward takes {taken}"
            )
        return self.parameters.index(name)

    def _saves(self) -> list[Saved]:
        """What the rules ask for: first what may be a tensor, in the order of the arguments."""
        asking: dict[str, list[int]] = {}
        for slot, rule in zip(self.slots, self.rules.values()):
            for name in parameters_of(rule):
                if name not in ("ops", "g"):
                    asking.setdefault(name, []).append(slot)
        saves = [self._saved(name, tuple(slots)) for name, slots in asking.items()]
        return sorted(saves, key=lambda each: (not each.counted, each.kind, each.position))

    def _saved(self, name: str, slots: tuple[int, ...]) -> Saved:
        if name in self.parameters:
            position = self.parameters.index(name)
            return Saved(name, "argument", position, slots, position in self.tensors)
        if name.endswith("_shape") and name.removesuffix("_shape") in self.parameters:
            position = self.parameters.index(name.removesuffix("_shape"))
            return Saved(name, "shape", position, slots, False)
        check(
            name.rstrip("0123456789") == "result",
            "{}: a rule asks for '{}', which is neither an argument nor the result",
            self.__name__,
            name,
            error=TypeError,
        )
        return Saved(name, "result", int(name[6:] or 0), slots, True)

    @functools.cached_property
    def node_type(self) -> Any:
        """The class of the nodes that it records, under PyTorch's name for it; made with the first."""
        names = ["ops", "g", *(saved.name for saved in self.saves)]
        attributes: dict[str, Any] = {
            "__slots__": () if self.outputs else ("outputs",),
            "__doc__": NodeDocstring(),
            "__module__": self.forward.__module__,
            "__wrapped__": self.forward,  # so that `inspect.getsource` shows the operation
            "operation": self,
            "broadcasts": self.broadcasts,
            "name": lambda node: self.node_name,
            "rules": tuple(
                (rule, calls.make_selector(names, parameters_of(rule)))
                for rule in self.rules.values()
            ),
        }
        for index, saved in enumerate(self.saves):
            attributes[f"_saved_{saved.name}"] = saved_value(index)
            if saved.name in PYTORCHS_NAMES:
                attributes[f"_saved_{PYTORCHS_NAMES[saved.name]}"] = saved_value(index)
        return type(self.node_name.rpartition("::")[2], (OperationNode,), attributes)

    # ---- its arguments ---------------------------------------------------------------------------

    def arguments(self, args: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """All arguments in their order: those by position, those by name, and defaults. Raises
        TypeError if one is missing, unknown or given twice.
        """
        given = {**self.defaults, **dict(zip(self.parameters, args)), **named}
        twice = set(self.parameters[: len(args)]) & set(named)
        if len(args) > len(self.parameters) or twice or given.keys() != set(self.parameters):
            also = f" and {', '.join(named)} by name" if named else ""
            called = f"{self.__name__}({', '.join(self.parameters)}) was called with"
            raise TypeError(f"{called} {len(args)} arguments by position{also}")
        args = [given[name] for name in self.parameters]
        for i, kind in self.numbers:
            if type(args[i]) is not kind:
                args[i] = plain_number(args[i])
        return args

    def number(self, position: int, x: Any) -> Any:
        """The argument `x` at `position`, which isn't a tensor: an operand must be a number."""
        if position in self.operands and not isinstance(x, (*NUMBERS, np.number, np.bool_)):
            name = self.parameters[position]
            raise TypeError(f"{self.__name__}(): {name} must be a tensor, not {type(x).__name__}")
        return plain_number(x)

    def promoted(self, arrays: list[Any]) -> list[Any]:
        """`arrays` with the operands brought to one type. A number without a default, such as an
        exponent, counts as an operand.
        """
        together = self.slots or self.operands
        options = [position for position, _ in self.numbers]
        beside = [
            x
            for i, x in enumerate(arrays)
            if i not in together and i not in options and type(x) in NUMBERS
        ]
        operands = [arrays[i] for i in together]
        of_one_type = bring_to_one_type([*operands, *beside], self.promotes == "float")
        for i, array in zip(together, of_one_type):
            arrays[i] = array
        return arrays


def plain_number(x: Any) -> Any:
    """A number of NumPy's, or a tensor of one number, as one of Python's, which has no type of its
    own; anything else unchanged. Raises TypeError for a tensor that requires a gradient.
    """
    if isinstance(x, TensorBase) and not x._array.ndim:
        if x.requires_grad:
            raise TypeError("a number is needed, not a tensor that requires a gradient")
        return x._array.item()
    return x.item() if isinstance(x, np.generic) else x


# PyTorch has names of its own for the first input
PYTORCHS_NAMES = {"input": "self", "input_shape": "self_sym_sizes"}


class OperationNode(Node):
    """A node that an operation recorded."""

    __slots__ = ()
    operation: Operation
    rules: tuple[tuple[Callable[..., Any], Any], ...]  # (rule, selector of its arguments)

    def apply(self, ops: Any, gradient: Any) -> Any:
        """Run the rule of each input that takes a gradient. The rules stand in the decorator of the
        operation: `help(type(node))`. What is returned, the engine hands on: `core/engine.py`.
        """
        if self.operation.outputs is None or self.outputs > 1:
            gradient = self._complete(ops, gradient)
        values = self.values(ops, gradient)
        if self.operation.variadic:
            ((rule, pick),) = self.rules
            return rule(*pick(values))
        return [
            None if edge is NO_EDGE else rule(*pick(values))
            for edge, (rule, pick) in zip(self.next_functions, self.rules)
        ]

    def _complete(self, ops: Any, gradients: Any) -> list[Any]:
        """One gradient for each output, zeros for those that got none."""
        if self.outputs == 1:
            return [gradients]
        return [
            ops.zeros(shape, dtype) if g is None else g
            for g, shape, dtype in zip(gradients, self.shape, self.dtype)
        ]

    def values(self, ops: Any, gradient: Any) -> tuple[Any, ...]:
        """(ops, g, *saved), of which rules pick what they name. Raises RuntimeError if what was
        saved is freed or has changed.
        """
        saved = self.saved
        for counter, version in self.versions:
            if counter[0] != version:
                self.check_saved()
        if saved is FREED:
            self.check_saved()
        if ops.creates_graph:
            saved = tuple(map(self.saved_tensor, range(len(saved))))
        values: tuple[Any, ...] = (ops, gradient) + saved
        return values

    def saved_tensor(self, index: int) -> Any:
        """Saved value number `index` as the tensor it was, with its place in the graph; other
        values as they are.
        """
        value, kept = self.saved[index], self.operation.saves[index]
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        if kept.kind == "result":
            return wrap(value, (self, kept.position) if kept.position < self.outputs else NO_EDGE)
        slots = self.operation.slots
        edge = NO_EDGE
        if kept.position in slots:
            edge = self.next_functions[slots.index(kept.position)]
        producer = edge[0]
        return producer.variable if isinstance(producer, AccumulateGrad) else wrap(value, edge)

    def describe_saved(self, index: int) -> str:
        """As in "torch.FloatTensor [2, 3]], which is output 0 of Mul"."""
        saved = self.saved_tensor(index)
        text = f"torch.{type_name(saved._array)}Tensor {list(saved._array.shape)}]"
        node, output = NO_EDGE if saved._edge is LEAF else saved._edge
        return text if node is None else f"{text}, which is output {output} of {spoken_name(node)}"


@functools.cache
def saved_value(index: int) -> property:
    """`node._saved_other`, as PyTorch has it: a tensor or a value. Raises once the saved tensors
    are freed.
    """
    return property(lambda node: node.check_saved() and node.saved_tensor(index))


def parameters_of(function: Any) -> tuple[str, ...]:
    """The names of a function's parameters."""
    return tuple(function.__code__.co_varnames[: function.__code__.co_argcount])

"""An operation is a function of arrays with one backward rule for each input. The same rule runs on
arrays, and under `create_graph` on tensors.

    @operation(
        input=lambda g, other: g * other,
        other=lambda g, input: g * input,
        broadcasts=True)
    def mul(input, other):
        return input * other

Each keyword is the name of an input, and its value is the backward rule for this input. The names of
the rule's parameters say what the rule needs, so the node saves exactly these values:

    g               the gradient that arrived (a list with one for each output, if the operation has
                    several differentiable outputs)
    input, other…   an argument of the forward function, tensor or not
    input_shape     only the shape of that argument
    result          the forward function's result; `result0`, `result1` if it returns several
    ops             operations by name: `ops.exp(result)`. In an ordinary backward pass, they run on
                    plain arrays. Under `create_graph`, they run on tensors and are recorded, so the
                    rule itself can be differentiated. `+`, `*` etc. work on both.

The decorator returns a function of tensors. It computes the result, and records a node if one of the
tensors requires a gradient (see `calls.py`).
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
NUMBERS = (int, float, bool)  # Python's own numbers, which have no dtype


def operation(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorator that turns a function of arrays into an operation. For options see `Operation`."""
    return lambda forward: Operation(forward, **options).function


def formula(text: str, **instead: dict[Any, str]) -> Callable[[Any], Any]:
    """Decorator for a rule that isn't a lambda. The view shows `text` as its formula, in which `g` is
    the gradient that arrived.

    instead  for an argument, {a value: the text that is shown if the argument has this value}.
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
    counted: bool  # whether it may be a tensor, which could be modified in place


class Operation:
    """A function of arrays with its backward rules. Users call `function`.

    name        PyTorch's name for it, if `forward` has another one.
    node        the node's name, if it isn't the usual one (`mul` gives "MulBackward0").
    broadcasts  the inputs are broadcast to a common shape, and the engine sums the gradients over
                the expanded dimensions.
    promotes    inputs of different types are first converted to one type by `result_type`;
                "float" also converts integers to floating point.
    view        the result shares the first input's memory and version.
    results     how many arrays the forward function returns, as a tuple; only the first is
                differentiable. None: any number, and all are differentiable.
    optional    the names of inputs that may be `None`.
    constants   the names of arguments that may be tensors but get no gradient: masks, indices,
                targets.
    sign        two or three characters for it in a picture of the graph: "×".
    rules       one for each differentiable input, in the order of PyTorch's `next_functions`.

    Attributes: `slots` are the positions of the differentiable inputs. `operands` are those of
    arguments that must be tensors (or numbers, if another operand is a tensor). `tensors` are those
    of all arguments that may be tensors. `saves` lists what a node keeps, tensors first.
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
        self.variadic = self.parameters[0] == "tensors"  # its inputs are one list of tensors
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
        call.forward = forward  # `gelu` calls `erf.forward`, which records nothing
        self.function = functools.update_wrapper(call, forward)

    def _place(self, name: str) -> int:
        """The position of an argument. Raises TypeError if `forward` has no such parameter."""
        if name not in self.parameters:
            taken = ", ".join(self.parameters)
            raise TypeError(
                f"{self.__name__}: there is a rule for '{name}', but the forward takes {taken}"
            )
        return self.parameters.index(name)

    def _saves(self) -> list[Saved]:
        """The values that the rules need: those that may be tensors first, arguments in order."""
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
        """The class of its nodes, with PyTorch's name. It is created with the first node."""
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
        """All arguments in order, from positions, names and defaults. Raises TypeError if an argument
        is missing, unknown or given twice.
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
        """`arrays` with the operands converted to one type. A number for a parameter without a
        default, such as an exponent, counts as an operand.
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
    """Convert a NumPy number or a 0-d tensor to a Python number, which has no dtype. Anything else
    is returned unchanged. Raises TypeError for a 0-d tensor that requires a gradient.
    """
    if isinstance(x, TensorBase) and not x._array.ndim:
        if x.requires_grad:
            raise TypeError("a number is needed, not a tensor that requires a gradient")
        return x._array.item()
    return x.item() if isinstance(x, np.generic) else x


# PyTorch's own names for the first input
PYTORCHS_NAMES = {"input": "self", "input_shape": "self_sym_sizes"}


class OperationNode(Node):
    """The base class of all nodes that operations record."""

    __slots__ = ()
    operation: Operation
    rules: tuple[tuple[Callable[..., Any], Any], ...]  # (rule, selector of its arguments)

    def apply(self, ops: Any, gradient: Any) -> Any:
        """Run the rule of each input that needs a gradient. `help(type(node))` shows the rules, which
        are in the operation's decorator. The engine (`core/engine.py`) delivers the results.
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
        """One gradient for each output, zeros for an output that got none."""
        if self.outputs == 1:
            return [gradients]
        return [
            ops.zeros(shape, dtype) if g is None else g
            for g, shape, dtype in zip(gradients, self.shape, self.dtype)
        ]

    def values(self, ops: Any, gradient: Any) -> tuple[Any, ...]:
        """(ops, g, *saved), from which each rule selects its parameters. Raises RuntimeError if a
        saved value was freed or modified in place.
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
        """Saved value number `index` as a tensor with its original place in the graph. A value that
        wasn't a tensor is returned unchanged.
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
    """The property `node._saved_other`, as in PyTorch: a tensor or another value. It raises
    RuntimeError if the saved tensors were freed or modified in place.
    """
    return property(lambda node: node.check_saved() and node.saved_tensor(index))


def parameters_of(function: Any) -> tuple[str, ...]:
    """The names of a function's parameters."""
    return tuple(function.__code__.co_varnames[: function.__code__.co_argcount])

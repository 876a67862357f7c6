"""What an operation is: a function of arrays, and one backward rule for each input. Written once,
used twice.

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
                    differentiated. Arithmetic signs do both.

What the decorator (in `ops/definition.py`) returns is called with tensors: it computes, and records
a node if one of them requires a gradient. That is written out below for operations of one tensor
and of two."""

import functools
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from . import tensor
from .graph import FREED, LEAF, NO_EDGE, AccumulateGrad, Node, check, next_sequence_nr
from .recording import recording
from .tensor import TensorBase, wrap

REGISTRY: dict[str, "Operation"] = {}  # every operation by its node's name: "MulBackward0"
NOTHING: Any = ()
# among `versions`: of what stands in a tensor's place and cannot change
CONSTANT = ([0], 0)
NUMBERS = (int, float, bool)  # Python's own, which have no type to bring along


class Saved(NamedTuple):
    """A value that a node keeps for the rules of `slots`: "argument", "shape" or "result"."""

    name: str
    kind: str
    position: int
    slots: Sequence[int]


class Operation:
    """An array function with its backward rules; people call `function`.

    rules     {argument: function of what arrived, and of all else that it names}.
    slots     the positions of these arguments.
    operands  the positions of the arguments that must be tensors, or numbers beside one.
    tensors   the positions of all arguments that may be tensors; the others are options.
    saves     what a node keeps, in this order, as `Saved`; first what may be a tensor, whose
              changes are counted.

    PyTorch has its own way to take arguments, and words of its own: `arguments`, `bring_together`,
    `explain`, `not_floating` and `describe` stand in `ops/definition.py`.
    """

    arguments: Callable[..., Any]
    bring_together: Callable[..., Any]
    explain: Callable[..., Exception]
    not_floating: Callable[..., Exception]
    describe: Callable[..., str]
    saves: list[Saved]
    node_type: Any

    def __init__(
        self,
        forward: Callable[..., Any],
        rules: dict[str, Callable[..., Any]],
        *,
        node: str | None = None,
        broadcasts: bool = False,
        promotes: bool | str = False,
        view: bool = False,
        results: int | None = 1,
        optional: Iterable[str] = (),
        constants: Iterable[str] = (),
    ):
        self.forward, self.rules, self.__name__ = forward, rules, forward.__name__
        self.broadcasts, self.promotes, self.view = broadcasts, promotes, view
        self.returns_one, self.outputs = results == 1, results and 1
        self.parameters, self.default_values = parameters_of(forward), forward.__defaults__ or ()
        self.defaults = dict(
            zip(
                self.parameters[len(self.parameters) - len(self.default_values) :],
                self.default_values,
            )
        )
        for name in (*rules, *constants):
            check(
                name in self.parameters,
                "{}: there is a rule for '{}', but the forward takes {}",
                self.__name__,
                name,
                ", ".join(self.parameters),
                error=TypeError,
            )
        self.slots = tuple(map(self.parameters.index, rules))
        needed = tuple(i for i in self.slots if self.parameters[i] not in optional)
        self.operands = needed or ((0, 1) if broadcasts else (0,))
        self.tensors = {*self.slots, *self.operands, *map(self.parameters.index, constants)}
        self.numbers = [
            i for i, name in enumerate(self.parameters) if type(self.defaults.get(name)) in NUMBERS
        ]
        # what the rules ask for: {name: the slots whose rules do}
        self.asked: dict[str, list[int]] = {}
        for slot, rule in zip(self.slots, rules.values()):
            for name in parameters_of(rule):
                self.asked.setdefault(name, []).append(slot)
        self.node_name = (
            node or "".join(map(str.capitalize, self.__name__.split("_"))) + "Backward0"
        )
        taken = REGISTRY.setdefault(self.node_name, self)
        check(
            taken is self,
            "{}: {} has node {} already",
            self.__name__,
            taken.__name__,
            self.node_name,
            error=TypeError,
        )
        # which has made `self.node_type`, by node_that_saves()
        call, apply = self.form()(self)
        # `gelu` computes with `erf.forward`: that records nothing
        call.forward, self.node_type.apply = forward, apply
        self.function = functools.update_wrapper(call, forward)

    def form(self) -> Any:
        """How it is called: `of_one` or `of_two` tensors. (`ops/general.py` has one more form, for
        all that is neither.)
        """
        asked, pair = self.asked.keys() - {"ops", "g"}, {*self.parameters[:2]}
        if self.returns_one and self.tensors == {0}:
            return of_one
        both = (
            self.returns_one
            and self.tensors == {0, 1}
            and self.slots in ((), (0, 1))
            and pair & asked in (pair, set())
        )
        return of_two if both and asked <= {*self.parameters, "result"} else None

    def counts_changes(self, name: str) -> bool:
        """Whether what is called `name` may be a tensor, which somebody could change."""
        return (
            name[:6] == "result"
            or name in self.parameters
            and self.parameters.index(name) in self.tensors
        )

    def node_that_saves(self, names: list[str]) -> tuple[Any, list[Any]]:
        """(the type of node that keeps what is called `names`, for each rule what picks its part of
        (ops, g, *saved)).
        """
        self.saves = [Saved(name, *self._source(name), self.asked.get(name, ())) for name in names]
        attributes: dict[str, Any] = {
            "__slots__": () if self.outputs else ("outputs",),
            "operation": self,
            "broadcasts": self.broadcasts,
            "name": lambda node: self.node_name,
        }
        # PyTorch has names of its own for the first input
        for index, name in enumerate(names):
            for spelling in (
                name,
                {"input": "self", "input_shape": "self_sym_sizes"}.get(name, name),
            ):
                attributes[f"_saved_{spelling}"] = saved_value(index)
        self.node_type = type(self.node_name.rpartition("::")[2], (OperationNode,), attributes)
        return self.node_type, [
            picker(["ops", "g", *names], parameters_of(rule)) for rule in self.rules.values()
        ]

    def _source(self, name: str) -> tuple[str, int]:
        if name in self.parameters:
            return "argument", self.parameters.index(name)
        if name.endswith("_shape") and name.removesuffix("_shape") in self.parameters:
            return "shape", self.parameters.index(name.removesuffix("_shape"))
        check(
            name.rstrip("0123456789") == "result",
            "{}: a rule asks for '{}', which is neither an argument nor the result",
            self.__name__,
            name,
            error=TypeError,
        )
        return "result", int(name[6:] or 0)


class OperationNode(Node):
    """A node that an operation made. Its `apply` stands below, beside how the operation is called."""

    __slots__ = ()
    operation: Operation

    def values(self, ops: Any, gradient: Any) -> tuple[Any, ...]:
        """(ops, g, *saved), of which rules pick what they name. Raises if what was saved is freed
        or has changed.
        """
        saved = self.saved
        for counter, version in self.versions:
            if counter[0] != version:
                self.check_saved()
        if saved is FREED:
            self.check_saved()
        if ops.creates_graph:
            saved = map(self.saved_tensor, range(len(saved)))
        return ops, gradient, *saved

    def saved_tensor(self, index: int) -> Any:
        """Saved value number `index` as the tensor it was, with its place in the graph; other
        values as they are.
        """
        value, (_, kind, position, _), slots = (
            self.saved[index],
            self.operation.saves[index],
            self.operation.slots,
        )
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        if kind == "result":
            return wrap(value, self.output(position) if position < self.outputs else NO_EDGE)
        edge = self.inputs[slots.index(position)] if position in slots else NO_EDGE
        return edge.variable if isinstance(edge, AccumulateGrad) else wrap(value, edge)

    def describe_saved(self, index: int) -> str:
        return self.operation.describe(self.saved_tensor(index))


@functools.cache
def saved_value(index: int) -> property:
    """`node._saved_other`, as PyTorch has it: a tensor or a value. Raises once the saved tensors
    are freed.
    """
    return property(lambda node: node.check_saved() and node.saved_tensor(index))


def parameters_of(function: Any) -> tuple[str, ...]:
    """The names of a function's parameters."""
    return tuple(function.__code__.co_varnames[: function.__code__.co_argcount])


def picker(names: Sequence[str], wanted: Sequence[str]) -> Any:
    """What picks from a tuple, whose places have these `names`, those that are `wanted`, as a
    tuple; None for none.
    """
    places: list[Any] = [names.index(name) for name in wanted]
    return (
        itemgetter(*places if len(places) > 1 else [slice(place, place + 1) for place in places])
        if places
        else None
    )


# ---- how an operation is called, and how its nodes run back --------------------------------------


def of_one(op: Operation) -> tuple[Any, Any]:
    """An operation of one tensor and of options: `exp(x)`, `sum(x, dim)`, `view(x, shape)`."""
    forward, view, first, differentiable = op.forward, op.view, op.parameters[0], bool(op.rules)
    takes, numbers, defaults = len(op.parameters) - 1, op.numbers, op.default_values
    required, floats, checked = takes - len(defaults), op.promotes == "float", not op.promotes
    keeps_input, keeps_result = first in op.asked, "result" in op.asked
    others = [name for name in op.asked if name not in ("ops", "g", first, "result")]
    node_type, readers = op.node_that_saves(
        [first] * keeps_input + ["result"] * keeps_result + others
    )
    pick = picker((f"{first}_shape", *op.parameters[1:]), others)

    def call(input: Any = ..., /, *options: Any, **named: Any) -> Any:
        if not options and not named and not required:
            options = defaults
        elif named or numbers or len(options) != takes:
            input, *options = op.arguments((input, *options), named)
        try:
            array = input._storage() if view else input._array  # a view needs memory to share
        except AttributeError:
            # which refuses what is no tensor
            op.bring_together((input,), (input,))
        if floats and array.dtype.kind != "f":
            (array,) = op.bring_together((input,), (array,))
        try:
            result = forward(array) if options is defaults else forward(array, *options)
        except (ValueError, IndexError) as error:
            raise op.explain(error, (array,)) from None
        out = tensor.new_result()
        out._array, out._edge = result, NO_EDGE
        enabled, subscribers = recording.state
        if view:
            out._become_view(input, False, enabled)
        node = None
        if enabled and differentiable:
            edge = input._edge if input._base is None else input._current_edge()
            if edge is not NO_EDGE:
                node = node_type()
                node.sequence_nr, node.hooks = next_sequence_nr(), None
                node.shape, node.dtype = result.shape, result.dtype
                if checked and node.dtype.kind != "f":
                    raise op.not_floating(result)
                node.inputs = (edge if edge is not LEAF else input._leaf_edge(),)
                saved = versions = NOTHING
                if keeps_input:
                    counter = input._counter or input._version_counter()
                    saved, versions = (input._array,), ((counter, counter[0]),)
                if keeps_result:
                    out._counter = counter = [0]
                    saved += (result,)
                    versions += ((counter, 0),)
                if pick:
                    saved += pick((array.shape, *options))
                node.saved, node.versions, out._edge = saved, versions, node
        if subscribers:
            recording.publish("on_operation", op, node, (input, *options), (out,))
        return out

    def apply(node: OperationNode, ops: Any, gradient: Any) -> Any:
        return (rule(*read(node.values(ops, gradient))),)

    if differentiable:
        (rule,), (read,) = op.rules.values(), readers
    return call, apply


def of_two(op: Operation) -> tuple[Any, Any]:
    """An operation of two tensors, or of a tensor and a number: `mul(x, y)`, `add(x, 1)`, `mm(x,
    y)`.

    What one rule alone asks for is kept if that rule will run: of `x * w`, x if w requires a
    gradient."""
    forward, promotes, floats, differentiable = (
        op.forward,
        op.promotes,
        op.promotes == "float",
        bool(op.rules),
    )
    takes, numbers, defaults = len(op.parameters) - 2, op.numbers, op.default_values
    required, (first, second, *others) = takes - len(defaults), op.parameters
    others = [name for name in others if name in op.asked]
    keeps, keeps_result = first in op.asked, "result" in op.asked
    node_type, readers = op.node_that_saves(
        [first, second] * keeps + ["result"] * keeps_result + others
    )
    pick = picker(op.parameters[2:], others)
    kept_defaults = pick(defaults) if pick and not required else ()
    first_for_both, second_for_both = (len(op.asked.get(name, ())) == 2 for name in (first, second))
    first_for_second, second_for_first = 1 in op.asked.get(first, ()), 0 in op.asked.get(second, ())

    # ...: given by name, or missing
    def call(left: Any = ..., right: Any = ..., /, *options: Any, **named: Any) -> Any:
        if not options and not named and not required:
            options = defaults
        elif named or numbers or len(options) != takes:
            left, right, *given = op.arguments((left, right, *options), named)
            options = tuple(given)
        left_number, right_number = (
            not isinstance(left, TensorBase),
            not isinstance(right, TensorBase),
        )
        a = left if left_number else left._array
        b = right if right_number else right._array
        if left_number or right_number or a.dtype is not b.dtype or floats and a.dtype.kind != "f":
            if not (
                promotes
                and not left_number
                and type(b) in (float, int)
                and abs(b) < 2**63
                and a.dtype.kind == "f"
            ):
                a, b = op.bring_together((left, right), (a, b))
                left, right = a if left_number else left, b if right_number else right
        try:
            result = forward(a, b) if options is defaults else forward(a, b, *options)
        except (ValueError, IndexError) as error:
            raise op.explain(error, (a, b)) from None
        out = tensor.new_result()
        out._array, out._edge = result, NO_EDGE
        enabled, subscribers = recording.state
        node = None
        if enabled and differentiable:
            left_edge = (
                NO_EDGE
                if left_number
                else left._edge
                if left._base is None
                else left._current_edge()
            )
            right_edge = (
                NO_EDGE
                if right_number
                else right._edge
                if right._base is None
                else right._current_edge()
            )
            if left_edge is not NO_EDGE or right_edge is not NO_EDGE:
                node = node_type()
                node.sequence_nr, node.hooks = next_sequence_nr(), None
                node.shape, node.dtype = result.shape, result.dtype
                if not promotes and node.dtype.kind != "f":
                    raise op.not_floating(result)
                node.inputs = (
                    left_edge if left_edge is not LEAF else left._leaf_edge(),
                    right_edge if right_edge is not LEAF else right._leaf_edge(),
                )
                saved = versions = NOTHING
                if keeps:
                    kept_left, left_version = left if left_number else None, CONSTANT
                    if not left_number and (
                        first_for_both
                        or (right_edge if first_for_second else left_edge) is not NO_EDGE
                    ):
                        counter = left._counter or left._version_counter()
                        kept_left, left_version = left._array, (counter, counter[0])
                    kept_right, right_version = right if right_number else None, CONSTANT
                    if not right_number and (
                        second_for_both
                        or (left_edge if second_for_first else right_edge) is not NO_EDGE
                    ):
                        counter = right._counter or right._version_counter()
                        kept_right, right_version = right._array, (counter, counter[0])
                    saved, versions = (kept_left, kept_right), (left_version, right_version)
                if keeps_result:
                    out._counter = counter = [0]
                    saved += (result,)
                    versions += ((counter, 0),)
                if pick:
                    saved += kept_defaults if options is defaults else pick(options)
                node.saved, node.versions, out._edge = saved, versions, node
        if subscribers:
            recording.publish("on_operation", op, node, (left, right, *options), (out,))
        return out

    def apply(node: OperationNode, ops: Any, gradient: Any) -> Any:
        values, (left, right) = node.values(ops, gradient), node.inputs
        return (
            None if left is NO_EDGE else first_rule(*read_first(values)),
            None if right is NO_EDGE else second_rule(*read_second(values)),
        )

    if differentiable:
        (first_rule, second_rule), (read_first, read_second) = op.rules.values(), readers
    return call, apply

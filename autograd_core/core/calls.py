"""What happens in `y = w * x`: the arrays are multiplied, and a node is recorded if one of the
tensors requires a gradient.

Three forms of the same: for one tensor, for two, and for any number. The first two are the third
without its loops: three calls of four are theirs, and they take half of its time.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from . import graph, tensor
from .graph import LEAF, NO_EDGE, Edge
from .recording import recording
from .tensor import TensorBase, wrap
from .types import type_name

if TYPE_CHECKING:
    from .operation import Operation, Saved

MISSING: Any = object()  # in place of an argument that is given by name, or not at all


def picker(names: Sequence[Any], wanted: Sequence[Any]) -> Callable[[Any], Any]:
    """What picks from a tuple, whose places have these `names`, those that are `wanted`."""
    places = [names.index(name) for name in wanted]
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


def form_of(op: "Operation") -> Callable[["Operation"], Any]:
    """Which of the three forms below `op` has."""
    if op.variadic or not op.returns_one or any(s.kind == "shape" and s.position for s in op.saves):
        return of_any
    if op.tensors == {0}:
        return of_one
    saved = {s.position for s in op.saves if s.kind == "argument" and s.counted}
    two = op.tensors == {0, 1} and op.slots in ((), (0, 1)) and saved in (set(), {0, 1})
    return of_two if two and not any(s.kind == "shape" for s in op.saves) else of_any


class Number:
    """A number in the place of a tensor: it takes no gradient, and cannot change."""

    __slots__ = ("_array",)
    _base, _edge, _counter = None, NO_EDGE, [0]


CONSTANT = (Number._counter, 0)  # the version of what is no tensor
NOTHING: Any = ((), ())  # saved by an operation whose rules ask for none of its operands


def edge_of(x: Any) -> Edge:
    """Where a gradient for `x` goes; NO_EDGE for a number, and for what requires none."""
    if not isinstance(x, TensorBase):
        return NO_EDGE
    edge: Edge = x._edge if x._base is None else x._current_edge()
    return x._leaf_edge() if edge is LEAF else edge


def version_of(x: Any) -> tuple[list[int], int]:
    """The counter of the changes of `x`, and what it counts now; CONSTANT for a number."""
    if not isinstance(x, TensorBase):
        return CONSTANT
    counter = x._counter or x._version_counter()
    return counter, counter[0]


def of_one(op: "Operation") -> Any:
    """An operation of one tensor and of options: `exp(x)`, `sum(x, dim)`, `view(x, shape)`."""
    forward, view, defaults, count = op.forward, op.view, op.default_values, len(op.parameters) - 1
    numbers, differentiable, floats = op.numbers, bool(op.rules), op.promotes == "float"
    required = count > len(defaults)  # whether there is an option that must be given
    may_be_integer = not op.promotes  # the result, though an input requires a gradient
    next_sequence_nr = graph.next_sequence_nr
    keeps_input = any(s.position == 0 and s.kind == "argument" for s in op.saves)
    keeps_result = any(s.kind == "result" for s in op.saves)
    # of the options, to which the shape of the input is put in front
    rest = [s.position for s in op.saves if not s.counted]
    pick_rest = picker(range(len(op.parameters)), rest)

    def call(input: Any = MISSING, /, *given: Any, **named: Any) -> Any:
        options: Any = defaults
        if given or named or required:
            options = given
            if named or numbers or len(given) != count:
                input, *options = op.arguments((input, *given), named)
                options = tuple(options)
        if isinstance(input, TensorBase) and not (floats and input._array.dtype.kind != "f"):
            array = input._storage() if view else input._array  # a view needs memory to share
        else:
            (array,) = op.arrays_of((input,))
        try:
            result = forward(array) if options is defaults else forward(array, *options)
        except (ValueError, IndexError) as error:
            raise op.explain(error, (array,)) from None
        out = tensor.new_result()
        out._array, out._edge, out._base = result, NO_EDGE, None
        enabled, subscribers = recording.state
        if view:
            out._become_view(input, False, enabled)
        node = record(input, options, out) if enabled and differentiable else None
        if subscribers:
            recording.publish("on_operation", op, node, (input, *options), (out,))
        return out

    def record(input: Any, options: Any, out: Any) -> Any:
        """The node of `out`, whose edge leads there from now on; None if `input` takes no gradient."""
        edge = input._edge if input._base is None else input._current_edge()
        if edge is NO_EDGE:
            return None
        node, result = op.node_type(), out._array
        node.next_functions = (edge if edge is not LEAF else input._leaf_edge(),)
        node.sequence_nr, node.hooks = next_sequence_nr(), None
        node.shape, node.dtype = result.shape, result.dtype
        if may_be_integer and node.dtype.kind != "f":
            raise not_floating(result)
        saved, versions = NOTHING
        if keeps_input:
            counter = input._counter or input._version_counter()
            saved, versions = (input._array,), ((counter, counter[0]),)
        if keeps_result:
            out._counter = counter = [0]
            saved += (result,)
            versions += ((counter, 0),)
        if rest:
            saved += pick_rest((input._array.shape, *options))
        node.saved, node.versions, out._edge = saved, versions, (node, 0)
        return node

    return call


def of_two(op: "Operation") -> Any:
    """An operation of two tensors, or of a tensor and a number: `mul(x, y)`, `add(x, 1)`.

    What one rule alone asks for is saved if that rule will run: of `x * w`, x if w requires a
    gradient.
    """
    forward, defaults, count = op.forward, op.default_values, len(op.parameters) - 2
    numbers, differentiable, floats = op.numbers, bool(op.rules), op.promotes == "float"
    required = count > len(defaults)  # whether there is an option that must be given
    may_be_integer = not op.promotes  # the result, though an input requires a gradient
    next_sequence_nr = graph.next_sequence_nr
    operands = [s for s in op.saves if s.kind == "argument" and s.counted]
    save_for_left, save_for_right = _save(operands, {0}), _save(operands, {1})
    save_for_both = _save(operands, {0, 1})
    keeps_result = any(s.kind == "result" for s in op.saves)
    rest = [s.position - 2 for s in op.saves if not s.counted]
    pick_rest = picker(range(count), rest)
    default_rest = pick_rest(defaults) if rest and len(defaults) == count else ()

    def call(input: Any = MISSING, other: Any = MISSING, /, *given: Any, **named: Any) -> Any:
        options: Any = defaults
        if given or named or required:
            options = given
            if named or numbers or len(given) != count:
                input, other, *options = op.arguments((input, other, *given), named)
                options = tuple(options)
        if isinstance(input, TensorBase) and isinstance(other, TensorBase):
            left, right, a, b = input, other, input._array, other._array
            if a.dtype is not b.dtype or floats and a.dtype.kind != "f":
                a, b = op.arrays_of((input, other, *options))[:2]
        else:
            left, right, a, b = _with_number(op, input, other)
        try:
            result = forward(a, b) if options is defaults else forward(a, b, *options)
        except (ValueError, IndexError) as error:
            raise op.explain(error, (a, b)) from None
        out = tensor.new_result()
        out._array, out._edge, out._base = result, NO_EDGE, None
        enabled, subscribers = recording.state
        node = record(left, right, options, out) if enabled and differentiable else None
        if subscribers:
            recording.publish("on_operation", op, node, (input, other, *options), (out,))
        return out

    def record(left: Any, right: Any, options: Any, out: Any) -> Any:
        """The node of `out`, whose edge leads there from now on; None if neither takes a gradient."""
        left_edge = left._edge if left._base is None else left._current_edge()
        right_edge = right._edge if right._base is None else right._current_edge()
        if left_edge is NO_EDGE:
            if right_edge is NO_EDGE:
                return None
            save = save_for_right
        else:
            save = save_for_left if right_edge is NO_EDGE else save_for_both
        if left_edge is LEAF:
            left_edge = left._leaf_edge()
        if right_edge is LEAF:
            right_edge = right._leaf_edge()
        node, result = op.node_type(), out._array
        node.next_functions = left_edge, right_edge
        node.sequence_nr, node.hooks = next_sequence_nr(), None
        node.shape, node.dtype = result.shape, result.dtype
        if may_be_integer and node.dtype.kind != "f":
            raise not_floating(result)
        saved, versions = save(left, right) if operands else NOTHING
        if keeps_result:
            out._counter = counter = [0]
            saved += (result,)
            versions += ((counter, 0),)
        if rest:
            saved += default_rest if options is defaults else pick_rest(options)
        node.saved, node.versions, out._edge = saved, versions, (node, 0)
        return node

    return call


def not_floating(result: Any) -> RuntimeError:
    """What to raise for a result that would need a gradient and can have none."""
    return RuntimeError(
        f"Autograd not support dtype: {type_name(result)}: ask for a floating point result, or"
        " detach() the input"
    )


def _with_number(op: "Operation", input: Any, other: Any) -> tuple[Any, Any, Any, Any]:
    """(left, right, array of left, array of right) of two, of which one is a number, as it is."""
    number: Any = Number()
    if op.promotes and (type(other) is float or type(other) is int and abs(other) < 2**63):
        if isinstance(input, TensorBase) and input._array.dtype.kind == "f":
            number._array = other
            return input, number, input._array, other  # nearly always
    a, b = op.arrays_of((input, other))[:2]
    if isinstance(input, TensorBase):
        number._array = b
        return input, number, a, b
    number._array = a
    return number, other, a, b


def _save(operands: "list[Saved]", wanted: set[int]) -> Any:
    """How the two are saved, where the inputs `wanted` take a gradient."""
    needed = tuple(not wanted.isdisjoint(saved.slots) for saved in operands)
    forms: dict[tuple[bool, ...], Any] = {
        (True, True): _save_both,
        (True, False): _save_left,
        (False, True): _save_right,
        (False, False): _save_neither,
    }
    return forms.get(needed)


def _save_both(left: Any, right: Any) -> tuple[Any, Any]:
    """(what is saved, the versions of it)."""
    first = left._counter or left._version_counter()
    second = right._counter or right._version_counter()
    return (left._array, right._array), ((first, first[0]), (second, second[0]))


def _save_left(left: Any, right: Any) -> tuple[Any, Any]:
    counter = left._counter or left._version_counter()
    return (left._array, None), ((counter, counter[0]), CONSTANT)


def _save_right(left: Any, right: Any) -> tuple[Any, Any]:
    counter = right._counter or right._version_counter()
    return (None, right._array), (CONSTANT, (counter, counter[0]))


def _save_neither(left: Any, right: Any) -> tuple[Any, Any]:
    return (None, None), (CONSTANT, CONSTANT)


def of_any(op: "Operation") -> Any:
    """An operation of any number of tensors: `addmm(x, y, z)`, `cat([x, y])`, `topk(x, k)`."""
    forward, slots, count, numbers = op.forward, op.slots, len(op.parameters), op.numbers
    keepers = [_keeper(op, saved) for saved in op.saves]

    def call(*args: Any, **named: Any) -> Any:
        if named or numbers or len(args) != count:
            args = tuple(op.arguments(args, named))
        arrays = op.arrays_of(args)
        try:
            result = forward(*arrays)
        except (ValueError, IndexError) as error:
            raise op.explain(error, arrays) from None
        outs = [wrap(result)] if op.returns_one else [wrap(array) for array in result]
        enabled, subscribers = recording.state
        if op.view:
            for out in outs:
                out._become_view(args[0], not op.returns_one, enabled)
        node = None
        if enabled and slots:
            inputs = args[0] if op.variadic else [args[slot] for slot in slots]
            edges = tuple([edge_of(x) for x in inputs])
            if edges.count(NO_EDGE) < len(edges):
                node = _record(op, keepers, edges, args, outs)
        if subscribers:
            recording.publish("on_operation", op, node, args, outs)
        return outs[0] if op.returns_one else type(result)(outs)

    return call


def _record(
    op: "Operation", keepers: list[Any], edges: tuple[Edge, ...], args: Any, outs: Any
) -> Any:
    """The node of the tensors `outs`, which were computed of `args`; it is their edge now."""
    node, result = op.node_type(), outs[0]._array
    node.next_functions, node.sequence_nr, node.hooks = edges, graph.next_sequence_nr(), None
    node.shape, node.dtype = result.shape, result.dtype
    if node.dtype.kind != "f":
        raise not_floating(result)
    if op.outputs is None:
        node.outputs = len(outs)
    if node.outputs == 1:
        outs[0]._edge = (node, 0)
    else:
        differentiable = outs[: op.outputs]
        node.shape = [out._array.shape for out in differentiable]
        node.dtype = [out._array.dtype for out in differentiable]
        for number, out in enumerate(differentiable):
            out._edge = (node, number)
    saved, versions = [], []
    for keep in keepers:
        value, version = keep(edges, args, outs)
        saved.append(value)
        if version is not None:
            versions.append(version)
    node.saved, node.versions = tuple(saved), tuple(versions)
    return node


def _keeper(op: "Operation", saved: "Saved") -> Callable[[Any, Any, Any], tuple[Any, Any]]:
    """How a node keeps one value: a function of its edges, the arguments and the results. It returns
    the value and its version; no version of what is no tensor.
    """
    position = saved.position
    asking = op.slots.index(saved.slots[0]) if len(saved.slots) == 1 else None

    def shape(edges: Any, args: Any, outs: Any) -> tuple[Any, Any]:
        x = args[position]
        return [each._array.shape for each in x] if op.variadic else x._array.shape, None

    def tensor(edges: Any, args: Any, outs: Any) -> tuple[Any, Any]:
        if asking is not None and edges[asking] is NO_EDGE:
            return None, CONSTANT  # one rule alone asks for it, and will not run
        x = args[position]
        return x._array if isinstance(x, TensorBase) else x, version_of(x)

    if saved.kind == "result":
        return lambda edges, args, outs: (outs[position]._array, version_of(outs[position]))
    if saved.kind == "shape":
        return shape
    return tensor if saved.counted else lambda edges, args, outs: (args[position], None)

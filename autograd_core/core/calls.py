"""What happens in `y = w * x`: the arrays are multiplied, and a node is recorded if one of the
tensors requires a gradient."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .graph import LEAF, NO_EDGE, Edge, next_sequence_nr
from .recording import recording
from .tensor import TensorBase, wrap
from .types import bring_to_one_type, type_name

if TYPE_CHECKING:
    from .operation import Operation, Saved

CONSTANT = ([0], 0)  # the version of a value that isn't a tensor


def make_selector(names: Sequence[Any], wanted: Sequence[Any]) -> Callable[[Any], Any]:
    """A function that selects the entries `wanted` of a tuple whose entries are called `names`."""
    places = [names.index(name) for name in wanted]
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


def make_call(op: "Operation") -> Any:
    """The function that users call. It runs `op.forward` on the arrays of its arguments, and records
    a node if an input requires a gradient.
    """
    forward, slots, defaults, count = op.forward, op.slots, op.default_values, len(op.parameters)
    view, variadic, one, promotes = op.view, op.variadic, op.returns_one, bool(op.promotes)
    may_be_tensors, record = op.may_be_tensors, make_recorder(op)
    select_inputs = make_selector(range(count), slots)
    required = count - len(defaults)
    plain = min([position for position, _ in op.numbers], default=count)  # leading arguments

    def call(*args: Any, **named: Any) -> Any:
        given = len(args)
        if named or not required <= given <= plain:
            args = tuple(op.arguments(args, named))
        elif given < count:
            args += defaults[given - count :]
        if variadic:
            arrays = list_of_arrays(op, args)
        else:
            arrays, dtype, alike = [*args], None, True
            for i in may_be_tensors:
                x = args[i]
                if isinstance(x, TensorBase):
                    arrays[i] = array = x._storage() if view else x._array
                    if array.dtype is not dtype:
                        alike, dtype = dtype is None, array.dtype
                elif type(x) is not float or not promotes:
                    arrays[i] = op.number(i, x)
            if dtype is None:
                raise TypeError(f"{op.__name__}() needs a tensor, not {type(args[0]).__name__}")
            if promotes and not (alike and dtype.kind == "f"):
                arrays = op.promoted(arrays)
        try:
            result = forward(*arrays)
        except ValueError as error:
            raise explain(error, arrays) from None
        outs = [wrap(result)] if one else list(map(wrap, result))
        enabled, subscribers = recording.state
        if view:
            for out in outs:
                out._become_view(args[0], not one, enabled)
        node = None
        if enabled and slots:
            edges = tuple(map(edge_of, args[0] if variadic else select_inputs(args)))
            for edge in edges:
                if edge is not NO_EDGE:
                    node = record(edges, args, outs)
                    break
        if subscribers:
            recording.publish("on_operation", op, node, args, outs)
        return outs[0] if one else type(result)(outs)

    return call


def make_recorder(op: "Operation") -> Callable[..., Any]:
    """A function that creates the node of the tensors `outs`, which `op` computed from `args`, and
    sets their edges to it. `edges` are the destinations of the inputs' gradients.
    """
    single, may_be_integer = op.outputs == 1, not op.promotes
    keepers = [make_keeper(op, saved) for saved in op.saves]

    def record(edges: tuple[Edge, ...], args: Sequence[Any], outs: Sequence[Any]) -> Any:
        node, out = op.node_type(), outs[0]
        result = out._array
        node.next_functions, node.sequence_nr, node.hooks = edges, next_sequence_nr(), None
        if may_be_integer and result.dtype.kind != "f":
            raise RuntimeError(
                f"Autograd not support dtype: {type_name(result)}: ask for a floating point result,"
                " or detach() the input"
            )
        if single:
            node.shape, node.dtype, out._edge = result.shape, result.dtype, (node, 0)
        else:
            point_to(node, outs[: op.outputs])
        saved: list[Any] = []
        versions: list[Any] = []
        for keep in keepers:
            keep(saved, versions, edges, args, outs)
        node.saved, node.versions = tuple(saved), tuple(versions)
        return node

    return record


def explain(error: ValueError, arrays: Sequence[Any]) -> Exception:
    """PyTorch's error if the shapes of `arrays` don't broadcast; any other error unchanged."""
    if "broadcast" not in str(error):
        return error
    shapes = [np.shape(x) for x in arrays if hasattr(x, "shape")]
    for dim in range(1, max(map(len, shapes)) + 1):
        sizes = [s[-dim] for s in shapes if len(s) >= dim and s[-dim] != 1]
        if len(set(sizes)) > 1:
            return RuntimeError(
                f"The size of tensor a ({sizes[0]}) must match the size of tensor b ({sizes[1]}) at"
                f" non-singleton dimension {max(map(len, shapes)) - dim}"
            )
    return error


def point_to(node: Any, outs: Sequence[Any]) -> None:
    """Make the tensors `outs`, one or more, the outputs of `node`."""
    if type(node).operation.outputs is None:
        node.outputs = len(outs)
    for number, out in enumerate(outs):
        out._edge = (node, number)
    node.shape = [out._array.shape for out in outs]
    node.dtype = [out._array.dtype for out in outs]
    if len(outs) == 1:
        node.shape, node.dtype = node.shape[0], node.dtype[0]


def list_of_arrays(op: "Operation", args: Sequence[Any]) -> Sequence[Any]:
    """`args` with the list of tensors, the first argument of `op`, replaced by a list of arrays."""
    arrays = [x._array for x in args[0]]
    return bring_to_one_type(arrays) if op.promotes else arrays, *args[1:]


def edge_of(x: Any) -> Edge:
    """Where the gradient for `x` goes. NO_EDGE for a number or if `x` doesn't require a gradient."""
    if not isinstance(x, TensorBase):
        return NO_EDGE
    edge: Edge = x._edge if x._base is None else x._current_edge()
    return x._leaf_edge() if edge is LEAF else edge


def version_of(x: Any) -> tuple[list[int], int]:
    """The version counter of `x` and its current count. CONSTANT if `x` isn't a tensor."""
    if not isinstance(x, TensorBase):
        return CONSTANT
    counter = x._counter or x._version_counter()
    return counter, counter[0]


def make_keeper(op: "Operation", kept: "Saved") -> Callable[..., None]:
    """A function that saves one value for the rules of `op`. It appends the value to `saved` and, if
    the value can be a tensor's array, its version to `versions`.
    """
    position = kept.position
    only_for = op.slots.index(kept.slots[0]) if len(kept.slots) == 1 else None

    def keep_result(saved: Any, versions: Any, edges: Any, args: Any, outs: Any) -> None:
        out = outs[position]
        saved.append(out._array)
        versions.append((out._version_counter(), 0))

    def keep_shape(saved: Any, versions: Any, edges: Any, args: Any, outs: Any) -> None:
        x = args[position]
        saved.append([each._array.shape for each in x] if op.variadic else x._array.shape)

    def keep_option(saved: Any, versions: Any, edges: Any, args: Any, outs: Any) -> None:
        saved.append(args[position])

    def keep_operand(saved: Any, versions: Any, edges: Any, args: Any, outs: Any) -> None:
        x = args[position]
        if only_for is not None and edges[only_for] is NO_EDGE:
            saved.append(None)  # the only rule that asks for it won't run
            versions.append(CONSTANT)
        elif isinstance(x, TensorBase):
            counter = x._counter or x._version_counter()
            saved.append(x._array)
            versions.append((counter, counter[0]))
        else:
            saved.append(x)
            versions.append(CONSTANT)

    if kept.kind == "result":
        return keep_result
    if kept.kind == "shape":
        return keep_shape
    return keep_operand if kept.counted else keep_option

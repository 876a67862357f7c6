"""In-place operations: `x.add_(1)`, `x *= y`, `x[mask] = 0`.

Each one runs the ordinary operation, records it as usual, and then writes the result to the
tensor's memory. It also increments the version, so that a node that saved the old numbers raises an
error when it runs.

    v = h[0]            h ─► MulBackward0                   v ─► SelectBackward0 ─► MulBackward0
    v.exp_()            h ─► CopySlices ─► MulBackward0     v ─► AsStridedBackward0 ─► CopySlices ─►
                        MulBackward0

Changing a view also changes its base, so the base gets the node `CopySlices`. All views of a changed
base get a new edge, to a node `AsStridedBackward0` that takes the base as input. This happens only
when the edge is needed."""

from math import prod

import numpy as np

from ..core.graph import FREED, LEAF, Node, check, next_sequence_nr, spoken_name
from ..core.operation import OperationNode, operation
from ..core.public import public
from ..core.recording import recording
from ..core.tensor import TensorBase, wrap
from ..core.types import NAMES, type_name
from . import gathering, indexing, shape


def _write(tensor, result):
    """Give `tensor` the numbers of `result`, and its place in the graph."""
    memory = tensor._storage()
    words, own = "output with shape {} doesn't match the broadcast shape {}", tensor._array
    check(result.shape == own.shape, words, list(own.shape), list(result.shape))
    words, kind = "result type {} can't be cast to the desired output type {}", result._array.dtype
    check(np.can_cast(kind, own.dtype, "same_kind"), words, NAMES[kind], type_name(own))
    words = "unsupported operation: more than one element of the written-to tensor refers to a"
    words += " single memory location, or it is seen through .data. Please clone() the tensor"
    check(memory.flags.writeable, words)
    recording.publish("on_write", tensor, result)
    tensor._bump_version()
    memory[...] = result._array
    if result.requires_grad:
        node, _ = result._edge
        _adopt_result(node, tensor)
        if tensor._base is None:
            tensor.rebase_history(result._edge, view_again)
        else:
            tensor._base.rebase_history((CopySlices(tensor._base, tensor, node), 0), view_again)
            tensor._current_edge()
    return tensor


def _check_apart(written, values, elementwise=True):
    """Raise RuntimeError if one of `values` overlaps the memory of the array `written`, as in
    `x /= x[:, :1]`. The same elements are allowed if the operation is `elementwise`.
    """
    for x in values:
        if isinstance(x, tuple):  # of indices
            _check_apart(written, x, elementwise)
        elif isinstance(x, TensorBase) and np.may_share_memory(written, x._array):
            own = elementwise and _place(written) == _place(x._array)
            words = "unsupported operation: some elements of the input tensor and the written-to"
            words += " tensor refer to a single memory location. Please clone() the tensor."
            check(own or not np.shares_memory(written, x._array), words)


def _place(array):
    return array.__array_interface__["data"][0], array.shape, array.strides


def _adopt_result(node, changed):
    """If `node` saved its result, which was written to `changed`, save the memory of `changed`."""
    for i, saved in enumerate(node.operation.saves if isinstance(node, OperationNode) else ()):
        if saved.name == "result":
            version = changed._version_counter(), changed._version
            node.saved = (*node.saved[:i], changed._array, *node.saved[i + 1 :])
            node.versions = (*node.versions[:i], version, *node.versions[i + 1 :])


# ---- views ---------------------------------------------------------------------------------------


def _places(base, view):
    """The indices of the elements of `view` in its flattened base, as an array."""
    base, view = base._storage(), view._storage()
    words = "the base of this view got other memory, through .data: make the view again"
    check(not view.size or np.may_share_memory(base, view), words)
    memory = np.array(view.ctypes.data - base.ctypes.data if view.size else 0)
    for size, stride in zip(view.shape, view.strides):
        memory = memory[..., None] + stride * np.arange(size)
    places, rows = np.zeros_like(memory), np.cumprod((1, *base.shape[:0:-1]))[::-1]
    for stride, row, size in sorted(zip(base.strides, rows, base.shape), reverse=True):
        if size > 1:
            places += memory // stride * row
            memory %= stride
    return places


class CopySlices(Node):
    """The node of a base after `change` modified its part `view`. The gradient of this part goes
    through `change`, the rest is passed on unchanged. Its edges are those of `change`, but the first
    edge leads to the former node of the base.
    """

    __slots__ = ("change", "places", "broadcasts")
    versions = property(lambda self: self.change.versions if self.change else ())

    def __init__(self, base, view, change):
        self.change, self.places = change, (_places(base, view),)
        self.saved, self.broadcasts = (), change.broadcasts
        self.next_functions = (base._edge, *change.next_functions[1:])
        self.sequence_nr, self.hooks = next_sequence_nr(), None
        self.shape, self.dtype = base._array.shape, base._array.dtype

    def name(self):
        """PyTorch's name, although the type is printed as CopySlices."""
        return "torch::autograd::CopySlices"

    def apply(self, ops, gradient):
        self.check_saved()
        flat = ops.reshape(gradient, (-1,))
        part = ops.cast(ops.index(flat, self.places), self.change.dtype)
        first, *others = self.change.apply(ops, part)
        if first is not None:
            first = ops.put_at(flat, self.places, ops.cast(first, self.dtype))
            first = ops.reshape(first, self.shape)
        return first, *others

    def check_saved(self):
        return super().check_saved() if self.change is None else self.change.check_saved()

    def free(self):
        """Release `change` if it saved tensors. Another graph, of a gradient, may also lead here."""
        if self.versions:
            self.saved, self.change = FREED, None


@operation(
    node="AsStridedBackward0",
    input=lambda ops, g, input_shape, places: ops.reshape(
        ops.put(g, (prod(input_shape),), (np.asarray(places),)), input_shape
    ),
)
def as_view(input, places):
    """The elements of `input` at `places`: a view of it, recorded again after `input` changed."""
    return np.reshape(input, -1)[places]


def view_again(view):
    """Give `view` a new edge from its base, whose edge has changed."""
    base = view._base
    _refuse_view(view, "its base or another view of its base has been")
    view._base_edge = base._edge
    before, recording.enabled = recording.enabled, True
    try:
        view.rebase_history(as_view(wrap(base._array, base._edge), _places(base, view))._edge)
    finally:
        recording.enabled = before


def _refuse_view(view, what):
    """Raise RuntimeError if this view may not be changed in place."""
    words = "A view was created in no_grad mode and {} modified inplace with grad mode enabled"
    check(view._unchangeable != "no_grad", words, what)
    if view._unchangeable:
        node, number = view._edge
        name = f"Output {number} of {spoken_name(node)}" if node else "This"
        why = "This view is the output of a function that returns multiple views"
        raise RuntimeError(f"{name} is a view and {what} modified inplace. {why}.")


def _check_may_change(tensor, values):
    """Raise RuntimeError if a change of `tensor` by `values` must be recorded but can't be."""
    base = tensor if tensor._base is None else tensor._base
    if recording.enabled and any(
        isinstance(x, TensorBase) and x.requires_grad for x in (base, tensor, *values)
    ):
        _refuse_view(tensor, "is being")
        what = "leaf" if base is tensor else "view of a leaf"
        words = "a {} Variable that requires grad is being used in an in-place operation. Update it"
        words += " inside `with no_grad():`, or change a clone()"
        check(LEAF not in (base._edge, tensor._edge), words, what)


# ---- the operations ------------------------------------------------------------------------------


@operation(node="ZeroBackward0", input=lambda ops, g: ops.zeros_like(g))
def zero(input):
    """Zeros of the shape of `input`."""
    return np.zeros_like(input)


@operation(node="FillBackward2", input=lambda ops, g: ops.zeros_like(g))
def fill_with_number(input, value):
    """A tensor with the shape of `input`, filled with the number `value`."""
    return np.full_like(input, value)


@operation(
    node="FillBackward3",
    input=lambda ops, g: ops.zeros_like(g),
    value=lambda ops, g: ops.sum_all(g),
)
def fill_with_tensor(input, value):
    """A tensor with the shape of `input`, filled with the 0-d tensor `value`."""
    check(not value.ndim, "fill_() takes one number")
    return np.full_like(input, value)


@operation(
    node="torch::autograd::CopyBackwards",
    input=lambda ops, g: ops.zeros_like(g),
    src=lambda g: g,
    broadcasts=True,
)
def copy(input, src):
    """The numbers of `src`, broadcast to the shape and converted to the type of `input`."""
    return np.array(np.broadcast_to(src, input.shape), dtype=input.dtype)


def in_place(function, elementwise=True, reads=None):
    """The in-place form of `function`, which records one operation. It changes and returns its first
    argument. Others mustn't overlap its memory, but may be the same elements if `elementwise`.

    reads  how many of the other arguments are checked for overlap, by default all.
    """

    def change(input, *args, **kwargs):
        values = (*args, *kwargs.values())
        _check_may_change(input, values)
        if values:
            _check_apart(input._array, values if reads is None else values[:reads], elementwise)
        recorded = any(isinstance(x, TensorBase) and x.requires_grad for x in (input, *values))
        before = wrap(np.array(input._array), input._edge) if recorded else input
        return _write(input, function(before, *args, **kwargs))

    change.__name__ = change.__qualname__ = function.__name__ + "_"
    change.__wrapped__ = function  # so that signature and source are those of `function`
    change.__doc__ = (
        f"As `{function.__name__}`, in place. Returns the tensor itself. What it does beside:"
        " `in_place` in autograd_core/ops/inplace.py."
    )
    return change


def fill(input, value):
    """A tensor with the shape of `input`, filled with `value`, a number or a 0-d tensor."""
    of_tensor = isinstance(value, TensorBase)
    return fill_with_tensor(input, value) if of_tensor else fill_with_number(input, value)


zero_ = public("Tensor")(in_place(zero))
copy_ = public("Tensor")(in_place(copy))
fill_ = public("Tensor")(in_place(fill, reads=0))
public("Tensor")(in_place(gathering.masked_fill, reads=1))
put_at_ = in_place(gathering.put_at, elementwise=False)


def setitem(tensor, key, value):
    """`tensor[key] = value`. It writes to a view, or uses `put_at_` if the index gathers."""
    if not isinstance(value, TensorBase):
        value = wrap(np.array(value, tensor._array.dtype))
    if key is False:  # it selects nothing
        return
    key = None if key is True else ... if isinstance(key, slice) and key == slice(None) else key
    view, indices = indexing.locate(tensor, key)
    sizes = value.shape[next((i for i, n in enumerate(value.shape) if n != 1), value.ndim) :]
    if indices is not None:
        masks = all(i.dtype == np.bool_ for i in indices if isinstance(i, np.ndarray))
        if not value.ndim and masks:
            if value._edge is not LEAF:  # PyTorch reads the number first
                value = wrap(np.array(value._array), value._edge)
        else:
            _check_apart(tensor._array, key if isinstance(key, tuple) else (key,), False)
        put_at_(view, indices, value if sizes == value.shape else shape.view_as_shape(value, sizes))
    elif value.shape == view.shape:
        copy_(view, value)
    elif not value.ndim:
        fill_(view, value)
    else:
        copy_(view, shape.expand_to(shape.view_as_shape(value, sizes), view.shape))

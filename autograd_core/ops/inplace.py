"""Operations that write into their tensor: `x.add_(1)`, `x *= y`, `x.zero_()`.

Each is its ordinary operation, recorded as usual, whose result is then written into the old memory. The version count
goes up, so that a node that had saved the old numbers notices when its turn comes.
"""

import numpy as np

from ..graph import LEAF, recording
from ..tensor import Tensor
from . import elementwise as e
from .operation import operation


def _write(tensor, result):
    """Make `tensor` what `result` is: its numbers, and its place in the graph."""
    if result.shape != tensor.shape:
        raise RuntimeError(f"output with shape {list(tensor.shape)} doesn't match the broadcast shape "
                           f"{list(result.shape)}")
    memory = tensor._storage()
    if not memory.flags.writeable:
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                           "memory location, or it is a computed number seen through .data. Please clone() the tensor "
                           "before performing the operation.")
    if not np.can_cast(result._array.dtype, memory.dtype, "same_kind"):
        raise RuntimeError(f"result type {result.dtype.short} can't be cast to the desired output type "
                           f"{tensor.dtype.short}")
    tensor._bump_version()              # an inference tensor refuses here, before anything is changed
    memory[...] = result._array
    if result.requires_grad:
        node, number = result._edge
        node.operation.adopt_result(node, tensor)
        tensor._move_to((node, number))
    return tensor


def _check_may_change(tensor):
    if not recording.enabled:
        return
    if tensor._edge is LEAF:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation. "
                           "Update it inside `with no_grad():`, or make a new tensor: y = x + 1")
    if tensor._base is not None and (tensor.requires_grad or tensor._base.requires_grad):
        raise NotImplementedError("autograd_core does not record in-place changes of a view: change a clone() of it")


@operation(node="ZeroBackward0", input=lambda ops, g: ops.zeros_like(g))
def zero(input):
    """Zeros of the shape of `input`."""
    return np.zeros_like(input)


@operation(node="FillBackward2", input=lambda ops, g: ops.zeros_like(g))
def fill(input, value):
    """The number `value` in the shape of `input`."""
    return np.full_like(input, value)


@operation(node="torch::autograd::CopyBackwards", input=lambda ops, g: ops.zeros_like(g), src=lambda g: g,
           broadcasts=True)
def copy(input, src):
    """The numbers of `src`, stretched to the shape and brought to the type of `input`."""
    return np.array(np.broadcast_to(src, input.shape), dtype=input.dtype)


def in_place(operation):
    """The form of `operation` that changes its first argument and returns it."""
    def change(input, *args, **kwargs):
        _check_may_change(input)
        before = Tensor._make(np.array(input._array), input._edge) if input.requires_grad else input
        return _write(input, operation(before, *args, **kwargs))
    change.__name__ = operation.__name__ + "_"
    change.__doc__ = f"As `{operation.__name__}`, in place. Returns the tensor itself."
    return change


add_, sub_, mul_, div_ = (in_place(op) for op in (e.add, e.sub, e.mul, e.div))
exp_, neg_, relu_, sigmoid_, tanh_, sqrt_, clamp_ = (
    in_place(op) for op in (e.exp, e.neg, e.relu, e.sigmoid, e.tanh, e.sqrt, e.clamp))
zero_, copy_ = map(in_place, (zero, copy))


def fill_(input, value):
    """Every element becomes `value`, a number or a tensor of one number, in place."""
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{value.ndim} dimensions.")
        if value.requires_grad and recording.enabled:
            raise NotImplementedError("autograd_core fills with numbers: use copy_(value), or value.item()")
        value = value.item()
    if not isinstance(value, (int, float, np.number, np.bool_)):
        raise TypeError(f"fill_(): argument 'value' must be Number, not {type(value).__name__}")
    return in_place(fill)(input, value)

"""Operations that round, and what is left over. Between their steps they are flat: the slope is 0
everywhere.
"""

import numpy as np

from ...core.graph import NO_EDGE, Node, check, next_sequence_nr
from ...core.operation import formula, operation
from ...core.recording import recording
from ...core.tensor import TensorBase
from ...core.types import cut, result_type
from ..elementwise import pairwise


@formula("zeros_like(g)")
def _flat(ops, g):
    return ops.zeros_like(g)


def _refuse_booleans(name, input):
    check(
        input.dtype.kind != "b",
        "\"{}_vml_cpu\" not implemented for 'Bool'",
        name,
        error=NotImplementedError,
    )


@operation(input=_flat)
def floor(input):
    """The greatest whole number that is not above `input`."""
    _refuse_booleans("floor", input)
    return np.floor(input)


@operation(input=_flat)
def ceil(input):
    """The smallest whole number that is not below `input`."""
    _refuse_booleans("ceil", input)
    return np.ceil(input)


@operation(input=_flat)
def round(input):
    """The nearest whole number; the even one of two that are equally near."""
    _refuse_booleans("round", input)
    return np.round(input)


def _check_divisor(kernel, input, other):
    kind = result_type(input, other).kind
    check(kind != "b", "\"{}_cpu\" not implemented for 'Bool'", kernel, error=NotImplementedError)
    check(
        kind != "i" and kind != "u" or np.all(other),
        "ZeroDivisionError: integers cannot be divided by 0",
    )


@pairwise(node="DivBackward2", input=_flat, other=_flat)
def rounded_div(input, other, rounding_mode):
    """`input / other`, rounded down ("floor") or towards zero ("trunc"). Integers stay integers."""
    check(
        rounding_mode in ("floor", "trunc"),
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {!r}",
        rounding_mode,
    )
    _check_divisor(f"div_{rounding_mode}", input, other)
    down = np.floor_divide(input, other)
    if rounding_mode == "floor":
        return down
    return (
        np.trunc(input / other)
        if down.dtype.kind == "f"
        else down + ((down < 0) & (down * other != input))
    )


@operation(node="RemainderBackward0", input=lambda g: g, promotes=True)
def remainder_of_number(input, other):
    """What is left of `input` after division by the number `other`, with the sign of `other`."""
    _check_divisor("remainder", input, other)
    return np.remainder(input, cut(other, input.dtype))


@pairwise(
    node="RemainderBackward1",
    input=lambda g: g,
    other=lambda ops, g, input, other: -g * ops.rounded_div(input, other, "floor"),
)
def remainder_of_tensor(input, other):
    """What is left of `input` after division by `other`, with the sign of `other`."""
    _check_divisor("remainder", input, other)
    return np.remainder(input, other)


@operation(input=lambda ops, g, input: ops.masked(g, ops.isfinite(input)))
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """`input` with numbers in place of nan and of infinities, by default 0 and the greatest that
    the type has.
    """
    for value in (nan, posinf, neginf):
        check(
            value is None or isinstance(value, (int, float)),
            "nan_to_num(): argument 'nan' must be float, not {}",
            type(value).__name__,
            error=TypeError,
        )
    return (
        np.nan_to_num(input, nan=nan, posinf=posinf, neginf=neginf)
        if input.dtype.kind == "f"
        else input.copy()
    )


# ---- without a derivative ------------------------------------------------------------------------


class NotImplementedNode(Node):
    """PyTorch's node in the place of a derivative that it does not have: it raises when a backward
    pass reaches it.
    """

    __slots__ = ("function",)
    saved = versions = ()

    def __init__(self, function, inputs, out):
        self.function, self.next_functions = (
            function,
            tuple(x._gradient_edge() if x.requires_grad else NO_EDGE for x in inputs),
        )
        self.sequence_nr, self.hooks = next_sequence_nr(), None
        self.shape, self.dtype = out._array.shape, out._array.dtype

    def name(self):
        return "torch::autograd::NotImplemented"

    def apply(self, ops, gradient):
        raise RuntimeError(
            f"derivative for aten::{self.function} is not implemented: detach() the input, or use "
            "div(input, other, rounding_mode='floor')"
        )


def without_derivative(function, compute, *operands):
    """`compute(*operands)`, recorded as what has no derivative: PyTorch's `function`."""
    out = compute(*(x.detach() if isinstance(x, TensorBase) else x for x in operands))
    tensors = [x for x in operands if isinstance(x, TensorBase)]
    if recording.enabled and out.is_floating_point() and any(x.requires_grad for x in tensors):
        out._edge = (NotImplementedNode(function, tensors, out), 0)
    return out

"""What operations refuse, and in which words: PyTorch's."""

import operator
from typing import Any

import numpy as np

from .graph import check
from .tensor import TensorBase


def check_tensors(function: str, **arguments: Any) -> None:
    """Raises TypeError, in PyTorch's words, for the first of `arguments` that is not a tensor."""
    for name, value in arguments.items():
        if not isinstance(value, TensorBase):
            raise TypeError(
                f"{function}(): argument '{name}' (position {[*arguments].index(name) + 1}) must be"
                f" Tensor, not {type(value).__name__}"
            )


def check_list(function: str, inputs: Any) -> None:
    """Raises TypeError unless `inputs` is a list or tuple of tensors."""
    check(
        isinstance(inputs, (list, tuple)),
        "{}(): argument 'tensors' (position 1) must be tuple of Tensors, not {}",
        function,
        type(inputs).__name__,
        error=TypeError,
    )
    for i, x in enumerate(inputs):
        check(
            isinstance(x, TensorBase),
            "expected Tensor as element {} in argument 0, but got {}",
            i,
            type(x).__name__,
            error=TypeError,
        )


def check_number(function: str, value: Any, extra: tuple[type, ...] = ()) -> None:
    """Raises TypeError unless `value` is a number (or a tensor, if `extra` says so)."""
    check(
        isinstance(value, (int, float, np.number, np.bool_, *extra)),
        "{}(): argument 'value' must be Number, not {}",
        function,
        type(value).__name__,
        error=TypeError,
    )


def check_flags(function: str, **flags: Any) -> None:
    """Raises TypeError, in PyTorch's words, for the first of `flags` that is neither True nor
    False.
    """
    for name, value in flags.items():
        if value is not True and value is not False:
            raise TypeError(
                f"{function}(): argument '{name}' must be bool, not {type(value).__name__}"
            )


def check_floats(function: str, **numbers: Any) -> None:
    """Raises TypeError, in PyTorch's words, for the first of `numbers` that is none."""
    for name, value in numbers.items():
        if not isinstance(value, (int, float)) and not (
            isinstance(value, TensorBase) and not value._array.ndim
        ):
            raise TypeError(
                f"{function}(): argument '{name}' must be float, not {type(value).__name__}"
            )


def plain_number(x: Any) -> Any:
    """A number of NumPy's as one of Python's, which has no type of its own to bring along; anything
    else as it is.

    Raises OverflowError for a whole number of more than 64 bits.
    """
    if isinstance(x, np.generic):
        x = x.item()
    if type(x) is int and not -(2**63) <= x < 2**64:
        raise OverflowError(f"int too big to convert: {x} does not fit into 64 bits")
    return x


def sizes_of(name: str, sizes: Any, argument: str = "size") -> tuple[int, ...]:
    """`(2, 3)`, `[2, 3]` or a shape, as given to the function `name`: the one form in which sizes
    are handed on.

    Raises TypeError for what is no size.
    """
    check(
        sizes, '{}() missing 1 required positional arguments: "{}"', name, argument, error=TypeError
    )
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    try:
        if not (True in sizes or False in sizes) or bool not in map(type, sizes):
            return tuple(map(operator.index, sizes))
        raise TypeError
    except TypeError:
        raise TypeError(
            f"{name}(): argument '{argument}' must be tuple of ints, not {sizes}"
        ) from None


def spoken_name(node: Any) -> str:
    """The node as PyTorch's messages call it: "Mul" for MulBackward0, "Squeeze4" for
    SqueezeBackward4.
    """
    whole: str = node.name()
    name, _, number = whole.rpartition("Backward")
    return name + number.removeprefix("0") if number.isdigit() else whole


def dimension(dim: Any, name: str = "dim") -> int:
    """`dim` as a number. Raises TypeError, with the `name` of the argument, for what is none."""
    try:
        if dim is not True and dim is not False:
            return operator.index(dim)
        raise TypeError
    except TypeError:
        raise TypeError(f"argument '{name}' must be int, not {type(dim).__name__}") from None


# ---- shapes --------------------------------------------------------------------------------------


def dimension_error(dim: Any, ndim: Any) -> IndexError:
    """What to raise for a dimension that a tensor of `ndim` dimensions has not."""
    size = max(ndim, 1)
    return IndexError(
        f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], but got {dim})"
    )


def broadcast_message(*shapes: tuple[int, ...]) -> str:
    """What to say of shapes that cannot be stretched to a common one."""
    for dim in range(1, max(map(len, shapes)) + 1):
        sizes = [s[-dim] for s in shapes if len(s) >= dim and s[-dim] != 1]
        if len(set(sizes)) > 1:
            return (
                f"The size of tensor a ({sizes[0]}) must match the size of tensor b ({sizes[1]}) at"
                f" non-singleton dimension {max(map(len, shapes)) - dim}"
            )
    return f"shapes {', '.join(map(str, shapes))} cannot be broadcast together"


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The common shape. Raises RuntimeError if there is none."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise RuntimeError(broadcast_message(*shapes)) from None

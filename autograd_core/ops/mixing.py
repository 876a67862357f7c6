"""Operations of three tensors, element by element."""

from ..tensor import Tensor
from .checks import check_tensors
from .operation import operation


@operation(
    node="LerpBackward0",
    input=lambda g, weight: g * (1 - weight),
    end=lambda g, weight: g * weight, broadcasts=True)
def lerp_by_number(input, end, weight):
    """From `input` towards `end` by the part `weight`, a number."""
    return input + weight * (end - input) if weight < 0.5 else end - (end - input) * (1 - weight)


@operation(
    node="LerpBackward1",
    input=lambda g, weight: g * (1 - weight),
    end=lambda g, weight: g * weight,
    weight=lambda g, input, end: g * (end - input), broadcasts=True)
def lerp_by_tensor(input, end, weight):
    """From `input` towards `end` by the parts `weight`."""
    return input + weight * (end - input)


def lerp(input, end, weight):
    """`input + weight * (end - input)`; the weight is a number or a tensor. Raises RuntimeError for mixed types."""
    check_tensors("lerp", input=input, end=end)
    for name, x in (("end", end), ("weight", weight)):
        if isinstance(x, Tensor) and x.dtype is not input.dtype:
            raise RuntimeError(f"expected dtype {input.dtype.name} for `{name}` but got dtype {x.dtype.name}")
    return (lerp_by_tensor if isinstance(weight, Tensor) else lerp_by_number)(input, end, weight)


@operation(
    input=lambda g: g,
    tensor1=lambda g, tensor2, value: g * (tensor2 * value),
    tensor2=lambda g, tensor1, value: g * (tensor1 * value), broadcasts=True)
def addcmul(input, tensor1, tensor2, value=1):
    """`input + value * tensor1 * tensor2`."""
    return input + value * tensor1 * tensor2


@operation(
    input=lambda g: g,
    tensor1=lambda g, tensor2, value: g * (value / tensor2),
    tensor2=lambda g, tensor1, tensor2, value: -g * (value / tensor2) * (tensor1 / tensor2), broadcasts=True)
def addcdiv(input, tensor1, tensor2, value=1):
    """`input + value * tensor1 / tensor2`."""
    if tensor1.dtype.kind != "f":
        raise RuntimeError("Integer division with addcdiv is no longer supported: make the tensors floating point first")
    return input + value * (tensor1 / tensor2)

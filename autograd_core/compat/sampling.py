"""Random numbers in the shape of a tensor, the same as PyTorch's. `generator` is by default the one
that `manual_seed` seeds. The result doesn't depend on the tensor's numbers: their gradient is 0."""

import numpy as np

from ..core.graph import check
from ..core.operation import operation
from ..core.public import public
from ..core.tensor import wrap
from ..ops.arithmetic import mul
from ..ops.inplace import in_place
from . import random
from .random import drawn_like


@operation(input=lambda ops, g: ops.zeros_like(g))
def uniform(input, low=0.0, high=1.0, generator=None):
    """Uniform random numbers from [low, high) in the shape of `input`."""
    draw = (generator or random.default_generator).uniform
    return drawn_like(input, lambda shape: draw(shape, input.dtype, low, high))


@operation(input=lambda ops, g: ops.zeros_like(g))
def normal(input, mean=0.0, std=1.0, generator=None):
    """Random numbers from the normal distribution in the shape of `input`."""
    draw = (generator or random.default_generator).normal
    singly = input.ndim > 0 and not input.flags.c_contiguous
    return drawn_like(input, lambda shape: draw(shape, input.dtype, mean, std, singly))


uniform_ = public("Tensor")(in_place(uniform))
normal_ = public("Tensor")(in_place(normal))


# ---- dropout -------------------------------------------------------------------------------------


@public("F", example="F.dropout(a, 0)", a=(2, 3))
def dropout(input, p: float = 0.5, training: bool = True, inplace: bool = False):
    """In training, set each number to 0 with probability `p`, and divide the others by 1 - p."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or not input.numel():
        return input
    check(input.is_floating_point(), "dropout() needs floating-point numbers")
    array, draw = input._array, random.default_generator.bernoulli
    factors = np.zeros((), array.dtype)
    if p < 1:
        factors = drawn_like(array, lambda shape: draw(1 - p, shape)).astype(array.dtype) / (1 - p)
    return (in_place(mul) if inplace else mul)(input, wrap(factors))

"""Random numbers that are drawn for a tensor. What was there before does not matter: its gradient is zero.

`generator` is a `Generator`, by default the one that `manual_seed` seeds. The numbers are PyTorch's own.
"""

import numpy as np

from .. import random
from ..tensor import Tensor
from .inplace import in_place
from .operation import operation


def _unasked(ops, g):
    return ops.zeros_like(g)


@operation(input=_unasked)
def uniform(input, low=0.0, high=1.0, generator=None):
    """Numbers from [low, high), in the shape of `input`."""
    return (generator or random.default_generator).uniform(input.shape, input.dtype, low, high)


@operation(input=_unasked)
def normal(input, mean=0.0, std=1.0, generator=None):
    """Numbers from the normal distribution, in the shape of `input`."""
    return (generator or random.default_generator).normal(input.shape, input.dtype, mean, std)


@operation(node="BernoulliBackward2", input=_unasked)
def bernoulli_of_number(input, p=0.5, generator=None):
    """1 with probability `p`, else 0, in the shape of `input`."""
    return (generator or random.default_generator).bernoulli(p, input.shape).astype(input.dtype)


@operation(input=_unasked)
def bernoulli(input, generator=None):
    """1 with the probability that stands in `input`, else 0."""
    return (generator or random.default_generator).bernoulli(np.asarray(input)).astype(input.dtype)


@operation()
def multinomial(input, num_samples, replacement=False, generator=None):
    """`num_samples` places along the last dimension, drawn with the weights `input`, (n) or (rows, n)."""
    return (generator or random.default_generator).multinomial(input, num_samples, replacement)


uniform_, normal_ = map(in_place, (uniform, normal))


def bernoulli_(input, p=0.5, *, generator=None):
    """1 with probability `p`, else 0, in place."""
    if isinstance(p, Tensor):
        raise NotImplementedError("autograd_core has bernoulli_ for one number; for a tensor use bernoulli(p)")
    return in_place(bernoulli_of_number)(input, p, generator)

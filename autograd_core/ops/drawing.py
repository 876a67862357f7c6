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


@operation(input=_unasked)
def exponential(input, lambd=1.0, generator=None):
    """Numbers from the exponential distribution of mean `1 / lambd`, in the shape of `input`."""
    return (generator or random.default_generator).exponential(input.shape, input.dtype, lambd)


@operation(node="BernoulliBackward2", input=_unasked)
def bernoulli_of_number(input, p=0.5, generator=None):
    """1 with probability `p`, else 0, in the shape of `input`."""
    return (generator or random.default_generator).bernoulli(p, input.shape).astype(input.dtype)


@operation(input=_unasked)
def bernoulli(input, generator=None):
    """1 with the probability that stands in `input`, else 0."""
    return (generator or random.default_generator).bernoulli(np.asarray(input)).astype(input.dtype)


@operation(node="RandomBackward0", input=_unasked)
def random_between(input, low, high, generator=None):
    """Whole numbers from [low, high), in the shape of `input`."""
    return (generator or random.default_generator).integers(low, high, input.shape, input.dtype)


@operation()
def multinomial(input, num_samples, replacement=False, generator=None):
    """`num_samples` places along the last dimension, drawn with the weights `input`, (n) or (rows, n)."""
    return (generator or random.default_generator).multinomial(input, num_samples, replacement)


uniform_, normal_, exponential_ = map(in_place, (uniform, normal, exponential))


def bernoulli_(input, p=0.5, *, generator=None):
    """1 with probability `p`, else 0, in place."""
    if isinstance(p, Tensor):
        raise NotImplementedError("autograd_core has bernoulli_ for one number; for a tensor use bernoulli(p)")
    return in_place(bernoulli_of_number)(input, p, generator)


def random_(input, low=None, high=None, *, generator=None):
    """Whole numbers from [low, high), or [0, low), in place; by default as many as the type can tell apart."""
    if low is None:
        kind = input._array.dtype
        low = 2 ** (np.finfo(kind).nmant + 1) + 1 if kind.kind == "f" else 2 if kind.kind == "b" else (
            np.iinfo(kind).max + 1)
    low, high = (0, low) if high is None else (low, high)
    return in_place(random_between)(input, low, int(high), generator)

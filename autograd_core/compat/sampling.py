"""Sampling: random numbers that are drawn for a tensor. What was there before does not matter: its
gradient is zero.

`generator` is a `Generator`, by default the one that `manual_seed` seeds. The numbers are PyTorch's
own."""

import numpy as np

from ..core.checks import check_flags
from ..core.graph import check
from ..core.operation import formula, operation
from ..core.tensor import TensorBase, wrap
from ..core.types import type_name
from ..ops.elementwise import mul
from ..ops.inplace import in_place
from ..ops.shape import memory_order
from . import random


@formula("zeros_like(g)")
def _unasked(ops, g):
    return ops.zeros_like(g)


def _drawn(draw, input):
    """What `draw(shape)` gives, in the shape of `input`: in the order in which that lies in memory,
    as PyTorch draws.
    """
    order = memory_order(input)
    return (
        draw(tuple(input.shape[i] for i in order)).transpose(np.argsort(order))
        if input.ndim
        else draw(())
    )


@operation(input=_unasked)
def uniform(input, low=0.0, high=1.0, generator=None):
    """Numbers from [low, high), in the shape of `input`."""
    generator = generator or random.default_generator
    return _drawn(lambda shape: generator.uniform(shape, input.dtype, low, high), input)


@operation(input=_unasked)
def normal(input, mean=0.0, std=1.0, generator=None):
    """Numbers from the normal distribution, in the shape of `input`."""
    generator, singly = (
        generator or random.default_generator,
        input.ndim > 0 and not input.flags.c_contiguous,
    )
    return _drawn(lambda shape: generator.normal(shape, input.dtype, mean, std, singly), input)


@operation(node="BernoulliBackward2", input=_unasked)
def bernoulli_of_number(input, p=0.5, generator=None):
    """1 with probability `p`, else 0, in the shape of `input`."""
    generator = generator or random.default_generator
    return _drawn(lambda shape: generator.bernoulli(p, shape), input).astype(input.dtype)


@operation(input=_unasked)
def bernoulli(input, generator=None):
    """1 with the probability that stands in `input`, else 0."""
    return (generator or random.default_generator).bernoulli(np.asarray(input)).astype(input.dtype)


@operation()
def multinomial(input, num_samples, replacement=False, generator=None):
    """`num_samples` places along the last dimension, drawn with the weights `input`, (n) or (rows,
    n).
    """
    return (generator or random.default_generator).multinomial(input, num_samples, replacement)


uniform_, normal_ = map(in_place, (uniform, normal))


def bernoulli_(input, p=0.5, *, generator=None):
    """1 with probability `p`, else 0, in place."""
    if isinstance(p, TensorBase):
        raise NotImplementedError(
            "autograd_core has bernoulli_ for one number; for a tensor use bernoulli(p)"
        )
    return in_place(bernoulli_of_number)(input, p, generator)


# ---- dropout -------------------------------------------------------------------------------------


def _dropped(input, p, training, inplace, sizes, axes):
    """`input` times a mask that is drawn in the shape `sizes`, whose dimensions are the input's
    `axes`.
    """
    check_flags("dropout", training=training)
    check(
        0 <= p <= 1,
        "dropout probability has to be between 0 and 1, but got {}",
        p,
        error=ValueError,
    )
    if not training or p == 0 or not input.numel():
        return input
    check(
        input.is_floating_point(),
        "result type Float can't be cast to the desired output type {}",
        type_name(input._array),
    )
    factors = np.zeros((), input._array.dtype)
    if p < 1:
        kept = random.default_generator.bernoulli(1 - p, sizes)
        factors = (kept.astype(factors.dtype) / (1 - p)).transpose(np.argsort(axes))
    return (in_place(mul) if inplace else mul)(input, wrap(factors))


def dropout(input, p=0.5, training=True, inplace=False):
    """Each number is 0 with probability `p`, else divided by 1 - p. PyTorch's own choice for the
    same seed.
    """
    axes = memory_order(input._array)
    return _dropped(input, p, training, inplace, tuple(input.shape[i] for i in axes), axes)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """As `dropout`, for whole channels of (N, C, …)."""
    check(input.ndim >= 2, "Feature dropout requires at least 2 dimensions in the input")
    return _dropped(
        input, p, training, inplace, (*input.shape[:2], *(1,) * (input.ndim - 2)), range(input.ndim)
    )

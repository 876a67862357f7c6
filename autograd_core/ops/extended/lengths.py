"""Vectors brought to length 1, and the angle between two."""

import numpy as np

from ...core.checks import check_floats, check_tensors, dimension, plain_number
from ...core.operation import operation
from ..elementwise import div, mul
from ..reduction import sum_dim
from ..shape import clone, expand
from .statistics import vector_norm


@operation(input=lambda ops, g, input, min: ops.masked(g, input >= min))
def clamp_min(input, min):
    """`input`, with what is below `min` moved to it. At `min` itself the slope is 1."""
    return np.maximum(input, input.dtype.type(min))


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """`input` divided by its `vector_norm` along `dim`, or by `eps` where that is less."""
    check_floats("normalize", eps=eps)
    return div(input, expand(clamp_min(vector_norm(input, plain_number(p), dim), eps), input.shape))


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    """The cosine of the angle between the vectors along `dim`. Lengths below `eps` count as `eps`,
    a constant.
    """
    check_tensors("cosine_similarity", x1=x1, x2=x2)
    check_floats("cosine_similarity", eps=eps)
    dim = dimension(dim)
    if x1.shape != x2.shape:
        common = (x1.detach() + x2.detach()).shape
        x2, x1 = expand(x2, common), expand(x1, common)
    lengths = [clone(vector_norm(x, 2, dim)) for x in (x1, x2)]
    for length in lengths:
        length._array = np.maximum(length._array, length._array.dtype.type(eps))
    second = div(x2, lengths[1])
    return sum_dim(mul(div(x1, lengths[0]), second), dim)

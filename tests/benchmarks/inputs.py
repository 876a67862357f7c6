"""The numbers that all contenders of a work start from. They are seeded, and new arrays at each
call.
"""

import numpy as np

from autograd_core.lessons.datasets import CurvedText, curved_text_batch

SCALARS = 2.0, -1.5
NUMBERS = 32
KERNELS = (16, 16, 3, 3), (16,), (7, 16, 1, 1), (7,)


def layers(sizes, batch, dtype):
    """[weight (n, m), bias (n), …] of the layers; inputs (batch, sizes[0]); class numbers (batch)."""
    rng = np.random.default_rng(0)
    shapes = [(shape, m) for m, n in zip(sizes, sizes[1:]) for shape in ((n, m), (n,))]
    parameters = [(rng.uniform(-1, 1, shape) / np.sqrt(m)).astype(dtype) for shape, m in shapes]
    return (
        parameters,
        rng.standard_normal((batch, sizes[0])).astype(dtype),
        rng.integers(0, max(sizes[-1], 2), batch),
    )


def directions(sizes, dtype):
    """What the Hessian of these layers' loss is multiplied by: an array for each weight and bias."""
    rng = np.random.default_rng(1)
    return [
        rng.standard_normal(shape).astype(dtype)
        for m, n in zip(sizes, sizes[1:])
        for shape in ((n, m), (n,))
    ]


def near_one(dtype):
    """Factors near 1, and the small numbers that a chain of tanh stays near, where the slope of
    tanh is 1.

    A gradient that vanished would be slow arithmetic. Both are of shape (NUMBERS,).
    """
    return np.linspace(0.999, 1.001, NUMBERS, dtype=dtype), np.full(NUMBERS, 1e-3, dtype)


def crops(count, side, dtype):
    """Drawn text with its masks and maps, `count` crops of `side` × `side` pixels, as lesson 09 has
    them.
    """
    return CurvedText(
        *(
            array if array.dtype == bool else array.astype(dtype)
            for array in curved_text_batch(seed=4, count=count, size=side)
        )
    )


def head(count, side, dtype):
    """The TextSnake head's kernels and biases, and what its trunk hands it: features (count, 16,
    side, side).

    The bias keeps the raw (sin, cos) away from (0, 0), where scaling to the circle magnifies
    rounding (lesson 09)."""
    rng = np.random.default_rng(0)
    parameters = [(rng.uniform(-1, 1, shape) / 12).astype(dtype) for shape in KERNELS]
    parameters[3][4:6] = 1
    return parameters, rng.standard_normal((count, KERNELS[0][1], side, side)).astype(dtype)

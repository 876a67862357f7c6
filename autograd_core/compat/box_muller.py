"""Standard normals from uniforms by Box and Muller's method (1958), rounded as PyTorch's CPU kernels
round them.

With u and v uniform on [0, 1), `r = sqrt(-2 log(1 - u))` and `t = 2 pi v`, the pair `r cos t`, `r
sin t` is standard normal. Equal last bits need three more facts: in double precision PyTorch takes
its functions from the C library, as `math` does (NumPy's differ in one value of a thousand); in
single precision its kernel for AVX2 uses the polynomials of Moshier's Cephes library (`logf`,
`sinf`, `cosf`); and its compiler fuses a product and a sum into one operation with one rounding."""

import math

import numpy as np

BLOCK = 16
"""PyTorch pairs the first 8 uniforms of a block of 16 with the last 8."""

# The coefficients of Cephes, highest power first.
_LOG = (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
        -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)  # fmt: skip
_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_LOG_2 = (-2.12194440e-4, 0.693359375)  # log 2 in two parts, the larger one exact
_PI_4 = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)  # pi / 4 in three parts

_f32 = np.float32


def fused(a: np.ndarray, b, c) -> np.ndarray:
    """Return `a * b + c`, rounded once, in the dtype of `a` (float32 or float64)."""
    if a.dtype == np.float32:
        return (a.astype(np.float64) * b + c).astype(np.float32)
    product = a * b
    high_a, high_b = _high_half(a), _high_half(np.float64(b))
    low_a, low_b = a - high_a, b - high_b
    error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    total = product + c
    added = total - product
    return total + (((product - (total - added)) + (c - added)) + error)


def _high_half(x):
    """The upper 26 bits of float64 `x`, so that products of halves are exact (Dekker 1971)."""
    scaled = x * 134217729.0  # 2**27 + 1
    return scaled - (scaled - x)


def normal_blocks(uniform: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Turn uniforms, float32 or float64 (16 k), into as many normals, cosines before sines."""
    pairs = uniform.reshape(-1, 2, BLOCK // 2)
    u, v = pairs[:, 0], pairs[:, 1]
    if uniform.dtype == np.float32:
        radius = np.sqrt(_f32(-2) * _log_single(_f32(1) - u))
        sine, cosine = _sin_cos_single(_f32(2 * math.pi) * v)
    else:
        angle = 2 * math.pi * v
        radius = np.sqrt(-2 * _each(math.log, 1 - u))
        sine, cosine = _each(math.sin, angle), _each(math.cos, angle)
    standard = np.stack([radius * cosine, radius * sine], axis=1).reshape(-1)
    return fused(standard, uniform.dtype.type(std), uniform.dtype.type(mean))


def normal_pair(u: float, v: float) -> tuple[float, float]:
    """Two standard normals of two float64 uniforms, of which the first is the angle: PyTorch's way
    where fewer than 16 are asked for.
    """
    radius, angle = math.sqrt(-2 * math.log1p(-v)), 2 * math.pi * u
    return radius * math.cos(angle), radius * math.sin(angle)


def _each(function, x: np.ndarray) -> np.ndarray:
    return np.array([function(value) for value in x.reshape(-1).tolist()]).reshape(x.shape)


def _polynomial(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = fused(total, x, _f32(coefficient))
    return total


def _log_single(x: np.ndarray) -> np.ndarray:
    """log of positive float32 `x`: `x = m 2**e` with m near 1, and a polynomial in m - 1."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < _f32(math.sqrt(0.5))
    exponent = (exponent - small).astype(np.float32)
    x = (mantissa - _f32(1)) + np.where(small, mantissa, _f32(0))
    square = x * x
    tail = fused(_polynomial(_LOG, x) * x, square, exponent * _f32(_LOG_2[0]))
    return fused(exponent, _f32(_LOG_2[1]), x + fused(square, _f32(-0.5), tail))


def _sin_cos_single(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine of float32 `x` >= 0: polynomials on [-pi/4, pi/4], swapped by octant."""
    octant = ((x * _f32(4 / math.pi)).astype(np.int32) + 1) & ~1
    for part in _PI_4:
        x = fused(octant.astype(np.float32), _f32(-part), x)
    square = x * x
    cosine = fused(_polynomial(_COS, square) * square, square, square * _f32(-0.5)) + _f32(1)
    sine = fused(_polynomial(_SIN, square) * square, x, x)
    swap = (octant & 2) != 0
    sine, cosine = np.where(swap, cosine, sine), np.where(swap, sine, cosine)
    return np.where(octant & 4, -sine, sine), np.where((octant + 2) & 4, -cosine, cosine)

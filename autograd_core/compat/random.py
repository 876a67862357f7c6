"""PyTorch's CPU random numbers from NumPy: the same seed gives the same numbers and networks.

Both libraries seed the Mersenne Twister (Matsumoto and Nishimura 1998) in the same way. `Generator`
converts its 32-bit draws to arrays as PyTorch does, with the same bits as PyTorch 2.13 on an x86
processor with AVX2. On other processors, PyTorch's own float32 normals differ by 3e-6 deviations.
"""

import math
import os
from collections.abc import Callable

import numpy as np

from ..core.graph import check
from ..core.public import public
from ..ops.shape import memory_order
from . import dtypes

_WORDS = 624  # in the twister's state
_STATE = np.dtype(
    [("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", _WORDS),
     ("unused", "<f8"), ("normal", "<f8"), ("rho", "<f8"), ("has_normal", "<i4"), ("rest", "V12")]
)  # fmt: skip
"""The layout of PyTorch's generator state, 5056 bytes."""

BLOCK = 16  # PyTorch pairs the first 8 uniforms of a block with the last 8

# Cephes's coefficients, highest power first.
_LOG = (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
        -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)  # fmt: skip
_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_LOG_2 = (-2.12194440e-4, 0.693359375)  # log 2 in two parts, the larger one exact
_PI_4 = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)  # pi / 4 in three parts

_f32 = np.float32

Shape = tuple[int, ...]


class Generator:
    """A random number generator. Each draw changes its state, so the order of calls matters."""

    def __init__(self, device: str = "cpu"):
        self.device = dtypes.device(device)
        self._restart(67280421310721)  # PyTorch's default

    def manual_seed(self, seed: int) -> "Generator":
        """Restart from the integer `seed`, and return this generator."""
        self._restart(int(seed) % 2**64)
        return self

    def get_state(self) -> np.ndarray:
        """Return the state as 5056 bytes (uint8), which `torch.Generator.set_state` can also read."""
        twister = self._bits().state["state"]
        state = np.zeros((), _STATE)
        state["seed"], state["seeded"], state["words"] = self._seed, 1, twister["key"]
        state["next"] = twister["pos"] % _WORDS
        state["left"] = _WORDS + 1 - twister["pos"]
        if self._spare_normals:
            state["normal"], state["has_normal"] = *self._spare_normals, 1
        return np.frombuffer(state.tobytes(), np.uint8).copy()

    def set_state(self, state: np.ndarray) -> "Generator":
        """Continue from a `state` of `get_state`, here or in PyTorch. Return this generator."""
        content, size = np.asarray(state).tobytes(), _STATE.itemsize
        check(len(content) == size, "Expected a CPUGeneratorImplState of size {}", size)
        fields = np.frombuffer(content, _STATE)[0]
        check(fields["seeded"] == 1 and 0 < fields["left"] <= _WORDS, "Invalid mt19937 state")
        self._restart(int(fields["seed"]))
        key, position = fields["words"].astype(np.uint32), _WORDS + 1 - int(fields["left"])
        self._bits().state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}
        if fields["has_normal"]:
            self._spare_normals = [float(fields["normal"])]
        return self

    def uniform(self, shape: Shape, dtype=np.float32, low=0.0, high=1.0) -> np.ndarray:
        """Draw from [low, high), in float32 or float64."""
        dtype = _floating(dtype)
        unit, low, high = self._unit(shape, dtype), dtype.type(low), dtype.type(high)
        return unit * (high - low) + low if dtype == np.float64 else fused(unit, high - low, low)

    def normal(self, shape: Shape, dtype=np.float32, mean=0.0, std=1.0, singly=False) -> np.ndarray:
        """Draw from a normal distribution, in float32 or float64.

        16 or more are drawn in blocks of 16. If the last block isn't full, the last 16 are drawn anew.
        Fewer than 16, or all if `singly`, are drawn in pairs, and the second number of a pair is kept
        for the next such call. PyTorch draws singly for memory that isn't contiguous.
        """
        dtype = _floating(dtype)
        count = math.prod(shape)
        if count < BLOCK or singly:
            few = np.array([self._one_normal() for _ in range(count)], np.float64)
            return fused(few, std, mean).astype(dtype).reshape(shape)
        values = self._unit((count,), dtype)
        whole = count - count % BLOCK
        values[:whole] = normal_blocks(values[:whole], mean, std)
        if whole < count:
            values[-BLOCK:] = normal_blocks(self._unit((BLOCK,), dtype), mean, std)
        return values.reshape(shape)

    def integers(self, low: int, high: int, shape: Shape, dtype=np.int64) -> np.ndarray:
        """Draw integers from [low, high)."""
        if low >= high:
            raise ValueError(f"there is no integer from {low} to less than {high}")
        draw = self._words64 if high - low >= 2**28 else self._words32
        steps = draw(math.prod(shape)) % np.uint64(high - low)
        return (steps.astype(np.int64) + low).astype(dtype).reshape(shape)

    def permutation(self, n: int) -> np.ndarray:
        """Shuffle 0 … n-1 (int64)."""
        order = list(range(n))
        draws = self._words32(max(n - 1, 0)) % np.arange(n, 1, -1, dtype=np.uint64)
        for place, step in enumerate(draws.tolist()):
            other = place + step
            order[place], order[other] = order[other], order[place]
        return np.array(order, np.int64)

    def bernoulli(self, p: float, shape: Shape) -> np.ndarray:
        """Draw booleans that are True with probability `p`."""
        return self._unit(shape) < p

    def _restart(self, seed: int):
        self._seed, self._twister, self._spare_normals = seed, None, []

    def _bits(self):
        """The twister, created at the first draw because `numpy.random` is slow to import."""
        if self._twister is None:
            from numpy.random import MT19937, RandomState

            self._twister = MT19937(0)
            self._twister.state = RandomState(self._seed % 2**32).get_state(legacy=False)
        return self._twister

    def _words32(self, count: int) -> np.ndarray:
        return self._bits().random_raw(count)

    def _words64(self, count: int) -> np.ndarray:
        words = self._words32(2 * count)
        return (words[::2] << np.uint64(32)) | words[1::2]

    def _unit(self, shape: Shape, dtype=np.float64) -> np.ndarray:
        """Uniform numbers in [0, 1), multiples of 2**-24 for float32 and of 2**-53 for float64."""
        bits, draw = (24, self._words32) if dtype == np.float32 else (53, self._words64)
        words = draw(math.prod(shape)) & np.uint64(2**bits - 1)
        return words.astype(dtype).reshape(shape) * np.dtype(dtype).type(2.0**-bits)

    def _one_normal(self) -> float:
        self._spare_normals = self._spare_normals or [*normal_pair(*self._unit((2,)).tolist())]
        return self._spare_normals.pop(0)


def _floating(dtype) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        raise NotImplementedError(f"random numbers of this kind are floating point, not {dtype}")
    return dtype


def drawn_like(array: np.ndarray, draw: Callable[[Shape], np.ndarray]) -> np.ndarray:
    """The numbers of `draw(shape)` in the shape and memory order of `array`, as in PyTorch."""
    order = memory_order(array)
    made = np.asarray(draw(tuple(array.shape[i] for i in order)))
    return made.transpose([order.index(i) for i in range(array.ndim)])


default_generator = Generator()
default_generator.manual_seed(int.from_bytes(os.urandom(8), "little") % 2**53)


@public("T")
def manual_seed(seed: int) -> Generator:
    """Seed the default generator, which every function without `generator=` uses, and return it."""
    return default_generator.manual_seed(int(seed))


# ---- normal numbers ----------------------------------------------------------------------------
#
# Box and Muller's method (1958): with u and v uniform on [0, 1), `r = sqrt(-2 log(1 - u))` and `t =
# 2 pi v`, the pair `r cos t`, `r sin t` is standard normal. Three more facts matter for equal bits.
# In double precision, PyTorch uses the functions of the C library, as `math` does. In single
# precision, its AVX2 kernel uses the polynomials of Moshier's Cephes library (`logf`, `sinf`,
# `cosf`). And its compiler fuses a product and a sum into one operation with one rounding.


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
    """Turn uniforms, float32 or float64 (16 k), into as many normals, 8 cosines before 8 sines."""
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
    """Two normals from two float64 uniforms, as PyTorch draws fewer than 16. `u` is the angle."""
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

"""PyTorch's CPU random numbers from NumPy: the same seed gives the same numbers, and so the same
network.

`Generator` wraps the Mersenne Twister (Matsumoto and Nishimura 1998), which both libraries seed
alike, and turns its 32-bit draws into arrays as PyTorch does; tensors are made of them elsewhere.

Equal bit for bit to PyTorch 2.13 on an x86 processor with AVX2. PyTorch's own normals differ
between processors: elsewhere, 16 or more of them are equal to 3e-6 standard deviations in float32,
and to the last bit or two in float64."""

import math
import os
from collections.abc import Callable

import numpy as np

from ..core.graph import check
from ..ops.shape import memory_order
from . import dtypes
from .box_muller import BLOCK, fused, normal_blocks, normal_pair

_WORDS = 624  # of the twister's state
_STATE = np.dtype(
    [("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", _WORDS),
     ("unused", "<f8"), ("normal", "<f8"), ("rho", "<f8"), ("has_normal", "<i4"), ("rest", "V12")]
)  # fmt: skip
"""The layout of PyTorch's generator state, 5056 bytes."""

Shape = tuple[int, ...]


class Generator:
    """A source of random numbers, `torch.Generator`.

    Each draw moves the generator on, so the order of calls matters exactly as it does in PyTorch.
    A method that takes `shape` raises `RuntimeError` on a negative size.
    """

    def __init__(self, device: str = "cpu"):
        self.device = dtypes.device(device)
        self._restart(67280421310721)  # PyTorch's default

    def manual_seed(self, seed: int) -> "Generator":
        """Start again from `seed`, an integer in [-2**63, 2**64), and return this generator.

        Negative seeds count back from 2**64. The numbers depend on the lowest 32 bits alone.
        """
        whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
        check(whole, "manual_seed expected a long, but got {}", type(seed).__name__)
        if not -(2**63) <= seed < 2**64:
            raise ValueError(f"Overflow when unpacking long long: {seed}")
        self._restart(int(seed) % 2**64)
        return self

    def seed(self) -> int:
        """Start again from a seed of 53 bits that the operating system draws, and return it."""
        self._restart(int.from_bytes(os.urandom(8), "little") % 2**53)
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed this generator last started from, in [0, 2**64)."""
        return self._seed

    def get_state(self) -> np.ndarray:
        """Return the state as 5056 bytes (uint8), which `torch.Generator.set_state` reads too."""
        twister = self._bits().state["state"]
        state = np.zeros((), _STATE)
        state["seed"], state["seeded"], state["words"] = self._seed, 1, twister["key"]
        state["next"] = twister["pos"] % _WORDS
        state["left"] = _WORDS + 1 - twister["pos"]
        if self._spare_normals:
            state["normal"], state["has_normal"] = *self._spare_normals, 1
        return np.frombuffer(state.tobytes(), np.uint8).copy()

    def set_state(self, state: np.ndarray) -> "Generator":
        """Go on from `state`, taken by `get_state` here or in PyTorch; return this generator."""
        content = np.asarray(state).tobytes()
        size = _STATE.itemsize
        check(len(content) == size, "Expected a CPUGeneratorImplState of size {}", size)
        fields = np.frombuffer(content, _STATE)[0]
        check(fields["seeded"] == 1 and 0 < fields["left"] <= _WORDS, "Invalid mt19937 state")
        self._restart(int(fields["seed"]))
        key, position = fields["words"].astype(np.uint32), _WORDS + 1 - int(fields["left"])
        self._bits().state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}
        if fields["has_normal"]:
            self._spare_normals = [float(fields["normal"])]
        return self

    def uniform(
        self, shape: Shape, dtype=np.float32, low: float = 0.0, high: float = 1.0
    ) -> np.ndarray:
        """Draw from [low, high): `torch.rand`, `Tensor.uniform_`. `dtype` is float32 or float64."""
        dtype = _floating(dtype, "check_uniform_bounds")
        message = "uniform_ expects to return a [from, to) range, but found from={} > to={}"
        check(low <= high, message, low, high)
        unit = self._unit(shape, dtype)
        low, high = dtype.type(low), dtype.type(high)
        return unit * (high - low) + low if dtype == np.float64 else fused(unit, high - low, low)

    def normal(
        self, shape: Shape, dtype=np.float32, mean: float = 0.0, std: float = 1.0, singly=False
    ) -> np.ndarray:
        """Draw from a normal distribution: `torch.randn`, `Tensor.normal_`. `dtype` is float32 or
        float64.

        Fewer than 16 values are drawn in pairs, and the second of a pair waits for the next such
        call; more also, if `singly`: so PyTorch fills memory that is not in order.
        16 or more are drawn in blocks of 16; where the last block is not full, the last 16 values
        are drawn afresh."""
        dtype = _floating(dtype, "normal_kernel_cpu")
        check(std >= 0, "normal expects std >= 0.0, but found std {}", std)
        count = math.prod(check_sizes(shape))
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
        """Draw integers from [low, high): `torch.randint`."""
        message = "random_ expects 'from' to be less than 'to', but got from={} >= to={}"
        check(low < high, message, low, high)
        dtype, count = np.dtype(dtype), math.prod(check_sizes(shape))
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            fits = limits.min <= low and high - 1 <= limits.max
            check(fits, "to - 1 is out of bounds for {}: [{}, {})", dtype, low, high)
        draw = self._words64 if high - low >= 2**28 else self._words32
        steps = draw(count) % np.uint64(high - low)
        return (steps.astype(np.int64) + low).astype(dtype).reshape(shape)

    def permutation(self, n: int) -> np.ndarray:
        """Shuffle 0 … n-1: `torch.randperm`. Returns n values, int64."""
        order = list(range(*check_sizes((n,))))
        draws = self._words32(max(n - 1, 0)) % np.arange(n, 1, -1, dtype=np.uint64)
        for place, step in enumerate(draws.tolist()):
            other = place + step
            order[place], order[other] = order[other], order[place]
        return np.array(order, np.int64)

    def bernoulli(self, p: float | np.ndarray, shape: Shape | None = None) -> np.ndarray:
        """Draw True with probability `p`. Returns bool: `shape` for a number, the shape of `p` for
        an array.

        A number is `Tensor.bernoulli_(p)`, which is how `F.dropout` draws what it keeps, with `1 -
        its p`. An array, float32 or float64, is `torch.bernoulli(p)`; it draws in its own
        precision."""
        if isinstance(p, np.ndarray):
            check(((p >= 0) & (p <= 1)).all(), "Expected p_in >= 0 && p_in <= 1 to be true")
            return self._unit(p.shape, _floating(p.dtype, "bernoulli_tensor_cpu_p_")) < p
        check(0 <= p <= 1, "bernoulli_ expects p to be in [0, 1], but got p={}", p)
        return self._unit(shape) < p

    def multinomial(self, weights: np.ndarray, n: int, replacement: bool = False) -> np.ndarray:
        """Draw `n` indices with probability proportional to `weights`: `torch.multinomial`.

        `weights` is (categories,) or (rows, categories), float, not negative. Returns (n,) or
        (rows, n), int64."""
        floating = weights.dtype.kind == "f"
        check(floating, "multinomial only supports floating-point dtypes for input")
        check(weights.ndim in (1, 2), "prob_dist must be 1 or 2 dim")
        check(n > 0, "cannot sample n_sample <= 0 samples")
        enough = replacement or n <= weights.shape[-1]
        check(enough, "cannot sample n_sample > prob_dist.size(-1) samples without replacement")
        possible = (np.isfinite(weights) & (weights >= 0)).all()
        check(possible, "probability tensor contains either `inf`, `nan` or element < 0")
        empty = (weights.sum(-1) <= 0).any()
        check(not empty, "invalid multinomial distribution (sum of probabilities <= 0)")
        dtype = _floating(weights.dtype, "multinomial")
        if n == 1 or not replacement:  # the exponential race: the first n to arrive
            unit = self._unit(weights.shape).reshape(-1).tolist()
            times = np.array([-math.log1p(-u) for u in unit], dtype).reshape(weights.shape)
            return np.argsort(-weights / times, axis=-1, kind="stable")[..., :n]
        rows = np.atleast_2d(weights)
        below = [np.cumsum(row) / row.cumsum()[-1] for row in rows]
        unit = self._unit((len(rows), n))
        drawn = np.stack([np.searchsorted(edges, u) for edges, u in zip(below, unit)])
        return drawn.reshape((*weights.shape[:-1], n))

    def _restart(self, seed: int):
        self._seed, self._twister, self._spare_normals = seed, None, []

    def _bits(self):
        """The twister, made when the first number is drawn: `numpy.random` is slow to import."""
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
        """Multiples of the smallest step in [0, 1): 24 bits for float32, 53 bits for float64."""
        bits, draw = (24, self._words32) if dtype == np.float32 else (53, self._words64)
        words = draw(math.prod(check_sizes(shape))) & np.uint64(2**bits - 1)
        return words.astype(dtype).reshape(shape) * np.dtype(dtype).type(2.0**-bits)

    def _one_normal(self) -> float:
        if not self._spare_normals:
            self._spare_normals = [*normal_pair(*self._unit((2,)).tolist())]
        return self._spare_normals.pop(0)


def check_sizes(shape: Shape) -> Shape:
    """`shape` itself. Raises RuntimeError where a size is negative."""
    least = min(shape, default=0)
    check(least >= 0, "Trying to create tensor with negative dimension {}: {}", least, list(shape))
    return shape


def _floating(dtype, kernel: str) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        short = dtypes.of_type(dtype).short
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{short}'")
    return dtype


def drawn_like(array: np.ndarray, draw: Callable[[Shape], np.ndarray]) -> np.ndarray:
    """What `draw(shape)` gives, in the shape of `array` and its order in memory, as PyTorch draws."""
    order = memory_order(array)
    made = np.asarray(draw(tuple(array.shape[i] for i in order)))
    return made.transpose([order.index(i) for i in range(array.ndim)])


default_generator = Generator()
default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Seed the generator that every function without a `generator=` draws from, and return it:
    `torch.manual_seed`.
    """
    return default_generator.manual_seed(int(seed))

"""PyTorch's CPU random numbers from NumPy: the same seed gives the same numbers, and so the same
network.

`Generator` wraps the Mersenne Twister (Matsumoto and Nishimura 1998), which both libraries seed
alike, and turns its 32-bit draws into numbers as PyTorch does. The methods return plain arrays;
tensors are made of them elsewhere.

    Generator().manual_seed(0).uniform((2, 3), np.float32)      torch.rand(2, 3) after
    torch.manual_seed(0)

Equal bit for bit to PyTorch 2.13 on an x86 processor with AVX2. PyTorch's own normals differ
between processors: elsewhere, 16 or more of them are equal to 3e-6 standard deviations in float32,
and to the last bit or two in float64."""

import math
import os

import numpy as np

from ..core.graph import check
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
        check(
            isinstance(seed, (int, np.integer)) and not isinstance(seed, bool),
            "manual_seed expected a long, but got {}",
            type(seed).__name__,
        )
        check(
            -(2**63) <= seed < 2**64,
            "Overflow when unpacking long long: seed {} is not in [-2**63, 2**64)",
            seed,
            error=ValueError,
        )
        self._restart(int(seed) % 2**64)
        return self

    def seed(self) -> int:
        """Start again from a seed of 53 bits that the operating system draws, and return that seed."""
        self._restart(int.from_bytes(os.urandom(8), "little") % 2**53)
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed this generator last started from, in [0, 2**64)."""
        return self._seed

    def get_state(self) -> np.ndarray:
        """Return the state as 5056 bytes (uint8), in the layout that `torch.Generator.set_state`
        reads.
        """
        twister = self._bits().state["state"]
        state = np.zeros((), _STATE)
        state["seed"], state["seeded"] = self._seed, 1
        state["next"] = twister["pos"] % _WORDS
        state["left"] = _WORDS + 1 - twister["pos"]
        state["words"] = twister["key"]
        if self._spare_normals:
            state["normal"], state["has_normal"] = *self._spare_normals, 1
        return np.frombuffer(state.tobytes(), np.uint8).copy()

    def set_state(self, state: np.ndarray) -> "Generator":
        """Go on from `state`, taken by `get_state` here or in PyTorch (as a uint8 array), and
        return this generator.
        """
        state = np.asarray(state)
        check(
            state.dtype == np.uint8,
            "RNG state must be a torch.ByteTensor, got {}; pass what get_state() returned",
            state.dtype,
            error=TypeError,
        )
        check(
            state.size == _STATE.itemsize,
            "Expected a CPUGeneratorImplState of size {} but found the input RNG "
            "state size to be {}; pass what get_state() returned",
            _STATE.itemsize,
            state.size,
        )
        fields = np.frombuffer(state.tobytes(), _STATE)[0]
        check(
            fields["seeded"] == 1 and 0 < fields["left"] <= _WORDS,
            "Invalid mt19937 state; pass what get_state() returned",
        )
        self._restart(int(fields["seed"]))
        key = fields["words"].astype(np.uint32)
        position = _WORDS + 1 - int(fields["left"])
        self._bits().state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}
        if fields["has_normal"]:
            self._spare_normals = [float(fields["normal"])]
        return self

    def uniform(
        self, shape: Shape, dtype=np.float32, low: float = 0.0, high: float = 1.0
    ) -> np.ndarray:
        """Draw from [low, high): `torch.rand`, `Tensor.uniform_`. `dtype` is float32 or float64."""
        dtype = _floating(dtype, "check_uniform_bounds")
        check(
            low <= high,
            "uniform_ expects to return a [from, to) range, but found from={} > to={}",
            low,
            high,
        )
        unit = self._unit(_count(shape), dtype).reshape(shape)
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
        count = _count(shape)
        if count < BLOCK or singly:
            few = np.array([self._one_normal() for _ in range(count)], np.float64)
            return fused(few, std, mean).astype(dtype).reshape(shape)
        values = self._unit(count, dtype)
        whole = count - count % BLOCK
        values[:whole] = normal_blocks(values[:whole], mean, std)
        if whole < count:
            values[-BLOCK:] = normal_blocks(self._unit(BLOCK, dtype), mean, std)
        return values.reshape(shape)

    def integers(self, low: int, high: int, shape: Shape, dtype=np.int64) -> np.ndarray:
        """Draw integers from [low, high): `torch.randint`."""
        dtype = np.dtype(dtype)
        check(
            low < high,
            "random_ expects 'from' to be less than 'to', but got from={} >= to={}",
            low,
            high,
        )
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            check(limits.min <= low, "from is out of bounds for {}: {}", dtype, low)
            check(high - 1 <= limits.max, "to - 1 is out of bounds for {}: {}", dtype, high - 1)
        draw = self._words64 if high - low >= 2**28 else self._words32
        steps = draw(_count(shape)) % np.uint64(high - low)
        return (steps.astype(np.int64) + low).astype(dtype).reshape(shape)

    def permutation(self, n: int) -> np.ndarray:
        """Shuffle 0 … n-1: `torch.randperm`. Returns n values, int64."""
        order = list(range(_count((n,))))
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
            check(
                ((p >= 0) & (p <= 1)).all(),
                "Expected p_in >= 0 && p_in <= 1 to be true: one lies outside [0, 1]",
            )
            return (
                self._unit(p.size, _floating(p.dtype, "bernoulli_tensor_cpu_p_")).reshape(p.shape)
                < p
            )
        check(0 <= p <= 1, "bernoulli_ expects p to be in [0, 1], but got p={}", p)
        return self._unit(_count(shape)).reshape(shape) < p

    def multinomial(self, weights: np.ndarray, n: int, replacement: bool = False) -> np.ndarray:
        """Draw `n` indices with probability proportional to `weights`: `torch.multinomial`.

        `weights` is (categories,) or (rows, categories), float, not negative. Returns (n,) or
        (rows, n), int64."""
        check(
            weights.dtype.kind == "f",
            "multinomial only supports floating-point dtypes for input, got: {}",
            dtypes.of_array(weights).short,
        )
        check(weights.ndim in (1, 2), "prob_dist must be 1 or 2 dim")
        check(n > 0, "cannot sample n_sample <= 0 samples")
        check(
            replacement or n <= weights.shape[-1],
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
        )
        check(
            (np.isfinite(weights) & (weights >= 0)).all(),
            "probability tensor contains either `inf`, `nan` or element < 0",
        )
        check(
            (weights.sum(-1) > 0).all(),
            "invalid multinomial distribution (sum of probabilities <= 0)",
        )
        if n == 1 or not replacement:  # the exponential race: the first n to arrive
            times = np.array(
                [-math.log1p(-u) for u in self._unit(weights.size).tolist()],
                _floating(weights.dtype, "exponential_kernel_cpu"),
            )
            return np.argsort(-weights / times.reshape(weights.shape), axis=-1, kind="stable")[
                ..., :n
            ]
        rows = np.atleast_2d(weights)
        unit = self._unit(len(rows) * n).reshape(len(rows), n)
        below = [np.cumsum(row) / row.cumsum()[-1] for row in rows]
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

    def _unit(self, count: int, dtype=np.float64) -> np.ndarray:
        """`count` multiples of the smallest step in [0, 1): 24 bits for float32, 53 bits for
        float64.
        """
        if dtype == np.float32:
            return (self._words32(count) & np.uint64(2**24 - 1)).astype(np.float32) * np.float32(
                2**-24
            )
        return (self._words64(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2**-53

    def _one_normal(self) -> float:
        if not self._spare_normals:
            self._spare_normals = [*normal_pair(*self._unit(2).tolist())]
        return self._spare_normals.pop(0)


def _count(shape: Shape) -> int:
    least = min(shape, default=0)
    check(least >= 0, "Trying to create tensor with negative dimension {}: {}", least, list(shape))
    return math.prod(shape)


def _floating(dtype, kernel: str) -> np.dtype:
    dtype = np.dtype(dtype)
    check(
        dtype in (np.float32, np.float64),
        '"{}" not implemented for {!r}; use float32 or float64',
        kernel,
        dtypes.of_array(np.empty(0, dtype)).short,
        error=NotImplementedError,
    )
    return dtype


default_generator = Generator()
default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Seed the generator that every function without a `generator=` draws from, and return it:
    `torch.manual_seed`.
    """
    return default_generator.manual_seed(int(seed))

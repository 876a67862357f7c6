"""Every number of `autograd_core.random.Generator` against PyTorch's, bit for bit, alone and in
mixed sequences.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.compat import random

SEEDS = [0, 1, 42, 2**31, 2**32 + 7, 2**64 - 1, -5]
SIZES = [(0,), (1,), (7,), (15,), (16,), (17,), (31,), (1000,), (), (3, 0, 2), (5, 7, 3)]
DTYPES = {np.float32: torch.float32, np.float64: torch.float64}

FUSES = torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
"""Whether PyTorch runs the kernels whose normals are reproduced bit for bit."""

BOUND = {np.float32: 3e-6, np.float64: 4e-15}
"""How far the normals of PyTorch's other kernels may be, in standard deviations."""


def both(seed):
    return random.Generator().manual_seed(seed), torch.Generator().manual_seed(seed)


def assert_same(ours: np.ndarray, theirs: torch.Tensor):
    theirs = theirs.numpy()
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_array_equal(ours, theirs, strict=True)


def assert_same_normal(ours: np.ndarray, theirs: torch.Tensor):
    if FUSES:
        return assert_same(ours, theirs)
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=BOUND.get(ours.dtype.type, 0))


def in_step(g: random.Generator, t: torch.Generator):
    """Whether both generators give the same next number, so neither drew more than the other."""
    assert_same(g.uniform((3,), np.float64), torch.rand(3, dtype=torch.float64, generator=t))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("seed", SEEDS)
def test_uniform_and_normal(seed, shape, dtype):
    g, t = both(seed)
    for low, high in ((0.0, 1.0), (-0.3, 0.7), (0.0, 0.0)):
        empty = torch.empty(shape, dtype=DTYPES[dtype])
        assert_same(g.uniform(shape, dtype, low, high), empty.uniform_(low, high, generator=t))
    for mean, std in ((0.0, 1.0), (2.5, 0.3), (-1.0, 0.0)):
        empty = torch.empty(shape, dtype=DTYPES[dtype])
        assert_same_normal(g.normal(shape, dtype, mean, std), empty.normal_(mean, std, generator=t))
    in_step(g, t)


@pytest.mark.parametrize("dtype", DTYPES)
def test_long_normals(dtype):
    g, t = both(3)
    for mean, std in ((0.0, 1.0), (0.1, 0.7)):
        empty = torch.empty(50_003, dtype=DTYPES[dtype])
        assert_same_normal(
            g.normal((50_003,), dtype, mean, std), empty.normal_(mean, std, generator=t)
        )


def test_normals_of_other_processors_stay_within_the_bound():
    """PyTorch falls back to its plain kernels when told to; the bound is kept, and is not idle."""
    code = (
        "import numpy as np, torch; from autograd_core import random\n"
        "for ours, theirs in ((np.float32, torch.float32), (np.float64, torch.float64)):\n"
        "    g, t = random.Generator().manual_seed(0), torch.Generator().manual_seed(0)\n"
        "    there = torch.randn(50_000, dtype=theirs, generator=t).numpy()\n"
        "    print(np.abs(g.normal((50_000,), ours) - there).max())\n"
    )
    environment = {**os.environ, "ATEN_CPU_CAPABILITY": "default"}
    single, double = map(
        float, subprocess.check_output([sys.executable, "-c", code], env=environment).split()
    )
    assert 1e-7 < single < BOUND[np.float32]
    assert double < BOUND[np.float64]


@pytest.mark.parametrize("seed", SEEDS)
def test_integers_permutation_bernoulli(seed):
    g, t = both(seed)
    for low, high in (
        (0, 2),
        (-3, 7),
        (0, 2**28 - 1),
        (5, 5 + 2**28),
        (0, 2**40),
        (-(2**62), 2**62),
    ):
        assert_same(g.integers(low, high, (4, 5)), torch.randint(low, high, (4, 5), generator=t))
    assert_same(
        g.integers(0, 200, (9,), np.uint8),
        torch.randint(0, 200, (9,), dtype=torch.uint8, generator=t),
    )
    assert_same(
        g.integers(0, 9, (9,), np.float32),
        torch.randint(0, 9, (9,), dtype=torch.float32, generator=t),
    )
    for n in (0, 1, 2, 17, 1000):
        assert_same(g.permutation(n), torch.randperm(n, generator=t))
    for p in (0.0, 0.3, 0.5, 1.0):
        for shape in SIZES:
            theirs = torch.empty(shape, dtype=torch.bool).bernoulli_(p, generator=t)
            assert_same(g.bernoulli(p, shape), theirs)
    in_step(g, t)


@pytest.mark.parametrize("n", [214_748, 214_749])
def test_long_permutation(n):
    g, t = both(0)
    assert_same(g.permutation(n), torch.randperm(n, generator=t))


MIXED = {
    "rand 5": (lambda g: g.uniform((5,)), lambda t: torch.rand(5, generator=t)),
    "randn 3": (lambda g: g.normal((3,)), lambda t: torch.randn(3, generator=t)),
    "randn 1, float64": (
        lambda g: g.normal((1,), np.float64),
        lambda t: torch.randn(1, dtype=torch.float64, generator=t),
    ),
    "randn 19": (lambda g: g.normal((19,)), lambda t: torch.randn(19, generator=t)),
    "randint": (lambda g: g.integers(0, 9, (3,)), lambda t: torch.randint(0, 9, (3,), generator=t)),
    "randperm": (lambda g: g.permutation(8), lambda t: torch.randperm(8, generator=t)),
}


@pytest.mark.parametrize("seed", range(8))
def test_mixed_sequences(seed):
    g, t = both(seed)
    for name in np.random.default_rng(seed).choice(list(MIXED), 60):
        ours, theirs = MIXED[name]
        assert_same_normal(ours(g), theirs(t))


def test_the_spare_normal_waits_and_seeding_drops_it():
    g, t = both(2)
    assert_same(g.normal((1,)), torch.randn(1, generator=t))
    assert_same_normal(g.normal((16,)), torch.randn(16, generator=t))
    assert_same(g.normal((1,)), torch.randn(1, generator=t))
    g.normal((1,)), torch.randn(1, generator=t)
    g.manual_seed(2), t.manual_seed(2)
    assert_same(g.normal((5,)), torch.randn(5, generator=t))


@pytest.mark.parametrize("draws", [0, 1, 3, 623, 624, 625])
def test_states_move_between_engines(draws):
    g, t = both(2**40 + 9)
    g.uniform((draws,)), torch.rand(draws, generator=t)
    g.normal((3,)), torch.randn(3, generator=t)
    ours, theirs = g.get_state(), t.get_state().numpy()
    np.testing.assert_array_equal(ours, theirs)
    from_theirs = random.Generator().set_state(theirs)
    from_ours = torch.Generator().set_state(torch.from_numpy(ours))
    for _ in range(2):
        assert_same(from_theirs.normal((3,)), torch.randn(3, generator=from_ours))
        assert_same(from_theirs.uniform((1000,)), torch.rand(1000, generator=from_ours))


def test_default_generator():
    in_step(random.Generator(), torch.Generator())
    assert random.manual_seed(7) is random.default_generator
    torch.manual_seed(7)
    assert_same(random.default_generator.uniform((3,)), torch.rand(3))


def test_other_errors():
    with pytest.raises(RuntimeError, match="not on 'cuda'"):
        random.Generator("cuda")


IN_OTHER_ORDER = [
    "T.randn_like(x)",
    "x.clone().normal_()",
    "x.clone().uniform_(1, 2)",
    "T.nn.init.xavier_uniform_(x.clone())",
    "T.nn.init.kaiming_normal_(x.clone())",
    "T.nn.init.normal_(x.clone(), 1.0, 0.1)",
    "F.dropout(x)",
]


@pytest.mark.parametrize(
    "of",
    [
        "T.ones(4, 6).t()",
        "T.ones(2, 3, 4).permute(2, 0, 1)",
        "T.ones(6, 8)[:, ::2]",
        "T.ones(3, 1).expand(3, 4)",
    ],
)
@pytest.mark.parametrize("draw", IN_OTHER_ORDER)
def test_memory_in_another_order_is_drawn_as_it_lies(draw, of):
    """Also the memory of what is made lies as the model's."""
    drawn = []
    for engine in (autograd_core, torch):
        engine.manual_seed(3)
        x = eval(of, {"T": engine})
        made = eval(draw, {"T": engine, "F": engine.nn.functional, "x": x})
        drawn.append((made.stride(), made.numpy()))
    assert drawn[0][0] == drawn[1][0]
    np.testing.assert_array_equal(
        drawn[0][1], drawn[1][1]
    ) if FUSES else np.testing.assert_allclose(*(d[1] for d in drawn), atol=3e-6)

"""Summaries of tensors, and the budget that says which are kept whole."""

import gc
import math

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.trace import summary
from autograd_core.trace.summary import BLOCK, Budget, Summary, norm, summary_of

random = np.random.RandomState(0)
ARRAYS = {
    "one": np.array(-2.5),
    "ordinary": random.randn(3, 40).astype("f4"),
    "large": random.randn(300, 40).astype("f4"),
    "float64": random.randn(2000),
    "float16": random.randn(2000).astype("f2"),
    "tiny": np.full(5000, 3e-30, "f4"),
    "huge": np.full(5000, -3e30, "f4"),
    "zeros": np.zeros(1500, "f4"),
    "integers": np.arange(-5, 2000),
    "truths": np.arange(2000) % 3 == 0,
    "strided": random.randn(60, 60)[::2, 1::3],
    "half zeros": np.arange(3000) % 2 * 1.5,
    "blocks": random.randn(3, BLOCK // 2).astype("f4"),
    "wide blocks": np.append(random.randn(2 * BLOCK), [-9.0, 0.0]),
    "vanishing blocks": np.full(BLOCK + 2, 3e-30, "f4"),
    "transposed": random.randn(30, 40, 50).astype("f4").transpose(2, 0, 1),
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_a_summary_says_what_the_numbers_say(array):
    found = summary_of(array)
    wide = array.astype(np.float64)
    assert (found.shape, found.dtype) == (array.shape, str(array.dtype))
    assert (found.min, found.max) == (wide.min(), wide.max()) and found.zeros == (wide == 0).sum()
    assert (found.nan, found.inf) == (0, 0) and found.finite
    assert (found.size, found.ndim) == (array.size, array.ndim)
    assert found.norm == pytest.approx(math.sqrt((wide**2).sum()), rel=1e-5) == norm(array)


@pytest.mark.parametrize("size", [10, 5000, 2 * BLOCK + 20])
@pytest.mark.parametrize(
    "planted", [[np.nan], [np.inf], [-np.inf, np.inf], [np.nan, -np.inf], [np.nan] * 10]
)
def test_what_is_not_finite_is_counted(size, planted):
    array = random.randn(size).astype("f4")
    array[-len(planted) :] = planted
    found = summary_of(array)
    assert (found.nan, found.inf) == (np.isnan(planted).sum(), np.isinf(planted).sum())
    assert not found.finite
    known = array[~np.isnan(array)]
    assert (found.min, found.max) == ((known.min(), known.max()) if known.size else (0, 0))
    assert math.isnan(found.norm) if found.nan else math.isinf(found.norm)


def test_complex_numbers_and_nothing():
    assert (summary_of(np.array([3 + 4j, 0])).max, summary_of(np.array([3 + 4j, 0])).norm) == (5, 5)
    assert summary_of(np.zeros((0, 3))) == Summary((0, 3), "float64", 0, 0, 0, 0, 0, 0)


def test_a_budget_keeps_what_fits_and_gets_back_what_nobody_holds(monkeypatch):
    monkeypatch.setattr(summary, "MOST", 10_000)
    budget = Budget()
    sizes = [700, *[150] * 20, 60]
    kept = [budget.keep(torch.full((size,), 2.0)) for size in sizes]
    whole = [isinstance(value, np.ndarray) for value in kept]
    assert whole == [False, *[True] * 16, *[False] * 4, True], "too large, no room, always whole"
    assert [value.size for value in kept] == sizes
    assert kept[0].norm == pytest.approx(2 * math.sqrt(700))
    assert budget.size == 4 * 150 * 16
    del kept
    gc.collect()
    assert budget.size == 0


@pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
def test_what_is_kept_is_a_copy(T):
    x = T.ones(100)
    kept = Budget().keep(x)
    x[0] = 5.0
    assert kept[0] == 1

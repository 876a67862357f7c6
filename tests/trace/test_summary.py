"""Summaries of tensors, and the budget that says which are kept whole."""

import gc
import math
import tracemalloc

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.trace import summary_of
from autograd_core.trace.summary import BLOCK, Budget, Summary, bytes_of, norm

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
    assert (found.nan, found.inf, found.size, found.ndim) == (
        0,
        0,
        array.size,
        array.ndim,
    ) and found.finite
    assert found.norm == pytest.approx(math.sqrt((wide**2).sum()), rel=1e-5) == norm(array)


@pytest.mark.parametrize("size", [10, 5000, 2 * BLOCK + 20])
@pytest.mark.parametrize(
    "planted", [[np.nan], [np.inf], [-np.inf, np.inf], [np.nan, -np.inf], [np.nan] * 10]
)
def test_what_is_not_finite_is_counted(size, planted):
    array = random.randn(size).astype("f4")
    array[-len(planted) :] = planted
    found = summary_of(array)
    assert (found.nan, found.inf) == (
        np.isnan(planted).sum(),
        np.isinf(planted).sum(),
    ) and not found.finite
    known = array[~np.isnan(array)]
    assert (found.min, found.max) == ((known.min(), known.max()) if known.size else (0, 0))
    assert math.isnan(found.norm) if found.nan else math.isinf(found.norm)


def test_what_is_transposed_is_not_copied():
    wide = np.ones((1000, 2000), "f4").T
    tracemalloc.start()
    summary_of(wide)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < wide.nbytes / 4


def test_complex_numbers_and_nothing():
    assert (summary_of(np.array([3 + 4j, 0])).max, summary_of(np.array([3 + 4j, 0])).norm) == (5, 5)
    assert summary_of(np.zeros((0, 3))) == Summary((0, 3), "float64", 0, 0, 0, 0, 0, 0)


def test_a_budget_keeps_the_smaller_arrays_whole():
    budget = Budget(10_000)
    sizes = [700, 600, 100, 500, 200, 550, 300, 400]
    kept = [budget.keep(torch.full((size,), 2.0)) for size in sizes]
    whole = [isinstance(each.value, np.ndarray) for each in kept]
    assert whole == [False, False, True, True, True, True, True, True], (
        "one too large at once, one when there was no room"
    )
    assert [each.value.size for each in kept] == sizes
    assert [each.value.norm for each in kept[:2]] == pytest.approx(
        [2 * math.sqrt(700), 2 * math.sqrt(600)]
    )
    assert budget.size == 4 * sum(sizes[2:])
    del kept
    gc.collect()
    assert budget.size == 0, "what nobody holds any more takes no room"


def test_of_equal_arrays_some_are_kept_everywhere():
    budget = Budget(100_000)
    kept = [budget.keep(torch.ones(1_000)) for _ in range(100)]
    whole = [i for i, each in enumerate(kept) if isinstance(each.value, np.ndarray)]
    assert len(whole) == 25 and max(b - a for a, b in zip([0, *whole], [*whole, 99])) < 15


def test_an_earlier_recording_makes_room_for_the_next():
    budget = Budget(10_000)
    before = [budget.keep(torch.ones(100)) for _ in range(20)]
    budget.next_recording()
    after = [budget.keep(torch.ones(400)) for _ in range(5)]
    assert all(isinstance(each.value, np.ndarray) for each in after)
    assert sum(isinstance(each.value, np.ndarray) for each in before) == 5


@pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
def test_what_is_kept_is_a_copy(T):
    x = T.ones(100)
    kept = Budget().keep(x)
    x[0] = 5.0
    assert kept.value[0] == 1


@pytest.mark.parametrize(
    "keep, size",
    [("200 MB", 2e8), ("1GB", 1e9), (" 1.5 kb", 1500), (0, 0), (1024, 1024), ("7 B", 7)],
)
def test_a_budget_is_said_in_words(keep, size):
    assert bytes_of(keep) == size


@pytest.mark.parametrize("keep", ["much", "", "-3 MB", -1, None, True, "20"])
def test_a_budget_that_says_no_size_is_refused(keep):
    with pytest.raises(ValueError, match='write "200 MB"'):
        bytes_of(keep)

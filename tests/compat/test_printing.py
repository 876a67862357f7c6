"""`format_tensor` against PyTorch's `repr`, character for character."""

import numpy as np
import pytest
import torch

from autograd_core.compat import printing
from autograd_core.compat.printing import format_tensor

CASES = {
    "0-d": [1.0, -0.0, 0.0, 1e-10, 1234567.0, 1e9, np.nan, -np.inf, True, -7],
    "decimals": [[0.5, -1.25, 10.0], [1.0, 0.33333], [1e-4, 0.05], [0.00009, 0.05]],
    "whole": [[1.0, 2.0, -30.0], [0.0, -0.0], [1.0, 1000.0], [1.0, 1001.0], [99999999.0, 1e8 + 1]],
    "powers of ten": [[1e-20, 1e20], [0.5, 1e-5], [1.0, 1e9]],
    "inf and nan": [
        [np.inf, 1.5],
        [np.inf, 2.0],
        [np.nan, -np.inf],
        [[np.nan] * 30] * 2,
        [-np.inf] * 30,
    ],
    "bool and int": [[True, False], [[True], [True]], [3, -100, 20], [2**62, -1]],
    "empty": [
        np.zeros(0),
        np.zeros((0, 3)),
        np.zeros((2, 0, 2)),
        np.zeros((0,), np.int64),
        np.zeros((1, 0), bool),
    ],
    "many axes": [
        np.arange(30.0).reshape(2, 3, 5),
        np.arange(32).reshape(1, 2, 2, 2, 4),
        np.ones((1, 1, 1)),
    ],
    "long rows": [np.arange(30) / 7, np.arange(100), np.linspace(0, 1, 60).reshape(2, 30) > 0.5],
    "summarised": [
        np.arange(1000.0),
        np.arange(1001.0),
        np.arange(2000) / 7,
        np.arange(5000).reshape(50, 100),
        np.linspace(-1, 1, 1200).reshape(2, 3, 200),
        np.arange(10**4).reshape(10, 10, 10, 10),
        np.zeros((2000, 1)),
        np.zeros((1, 2000)),
        np.where(np.arange(1001) == 500, 1e-9, 1.0),
    ],
}
TABLE = [np.asarray(value) for values in CASES.values() for value in values]


def assert_prints_alike(
    array: np.ndarray, suffixes: tuple[str, ...] = (), theirs: torch.Tensor | None = None
):
    theirs = torch.from_numpy(array) if theirs is None else theirs
    inside = format_tensor(array, list(suffixes))
    assert f"tensor({inside})" == repr(theirs)


def test_table():
    for array in TABLE:
        assert_prints_alike(array)
        if array.dtype == np.float64:
            with np.errstate(over="ignore"):
                assert_prints_alike(array.astype(np.float32))


def random_array(rng: np.random.Generator) -> np.ndarray:
    shape = (
        tuple(rng.integers(0, 9, rng.integers(0, 5)))
        if rng.random() < 0.7
        else tuple(rng.integers(0, 60, 2))
    )
    array = rng.standard_normal(shape)
    kinds = {
        "plain": lambda: array,
        "whole": lambda: np.round(5 * array),
        "scaled": lambda: array * 10 ** rng.uniform(-9, 9),
        "wide": lambda: array * 10 ** rng.uniform(-6, 6, shape),
        "with nan": lambda: np.where(rng.random(shape) < 0.2, np.nan, array),
        "with inf": lambda: np.where(
            rng.random(shape) < 0.5, rng.choice([np.inf, -np.inf, 0, -0.0]), array.round()
        ),
    }
    array = np.asarray(kinds[rng.choice(list(kinds))]())
    dtype = rng.choice([np.float32, np.float64, np.int64, np.int32, np.uint8, np.bool_])
    with np.errstate(all="ignore"):
        return array.astype(dtype)


@pytest.mark.parametrize("seed", range(20))
def test_random_arrays(seed):
    rng = np.random.default_rng(seed)
    for _ in range(30):
        assert_prints_alike(random_array(rng))


@pytest.mark.parametrize("length", range(1, 30))
def test_suffixes_break_the_line_where_pytorch_breaks_it(length):
    """Every length of the last line, so that each suffix once just fits and once just does not."""
    for dtype in (torch.float32, torch.float64):
        leaf = torch.ones(length, dtype=dtype, requires_grad=True)
        assert_prints_alike(leaf.detach().numpy(), ["requires_grad=True"], leaf)
        result = leaf * 0.123
        assert_prints_alike(result.detach().numpy(), ["grad_fn=<MulBackward0>"], result)
        table = result.expand(2, 2, length)
        assert_prints_alike(table.detach().numpy(), ["grad_fn=<ExpandBackward0>"], table)


PLANTED = {"LINE_WIDTH": 79, "THRESHOLD": 1001, "EDGE": 4, "PRECISION": 5}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_errors_are_found(monkeypatch, name):
    """One of our constants is wrong by one: some case of the table shows it."""
    monkeypatch.setattr(printing, name, PLANTED[name])
    with pytest.raises(AssertionError):
        for array in TABLE:
            assert_prints_alike(array)

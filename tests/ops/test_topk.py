"""`topk` of a vector sorts only what it returns; ties must come out as if all had been sorted."""

import numpy as np
import pytest

import autograd_core as T


@pytest.mark.parametrize("dtype", [T.float32, T.int64])
@pytest.mark.parametrize("largest", [True, False])
def test_of_equals_the_first_come_first(dtype, largest):
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(2, 40))
        x = T.from_numpy(rng.integers(0, 8, n)).to(dtype)
        k = int(rng.integers(1, n + 1))
        values, places = x.topk(k, largest=largest)
        ordered, order = x.sort(descending=largest)
        assert places.tolist() == order[:k].tolist()
        assert values.tolist() == ordered[:k].tolist()


def test_infinite_numbers_and_nan():
    x = T.tensor([1.0, float("-inf"), float("nan"), float("inf"), 1.0])
    assert x.topk(3).indices.tolist() == [2, 3, 0], "nan counts as the greatest"
    assert x[[0, 1, 3, 4]].topk(2, largest=False).indices.tolist() == [1, 0]

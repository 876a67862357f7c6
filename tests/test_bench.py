"""The benchmark times only work whose gradients are equal."""

import re

import numpy as np
import pytest

from tests import bench


def gradients(make):
    one_pass, answers = make()
    for _ in range(3):
        one_pass()
    return [np.array(array) for array in answers()]


@pytest.mark.parametrize("name", bench.WORK)
def test_all_contenders_compute_the_same_gradients(name):
    _, contestants = bench.WORK[name]
    bench.check_answers({who: gradients(make) for who, make in contestants.items()})


@pytest.mark.parametrize("wrong", [lambda a: -a, lambda a: a * 1.001, lambda a: a.astype("f8")])
def test_a_planted_difference_is_refused(wrong):
    _, contestants = bench.WORK["small"]
    right = gradients(contestants["numpy"])
    with pytest.raises(bench.WrongAnswer, match="differ in gradient 2"):
        bench.check_answers({"engine": right, "numpy": [*right[:2], wrong(right[2]), *right[3:]]})


def test_a_row_gives_ratios_to_the_engine():
    assert bench.row("w", {"engine": [1e-6, 2e-6, 2e-6], "torch": [2e-6, 1e-6, 6e-6]}) == (
        "| w | 2.00 |  |"
    )


def test_a_row_is_measured():
    _, contestants = bench.WORK["mul"]
    chosen = {name: contestants[name] for name in ("engine", "numpy")}
    line = bench.row("mul", bench.measure(chosen, rounds=3, seconds=0.001))
    assert re.fullmatch(r"\| mul \|  \| \d\.\d\d \|", line), line

"""The benchmark times nothing whose answers differ."""

import functools

import numpy as np
import pytest

from . import bench
from .works import WORKS, Work, chain, on_engines


def slightly_wrong_chain(engine):
    """The chain, with one gradient of 32 wrong by a thousandth where autograd_core computes it."""
    stages, answers = chain(engine)

    def planted():
        gradient = np.array(answers()["w"])
        gradient[-1] *= 1.001 if engine == "autograd_core" else 1
        return {"w": gradient}
    return stages, planted


@pytest.mark.parametrize("name", WORKS)
def test_all_contenders_compute_the_same_gradients(name):
    answers = {}
    for contender, make in WORKS[name].contenders.items():
        stages, answer = make()
        bench.once(stages, [0.0] * len(stages))
        answers[contender] = answer()
    bench.check_answers(answers)


def test_a_table_is_written(capsys):
    lines = []
    assert bench.table({"chain": WORKS["chain"]}, lines.append, rounds=2, seconds=0.001) == []
    assert [line.count("|") for line in lines] == [len(bench.COLUMNS) + 2] * 4
    assert lines[2].startswith("| chain of 1,000 operations")


def test_a_row_whose_answers_differ_is_refused():
    lines = []
    work = on_engines(slightly_wrong_chain, {"a chain": (0,)})
    assert bench.table({"planted": work}, lines.append, rounds=2) == ["planted: w: autograd_core and PyTorch differ"]
    assert not any("a chain" in line for line in lines)


def lost_bias(engine):
    stages, answers = chain(engine)
    return stages, lambda: answers() if engine == "torch" else {}


def test_a_lost_gradient_is_refused():
    work = Work({"a chain": (0,)}, {e: functools.partial(lost_bias, e) for e in ("torch", "autograd_core")})
    with pytest.raises(bench.WrongAnswer, match="autograd_core answers ; torch answers w"):
        bench.measure(work)


def test_an_unknown_work_is_refused(capsys):
    assert bench.main(["smal"]) == 2
    assert "the works are expression, small" in capsys.readouterr().err

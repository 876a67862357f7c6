"""The comparison of the two engines finds each planted difference, and nothing else."""

import numpy as np
import pytest

from .engines import ENGINES, Step, assert_same, assert_same_steps, graph


def value(number, dtype="float64"):
    return f"T.tensor([1000.0, {number}], dtype=T.{dtype})"


SAME = [
    (value(1 + 5e-8), value(1.0)),
    (value(1 + 2**-13, "float32"), value(1.0, "float32")),
    (value("float('nan')"), value("float('nan')")),
    ("1 + 5e-7", "1.0"),
    ("KeyError(1)", "KeyError(2)"),
]
DIFFERENT = [
    (value(1 + 2e-7), value(1.0)),
    (value(1 + 2**-10, "float32"), value(1.0, "float32")),
    ("1 + 2e-6", "1.0"),
    (value("float('nan')"), value(1.0)),
    (value("float('inf')"), value("-float('inf')")),
    (value(1), value(1, "float32")),
    ("T.ones(2)", "T.ones(1, 2)"),
    ("T.ones(2)", "T.ones(2, requires_grad=True)"),
    ("T.ones(2, requires_grad=True) * 1", "T.ones(2, requires_grad=True)"),
    ("(T.ones(2, requires_grad=True) * 1).grad_fn", "(T.ones(2, requires_grad=True) + 0).grad_fn"),
    ("T.ones(2)", "1"),
    ("None", "T.ones(2)"),
    ("[T.ones(1)]", "(T.ones(1),)"),
    ("[1, 2]", "[1]"),
    ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
    ("KeyError(1)", "IndexError(1)"),
    ("'a'", "'b'"),
    # two graphs that differ only in the number of the output that an edge leads to
    *(
        (
            f"graph([T.ones({n}, requires_grad=True).unbind()[{ours}] * 2])",
            f"graph([T.ones({n}, requires_grad=True).unbind()[{theirs}] * 2])",
        )
        for n, ours, theirs in ((3, 0, 1), (3, 1, 2))
    ),
]


def evaluated(pair):
    return [eval(text, {"T": T, "graph": graph}) for T, text in zip(ENGINES, pair)]


@pytest.mark.parametrize("pair", SAME, ids=str)
def test_what_is_the_same(pair):
    assert_same(*evaluated(pair))


@pytest.mark.parametrize("pair", DIFFERENT, ids=str)
def test_a_planted_difference_is_found(pair):
    with pytest.raises(AssertionError):
        assert_same(*evaluated(pair))


@pytest.mark.parametrize(
    "planted",
    [
        ("AddBackward0", (2.0,), (3.0, 4.0)),
        ("MulBackward0", (2.002,), (3.0, 4.0)),
        ("MulBackward0", (2.0,), (3.0, 4.004)),
        ("MulBackward0", (2.0,), (3.0, None)),
        ("MulBackward0", (2.0,), (3.0,)),
    ],
    ids=str,
)
def test_a_planted_step_is_found(planted):
    def steps(name, *groups):
        arrays = ([None if x is None else np.array(x) for x in group] for group in groups)
        return [Step(name, *map(tuple, arrays))]

    right = steps("MulBackward0", (2.0,), (3.0, 4.0))
    assert_same_steps(right, right)
    for ours, theirs in ((steps(*planted), right), (right + right, right)):
        with pytest.raises(AssertionError):
            assert_same_steps(ours, theirs)

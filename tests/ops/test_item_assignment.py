"""`x[index] = value` and `x[index] += value` under random indices, on both engines: values, graph,
steps of the backward pass, and the gradients of the tensor and of the assigned value.
"""

import numpy as np
import torch
from hypothesis import HealthCheck, example, given, seed, settings
from hypothesis import strategies as st

from tests.budget import SEED, budget
from tests.engines import ENGINES, assert_close, assert_same_steps, backward, graph, raised

GATHERS = ["list", "column", "mask", "matrix mask"]
KINDS = [*GATHERS, "slice", "int", "...", "None", "True"]
NUMBER = "2.5"


@st.composite
def index_parts(draw, kind, rows):
    """One part of an index, as text, and the sizes of the dimensions that it covers.

    rows  how many entries each list and each mask selects, so that they broadcast.
    """
    if "mask" in kind:
        sizes = (draw(st.integers(1, 3)), 3) if kind == "matrix mask" else (max(rows, 2),)
        flags = draw(st.permutations([i < rows for i in range(int(np.prod(sizes)))]))
        return f"T.tensor({np.reshape(flags, sizes).tolist()})", sizes
    if kind in ("None", "True"):
        return kind, ()
    if kind == "...":
        return kind, tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    size = draw(st.integers(1, 4))
    places = st.integers(-size, size - 1)
    if kind == "slice":
        start, stop = (draw(st.sampled_from(["", "1", "-2", "3"])) for _ in range(2))
        return f"{start}:{stop}:{draw(st.sampled_from(['', '2']))}", (size,)
    if kind == "int":
        return str(draw(places)), (size,)
    chosen = draw(st.lists(places, min_size=rows, max_size=rows))
    return f"T.tensor({chosen}).long()[:, None]" if kind == "column" else str(chosen), (size,)


@st.composite
def assignments(draw):
    """(shape of x, shape of the value or None for a number, statement).

    PyTorch doesn't define which value stays if an index names an element twice. The value is one
    number then.
    """
    kinds = draw(st.lists(st.sampled_from(KINDS), max_size=2))
    kinds = draw(st.permutations([draw(st.sampled_from(GATHERS)), "slice", *kinds]))
    rows = draw(st.integers(0, 3))
    parts = [draw(index_parts(kind, rows)) for kind in kinds]
    index, shape = ", ".join(part for part, _ in parts), sum((sizes for _, sizes in parts), ())
    shape += tuple(draw(st.lists(st.integers(1, 3), max_size=1)))
    value = draw(st.sampled_from([None, ()]))
    try:
        chosen = eval(f"x[{index}]", {"T": torch, "x": torch.arange(np.prod(shape)).view(shape)})
    except IndexError:
        pass  # then both engines raise
    else:
        if draw(st.booleans()) and len(chosen.unique()) == chosen.numel():
            value = [1 if draw(st.booleans()) else size for size in chosen.shape]
            value = (1,) * draw(st.integers(0, 1)) + tuple(value[draw(st.integers(0, 2)) :])
    sign = draw(st.sampled_from(["=", "=", "+=", "*="]))
    return shape, value, f"x[{index}] {sign} {NUMBER if value is None else 'value * 1'}"


class Assignment:
    """What one engine makes of an assignment into `source`, an expression of the leaf `a`."""

    def __init__(self, T, source, shape, value, statement):
        rng = np.random.default_rng(0)

        def leaf(shape):
            return T.tensor(rng.standard_normal(shape), requires_grad=True)

        self.T, self.a, self.value = T, leaf(shape), None if value is None else leaf(value)
        names = {"T": T, "a": self.a, "value": self.value}
        names["x"] = self.x = eval(source, names)
        self.error = raised(exec, statement, names)
        self.steps, self.graph = [], []
        if self.error is None and self.x.requires_grad:
            self.graph = graph([self.x])
            cotangent = T.tensor(rng.standard_normal(tuple(self.x.shape)))
            self.steps = backward(T, [self.x], [cotangent])


def compare(source, shape, value, statement):
    ours, theirs = (Assignment(T, source, shape, value, statement) for T in ENGINES)
    assert type(ours.error) is type(theirs.error), f"{ours.error!r} here, {theirs.error!r}"
    if theirs.error is None:
        assert_close(ours.x, theirs.x, "x")
        assert ours.x._version == theirs.x._version
        assert ours.graph == theirs.graph
        assert_same_steps(ours.steps, theirs.steps)
        for name in "a", "value":
            mine, other = (getattr(run, name) for run in (ours, theirs))
            if mine is not None:
                assert_close(mine.grad, other.grad, f"{name}.grad")


SOURCES = ["a * 1", "(a * 1).transpose(0, -1).transpose(0, -1)", "a.detach() * 1", "a"]
"""What is assigned into: a computed tensor, a view of one, a constant, and a leaf."""


@seed(SEED)
@settings(
    max_examples=budget(150, 20_000),
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(assignments(), st.sampled_from(SOURCES))
@example(((3, 4), None, "x[:, [0, 2]] = 1"), "a * 1")
@example(((3, 4), None, "x[T.tensor([True, False, True]), :] = 0"), "a * 1")
@example(((3, 4), None, "x[T.tensor([0, 2]), 1:3] = 5"), "a * 1")
@example(((3, 4), (2, 2), "x[T.tensor([0, 2]), 1:3] += value"), "a * 1")
def test_assignment(assignment, source):
    compare(source, *assignment)

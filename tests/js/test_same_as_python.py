"""What Python and the scripts both do, they do alike: numbers as text, and the state of a trace
after each event.
"""

import json
import math
import random
import re
import struct
from dataclasses import replace

import numpy as np
import pytest

from autograd_core.trace import Trace
from autograd_core.widgets import GraphView
from autograd_core.widgets.graph.save import view_page
from autograd_core.widgets.graph.states import states
from autograd_core.widgets.graph.tensors import numbers_of, tensor_of
from autograd_core.widgets.kit.format import number, tensor_text
from tests.js.node import answer
from tests.widgets.large_traces import residual, transformer
from tests.widgets.sample_traces import chain, encoder, logistic, product


def test_numbers_are_shown_alike():
    """Numbers of every size: of all powers of ten, on both sides of each limit, of float32, and of
    few digits.
    """
    draw = random.Random(0)
    sizes = [draw.uniform(1, 10) * 10.0 ** draw.randint(-12, 12) for _ in range(2_000)]
    rounded = [float(f"{size:.{draw.randint(1, 4)}g}") for size in sizes]
    single = [struct.unpack("f", struct.pack("f", size))[0] for size in sizes]
    limits = [
        near(limit)
        for limit in (0.001, 1.0, 9.9995, 9999.9995, 10_000.0)
        for near in (float, lambda x: math.nextafter(x, 0), lambda x: math.nextafter(x, math.inf))
    ]
    numbers = [sign * x for x in (*sizes, *rounded, *single, *limits, 0.0) for sign in (1, -1)]
    shown = answer("numbers.mjs", {"numbers": numbers, "tensors": []})["numbers"]
    assert [(x, text) for x, text in zip(numbers, shown, strict=True) if text != number(x)] == []


def test_tensors_are_shown_alike():
    draw = np.random.RandomState(0)
    values = [
        draw.randn(*shape)
        for shape in [(), (1,), (3,), (4,), (2, 1), (2, 3), (1, 1, 1), (0,), (2, 2, 2)]
    ]
    values += [
        np.array([np.nan, -np.inf]),
        np.array(np.inf),
        np.arange(3),
        np.array([True, False]),
        None,
    ]
    asked = [(value, gradient) for value in values for gradient in (False, True)]
    tensors = [[tensor_of(value), gradient] for value, gradient in asked]
    shown = answer("numbers.mjs", {"numbers": [], "tensors": tensors})
    assert shown["tensors"] == [tensor_text(value, gradient) for value, gradient in asked]


@pytest.mark.parametrize("label", ["", 'translate(1 2 \0 \U0001f600{"a":\\"'], ids=["plain", "odd"])
def test_a_saved_page_opens_each_fold_as_python_draws_it(label):
    trace = residual(12)
    trace = replace(trace, nodes=tuple(replace(n, label=n.label + label) for n in trace.nodes))
    view = GraphView(trace, opened=["nodes 2 to 19"])
    packed = re.search('data-state="(.*?)"', view_page(view, 7))[1]
    found = answer("saved.mjs", {"packed": packed})
    assert found["state"]["structure"] == json.loads(json.dumps(view.structure))
    assert found["state"]["event"] == 7 and len(found["folds"]) == 1 + 5 + 10
    assert json.loads(found["state"]["numbers"]) == json.loads(view.numbers)
    for name, fold in found["folds"].items():
        view.unfold(json.loads(name))
        assert fold["drawn"] == json.loads(json.dumps(view.drawn))
        assert fold["changes"] == view.changes


def differing(trace: Trace, numbers: dict) -> list[str]:
    """Where the scripts, given these numbers, know something else of a node after an event than
    Python.
    """
    found, wrong = (
        answer("states.mjs", {"structure": GraphView(trace).structure, "numbers": numbers}),
        [],
    )
    for at, shown in enumerate(found):
        for node, known, state in zip(trace.nodes, states(trace, at), shown, strict=True):
            counts = known.arrived, known.expected, known.done, known.recorded
            alike = counts == tuple(state[key] for key in ("arrived", "expected", "done", "here"))
            if not (
                alike
                and same(state["value"], known.value)
                and same(state["gradient"], known.gradient)
            ):
                wrong.append(f"{node.name} {node.label} after event {at}")
    return wrong


def same(found: list | None, value: np.ndarray | None) -> bool:
    """Whether both are the same tensor. A sum of what has arrived is added up in the page: rounding
    may be another.
    """
    expected = tensor_of(value)
    if found is None or expected is None or found[1] is None or expected[1] is None:
        return found == expected
    return (
        found[0] == expected[0]
        and found[1] == pytest.approx(expected[1], rel=1e-15)
        and (found[2] == pytest.approx(expected[2], rel=1e-12))
    )


@pytest.mark.parametrize(
    "trace",
    [logistic(), product(), chain(5), encoder(), transformer()],
    ids=["logistic", "product", "chain", "encoder", "transformer"],
)
def test_every_event_leaves_the_state_that_python_knows(trace):
    assert differing(trace, numbers_of(trace)) == []


def test_planted_difference_is_found():
    trace = logistic()
    numbers = numbers_of(trace)
    numbers["values"][5][1][0] += 1e-9  # of the sigmoid
    assert differing(trace, numbers) == [
        f"SigmoidBackward0 p after event {at}" for at in range(len(trace.events) + 1)
    ]

"""What Python and the scripts both do, they do alike: numbers as text, and the state of a trace
after each event.
"""

import itertools
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
from autograd_core.widgets.graph.changes import shown as said
from autograd_core.widgets.graph.save import view_page
from autograd_core.widgets.graph.states import states
from autograd_core.widgets.graph.tensors import numbers_of, tensor_of
from autograd_core.widgets.kit.format import number, tensor_text
from tests.js.node import answer
from tests.widgets.contrast import color, contrast, mixed
from tests.widgets.large_traces import residual, transformer
from tests.widgets.sample_traces import chain, encoder, expression, logistic, product


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


CELL = re.compile(
    r"color: light-dark\((\w+), (\w+)\); background: "
    r"color-mix\(in srgb, var\(--ac-([\w-]+)\) ([\d.]+)%, var\(--ac-([\w-]+)\)\)"
)


def test_numbers_in_colored_cells_have_a_contrast_of_four_and_a_half():
    asked = {"numbers": [], "tensors": [], "depths": list(np.linspace(-1, 1, 801))}
    for style in itertools.chain(*answer("numbers.mjs", asked)["cells"]):
        *inks, over, share, under = CELL.fullmatch(style).groups()
        for theme, ink in enumerate(inks):
            ground = mixed(color(over, theme), color(under, theme), float(share) / 100)
            assert contrast(color(ink, theme), ground) >= 4.5, (style, theme)


def test_a_saved_page_opens_each_fold_as_python_draws_it():
    view = GraphView(residual(12), event=7, opened=["nodes 2 to 19"])
    packed = re.search('data-state="(.*?)"', view_page(view))[1]
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


def orders_of(trace: Trace, draw: random.Random) -> list[int]:
    """The numbers of its events, the backward pass in another order that it could have run in."""
    passing = [k for k, e in enumerate(trace.events, 1) if e.kind in ("backward", "accumulate")]
    waits = {trace.events[k - 1].node: set() for k in passing}
    for k in passing:
        for edge, _ in trace.events[k - 1].sent:
            waits[trace.edges[edge].producer].add(k)
    order: list[int] = []
    while len(order) < len(passing):
        ready = [
            k for k in passing if k not in order and waits[trace.events[k - 1].node] <= {*order}
        ]
        order.append(draw.choice(ready))
    return [*range(1, passing[0]), *order, *range(passing[-1] + 1, len(trace.events) + 1)]


def shown_of(view: GraphView) -> dict:
    read = {name: json.loads(getattr(view, name)) for name in ("numbers", "changes")}
    return json.loads(json.dumps({"structure": view.structure, "drawn": view.drawn})) | read


def thrice() -> Trace:
    """`u` gets four contributions of three nodes, two of them at once."""
    steps = [("u", "Mul", "a", "b"), ("%1", "Tanh", "u", ""), ("%2", "Mul", "u", "u")]
    steps += [("%3", "Add", "u", "%1"), ("loss", "Add", "%3", "%2")]
    return expression({"a": 1.0, "b": 0.5}, steps)


@pytest.mark.parametrize(
    "trace", [logistic(), product(), thrice(), encoder(), residual(3)], ids=lambda trace: trace.size
)
def test_a_pass_that_the_reader_runs_is_drawn_as_one_that_ran_so(trace):
    """In any order in which it could have run; and what is asked has one right answer, which may be
    typed as it is written.
    """
    draw = random.Random(0)
    orders = [orders_of(trace, draw) for _ in range(4)]
    before = shown_of(GraphView(trace))
    got = answer("runs.mjs", {"shown": before, "orders": orders})
    for order, found in zip(orders, got, strict=True):
        events = tuple(trace.events[k - 1] for k in order)
        expected = shown_of(GraphView(replace(trace, events=events)))
        for event in (*found["structure"]["events"], *expected["structure"]["events"]):
            del event["next"]  # what the engine would have run next
        for drawn in (found, expected):
            for tracks in drawn["changes"][0]["boxes"]:
                # where a sum is not whole, the reader sees what it is to be of
                styles, gradient = tracks.get("class", []), tracks.get("gradient", [])
                tracks["gradient"] = [e for e in gradient if "ac-half" not in said(styles, e[0])]
        for name in ("structure", "numbers", "changes"):
            assert found[name] == expected[name]
        ran = {e.node for e in trace.events if e.kind in ("backward", "accumulate")}
        for turn in found["run"]:
            assert turn["node"] in turn["may"] and {*turn["may"]} <= ran
            ran.remove(turn["node"])
            assert len(turn["may"]) + len(turn["others"]) == len(trace.nodes)
            for why in turn["others"]:
                assert "undefined" not in why and why.endswith(".")
            for question in turn["questions"]:
                offers = question["offers"]
                assert offers.count(question["right"]) == 1 < len({*offers}) == len(offers) <= 3
                assert question["typed"] is not False
                assert question["right"] not in [text for text, _, _ in question["mistakes"]]
        assert ran == set()

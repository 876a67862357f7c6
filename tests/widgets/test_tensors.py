"""Tensors as the browser gets them: nothing lost that matters, and never more than a map."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from autograd_core.trace.summary import norm
from autograd_core.widgets import GraphView
from autograd_core.widgets.graph.parameters import parameters_of
from autograd_core.widgets.graph.tensors import LONGEST, differences_of, map_of, tensor_of
from tests.widgets.sample_traces import encoder, logistic


def test_what_fits_is_exact():
    value = np.arange(48 * 32, dtype=np.float32).reshape(48, 32) / 10
    cells, facts = map_of(value)
    assert cells.tolist() == [[float(str(x)) for x in row] for row in value]
    assert (facts["block"], facts["planes"], facts["lead"]) == ([1, 1], 1, [])


def test_a_block_shows_its_element_of_largest_size():
    value = np.full((130, 70), 0.5)
    value[4, 3], value[129, 69] = -8.0, np.nan
    cells, facts = map_of(value)
    assert facts["block"] == [3, 2] and cells.shape == (44, 35)
    assert cells[1, 1] == -8 and math.isnan(cells[43, 34]) and cells[0, 0] == 0.5
    assert (facts["low"], facts["high"]) == (-8, 0.5)
    assert facts["nans"] == pytest.approx(1 / value.size) and facts["zeros"] == 0


def test_one_axis_is_read_in_rows():
    cells, facts = map_of(np.arange(70.0))
    assert cells.shape == (3, 32) and cells[1, 2] == 34 and cells[2, 6:].tolist() == [0] * 26
    cells, facts = map_of(np.arange(10_000.0))
    assert facts["block"] == [1, 5] and cells[0, 0] == 4, "the largest of the first five"


def test_more_axes_are_planes():
    value = np.arange(2 * 3 * 4 * 5.0).reshape(2, 3, 4, 5)
    cells, facts = map_of(value, 4)
    assert (facts["planes"], facts["lead"]) == (6, [1, 1])
    np.testing.assert_array_equal(cells, value[1, 1])
    assert (facts["low"], facts["high"]) == (0, 119), (
        "of the whole tensor, so that planes have the same colours"
    )
    with pytest.raises(IndexError, match="which has 6"):
        map_of(value, 6)


@pytest.mark.parametrize("shape", [(100_000,), (1_000, 1_000), (3, 5, 500, 70)])
def test_a_map_is_bounded(shape):
    cells, facts = map_of(np.ones(shape))
    assert cells.size <= LONGEST * LONGEST
    json.dumps(facts, allow_nan=False)


def test_a_map_of_nothing_finite():
    _, told = map_of(np.full((9, 9), -np.inf))
    assert (told["low"], told["high"], told["nans"]) == ("nan", "nan", 0)


def test_a_norm_does_not_overflow():
    assert norm(np.full(100, 1e30, dtype=np.float32)) == pytest.approx(1e31)
    assert tensor_of(np.full(100, 1e200))[2] == pytest.approx(1e201)
    assert [tensor_of(np.full(100, x))[2] for x in (np.inf, np.nan)] == ["inf", "nan"]


# ---- what is asked for, and what differs ---------------------------------------------------------


def asked(view: GraphView, **question) -> tuple[dict, list[bytes]]:
    """What the view answers to the browser's question for a map."""
    answers = []
    view.send = lambda content, buffers=(): answers.append((content, list(buffers)))
    view._received(view, {"kind": "map", "engine": 0, "plane": 0} | question, [])
    assert len(answers) == 1
    return answers[0]


def test_a_map_is_answered_with_its_cells_as_bytes():
    trace = logistic()
    told = {
        ("value", 0): trace.nodes[0].value,
        ("before", 14): trace.events[14].before,
        ("after", 0): trace.events[0].after,
        ("sent", 12, 1): trace.events[12].sent[1][1],
    }
    for place, value in told.items():
        answer, (cells,) = asked(GraphView(trace), place=[*place])
        # one axis is read in rows of 32
        np.testing.assert_array_equal(np.frombuffer(cells)[: value.size], value.ravel())
        assert answer["place"] == [*place] and answer["rows"] * answer["columns"] * 8 == len(cells)
        assert (answer["low"], answer["high"]) == (value.min(), value.max())


@pytest.mark.parametrize(
    "question",
    [
        {"place": ["value", 99]},
        {"place": ["value", 0], "plane": 5},
        {"place": ["before", 0]},
        {"place": ["value", 0], "engine": 1},
        {"place": ["somewhere", 0]},
    ],
)
def test_a_question_that_has_no_answer_gets_an_error(question):
    told, cells = asked(GraphView(logistic()), **question)
    assert told["error"] and cells == []


def changed(trace, event, **fields):
    events = list(trace.events)
    events[event] = replace(events[event], **fields)
    return replace(trace, events=tuple(events))


def test_equal_traces_have_no_differences():
    assert differences_of(logistic(), logistic("PyTorch")) == {}


def test_differences_are_found_where_they_are():
    trace = logistic()
    planted = changed(trace, 14, before=trace.events[14].before + [0, 0.25])
    assert differences_of(trace, planted) == {"before 14": [0.25, False]}
    (edge, gradient), rest = trace.events[12].sent
    planted = changed(trace, 12, sent=((edge, gradient * (1 + 1e-15)), rest))
    ((place, (_, alike)),) = differences_of(trace, planted).items()
    assert place == "sent 12 0" and alike is True
    assert differences_of(trace, changed(trace, 16, after=None))["after 16"] == ["nan", False]
    single = changed(trace, 16, after=trace.events[16].after.astype(np.float32))
    assert differences_of(trace, single)["after 16"][1] is False
    nans = changed(trace, 14, before=np.array([np.nan, 0.0]))
    assert differences_of(trace, nans)["before 14"] == ["nan", False]
    assert differences_of(nans, nans) == {}


# ---- the list of parameters ----------------------------------------------------------------------


def test_parameters_say_why_they_have_no_gradient():
    rows = {row["name"]: row for row in parameters_of(encoder())}
    assert [row["short"] for row in rows.values() if row["reason"]] == [
        "None: path ends at detach()",
        "None: path ends at no_grad",
        "None: requires_grad=False",
        "None: no recorded operation used this",
    ]
    pos = rows["pos.weight"]
    assert pos["path"] == ["pos.weight", "EmbeddingBackward0", "detach()"]
    assert (pos["cut"], pos["source"]) == ("detach()", "h = tok(ids) + pos(rows).detach()")
    assert rows["spare.weight"]["node"] is None


def test_a_cut_says_where_it_stands():
    trace = encoder()
    places = tuple(f"net.py:{line}" for line in range(len(trace.source)))
    placed = replace(trace, places=places, called=("train.py:12",) * len(places))
    cut = trace.source.index("h = tok(ids) + pos(rows).detach()")
    rows = {row["name"]: row["place"] for row in parameters_of(placed)}
    assert rows["pos.weight"] == f"net.py:{cut}, called in train.py:12" and not rows["spare.weight"]
    assert {row["place"] for row in parameters_of(trace)} == {""}


def test_what_all_names_begin_with_is_left_out():
    def named(each):
        name = f"model.{each.name}"
        return replace(each, name=name, path=(name, *each.path[1:]), model="model")

    trace = encoder()
    row = parameters_of(replace(trace, parameters=tuple(map(named, trace.parameters))))[1]
    assert row["name"] == row["path"][0] == "pos.weight" and row["whole"] == "model.pos.weight"


def test_without_modules_the_leaves_are_listed():
    rows = [(row["name"], row["node"], row["reason"]) for row in parameters_of(logistic())]
    assert rows == [("w", 1, ""), ("b", 3, "")]

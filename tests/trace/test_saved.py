"""A trace as a file: what is read back is what was saved, and what is no trace is refused."""

import json
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

import autograd_core as T
from autograd_core.trace import (
    Event,
    Summary,
    Tape,
    Trace,
    TraceNode,
    load_trace,
    names_in,
    save_trace,
    trace,
)
from tests.widgets.large_traces import frozen_teacher, transformer
from tests.widgets.sample_traces import logistic


def same(a, b):
    """Whether two values are equal in every bit, through records, tuples and arrays; NumPy's
    scalars are arrays.
    """
    a, b = (np.asarray(each) if isinstance(each, np.generic) else each for each in (a, b))
    if type(a) is not type(b):
        return False
    if is_dataclass(a):
        return all(same(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return (
            a.dtype == b.dtype
            and a.shape == b.shape
            and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        )
    return a == b


def recorded():
    tape = Tape()
    with tape.recording():
        x = T.tensor([1.0, -2.0, 0.0], requires_grad=True)
        loss = (x.log() * T.tensor([[1, 2, 3], [4, 5, 6]])).sum()
        loss.backward()
    return trace(loss, names_in({"x": x, "loss": loss}), tape)


def stale():
    tape = Tape()
    with tape.recording():
        h = T.ones(3, requires_grad=True).exp()
        h += 1
        loss = h.sum()
    found = trace(loss, tape=tape)
    assert found.stale
    return found


@pytest.mark.filterwarnings("ignore:.*encountered in")
@pytest.mark.parametrize("make", [logistic, transformer, frozen_teacher, recorded, stale])
def test_what_is_read_back_is_what_was_saved(tmp_path, make):
    whole = make()
    save_trace(whole, tmp_path / "step.json")
    assert same(load_trace(tmp_path / "step.json"), whole)
    assert [path.name for path in tmp_path.iterdir()] == ["step.json"], (
        "nothing half written is left"
    )


def test_complex_numbers_and_every_bit(tmp_path):
    whole = logistic()
    values = [
        np.array([1 + 2j, np.nan - 1j * np.inf]),
        np.float32([1 / 3, -np.inf]),
        np.array(True),
        np.int64([2**62]),
    ]
    nodes = tuple(replace(node, value=value) for node, value in zip(whole.nodes, values))
    whole = replace(whole, nodes=nodes + whole.nodes[4:])
    save_trace(whole, tmp_path / "step.json")
    assert same(load_trace(tmp_path / "step.json"), whole)


def test_what_is_no_trace_is_refused(tmp_path):
    path = tmp_path / "step.json"
    path.write_text("{")
    with pytest.raises(ValueError, match="no JSON"):
        load_trace(path)
    path.write_text('{"format": "something else"}')
    with pytest.raises(ValueError, match="holds no trace"):
        load_trace(path)
    save_trace(logistic(), path)
    good = json.loads(path.read_text())
    for planted, message in (
        (dict(good, version=1), "version 1"),
        (dict(good, trace={"is": "object"}), "damaged"),
        (dict(good, trace={**good["trace"], "more": 1}), "damaged"),
        (dict(good, trace=3), "damaged"),
    ):
        path.write_text(json.dumps(planted))
        with pytest.raises(ValueError, match=message):
            load_trace(path)
    good["trace"]["nodes"][0]["value"]["numbers"].pop()
    path.write_text(json.dumps(good))
    with pytest.raises(ValueError, match="damaged"):
        load_trace(path)


def test_what_holds_no_numbers_cannot_be_saved(tmp_path):
    whole = logistic()
    odd = replace(whole.nodes[0], value=np.array([object()]))
    with pytest.raises(TypeError, match="array of object cannot be saved: a file has bool"):
        save_trace(replace(whole, nodes=(odd, *whole.nodes[1:])), tmp_path / "step.json")
    assert not list(tmp_path.iterdir())


def test_a_summary_with_inf_and_nan_is_read_back_as_numbers(tmp_path):
    made = Trace(
        "PyTorch",
        tuple(
            TraceNode(
                "operation", "ExpBackward0", "", (3,), "float32", Summary((3,), "float32", *numbers)
            )
            for numbers in ((np.nan, 0.0, 1.0, 0, 1, 0), (np.inf, -np.inf, 1.0, 0, 0, 1))
        ),
        (),
        (Event("loss", 1, after=np.float32(1.0)),),
    )
    save_trace(made, tmp_path / "inf.json")
    first, second = (node.value for node in load_trace(tmp_path / "inf.json").nodes)
    assert np.isnan(first.norm) and (second.norm, second.min, second.max) == (np.inf, -np.inf, 1.0)

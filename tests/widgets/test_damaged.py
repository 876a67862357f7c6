"""A file that is not what was saved is refused by `load_trace`, with a ValueError that says so."""

import copy
import hashlib
import json
import warnings
from dataclasses import replace

import pytest

import autograd_core as T
from autograd_core.trace import Tape, load_trace, names_in, report, save_trace, summary, trace
from autograd_core.widgets import watch
from tests.budget import PROVE
from tests.widgets.large_traces import frozen_teacher, transformer

HEAD = '{"format": "autograd_core trace", "version": 2, "trace": '
MISSING = object()
NUMBERS = (-1, 10**12, 10**400, True, 0.5, float("nan"))
TEXTS = ("<img src=x>", "\ud800", "nan", "1" * 5_000)
TABLES = ({}, {"is": "Trace"}, {"is": []}, {"numbers": 3})
VALUES = (MISSING, None, *TEXTS, *NUMBERS, [], ["a"], [[[1]]], *TABLES)


def small():
    """A pass with a cut, a module, saved tensors, a summary, and a step."""
    tape, net = Tape(), T.nn.Sequential(T.nn.Linear(2, 2), T.nn.ReLU(), T.nn.Linear(2, 1))
    optimizer = T.optim.SGD(net.parameters(), lr=0.1)
    with tape.recording():
        out = net(T.ones(1, 2))
        loss = (out.detach() * out).sum() + T.zeros(100).sum()
        loss.backward()
        optimizer.step()
    return trace(loss, names_in({"net": net, "loss": loss}), tape)


def places(content, path=()):
    """(path, value) of everything in JSON's `content`."""
    inside = enumerate(content) if isinstance(content, list) else ()
    for key, value in content.items() if isinstance(content, dict) else inside:
        yield (*path, key), value
        yield from places(value, (*path, key))


def kinds_of_places(content):
    """The last of each kind of place: "nodes", any number, "shape"; what comes last has all there
    is before it.
    """
    return {
        tuple("#" if isinstance(key, int) else key for key in path): path
        for path, _ in places(content)
    }.values()


def damaged(content, path, value):
    content = copy.deepcopy(content)
    *outer, last = path
    inner = content
    for key in outer:
        inner = inner[key]
    if value is MISSING:
        del inner[last]
    else:
        inner[last] = value
    return content


def outcome(path, text):
    """ "refused" or "shown"; all else is raised."""
    path.write_text(text, encoding="utf-8") if isinstance(text, str) else path.write_bytes(text)
    try:
        loaded = load_trace(path)
    except ValueError as problem:
        assert str(path) in str(problem) and len(str(problem)) < 400 + len(str(path))
        return "refused"
    view, told = watch(loaded), report(loaded)
    str(told), told.data(), repr(view), view.still()
    for ending in ("svg", "html", "json"):
        view.save(path.with_name(f"again.{ending}"))
    load_trace(path.with_name("again.json"))
    return "shown"


def saved(tmp_path, whole):
    save_trace(whole, tmp_path / "good.json")
    return json.loads((tmp_path / "good.json").read_text())


@pytest.mark.parametrize("make", [small, pytest.param(frozen_teacher, marks=pytest.mark.prove)])
def test_a_trace_changed_at_each_kind_of_place_is_refused(tmp_path, make):
    good = saved(tmp_path, make())
    text = json.dumps(good)
    assert outcome(tmp_path / "step.json", text) == "shown"
    assert outcome(tmp_path / "step.json", json.dumps(good, indent=2)) == "shown"
    for path in kinds_of_places(good["trace"]):
        for value in VALUES if PROVE else VALUES[::2] if len(path) % 2 else VALUES[1::2]:
            changed = json.dumps({**good, "trace": damaged(good["trace"], path, value)})
            if changed != text:
                assert outcome(tmp_path / "step.json", changed) == "refused", path


@pytest.mark.parametrize("part", ["format", "version", "sha256", "trace"])
def test_a_file_without_one_of_its_parts_is_refused(tmp_path, part):
    good = saved(tmp_path, small())
    del good[part]
    assert outcome(tmp_path / "step.json", json.dumps(good)) == "refused"


@pytest.mark.parametrize("content", [None, 3, [], {"is": "Trace"}, {"nodes": 3}])
def test_what_is_no_trace_is_refused_also_with_the_right_sum(tmp_path, content):
    good = saved(tmp_path, small())
    text = json.dumps(content, ensure_ascii=False).encode()
    other = {**good, "trace": content, "sha256": hashlib.sha256(text).hexdigest()}
    assert outcome(tmp_path / "step.json", json.dumps(other)) == "refused"


def test_a_turned_weight_outside_of_the_module_that_uses_it_is_shown():
    """Its dot lies on the line of a leaf that is in the module's fold."""
    trace = transformer(2)
    turned = [i for i, node in enumerate(trace.nodes) if node.name == "TBackward0"]
    for i in turned[3:9]:
        nodes = list(trace.nodes)
        nodes[i] = replace(nodes[i], module="", calls=())
        assert watch(replace(trace, nodes=tuple(nodes))).still()


def test_a_trace_cut_off_or_of_other_bytes_is_refused(tmp_path):
    save_trace(small(), tmp_path / "good.json")
    whole = (tmp_path / "good.json").read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 200)):
        assert outcome(tmp_path / "step.json", whole[:length]) == "refused"
    others = ["", "3", "[]", "{}", "null", b"\xff\xfe", b"\0" * 1000]
    others += [f"{HEAD}{content}}}" for content in ("NaN", "9" * 10_000, "null")]
    for deep in (900, 100_000):
        for opens, closes in ("[]", ('{"is": "Trace", "nodes": ', "}")):
            others.append(f"{HEAD}{opens * deep}1{closes * deep}}}")
    for other in others:
        assert outcome(tmp_path / "step.json", other) == "refused"


def test_a_summary_is_read_and_shown(tmp_path, monkeypatch):
    """A trace of which every value is a summary: the outcome of a recording without room."""
    monkeypatch.setattr(summary, "MOST", 0)
    tape = Tape()
    with tape.recording():
        x = T.ones(300, requires_grad=True)
        loss = (x * x).sum()
        loss.backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = saved(tmp_path, trace(loss, names_in({"x": x}), tape))
        assert outcome(tmp_path / "step.json", json.dumps(whole)) == "shown"

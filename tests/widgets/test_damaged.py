"""Whatever a file holds: `load_trace` raises ValueError, or what it returns can be shown, told and
saved.
"""

import copy
import json
import warnings
from dataclasses import replace

import pytest

import autograd_core as T
from autograd_core.trace import Tape, load_trace, names_in, report, save_trace, trace
from autograd_core.trace.summary import Budget
from autograd_core.widgets import watch
from tests.budget import PROVE
from tests.widgets.large_traces import frozen_teacher, transformer

HEAD = '{"format": "autograd_core trace", "version": 1, "trace": '
MISSING = object()
VALUES = (
    MISSING,
    None,
    "<img src=x>",
    "\ud800",
    "nan",
    "1" * 5_000,
    -1,
    10**12,
    10**400,
    True,
    0.5,
    float("nan"),
    [],
    ["a"],
    [[[1]]],
    {},
    {"is": "Trace"},
    {"is": []},
    {"numbers": 3},
)


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
    for key, value in (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    ):
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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [small, pytest.param(frozen_teacher, marks=pytest.mark.prove)])
def test_a_trace_damaged_at_each_kind_of_place_is_refused_or_shown(tmp_path, make):
    good, count = saved(tmp_path, make()), {"refused": 0, "shown": 0}
    assert outcome(tmp_path / "step.json", json.dumps(good)) == "shown"
    for path in kinds_of_places(good["trace"]):
        for value in VALUES if PROVE else VALUES[::2] if len(path) % 2 else VALUES[1::2]:
            text = json.dumps({**good, "trace": damaged(good["trace"], path, value)})
            try:
                count[outcome(tmp_path / "step.json", text)] += 1
            except Exception as problem:
                raise AssertionError(
                    f"{path} set to {str(value)[:60]}: {type(problem).__name__}: {problem}"
                ) from problem
    print(count)
    assert count["refused"] > 4 * count["shown"] > 0


def test_a_turned_weight_outside_of_the_module_that_uses_it_is_shown():
    """Its dot lies on the line of a leaf that is in the module's fold."""
    trace = transformer(2)
    turned = [i for i, node in enumerate(trace.nodes) if node.name == "TBackward0"]
    for i in turned[3:9]:
        nodes = list(trace.nodes)
        nodes[i] = replace(nodes[i], module="", calls=())
        assert watch(replace(trace, nodes=tuple(nodes))).still()


def circle(found):
    first = found["edges"][0]
    found["edges"].append(
        {**first, "consumer": first["producer"], "producer": first["consumer"], "slot": 5}
    )


def first_operation(found):
    return found["edges"][0]["consumer"]


def sent_to(found):
    return next(
        found["edges"][edge]["producer"] for event in found["events"] for edge, _ in event["sent"]
    )


def itself(found):
    found["edges"].append(
        {**found["edges"][0], "consumer": found["edges"][0]["producer"], "slot": 5}
    )


@pytest.mark.parametrize(
    "change, message",
    [
        (circle, "leads from node"),
        (itself, "leads from node"),
        (lambda found: found["events"].extend(found["events"][:1] * 20_000), "events of"),
        (lambda found: found["edges"].extend(found["edges"][:1] * 20_000), "edges of"),
        (lambda found: found.update(events=[]), "no event of the kind 'loss'"),
        (lambda found: found.update(nodes=[], edges=[], events=[], parameters=[]), "no event"),
        (lambda found: found["nodes"][-1].update(module="a." * 20_000), "more than 100 others"),
        (
            lambda found: found["nodes"][-1].update(shape=[2**40, 2**40]),
            "of a shape that a tensor may have",
        ),
        (lambda found: found["nodes"][-1].update(more=1), "with the fields"),
        (lambda found: found["nodes"][-1].update(kind="odd"), "kind should be one of"),
        (lambda found: found["events"][-1].update(kind="odd"), "kind should be one of"),
        (
            lambda found: found["events"][-1].update(sent=[[0, found["nodes"][0]["value"]]]),
            "on which none leaves its node",
        ),
        (
            lambda found: found["nodes"][first_operation(found)].update(kind="leaf"),
            "which is no operation",
        ),
        (
            lambda found: found["nodes"].append(found["nodes"][0]),
            "is no operation, and input of none",
        ),
        (
            lambda found: found["nodes"][sent_to(found)].update(kind="severed"),
            "on which none leaves its node",
        ),
    ],
    ids=range(15),
)
def test_what_does_not_belong_together_is_refused(tmp_path, change, message):
    good = saved(tmp_path, small())
    change(good["trace"])
    (tmp_path / "step.json").write_text(json.dumps(good))
    with pytest.raises(ValueError, match=message):
        load_trace(tmp_path / "step.json")


def test_a_trace_cut_off_or_of_other_bytes_is_refused(tmp_path):
    save_trace(small(), tmp_path / "good.json")
    whole = (tmp_path / "good.json").read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 200)):
        assert outcome(tmp_path / "step.json", whole[:length]) == "refused"
    for deep in (900, 100_000):
        for opens, closes in ("[]", ('{"is": "Trace", "nodes": ', "}")):
            assert (
                outcome(tmp_path / "step.json", f"{HEAD}{opens * deep}1{closes * deep}}}")
                == "refused"
            )
    for other in (
        "",
        "3",
        "[]",
        "{}",
        "null",
        HEAD + "NaN}",
        HEAD + "9" * 10_000 + "}",
        HEAD + "null}",
        b"\xff\xfe",
        b"\0" * 1000,
    ):
        assert outcome(tmp_path / "step.json", other) == "refused"


def test_a_summary_is_read_and_shown(tmp_path):
    """A trace of which every value is a summary: the outcome of a recording without room."""
    tape = Tape(budget=Budget(0))
    with tape.recording():
        x = T.ones(300, requires_grad=True)
        loss = (x * x).sum()
        loss.backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            outcome(
                tmp_path / "step.json",
                json.dumps(saved(tmp_path, trace(loss, names_in({"x": x}), tape))),
            )
            == "shown"
        )

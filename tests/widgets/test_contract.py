"""The contract of all widgets.

- Everything that a first picture needs is sent when the widget is made.
- A difference between the engines is reported.
- A run that fails, or that the reader interrupts, is answered, and the widget goes on.
- Names and titles that look like markup stay text: in pictures, previews and saved pages.
"""

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from comm.base_comm import BaseComm
from ipywidgets.widgets import widget as ipywidgets_widget

import autograd_core
from autograd_core import follow
from autograd_core.lessons import lesson_04, lesson_14
from autograd_core.lessons.datasets import BOWL, RAVINE
from autograd_core.lessons.lesson_02 import doublings
from autograd_core.lessons.questions import quiz as quiz_module
from autograd_core.lessons.questions.predict import Prediction, predict
from autograd_core.lessons.questions.quiz import Quiz, quiz
from autograd_core.lessons.widgets.by_hand import calls_by_hand, optimizer_by_hand
from autograd_core.lessons.widgets.curves import curves
from autograd_core.lessons.widgets.film import film
from autograd_core.lessons.widgets.held_by import held_by
from autograd_core.lessons.widgets.ladder import ladder
from autograd_core.lessons.widgets.line_by_line import line_by_line
from autograd_core.lessons.widgets.live_graph import live_graph
from autograd_core.lessons.widgets.loss_tree import loss_tree
from autograd_core.lessons.widgets.memory_over_time import memory_over_time
from autograd_core.lessons.widgets.mining import mining
from autograd_core.lessons.widgets.paint import paint
from autograd_core.lessons.widgets.race import race
from autograd_core.lessons.widgets.reachable import reachable
from autograd_core.lessons.widgets.shards import shards
from autograd_core.lessons.widgets.snake import snake
from autograd_core.lessons.widgets.switchboard import switchboard
from autograd_core.lessons.widgets.unrolled import unrolled
from autograd_core.lessons.widgets.versions import typed
from autograd_core.lessons.widgets.ward import own, ward
from autograd_core.widgets import explore
from autograd_core.widgets.graph.explore import _Explored
from autograd_core.widgets.graph.follow import HistoryView
from autograd_core.widgets.graph.view import GraphView
from autograd_core.widgets.kit.bundle import Bundle, BundledWidget
from tests.lessons import (
    test_by_hand,
    test_curves,
    test_film,
    test_held_by,
    test_lesson_10,
    test_line_by_line,
    test_loss_tree,
    test_memory_over_time,
    test_mining,
    test_paint,
    test_race,
    test_reachable,
    test_shards,
    test_switchboard,
)
from tests.widgets import sample_traces

ENGINES = autograd_core, torch
WAITING = ["waiting", "not waiting"]
SHORT_RACES = [test_race.run_on(each, steps=10) for each in ENGINES]
HOSTILE = "</title></script><img src=x onerror=alert(1)>&lt;b>"


def empty_engine(name):
    return lesson_14.engine(type(name, (), {"__module__": "made"}))


def history(net=None):
    net = net or torch.nn.Linear(2, 1)
    return follow(net, torch.optim.SGD(net.parameters(), lr=0.1)).picture


class Run(NamedTuple):
    """A widget that compares a function on both engines: its class, the function on each of them,
    and the settings."""

    kind: Callable
    ours: Callable
    theirs: Callable
    settings: dict[str, Any]

    def widget(self, ours=None, theirs=None, **settings):
        return self.kind(ours or self.ours, theirs or self.theirs, **{**self.settings, **settings})


RUNS = {
    run.kind: run
    for run in (
        Run(curves, *[test_curves.run] * 2, test_curves.SETTINGS),
        Run(film, *[test_film.run] * 2, {"channels": test_film.CHANNELS, "slow": False}),
        Run(loss_tree, *[test_loss_tree.run] * 2, {"heads": test_loss_tree.HEADS}),
        Run(mining, *map(test_mining.run_on, ENGINES), {"taken": (2, 0, 5)}),
        Run(paint, *[test_paint.run] * 2, {**test_paint.SETTINGS}),
        Run(race, *SHORT_RACES, {"surface": BOWL, **test_race.SETTINGS}),
        Run(ladder, *map(doublings, ENGINES), {"lines": (3, 1, 5), "nodes_are": WAITING}),
        Run(shards, *[test_shards.run] * 2, {"ways": test_shards.WAYS}),
        Run(switchboard, *[test_switchboard.run] * 2, test_switchboard.SETTINGS),
    )
}
MAKERS = {
    Prediction: lambda: predict("91.1", "It is", ["this", "that"], result=lambda found: found),
    Quiz: lambda: quiz("after"),
    GraphView: lambda: typed("T.sqrt(w)", "h += 1"),
    _Explored: lambda: explore("a * b + sin(a)"),
    HistoryView: history,
    ward: lambda: ward("II"),
    own: lambda: named_loop("layer"),
    held_by: test_held_by.number,
    line_by_line: test_line_by_line.widget,
    live_graph: lesson_04.live_graph,
    lesson_14.engine: lambda: empty_engine("Tensor"),
    memory_over_time: test_memory_over_time.widget,
    reachable: lambda: reachable(test_reachable.run, test_reachable.run_on_torch),
    snake: test_lesson_10.small_film,
    unrolled: test_held_by.loop,
    optimizer_by_hand: lambda: named_game("a"),
    calls_by_hand: lambda: named_calls("Three calls"),
    **{kind: run.widget for kind, run in RUNS.items()},
}


class Told(BaseComm):
    """A comm that collects the messages of all comms."""

    messages: list[tuple[str, str, dict]] = []

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        self.messages.append((self.comm_id, msg_type, data))


@pytest.fixture
def messages(monkeypatch):
    monkeypatch.setattr(ipywidgets_widget.comm, "create_comm", Told)
    monkeypatch.setattr(Bundle, "_shared", None)
    monkeypatch.setattr(Told, "messages", [])
    return Told.messages


def leaves(kind):
    """The classes of the package below `kind` that have no subclass there."""
    below = [leaf for each in kind.__subclasses__() for leaf in leaves(each)]
    own = kind.__module__.startswith("autograd_core.") and not below
    return below or ([kind] if own else [])


def test_every_widget_of_the_package_is_made_here():
    assert {*leaves(BundledWidget)} <= {*MAKERS}


@pytest.mark.parametrize("kind", MAKERS, ids=lambda kind: kind.__name__)
def test_a_widget_is_made_with_one_message_for_each_model(messages, kind, tmp_path, monkeypatch):
    monkeypatch.setattr(quiz_module, "answers_file", lambda: tmp_path / "quiz.json")
    widget = MAKERS[kind]()
    assert type(widget) is kind
    assert {kind for _, kind, _ in messages} == {"comm_open"}, messages[-1]
    opened = {model: data["state"] for model, _, data in messages}
    assert len(opened) == len(messages)
    state = opened[widget.model_id]
    assert state["view"] and state["_model_module"] != "anywidget", "anywidget can ignore messages"
    (stub,) = widget.children
    assert state["children"] == [f"IPY_MODEL_{stub.model_id}"]
    assert opened[stub.model_id]["widget"] == f"anywidget:{widget.model_id}"
    assert state["bundle"] in {f"anywidget:{model}" for model in opened}
    order = list(opened)
    assert order.index(stub.model_id) < order.index(widget.model_id)


# ---- the engines are compared --------------------------------------------------------------------


def numbers_in(result: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The name, the container and the key of each number, tensor or array of floats in a result."""
    items = result.items() if isinstance(result, dict) else enumerate(result)
    for key, value in items:
        label = key if isinstance(key, str) else name
        if isinstance(value, dict | list | tuple):
            yield from numbers_in(value, label)
        elif isinstance(value, float) or "float" in str(getattr(value, "dtype", "")):
            yield label, result, key


def changeable(result: Any) -> Any:
    """A copy of a result in which every number can be changed."""
    if isinstance(result, dict):
        return {key: changeable(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [changeable(value) for value in result]
    return result.detach().clone() if hasattr(result, "detach") else copy.copy(result)


def planted(run: Callable, name: str, place: int) -> Callable:
    """The run with another number in the first (0) or the last (-1) place with this name."""

    def wrong(**settings: Any) -> Any:
        result = changeable(run(**settings))
        _, holder, key = [found for found in numbers_in(result) if found[0] == name][place]
        if getattr(holder[key], "shape", ()):
            np.asarray(holder[key]).flat[place] += 1e-6
        else:
            holder[key] = holder[key] + 1e-6
        return result

    return wrong


def names_in_result(kind: Any) -> list[str]:
    seen: list[Any] = []
    RUNS[kind].widget(
        theirs=lambda **settings: seen.append(RUNS[kind].theirs(**settings)) or seen[-1]
    )
    return list(dict.fromkeys(name for name, *_ in numbers_in(seen[0])))


@pytest.mark.parametrize("kind", RUNS, ids=lambda kind: kind.__name__)
def test_a_planted_difference_is_reported(kind):
    run = RUNS[kind]
    assert run.widget().verdict["text"].startswith("✓") and not run.widget().verdict["differs"]
    for name in names_in_result(kind):
        for place in (0, -1):
            verdict = run.widget(theirs=planted(run.theirs, name, place)).verdict
            assert verdict["differs"], (name, place)
            assert verdict["text"].startswith("The engines differ: ") and name in verdict["text"]


@pytest.mark.parametrize(
    "kind", [kind for kind in RUNS if kind.wanted], ids=lambda kind: kind.__name__
)
def test_a_result_without_its_names_is_refused(kind):
    first, run = kind.wanted[0], RUNS[kind]
    for result in ([1, 2], {first: 0.0}):
        with pytest.raises(TypeError, match=f"returns a dict with {first!r}"):
            run.kind(lambda result=result, **_: result, **run.settings)


# ---- a run that fails ----------------------------------------------------------------------------


def another(control: dict[str, Any]) -> Any:
    """Another value of a control."""
    if control["kind"] == "switch":
        return not control["value"]
    if control["kind"] == "choice":
        return next(each for each in control["choices"] if each != control["value"])
    return control["min"] if control["value"] != control["min"] else control["max"]


def receive(widget: Any, message: dict[str, Any]) -> None:
    """As the browser sends it. An interrupt that the widget lets through fails the test, and only it."""
    try:
        widget._received(widget, message, [])
    except KeyboardInterrupt:
        pytest.fail("the interrupt was not answered")


@pytest.mark.parametrize("error", [RuntimeError("no <b>room"), KeyboardInterrupt()], ids=type)
@pytest.mark.parametrize("kind", RUNS, ids=lambda kind: kind.__name__)
def test_after_a_run_that_failed_the_widget_goes_on(kind, error):
    run, failing, answers = RUNS[kind], [], []

    def fragile(**settings):
        if failing:
            raise error
        return run.ours(**settings)

    widget = run.widget(fragile)
    widget.send = answers.append
    control = widget.controls[0]
    change = {"kind": "change", "name": control["name"], "value": another(control)}
    failing.append(True)
    receive(widget, change)
    assert answers.pop()["error"] == f"{type(error).__name__}: {error}".strip()
    assert not widget.verdict.get("text", "").startswith("✓")
    failing.clear()
    receive(widget, change)
    assert answers == [{"kind": "answer", "error": ""}]
    assert widget.settings[control["name"]] == another(control)
    assert widget.verdict["text"].startswith("✓")


@pytest.mark.parametrize("error", [RuntimeError("no <b>room"), KeyboardInterrupt()], ids=type)
def test_after_a_change_that_failed_the_step_view_goes_on(error):
    failing, knob = [True], {"kind": "slider", "name": "w", "min": 0, "max": 1, "step": 0.1}

    def changed(name, value):
        if failing:
            raise error
        return sample_traces.logistic(w=(value, -0.4))

    view = GraphView(sample_traces.logistic(), controls=[{**knob, "value": 0.5}], on_change=changed)
    before = view.numbers
    receive(view, {"kind": "change", "name": "w", "value": 0.7})
    assert view.answer == {"change": 1, "error": str(error) or type(error).__name__}
    assert view.numbers == before
    failing.clear()
    receive(view, {"kind": "change", "name": "w", "value": 0.7})
    assert view.answer == {"change": 2, "error": ""} and view.numbers != before


# ---- hostile names -------------------------------------------------------------------------------


def named_graph(name: str) -> GraphView:
    trace = sample_traces.logistic()
    nodes = tuple(replace(node, label=node.label and name) for node in trace.nodes)
    source = tuple(name for _ in trace.source)
    return GraphView(replace(trace, nodes=nodes, source=source), title=name, note=name, notice=name)


def named_ward(name: str) -> ward:
    """A ward with an edited loop that contains and raises `name`."""
    widget = ward("I")
    widget.edit(f"net = network()\nraise ValueError({name!r})")
    return widget


def named_loop(name: str) -> own:
    """A loop whose parameters have this name."""

    def loop() -> None:
        net = torch.nn.Sequential(OrderedDict([(name, torch.nn.Linear(2, 1))]))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.ones(2)).sum().backward()
        optimizer.step()

    return own(loop)


def named_race(name: str) -> race:
    step = {"position": [0.0, 0.0], ".grad": [0.0, 0.0], "loss": 0.0}
    surface = RAVINE._replace(name=name, formula=name)
    return race(lambda **_: {"SGD": [step, step]}, surface=surface, title=name)


def named_prediction(name: str) -> Prediction:
    asked = predict(
        "91.3", name, [name, f"2 {name} | {name}"], result=lambda found: found, because=name
    )
    asked.settle({"found"}, {"found": 0})
    asked.answers = [0]
    return asked


def named_game(name: str) -> optimizer_by_hand:
    def loss(**numbers):
        return sum(each**2 for each in numbers.values())

    return optimizer_by_hand(loss, {name: 1.0, "b": 1.0}, by=0.5, lr=0.1, most=2, title=name)


def named_calls(name: str) -> calls_by_hand:
    options = {**test_by_hand.CALLS, "most": 2, "title": name}
    return calls_by_hand(test_by_hand.loss_of, {"w": 0.0}, **options)


def named(kind: Any) -> Callable:
    """Makes a widget whose names all come from a person."""
    run = RUNS[kind]
    return lambda name: run.widget(title=name)


NAMED = {
    Prediction: named_prediction,
    GraphView: named_graph,
    HistoryView: lambda name: history(
        torch.nn.Sequential(OrderedDict([(name, torch.nn.Linear(2, 1))]))
    ),
    curves: lambda name: curves(
        lambda: {name: {name: [1.0, 2.0], "b": [2.0, 1.0]}}, title=name, x=name, engine=name
    ),
    film: lambda name: film(test_film.run, channels=[name, "b"], title=name),
    snake: lambda name: test_lesson_10.small_film(title=name),
    ward: named_ward,
    own: named_loop,
    optimizer_by_hand: named_game,
    calls_by_hand: named_calls,
    loss_tree: lambda name: RUNS[loss_tree].widget(
        heads={"a": [name, "second"], "b": ["third"]}, title=name
    ),
    held_by: lambda name: held_by(
        lambda: {"value": 1.0, "spine": [(name, [])], "nodes": 1, "saved": None}, title=name
    ),
    line_by_line: lambda name: test_line_by_line.widget(maps={name: [name, name]}, title=name),
    live_graph: lambda name: live_graph(
        lambda backward: {name: [1.0, 2.0], "b": [2.0, 1.0]}, backward=[name, "b"], title=name
    ),
    lesson_14.engine: empty_engine,
    memory_over_time: lambda name: test_memory_over_time.widget(title=name),
    mining: named(mining),
    paint: lambda name: paint(
        lambda x, mask: {name: test_paint.run(x, mask, "all")["product"]},
        x=test_paint.X,
        mask=test_paint.MASK,
        title=name,
    ),
    race: named_race,
    reachable: lambda name: reachable(lambda: {name: test_reachable.run()["out2"]}, title=name),
    ladder: named(ladder),
    shards: named(shards),
    switchboard: named(switchboard),
    unrolled: lambda name: unrolled(
        lambda v: {"result": v, "gradient": 1.0, "sent": [1.0], "nodes": [name]},
        curve=[(1.0, 1.0, 1)],
        v=(1.0, 0.0, 2.0),
        title=name,
    ),
}


def texts_in(state: Any) -> Iterator[str]:
    """All texts in a state."""
    if isinstance(state, str):
        yield state
    elif isinstance(state, dict | list | tuple):
        for each in state.values() if isinstance(state, dict) else state:
            yield from texts_in(each)


class Elements(HTMLParser):
    """The elements of a page, and all its text, as a browser reads them."""

    def __init__(self, page: str):
        super().__init__()
        self.found: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found |= {tag, *(name for name, _ in attributes if name.startswith("on"))}

    def handle_data(self, data):
        self.texts.append(data)


def test_every_widget_that_shows_names_is_given_hostile_ones():
    """The questions of the quiz are fixed, and an expression refuses such names."""
    assert {*MAKERS} - {*NAMED} == {Quiz, _Explored}


@pytest.mark.parametrize("kind", NAMED, ids=lambda kind: kind.__name__)
def test_hostile_names_are_text(kind, tmp_path):
    widget = NAMED[kind](HOSTILE)
    preview, _ = widget._repr_mimebundle_()
    shown = [*texts_in(widget.get_state()), preview.get("image/svg+xml", "")]
    pictures = [text for text in shown if "</svg>" in text]
    told = [preview["text/plain"]]
    for picture in pictures:
        for element in ElementTree.fromstring(f"<all>{picture}</all>").iter():
            assert element.tag.rpartition("}")[2] not in ("img", "script")
            assert not any(name.startswith("on") for name in element.attrib)
            told.append(element.text or "")
    pages = [preview.get("text/html", "")]
    if hasattr(widget, "save"):
        widget.save(tmp_path / "page.html")
        pages.append((tmp_path / "page.html").read_text(encoding="utf-8"))
    for page in pages:
        elements = Elements(page)
        assert not elements.found & {"img", "onerror"}
        told += elements.texts
    assert any("<img" in text for text in told), "the name is shown"

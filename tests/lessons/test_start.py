"""The contract of all widgets: whatever a first picture needs is sent when the widget is made."""

import pytest
import torch
from comm.base_comm import BaseComm
from ipywidgets.widgets import widget as ipywidgets_widget

from autograd_core import follow
from autograd_core.lessons.questions import quiz as quiz_module
from autograd_core.lessons.questions.predict import Prediction, Settled, predict, predicted
from autograd_core.lessons.questions.quiz import Quiz, quiz
from autograd_core.lessons.widgets.by_hand import calls_by_hand, optimizer_by_hand
from autograd_core.lessons.widgets.curves import curves
from autograd_core.lessons.widgets.film import film
from autograd_core.lessons.widgets.gradient_table import gradient_table
from autograd_core.lessons.widgets.mining import mining
from autograd_core.lessons.widgets.paint import paint
from autograd_core.lessons.widgets.race import race
from autograd_core.lessons.widgets.shards import shards
from autograd_core.lessons.widgets.switchboard import switchboard
from autograd_core.lessons.widgets.versions import typed
from autograd_core.lessons.widgets.ward import ward
from autograd_core.widgets import explore
from autograd_core.widgets.graph.explore import _Explored
from autograd_core.widgets.graph.follow import HistoryView
from autograd_core.widgets.graph.view import GraphView
from autograd_core.widgets.kit.bundle import Bundle, BundledWidget
from autograd_core.widgets.kit.live import Live
from tests.lessons import (
    test_by_hand,
    test_curves,
    test_film,
    test_gradient_table,
    test_mining,
    test_paint,
    test_race,
    test_shards,
    test_switchboard,
    test_ward,
)


def history():
    net = torch.nn.Linear(2, 1)
    return follow(net, torch.optim.SGD(net.parameters(), lr=0.1)).picture


MAKERS = {
    Prediction: lambda: predict("91.1", "It is", ["this", "that"]),
    Settled: lambda: predicted("91.2", 0),
    Quiz: lambda: quiz("after"),
    GraphView: lambda: typed("T.sqrt(w)", "h += 1"),
    _Explored: lambda: explore("a * b + sin(a)"),
    HistoryView: history,
    curves: lambda: curves(test_curves.run, test_curves.run, **test_curves.SETTINGS),
    film: lambda: film(test_film.run, test_film.run, channels=test_film.CHANNELS),
    ward: lambda: ward(test_ward.lesson(torch), None, test_ward.ALL, only=["3", "7"]),
    optimizer_by_hand: test_by_hand.game_of_00,
    calls_by_hand: test_by_hand.calls_of_03,
    gradient_table: test_gradient_table.table,
    mining: test_mining.widget_of,
    paint: test_paint.painted,
    race: test_race.widget_of,
    shards: test_shards.widget,
    switchboard: test_switchboard.board,
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


def test_a_failed_run_leaves_no_earlier_verdict():
    class Number(Live):
        def draw(self, ours, theirs):
            return {"number": ours["number"]}

    def run(fail):
        return {"number": 1.0}

    def other(fail):
        if fail:
            raise ValueError("no")
        return {"number": 1.0}

    widget = Number(run, other, fail=False)
    assert widget.verdict["text"].startswith("✓")
    widget._received(widget, {"kind": "change", "name": "fail", "value": True}, [])
    assert widget.verdict == {}

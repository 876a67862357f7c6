"""A model of one's own opens on the answer, at its real size."""

import json

import torch

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import names_in, summary
from autograd_core.trace.verdicts import Verdicts
from autograd_core.widgets import GraphView, watch
from tests.trace.models import resnet_loss


def numbers(view):
    return json.loads(view.numbers)[0]


def line(view):
    return "".join(text for _, text, _ in numbers(view)["line"])


def alarms(view):
    return [text for style, text, _ in numbers(view)["line"] if style == "bad"]


def test_a_frozen_backbone_is_grey_and_no_alarm():
    net, make_loss = resnet_loss(32)
    net.requires_grad_(False)
    net.eval().fc.requires_grad_(True)
    with watching():
        loss = make_loss()
    view = watch(loss, {"net": net})
    assert view.event == len(view.trace.events)
    counts = "62 parameters: 2 trained, 60 frozen (requires_grad=False), 0 cut."
    assert line(view).startswith(f"{counts} Gradients 0.71 to 0.74. No nan.")
    assert alarms(view) == [] and view.structure["notice"] == ""
    frozen = [parameter["frozen"] for parameter in view.structure["parameters"]]
    assert frozen == [True] * 60 + [False] * 2
    severed = {i for i, node in enumerate(view.trace.nodes) if node.kind == "severed"}
    assert severed and severed <= set(Verdicts(view.trace).frozen), "all of the backbone"
    modules = {node.module.partition(".")[2].partition(".")[0] for node in view.trace.nodes}
    assert modules >= {"conv1", "layer1", "layer4", "fc"}
    net.train()
    with watching():
        loss = make_loss()
    view = watch(loss, {"net": net})
    (place,) = [
        place for style, text, place in numbers(view)["line"] if text == "Mistakes: buffers"
    ]
    assert view.trace.nodes[place[1]].module == "net.bn1" and place[0] == "node"


def test_a_gradient_of_zero_is_an_alarm_and_leads_to_the_first():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    net[0].bias.data.fill_(-100)
    view = watch(net(torch.ones(2, 3)).sum(), net)
    assert "3 with a gradient of 0" in alarms(view)
    (place,) = (place for _, text, place in numbers(view)["line"] if text.endswith("of 0"))
    assert view.trace.nodes[place[1]].name == "ReluBackward0", "where it begins"


def test_a_nan_is_an_alarm_at_its_event_whatever_was_kept(monkeypatch):
    net, make_loss = resnet_loss(32, plant=torch.log1p)
    monkeypatch.setattr(summary, "MOST", 0)
    with watching():
        loss = make_loss()
    view = watch(loss, {"net": net})
    counted = "62 with nan or inf in the gradient"
    assert alarms(view) == [counted, "First nan at Log1PBackward0 in net"]
    assert numbers(view)["firsts"] == [["nan", 3, None]]


def test_a_small_graph_and_one_of_two_engines_open_at_the_beginning():
    x = torch.ones(3, requires_grad=True)
    small = watch((x * 2).sum())
    assert small.event == 0 and numbers(small)["line"] == []
    losses = []
    for T in (autograd_core, torch):
        T.manual_seed(0)
        net = T.nn.Sequential(*[T.nn.Linear(2, 2) for _ in range(12)])
        losses.append(net(T.ones(1, 2)).sum())
    assert watch(*losses).event == 0
    assert watch(losses[1], net).event > 0 and watch(losses[1], net, event=0).event == 0


def test_the_map_of_what_was_not_kept_says_so_and_the_view_goes_on(monkeypatch):
    net, make_loss = resnet_loss(32)
    monkeypatch.setattr(summary, "MOST", 0)
    with watching():
        loss = make_loss()
    view, sent = watch(loss), []
    view.send = lambda content, buffers=None: sent.append(content)
    place = [node.name for node in view.trace.nodes].index("ConvolutionBackward0")
    view._received(view, {"kind": "map", "engine": 0, "place": ["value", place], "plane": 0}, [])
    assert "its 32,768 numbers were not kept" in sent[0]["error"]
    assert isinstance(view.svg(), str)


def test_a_small_model_has_its_line_and_opens_on_its_nan_a_lessons_two_engines_have_none():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    with watching():
        loss = net(torch.ones(4, 3)).square().mean()
    view = watch(loss, net)
    assert view.event == len(view.trace.events) and line(view).startswith("4 parameters: ")
    both = GraphView(view.trace, other=view.trace)
    assert line(both) == "" and watch(view.trace, view.trace).event == 0
    with watching():
        loss = torch.log(net(torch.ones(4, 3)) * 0).sum() * 0
    view = watch(loss, net)
    found = next(each for each in Verdicts(view.trace).values.firsts if each.word == "nan")
    assert view.event == found.event < len(view.trace.events)


def test_the_box_of_the_loss_has_the_learners_name_for_it():
    net, _ = resnet_loss(32)
    with watching():
        kept = (net(torch.ones(2, 3, 32, 32)) * 0.5).tanh().square().mean()
    names = {box.get("name") for box in watch(kept, names=names_in({"kept": kept})).drawn["boxes"]}
    assert "kept" in names

"""The last cell of each lesson: the learner's loop is shown, and whatever goes wrong in it ends in
one message.
"""

import pytest
import torch

import autograd_core
from autograd_core.lessons.own_loop import watch_own
from autograd_core.widgets import GraphView


def network_and_loss(engine=torch):
    net = engine.nn.Linear(3, 1)
    return net(engine.ones(4, 3)).square().mean(), net


@pytest.mark.parametrize("engine", [torch, autograd_core])
def test_a_loss_of_either_engine_is_shown_with_the_names_of_its_network(engine):
    view = watch_own(lambda: network_and_loss(engine))
    assert isinstance(view, GraphView) and "net.weight" in str(view.trace)
    assert isinstance(watch_own(lambda: network_and_loss(engine)[0]), GraphView)


@pytest.mark.parametrize("engine", [torch, autograd_core])
def test_the_names_of_the_function_are_those_of_the_view(engine):
    def my_loop():
        w, b = (engine.tensor(number, requires_grad=True) for number in (2.0, 0.5))
        return (w * 3.0 + b - 1.0) ** 2

    trace = watch_own(my_loop).trace
    assert {"w", "b"} <= {node.label for node in trace.nodes}, [node.label for node in trace.nodes]


def test_where_a_path_was_cut_is_told():
    def cut():
        net = torch.nn.ModuleDict({"a": torch.nn.Linear(3, 3), "b": torch.nn.Linear(3, 1)})
        with torch.no_grad():
            h = net["a"](torch.ones(4, 3))
        loss = net["b"](h).mean()
        loss.backward()
        return loss, net

    trace = watch_own(cut).trace
    # backward has freed it: nothing but the loop itself holds this one
    assert "h" in {node.label for node in trace.nodes}
    reasons = {p.name: p.reason for p in trace.parameters}
    assert reasons["net.a.weight"] and not reasons["net.b.weight"]


def raises():
    return torch.ones(2) @ torch.ones(3)


def interrupted():
    raise KeyboardInterrupt


WRONG = [
    (3, "watch_own takes a function, without calling it: watch_own(my_loop). Got an int."),
    (raises, "raises() raises RuntimeError: "),
    (raises, "return torch.ones(2) @ torch.ones(3)"),
    (interrupted, "interrupted() was interrupted before it returned. Does its loop end?"),
    (lambda: exit(), "raises SystemExit"),
    (lambda: None, "returns None: a return is missing"),
    (lambda: 3.0, "returns a float. A loss is asked for"),
    (lambda: [1], "returns a list."),
    (lambda: torch.ones(()), "cannot be shown: RuntimeError: This loss does not require grad"),
    (lambda: torch.ones(3, requires_grad=True) * 2, "RuntimeError: grad can be implicitly created"),
]


@pytest.mark.parametrize("loop, words", WRONG)
def test_what_goes_wrong_ends_in_one_message(loop, words):
    message = watch_own(loop)
    assert words in repr(message) and len(repr(message).splitlines()) == 1
    assert "<div" in message._repr_html_()


def test_of_ten_thousand_printed_lines_few_are_shown(capsys):
    def noisy():
        for line in range(10_000):
            print(line)
        return network_and_loss()

    assert isinstance(watch_own(noisy), GraphView)
    assert len(capsys.readouterr().out.splitlines()) < 30

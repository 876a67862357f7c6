"""A graph of PyTorch's that ends the process once it was looked at is refused before; one of ours
is not.
"""

import contextlib
import gc
import subprocess
import sys

import pytest
import torch

import autograd_core
from autograd_core.parity import torch_tape
from autograd_core.trace import follow, graph_size, nodes, report, trace
from autograd_core.trace.nodes import MOST_BEARABLE, MOST_LOOKED_AT, looks
from autograd_core.widgets import watch

LOOKS = {"trace": trace, "graph_size": graph_size, "report": report, "watch": watch}
SCRIPT = """
import gc, sys
import torch
from tests.widgets.test_too_large import LOOKS, chain
loss = chain(torch, int(sys.argv[1]))
for _ in range(2):
    try:
        LOOKS[sys.argv[2]](loss)
    except ValueError as refused:
        print(refused)
gc.collect()
del loss
gc.collect()
print("alive")
"""


def chain(T, count, x=None):
    x = T.ones((), requires_grad=True) if x is None else x
    for _ in range(count):
        x = x + 1
    return x


@pytest.fixture
def small_limits(monkeypatch):
    """The limits are a hundredth of what they are."""
    monkeypatch.setattr(nodes, "MOST_BEARABLE", MOST_BEARABLE // 100)
    monkeypatch.setattr(torch_tape, "MOST_BEARABLE", MOST_BEARABLE // 100)
    monkeypatch.setattr(nodes, "MOST_LOOKED_AT", MOST_LOOKED_AT // 100)
    gc.collect()
    looks.made = nodes.MOST_LOOKED_AT  # so that it counts what is held
    already = len(looks.known())
    monkeypatch.setattr(nodes, "MOST_LOOKED_AT", nodes.MOST_LOOKED_AT + already)


def held():
    """How many of PyTorch's nodes were looked at and are held."""
    looks.made = nodes.MOST_LOOKED_AT
    return len(looks.known())


@pytest.mark.parametrize("look", LOOKS)
def test_more_nodes_than_pytorch_bears_are_refused_whatever_is_asked(look, small_limits):
    loss = chain(torch, nodes.MOST_BEARABLE + 1)
    told = r"more than 200 nodes.*Cut the graph off .* by detach\(\), or take fewer steps"
    with pytest.raises(ValueError, match=told):
        LOOKS[look](loss)


@pytest.mark.parametrize("look", LOOKS)
def test_looks_at_a_growing_graph_never_add_up_to_more_than_pytorch_bears(look, small_limits):
    loss = None
    for _ in range(4):
        loss = chain(torch, 150, loss)
        with contextlib.suppress(ValueError):
            graph_size(loss)
    with pytest.raises(ValueError, match="still exist.*delete earlier losses"):
        LOOKS[look](loss)
    assert held() < nodes.MOST_LOOKED_AT + 10
    del loss
    gc.collect()
    assert LOOKS[look](chain(torch, 3)) is not None


def test_of_what_keeps_its_gradient_elsewhere_nothing_is_looked_at():
    """So many would end the process too."""
    kept = [chain(torch, 1)]
    for _ in range(100):
        kept.append(kept[-1] + 1)
        kept[-1].retain_grad()
    kept[-1].grad = torch.tensor(3.0)
    before = held()
    assert trace(chain(torch, 3)) is not None
    assert held() <= before + 4 and kept[-1].grad == 3


@pytest.mark.parametrize("look", [trace, graph_size])
def test_as_many_of_ours_are_looked_at(look, small_limits):
    assert look(chain(autograd_core, nodes.MOST_BEARABLE + 1)) is not None


@pytest.mark.parametrize("T", [torch, autograd_core])
def test_follow_looks_at_no_graph_after_such_a_one(T):
    """A new part of a graph that grows would be looked at in each step. Ours may be looked at."""
    model, ours = T.nn.Linear(1, 1, bias=False), T is autograd_core
    optimizer = T.optim.SGD(model.parameters(), lr=1e-3)
    with follow(model, optimizer) as history:
        for count in (3, MOST_BEARABLE, 3):
            (chain(T, count) * model.weight.sum()).backward()
            optimizer.step()
    assert list(history.nodes > 0) == [True, False, ours]
    assert len(history) == 3 and model.weight.grad is not None


STEPS = """
import torch
import autograd_core
from autograd_core.parity import watching
from autograd_core.parity.both import Session
session, loss = Session({}), torch.ones((), requires_grad=True)
session.run("loss = T.ones((), requires_grad=True)")
for _ in range(4):
    EACH
"""
EACH = {
    "watching": "with watching():\n        for _ in range(15_000): loss = loss + 1",
    "backward": "with watching():\n        loss.backward(retain_graph=True)\n    for _ in range(15_000): loss = loss + 1",
    "both": "session.run('for _ in range(15_000): loss = loss + 1')",
    "unwatched": "session.run('for _ in range(15_000): loss = loss + 1', 'unwatched')",
}


@pytest.mark.parametrize("each", EACH)
def test_recordings_of_a_growing_graph_never_add_up_to_more_than_pytorch_bears(each, small_limits):
    names = {}
    exec(STEPS.replace("EACH", EACH[each]).replace("15_000", "150"), names)
    assert held() < nodes.MOST_LOOKED_AT + 10
    assert names["loss"] is not None


def said_by(script, *arguments):
    """What a process prints that lives to its end."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-500:]}"
    return done.stdout


@pytest.mark.prove
@pytest.mark.parametrize("each", EACH)
def test_the_process_lives_while_a_graph_grows_in_one_recording_after_the_other(each):
    script = f"{STEPS.replace('EACH', EACH[each])}del loss, session\nprint('alive')"
    assert said_by(script).endswith("alive\n")


@pytest.mark.prove
@pytest.mark.parametrize("count", [19_000, 45_000, 60_000, 200_000])
@pytest.mark.parametrize("look", LOOKS)
def test_the_process_lives(count, look):
    said = said_by(SCRIPT, str(count), look)
    assert said.endswith("alive\n")
    assert ("more than 20,000" in said) == (count > MOST_BEARABLE)


GROWS = """
import torch
from autograd_core.parity import torch_tape
from autograd_core.trace import follow
model = torch.nn.Linear(1, 1, bias=False)
optimizer, loss = torch.optim.SGD(model.parameters(), lr=1e-9), 0
with follow(model, optimizer) as history:
    for step in range(60):
        loss = loss + model.weight.sum()
        for _ in range(1_000):
            loss = loss * 1
        history.log(loss)
        optimizer.step()
del loss
print("alive")
"""


@pytest.mark.prove
def test_the_process_lives_where_a_graph_grows():
    assert said_by(GROWS) == "alive\n"

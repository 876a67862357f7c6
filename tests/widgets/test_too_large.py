"""A graph of PyTorch's that ends the process once it was looked at is refused before; one of ours
is not.
"""

import subprocess
import sys

import pytest
import torch

import autograd_core
from autograd_core.parity import torch_tape, watching
from autograd_core.trace import follow, graph_size, nodes, report, trace
from autograd_core.trace.nodes import MOST_NODES
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
    """The limit is a hundredth of what it is."""
    monkeypatch.setattr(nodes, "MOST_NODES", MOST_NODES // 100)


@pytest.mark.parametrize("look", LOOKS)
def test_more_nodes_than_pytorch_bears_are_refused_whatever_is_asked(look, small_limits):
    loss = chain(torch, nodes.MOST_NODES + 1)
    told = r"more than 200 nodes.*Cut the graph off .* by detach\(\), take fewer steps"
    with pytest.raises(ValueError, match=told):
        LOOKS[look](loss)


@pytest.mark.parametrize("look", [trace, graph_size])
def test_as_many_of_ours_are_looked_at(look, small_limits):
    assert look(chain(autograd_core, nodes.MOST_NODES + 1)) is not None


def test_a_recording_ends_where_more_nodes_were_visited_than_pytorch_bears(monkeypatch):
    monkeypatch.setattr(torch_tape, "MOST_NODES", 200)
    with watching():
        loss = chain(torch, 300)
        recorded = trace(loss)
    known = [node.value is not None for node in recorded.nodes if node.kind == "operation"]
    assert known[:200] == [True] * 200 and known[210:-1] == [False] * len(known[210:-1])


@pytest.mark.parametrize("T", [torch, autograd_core])
def test_follow_looks_at_no_graph_after_such_a_one(T):
    """A new part of a graph that grows would be looked at in each step. Ours may be looked at."""
    model, ours = T.nn.Linear(1, 1, bias=False), T is autograd_core
    optimizer = T.optim.SGD(model.parameters(), lr=1e-3)
    with follow(model, optimizer) as history:
        for count in (3, MOST_NODES, 3):
            (chain(T, count) * model.weight.sum()).backward()
            optimizer.step()
    assert list(history.nodes > 0) == [True, False, ours]
    assert len(history) == 3 and model.weight.grad is not None


def said_by(script, *arguments):
    """What a process prints that lives to its end."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-500:]}"
    return done.stdout


@pytest.mark.prove
@pytest.mark.parametrize("count", [19_000, 45_000, 60_000, 200_000])
@pytest.mark.parametrize("look", LOOKS)
def test_the_process_lives(count, look):
    said = said_by(SCRIPT, str(count), look)
    assert said.endswith("alive\n")
    assert ("more than 20,000" in said) == (count > MOST_NODES)


GROWS = """
import torch
from autograd_core.parity import torch_tape, watching
from autograd_core.trace import follow
model = torch.nn.Linear(1, 1, bias=False)
optimizer, loss = torch.optim.SGD(model.parameters(), lr=1e-9), 0
with follow(model, optimizer) as history:
    for step in range(60):
        loss = loss + model.weight.sum()
        for _ in range(1_000):
            loss = loss * 1
        loss.backward(retain_graph=True)
        optimizer.step()
del loss
print("alive")
"""


@pytest.mark.prove
def test_the_process_lives_where_a_graph_grows():
    assert said_by(GROWS) == "alive\n"

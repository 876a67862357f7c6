"""`graph_size`: the nodes that tensors keep alive, and the bytes that these have saved, on both
engines. Graphs that grow over several recordings.
"""

import subprocess
import sys

import pytest
import torch

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import graph_size, nodes, report

ENGINES = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "torch"])


def leaf(T, *shape):
    return T.ones(*shape, dtype=T.float64).requires_grad_()


@ENGINES
def test_what_a_rule_needs_is_counted_once(T):
    x = leaf(T, 1000)
    assert graph_size(T.exp(x)) == (2, 8000)
    # the result of one is the input of the other
    assert graph_size(T.sin(T.exp(x))) == (3, 8000)
    assert graph_size(T.exp(T.exp(x))) == (3, 16000)
    assert graph_size(x + 1) == (2, 0)


@ENGINES
def test_leaves_count_nothing_and_data_does(T):
    weight, x = leaf(T, 30, 10), T.ones(50, 30, dtype=T.float64)
    assert graph_size(x @ weight) == (2, x.numel() * 8)
    assert graph_size(leaf(T, 50, 30) @ weight) == (3, 0)


@ENGINES
def test_backward_frees_what_was_saved_and_leaves_the_nodes(T):
    loss = T.exp(leaf(T, 1000)).sum()
    loss.backward(retain_graph=True)
    assert graph_size(loss) == (3, 8000)
    loss.backward()
    assert graph_size(loss) == (3, 0)


@ENGINES
def test_shared_nodes_count_once(T):
    h = T.exp(leaf(T, 10))
    assert graph_size(h.sum(), h.mean()) == (4, 80)


@ENGINES
def test_what_has_no_graph_counts_nothing(T):
    assert graph_size() == graph_size(T.ones(3), 2.5, None) == (0, 0)


def test_a_network_is_as_large_on_both_engines():
    sizes = []
    for T in (autograd_core, torch):
        net = T.nn.Sequential(
            T.nn.Linear(20, 30), T.nn.Tanh(), T.nn.Linear(30, 5), T.nn.ReLU(), T.nn.Sigmoid()
        )
        sizes.append(graph_size(T.nn.functional.mse_loss(net(T.ones(8, 20)), T.ones(8, 5))))
    assert sizes[0] == sizes[1] and sizes[0][1] > 0


GROWS = """
import torch
from autograd_core import report, watching
x = torch.ones((), requires_grad=True)
for _ in range(4):
    with watching():
        for _ in range(15_000):
            x = x + 1
    try:
        report(x)
    except ValueError as error:
        print(error)
del x
print("alive")
"""


def test_the_process_lives_if_a_graph_grows_over_several_recordings():
    """PyTorch frees visited nodes by recursion: 60,000 of them need more than 8 MB of stack."""
    done = subprocess.run([sys.executable, "-c", GROWS], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("alive\n"), done.stderr[-500:]
    assert done.stdout.count("more than 20,000 nodes") == 3


def test_visited_nodes_count_until_they_are_freed(monkeypatch):
    before = nodes.Visit.alive
    monkeypatch.setattr(nodes, "MOST_ALIVE", before + 100)
    first = second = leaf(torch, 3)
    for _ in range(80):
        first, second = first + 1, second + 1
    first, second = first.sum(), second.sum()
    report(first)
    assert nodes.Visit.alive == before + 81
    for _ in range(2):
        with pytest.raises(ValueError, match="delete earlier losses"):
            report(second)
        report(first)
    del first
    assert nodes.Visit.alive < before + 60
    report(second)


def test_a_long_recurrent_loop_gets_a_sentence_with_a_fix():
    cell, h = torch.nn.RNNCell(2, 3), torch.zeros(1, 3)
    with watching():
        for _ in range(4_001):
            h = cell(torch.ones(1, 2), h)
    with pytest.raises(ValueError, match=r"more than 20,000 nodes.* take fewer steps"):
        report(h.mean(), cell)

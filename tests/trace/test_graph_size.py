"""`graph_size`: the nodes that tensors keep alive, and the bytes that these have saved, on both
engines.
"""

import pytest
import torch

import autograd_core
from autograd_core.trace import graph_size

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

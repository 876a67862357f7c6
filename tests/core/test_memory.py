"""What a graph costs and when it goes: long chains, no recursion, no reference cycles."""

import contextlib
import gc
import sys
import weakref

import pytest

import autograd_core as T
from autograd_core.core.graph import FREED
from tests.autograd.test_function import cube, scaled_pair

CHAIN = 100_000


@contextlib.contextmanager
def without_collector():
    """No cyclic garbage collection inside the block: what goes there goes by itself."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def test_a_long_chain_needs_no_recursion():
    """Built, walked back and deleted; its depth is a hundred times Python's recursion limit."""
    assert sys.getrecursionlimit() < CHAIN / 50
    x = T.tensor(1.0, dtype=T.float64, requires_grad=True)
    y = x
    for _ in range(CHAIN):
        y = y + x
    y.backward()
    assert x.grad.item() == CHAIN + 1
    first = weakref.ref(y.grad_fn)
    del y
    assert first() is None


def test_a_long_chain_is_deleted_unused():
    with without_collector():
        x = T.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(CHAIN):
            y = y * 1.0
        last = weakref.ref(y.grad_fn)
        del y
        assert last() is None


PROGRAMS = {
    "arithmetic": lambda x: ((x * x + 1).exp() / x).sum(),
    "saved results": lambda x: x.exp().tanh().sigmoid().sqrt().sum(),
    "views": lambda x: x.view(2, 2).t()[0].unsqueeze(0).sum(),
    "several outputs": lambda x: sum(part.sum() for part in x.split(1)) + x.unbind()[0],
    "products": lambda x: (x.view(2, 2) @ x.view(2, 2)).softmax(1).log().sum(),
    "in place": lambda x: (x * 1).add_(1).mul_(x).exp_().sum(),
    "indexing": lambda x: x[[0, 0, 1]].sum() + x[x > 0].sum() + T.where(x > 0, x, 0).max(),
    "losses": lambda x: (
        T.nn.functional.mse_loss(x, x * 2) + T.nn.functional.cross_entropy(x, T.tensor(1))
    ),
    "functions of one's own": lambda x: sum(t.sum() for t in scaled_pair(T)(cube(T)(x), 2, x)[:2]),
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_dropping_the_result_frees_the_graph_at_once(program, create_graph):
    with without_collector():
        x = T.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
        for run_backward in (False, True):
            y = program(x)
            nodes = [weakref.ref(node) for node in nodes_below(y.grad_fn)]
            if run_backward:
                (gradient,) = T.autograd.grad(y, x, create_graph=create_graph)
                del gradient
            del y
            assert not [node() for node in nodes if node() is not None]


def nodes_below(root):
    found, stack = set(), [root]
    while stack:
        node = stack.pop()
        if node is not None and node not in found:
            found.add(node)
            stack += [producer for producer, _ in node.next_functions]
    return found


def test_hooks_and_retained_gradients_make_no_cycle():
    with without_collector():
        x = T.ones(2, requires_grad=True)
        h = x * 2
        h.retain_grad()
        for tensor in (x, h):
            tensor.register_hook(lambda g: g)
        h.grad_fn.register_hook(lambda sent, arrived: None)
        (h * h).sum().backward()
        watched = [weakref.ref(each) for each in (h, h.grad_fn, x)]
        del h, x, tensor
        assert [w() for w in watched] == [None, None, None]


def test_a_network_dies_and_its_loss_lives_on():
    with without_collector():
        net = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.ReLU(), T.nn.Linear(4, 1))
        loss = net(T.ones(2, 3)).sigmoid().mean()
        weight, module = net[0].weight, weakref.ref(net)
        del net
        assert module() is None
        loss.backward()
        assert weight.grad is not None


def test_an_interior_tensor_lives_only_while_it_is_needed():
    with without_collector():
        x = T.ones(3, requires_grad=True)
        h = x + 1
        watched, y = weakref.ref(h), h * 2
        del h
        assert watched() is None and y.requires_grad


def test_saved_tensors_are_released_as_soon_as_a_node_has_run():
    x = T.ones(2, requires_grad=True)
    h = x.exp()
    y = h.log()
    released = []
    x.register_hook(lambda g: released.append([n.saved is FREED for n in (y.grad_fn, h.grad_fn)]))
    y.sum().backward()
    assert released == [[True, True]]
    assert y.grad_fn.next_functions == ((h.grad_fn, 0),)  # the husk stays


def test_an_error_in_a_hook_leaves_nothing_behind():
    with without_collector():
        x = T.ones(2, requires_grad=True)
        y = x.exp().sum()
        x.register_hook(lambda g: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            y.backward()
        assert T.is_grad_enabled() and x.grad is None

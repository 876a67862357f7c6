"""Full backward hooks of modules: what they see, what they change, the nodes they add."""

import warnings

import numpy as np
import pytest

from tests.engines import ENGINES, numbers, raised


class Split(ENGINES[0].nn.Module):
    """Two results, one argument that is no tensor; on PyTorch the class of the same name below."""

    def forward(self, x, times, y):
        return x * times + y, x.exp()


def twin_of(T):
    """A network on engine `T` with equal float64 parameters, and the list that its hooks fill."""
    T.manual_seed(0)
    net = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Tanh(), T.nn.Linear(4, 2)).double()
    return net, T.linspace(-1, 1, 6, dtype=T.float64).reshape(2, 3), []


def described(gradients):
    return [None if g is None else numbers(g).tolist() for g in gradients]


def names(root):
    """Node names from the loss on, breadth first."""
    found, queue = [], [root.grad_fn]
    while queue:
        node = queue.pop(0)
        found.append(node.name())
        queue += [producer for producer, _ in node.next_functions if producer]
    return found


def outcome(T, change=None, frozen_input=False, places=(0, 2)):
    net, x, seen = twin_of(T)
    x.requires_grad_(not frozen_input)

    def hook(module, grad_input, grad_output):
        seen.append((type(module).__name__, described(grad_input), described(grad_output)))
        return change and change(grad_input)

    handles = [net[place].register_full_backward_hook(hook) for place in places]
    loss = (net(x) ** 2).sum()
    graph = names(loss)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        loss.backward()
    for handle in handles:
        handle.remove()
    count = len(seen)
    (net(x) ** 2).sum().backward()
    assert len(seen) == count, "a removed hook is not called"
    gradients = [numbers(p.grad) for p in net.parameters()]
    return seen, graph, gradients, len(warned), None if frozen_input else numbers(x.grad)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"places": (1,)},
        {"places": (0, 0, 1, 2)},
        {"frozen_input": True},
        {"change": lambda grads: tuple(None if g is None else 2 * g for g in grads)},
        {"change": lambda grads: tuple(None for g in grads), "frozen_input": True, "places": (0,)},
    ],
)
def test_hooks_see_and_change_as_in_pytorch(options):
    ours, theirs = (outcome(T, **options) for T in ENGINES)
    assert (
        [s[0] for s in ours[0]] == [s[0] for s in theirs[0]]
        and ours[1] == theirs[1]
        and ours[3] == theirs[3]
    )
    for (_, *a), (_, *b) in zip(ours[0], theirs[0], strict=True):
        for mine, yours in zip(a[0] + a[1], b[0] + b[1], strict=True):
            assert (mine is None) == (yours is None)
            assert mine is None or np.allclose(mine, yours, rtol=0, atol=1e-10)
    for mine, yours in zip(ours[2], theirs[2], strict=True):
        np.testing.assert_allclose(mine, yours, rtol=0, atol=1e-10)
    if ours[4] is not None:
        np.testing.assert_allclose(ours[4], theirs[4], rtol=0, atol=1e-10)


def test_arguments_that_are_no_tensors_and_several_results():
    seen = []
    for T in ENGINES:
        module = type("Split", (T.nn.Module,), {"forward": Split.forward})()
        module.register_full_backward_hook(
            lambda m, gi, go: seen.append((described(gi), described(go)))
        )
        x, y = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([3.0, 4.0])
        a, b = module(x, 3, y)
        (a.sum() + 2 * b.sum()).backward()
        assert a.grad_fn is b.grad_fn
    assert [len(part) for part in seen[0]] == [3, 2] and seen[0][0][1] is None
    np.testing.assert_allclose(seen[0][0][0], seen[1][0][0], rtol=1e-6)
    assert seen[0][1] == seen[1][1] and seen[0][0][1:] == seen[1][0][1:]


@pytest.mark.parametrize("change", [lambda grads: (), lambda grads: (*grads, None)])
def test_a_wrong_number_of_gradients_is_refused(change):
    for T in ENGINES:
        error = raised(lambda: outcome(T, change=change))
        assert type(
            error
        ) is RuntimeError and "Backward hook returned an invalid number of grad_input" in str(error)


def test_no_hook_under_no_grad():
    for T in ENGINES:
        net, x, seen = twin_of(T)
        net[0].register_full_backward_hook(lambda *_: seen.append(1))
        with T.no_grad():
            assert net(x).grad_fn is None and seen == []

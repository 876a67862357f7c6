"""The graph and the order of the walk back, against PyTorch; what is kept and what is freed."""

import pytest

from tests.engines import ENGINES, assert_same_steps, backward, graph, leaves, on_both, raised


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13, 30])
def test_leaves_that_are_ready_together_run_in_the_order_of_a_heap(count):
    steps = []
    for T in ENGINES:
        inputs = leaves(T, count, 2)
        order = []
        for i, leaf in enumerate(inputs):
            leaf.register_hook(lambda g, i=i: order.append(i))
        rows = T.stack(inputs)
        steps.append((backward(T, [(rows * rows).sum()]), order))
    assert_same_steps(steps[0][0], steps[1][0])
    assert steps[0][1] == steps[1][1]


@on_both
def test_several_roots(T):
    a, b = leaves(T, 2, 2)
    y, z = (a * b), (a + b).exp()
    one = T.ones_like(a)
    return backward(T, [y, z, a, y], [one, z.detach(), one, one]), a.grad, b.grad


@on_both
def test_a_leaf_as_root(T):
    (a,) = leaves(T, 1)
    a.backward()
    return a.grad, raised(a.backward), a.grad


@on_both
def test_constants_have_a_place_among_the_inputs(T):
    (a,) = leaves(T, 1, 2)
    return graph([a * T.ones(2, dtype=T.float64) + 1]), (a + 1).grad_fn.next_functions[1]


@on_both
def test_an_input_that_never_counts_gets_zeros_and_one_that_is_not_there_none(T):
    a, b, c = leaves(T, 3, 2)
    (a + 0 * b).sum().backward()
    return a.grad, b.grad, c.grad


# ---- keeping, freeing ----------------------------------------------------------------------------


@on_both
def test_part_of_a_graph_freed(T):
    (a,) = leaves(T, 1, 2)
    trunk = a.exp()
    one, two = trunk.sum(), (trunk + 1).sum()
    one.backward()
    return raised(two.backward), a.grad


@on_both
def test_retain_graph(T):
    a, b = leaves(T, 2, 2)
    y = (a * b).exp().sum()
    results = []
    for _ in range(3):
        y.backward(retain_graph=True)
        results.append((a.grad.clone(), b.grad.clone()))
    y.backward()
    return results, raised(y.backward)


@on_both
def test_grad_accumulates_in_place(T):
    (a,) = leaves(T, 1, 2)
    (a * 2).sum().backward()
    first = a.grad
    (a * 3).sum().backward()
    same = a.grad is first
    a.grad.zero_()
    (a * 5).sum().backward()
    return same, a.grad is first, a.grad, first._version > 0


@on_both
def test_grad_is_not_the_gradient_that_was_given(T):
    (a,) = leaves(T, 1, 2)
    given = T.ones(2, dtype=T.float64)
    a.backward(given)
    given.mul_(5)
    a.backward(given)
    return a.grad

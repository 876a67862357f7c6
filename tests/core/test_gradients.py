"""`autograd.grad`, `backward(inputs=, gradient=)` and higher derivatives, against PyTorch."""

import pytest

from tests.engines import ENGINES, assert_same, leaves, on_both, raised


@on_both
def test_leaves_own_their_gradients(T):
    """The rule of a sum sends the same gradient to both sides."""
    results = []
    for create_graph in (False, True):
        a, b = leaves(T, 2, 2)
        (a + b).sum().backward(create_graph=create_graph)
        T.nn.utils.clip_grad_norm_([a], 0.5)
        results += [a.grad is b.grad, a.grad.detach(), b.grad.detach()]
    c, given = leaves(T, 2, 2)
    c.backward(given, create_graph=True)
    return results, c.grad is given, T.autograd.grad(c.grad.sum(), given)


@on_both
def test_create_graph_keeps_the_graph(T):
    (x,) = leaves(T, 1)
    y = x.exp()
    T.autograd.grad(y, x, create_graph=True)
    T.autograd.grad(y, x)
    return raised(T.autograd.grad, y, x)


# ---- autograd.grad and backward(inputs=) ---------------------------------------------------------


GRADS = [
    "grad(y, [h, a, b])",
    "grad(y, h)",
    "grad(y, [y, a])",
    "grad(y, y)",
    "grad(y, [a, a])",
    "grad([y, z], [a, b], [None, z.detach()])",
    "grad([a.sum(), b.sum()], [b, a])",
    "grad(y, [a, c], allow_unused=True)",
    "grad(y, [a, c], materialize_grads=True)",
    "grad(y, [a, c])",
    "grad(y, T.ones(2))",
    # the node of the split receives something, but not for the second piece
    "grad(piece.sum(), [other, piece, a], allow_unused=True, create_graph=True)",
    "grad(piece.sum(), other, materialize_grads=True)",
    "grad(piece.sum(), [other])",
]


@pytest.mark.parametrize("call", GRADS)
def test_grad(call):
    results = []
    for T in ENGINES:
        a, b, c = leaves(T, 3, 2)
        h = a * b
        names = {"T": T, "grad": T.autograd.grad, "a": a, "b": b, "c": c, "h": h}
        names |= {"y": (h.exp() + h * a).sum(), "z": a.exp()}
        names["piece"], names["other"] = a.split(1)
        result = []
        error = raised(lambda: result.extend(eval(call, names)))
        results.append((result, error, a.grad, b.grad))
    assert_same(*results)


@on_both
def test_grad_stops_at_what_was_asked_for(T):
    (a,) = leaves(T, 1, 2)
    h = a.exp()
    y = (h * 2).sum()
    seen = []
    a.register_hook(seen.append)
    T.autograd.grad(y, h)
    return seen, raised(lambda: h.sum().backward()), a.grad


@on_both
def test_backward_into_an_unused_output_of_a_node_that_is_used(T):
    (a,) = leaves(T, 1, 4)
    used, unused = a.split(2)
    (used * used).sum().backward(inputs=[used, unused])
    return used.grad, unused.grad, a.grad


@on_both
def test_backward_into_some_inputs(T):
    a, b = leaves(T, 2, 2)
    h = a * b
    y = (h * h).sum()
    y.backward(inputs=[a], retain_graph=True)
    some = a.grad.clone(), b.grad
    y.backward(inputs=[h, b])
    return some, a.grad, b.grad, h.grad


@on_both
def test_computed_inputs_of_backward_retain_their_gradients(T):
    """Once, whether they did so before or not; and in later passes too."""
    a, b = leaves(T, 2, 2)
    h, k = a * b, a + b
    h.retain_grad()
    y = (h * h * k).sum()
    y.backward(inputs=[h, k], retain_graph=True)
    first = h.grad.clone(), k.grad.clone(), h.retains_grad, k.retains_grad
    y.backward(create_graph=True)
    return first, h.grad.detach(), k.grad.detach(), a.grad.detach()


@on_both
def test_backward_with_a_gradient(T):
    (a,) = leaves(T, 1, 3)
    y = a.exp()
    y.backward(gradient=T.tensor([1.0, 0.0, -2.0], dtype=T.float64), retain_graph=True)
    first = a.grad.clone()
    y.backward(y.detach())
    return first, a.grad


@on_both
def test_the_gradient_takes_the_type_of_its_tensor(T):
    a = T.ones(2, requires_grad=True)
    h = a * 2
    h.retain_grad()
    h.backward(T.ones(2, dtype=T.int64))
    b = T.ones(2, requires_grad=True)
    b.backward(T.ones(2, dtype=T.float64))
    c, d = T.ones(2, requires_grad=True), T.ones(2, dtype=T.float64, requires_grad=True)
    (c * d).sum().backward()
    return a.grad, h.grad, b.grad, c.grad, d.grad


@on_both
def test_a_leaf_frozen_after_the_forward(T):
    (a,) = leaves(T, 1, 2)
    y = (a * 3).sum()
    a.requires_grad_(False)
    y.backward()
    return a.grad


@on_both
def test_accumulating_with_and_without_create_graph(T):
    (a,) = leaves(T, 1, 2)
    (a**3).sum().backward()
    first = a.grad
    T.autograd.backward((a**2).sum(), create_graph=True)
    second = a.grad
    (a * 2).sum().backward()
    return second is first, a.grad is second, a.grad.detach().clone()

"""`autograd.grad`, `backward(inputs=, gradient=)` and higher derivatives, against PyTorch."""

from tests.engines import leaves, on_both, raised


@on_both
def test_third_order(T):
    (x,) = leaves(T, 1, 3)
    y = (x**4 + (2 * x).sin() + x.tanh() * x).sum()
    results = [y]
    for _ in range(3):
        (y,) = T.autograd.grad(y, x, create_graph=True)
        results.append(y)
        y = y.sum()
    return results


@on_both
def test_leaves_own_their_gradients_with_create_graph_too(T):
    """The rule of a sum hands the same gradient to both sides."""
    a, b, given = leaves(T, 3, 2)
    (a + b).sum().backward(create_graph=True)
    before = a.grad is b.grad
    norm = T.nn.utils.clip_grad_norm_([a, b], 0.5)
    (c,) = leaves(T, 1, 2)
    c.backward(given, create_graph=True)
    return (
        before,
        norm.detach(),
        a.grad.detach(),
        b.grad.detach(),
        c.grad is given,
        T.autograd.grad(c.grad.sum(), given),
    )


@on_both
def test_create_graph_keeps_the_graph(T):
    (x,) = leaves(T, 1)
    y = x.exp()
    T.autograd.grad(y, x, create_graph=True)
    T.autograd.grad(y, x)
    return raised(T.autograd.grad, y, x)


# ---- autograd.grad and backward(inputs=) ---------------------------------------------------------


@on_both
def test_grad_of_interior_tensors(T):
    a, b = leaves(T, 2, 2)
    h = a * b
    y = (h.exp() + h * a).sum()
    return T.autograd.grad(y, [h, a, b], retain_graph=True), T.autograd.grad(y, h), a.grad


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
def test_grad_of_the_output_itself(T):
    (a,) = leaves(T, 1)
    y = a * 3
    return T.autograd.grad(y, [y, a]), T.autograd.grad(y, y)


@on_both
def test_grad_for_unused_inputs(T):
    a, b = leaves(T, 2, 2)
    y = (a * 2).sum()
    grad = T.autograd.grad
    return (
        grad(y, [a, b], allow_unused=True, retain_graph=True),
        grad(y, [a, b], materialize_grads=True),
        raised(grad, (a * 2).sum(), [a, b]),
        raised(grad, y, T.ones(2)),
    )


@on_both
def test_grad_for_an_unused_output_of_a_node_that_is_used(T):
    """The node of a split has received something, but not for this piece."""
    (a,) = leaves(T, 1, 4)
    used, unused = a.split(2)
    y, grad = (used * used).sum(), T.autograd.grad
    y.backward(inputs=[used, unused], retain_graph=True)
    return (
        grad(y, [unused, used, a], allow_unused=True, create_graph=True),
        grad(y, unused, materialize_grads=True, retain_graph=True),
        raised(grad, y, [unused]),
        used.grad,
        unused.grad,
        a.grad,
    )


@on_both
def test_grad_of_several_outputs(T):
    a, b = leaves(T, 2, 2)
    y, z = (a * b).sum(), a.exp()
    return T.autograd.grad([y, z], [a, b], [None, z.detach()]), T.autograd.grad(
        [a.sum(), b.sum()], [b, a]
    )


@on_both
def test_grad_twice_for_one_input(T):
    (a,) = leaves(T, 1, 2)
    return T.autograd.grad((a * a).sum(), [a, a])


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

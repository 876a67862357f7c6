"""Functions of one's own on both engines: graph, gradients of any order, what ctx keeps, every
error.
"""

import pytest

import autograd_core
from tests.engines import ENGINES, backward, graph, on_both, raised


def function(T, forward, backward=None, **more):
    """`apply` of a Function `Mine` with these static methods."""
    methods = {"forward": forward, "backward": backward, **more}
    return type(
        "Mine", (T.autograd.Function,), {k: staticmethod(f) for k, f in methods.items() if f}
    ).apply


def cube(T):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2

    return function(T, forward, backward)


def scaled_pair(T):
    """(a b k, a + b, [a > 0]) of two tensors and a number."""

    def forward(ctx, a, k, b):
        ctx.k = k
        ctx.save_for_backward(a, None, b)
        positive = a > 0
        ctx.mark_non_differentiable(positive)
        return a * b * k, a + b, positive

    def backward(ctx, g, h, unused):
        a, nothing, b = ctx.saved_tensors
        assert nothing is None and unused.dtype is T.bool
        return g * b * ctx.k + h, None, g * a * ctx.k + h

    return function(T, forward, backward)


def leaves(T, *values):
    return [T.tensor(v, dtype=T.float64, requires_grad=True) for v in values]


# ---- graph and gradients -------------------------------------------------------------------------


@on_both
def test_the_node(T):
    (x,) = leaves(T, [1.0, -2.0])
    y = cube(T)(x)
    node = y.grad_fn
    return (
        y,
        node.name(),
        type(node).__name__,
        len(node.next_functions),
        node.next_functions[0][0].variable is x,
        node.needs_input_grad,
        node.saved_tensors,
        node.saved_tensors[0] is x,
        graph([y * x]),
        repr(y),
    )


@on_both
def test_steps_of_backward(T):
    a, b = leaves(T, [1.0, -2.0], [3.0, 0.5])
    product, total, positive = scaled_pair(T)(a * 2, 3.0, b)
    steps = backward(T, [(product * total).sum() + product.sum()])
    return steps, a.grad, b.grad, product, total, positive, positive.requires_grad


@on_both
def test_derivatives_of_any_order(T):
    (x,) = leaves(T, [1.0, -2.0])
    y, results = cube(T)(x * 2), []
    for _ in range(3):
        (y,) = T.autograd.grad(y.sum(), x, create_graph=True)
        results.append(y)
    return results


@on_both
def test_second_derivatives_through_results_that_were_saved(T):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def rule(ctx, g):
        return g * ctx.saved_tensors[0]

    (x,) = leaves(T, [0.5, 1.0])
    y = function(T, forward, rule)(x)
    (saved,) = y.grad_fn.saved_tensors
    (g,) = T.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = T.autograd.grad((g * g).sum(), x)
    return saved, saved.grad_fn is y.grad_fn, g, h


@on_both
def test_which_saved_tensors_are_the_very_ones(T):
    """All but results, of which equal ones are made: a node that held its own result would never
    go.
    """
    leaf, constant = leaves(T, [1.0])[0], T.ones(1).double()
    computed = leaf * 2

    def forward(ctx, a, b, c):
        y = a * b * c
        ctx.save_for_backward(a, b, c, y)
        return y

    y = function(T, forward, lambda ctx, g: (g, g, g))(leaf, constant, computed)
    saved = y.grad_fn.saved_tensors
    return (
        [s is t for s, t in zip(saved, (leaf, constant, computed, y))],
        saved,
        [s.grad_fn for s in saved],
    )


@on_both
def test_a_result_without_gradient_is_saved_as_such(T):
    def forward(ctx, x):
        mask, scale = x > 0, x.abs()
        ctx.mark_non_differentiable(scale)
        ctx.save_for_backward(mask, scale)
        return x * mask * scale, mask, scale

    def rule(ctx, g, *unused):
        mask, scale = ctx.saved_tensors
        seen.extend((mask.requires_grad, scale.requires_grad))
        return g * mask * scale

    x, seen = leaves(T, [1.0, -2.0, 3.0])[0], []
    y, mask, scale = function(T, forward, rule)(x)
    (g,) = T.autograd.grad((y * y).sum(), x, create_graph=True)
    return y, mask, scale, g, T.autograd.grad(g.sum(), x), seen


@on_both
def test_what_recording_is_inside(T):
    seen = []

    def forward(ctx, x):
        seen.append((T.is_grad_enabled(), x.requires_grad, ctx.needs_input_grad))
        return (x * 2).sin()

    def rule(ctx, g):
        seen.append((T.is_grad_enabled(), g.requires_grad))
        return g

    (x,) = leaves(T, [0.5])
    f = function(T, forward, rule)
    f(x).backward()
    T.autograd.grad(f(x), x, create_graph=True)
    with T.no_grad():
        y = f(x)
    return seen, y, f(x.detach()), f(x.detach().requires_grad_()).grad_fn.name()


@on_both
def test_a_result_without_a_gradient_sends_zeros(T):
    seen = []

    def rule(ctx, *gradients):
        seen.append(gradients)
        return gradients[1] * 2

    (x,) = leaves(T, [1.0, 2.0])
    first, second, *_ = function(T, lambda ctx, x: (x * 2, x * 3, "text", x > 0), rule)(x)
    second.sum().backward()
    return seen, x.grad, first


@on_both
def test_results_that_are_inputs_views_or_no_tensors(T):
    (x,) = leaves(T, [1.0, 2.0])
    z = T.tensor([1.0, 2.0], dtype=T.float64)

    def rule(ctx, g):
        return g * 5

    same = function(T, lambda ctx, x: x, rule)(x)
    two = function(T, lambda ctx, x, z: (z, x), lambda ctx, g, h: (h, g * 2))
    returned = two(x, z)
    view = function(T, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2))(x)
    ((same + view.sum()).sum() + returned[0].sum()).backward()
    others = [function(T, lambda ctx, x, r=r: r, rule)(x) for r in (3.0, "text", None)]
    single = function(T, lambda ctx, x: (x * 2,), rule)(x)
    return same, same is x, returned, z, view, x.grad, others, single


@on_both
def test_an_input_that_is_returned_may_be_non_differentiable(T):
    def forward(ctx, a, b):
        ctx.mark_non_differentiable(b)
        return a, b

    a, b = T.tensor([1.0], requires_grad=True), T.tensor([2.0])
    results = function(T, forward, lambda ctx, *gradients: gradients)(a, b)
    return results, [t.grad_fn and t.grad_fn.name() for t in results]


@on_both
def test_gradients_are_summed_and_cast(T):
    """A gradient that is broadcast too far is summed back, one of another type is cast."""
    (x,) = leaves(T, [1.0, 2.0])
    function(T, lambda ctx, x: x * 1, lambda ctx, g: T.ones(3, 2))(x).sum().backward()
    return x.grad


# ---- what is saved -------------------------------------------------------------------------------


@on_both
def test_saved_tensors_are_freed(T):
    (x,) = leaves(T, [1.0, 2.0])
    y = cube(T)(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    node = y.grad_fn.next_functions[0][0]
    nothing = function(T, lambda ctx, x: x * 1, lambda ctx, g: g)(x).sum()
    nothing.backward()
    nothing.backward()
    errors = raised(y.backward), raised(lambda: node.saved_tensors)
    return x.grad, errors, ["second time" in str(e) for e in errors]


@pytest.mark.parametrize("change", ["input", "result", "leaf", "nothing"])
def test_saved_tensors_that_changed(change):
    for T in ENGINES:
        (leaf,) = leaves(T, [1.0, 2.0])

        def forward(ctx, x):
            y = x * x
            saved = {"input": (x,), "result": (y,), "leaf": (leaf,), "nothing": (x, y)}
            ctx.save_for_backward(*saved[change])
            return y

        x = leaf * 1
        y = function(T, forward, lambda ctx, g: ctx.saved_tensors[0] * g)(x)
        with T.no_grad():
            if change != "nothing":
                {"input": x, "result": y, "leaf": leaf}[change].add_(1)
        error = str(raised(y.sum().backward))
        changed = change != "nothing"
        assert ("modified by an inplace operation" in error) == changed
        assert ("is at version 1; expected version 0" in error) == changed


# ---- errors --------------------------------------------------------------------------------------


WRONG = {
    "too few gradients": (lambda T: T.ones(2), "incorrect number of gradients (expected 2, got 1)"),
    "too many gradients": (
        lambda T: (T.ones(2), None, T.ones(2)),
        "incorrect number of gradients (expected 2, got 3)",
    ),
    "Nones at the end": (lambda T: (T.ones(2), None, None), None),
    "another shape": (lambda T: (T.ones(3), None), "but expected shape compatible with [2]"),
    "a smaller shape": (lambda T: (T.ones(1), None), "but expected shape compatible with [2]"),
    "a list": (lambda T: [T.ones(2), None], "incorrect number of gradients"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_gradients(name):
    returned, phrase = WRONG[name]
    for T in ENGINES:
        (x,) = leaves(T, [1.0, 2.0])
        y = function(T, lambda ctx, a, k: a * k, lambda ctx, g: returned(T))(x, 2.0)
        error = raised(y.sum().backward)
        assert type(error) is (RuntimeError if phrase else type(None)) and (phrase or "") in str(
            error
        )


@on_both
def test_wrong_definitions(T):
    (x,) = leaves(T, [1.0, 2.0])
    return (
        raised(function(T, None), x),
        raised(function(T, lambda ctx, x: x * 2)(x).sum().backward),
        raised(function(T, lambda ctx, x: x * 2), x, x),
    )


def test_what_is_not_supported_is_refused():
    (x,) = leaves(autograd_core, [1.0, 2.0])
    for method in ("mark_dirty", "save_for_forward", "set_materialize_grads"):
        with pytest.raises(AttributeError, match=method):
            function(autograd_core, lambda ctx, x, m=method: getattr(ctx, m)(x))(x)
    with pytest.raises(NotImplementedError, match="setup_context"):
        function(autograd_core, lambda x: x, setup_context=lambda ctx, inputs, output: None)

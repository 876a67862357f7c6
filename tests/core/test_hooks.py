"""Hooks on tensors and on nodes, against PyTorch: what they see, what they may replace."""

from tests.engines import backward, leaves, on_both, raised


@on_both
def test_tensor_hooks_see_the_sum_and_may_replace_it(T):
    a, b = leaves(T, 2, 2)
    seen = []
    h = a * b
    h.register_hook(lambda g: seen.append(g.clone()))
    h.register_hook(lambda g: g * 2)
    h.register_hook(lambda g: seen.append(g.clone()))
    a.register_hook(lambda g: seen.append(g.clone()))
    a.register_hook(lambda g: g * 10)
    steps = backward(T, [(h.exp() + h).sum()])
    return seen, steps, a.grad, b.grad


@on_both
def test_a_removed_hook_is_silent(T):
    (a,) = leaves(T, 1)
    seen = []
    h = a * 2
    first, second = (
        h.register_hook(lambda g: seen.append(1)),
        h.register_hook(lambda g: seen.append(2)),
    )
    first.remove()
    first.remove()
    with a.register_hook(lambda g: seen.append(3)):
        h.backward(retain_graph=True)
    h.backward()
    second.remove()
    return seen


@on_both
def test_a_leafs_hook_added_after_the_forward(T):
    (a,) = leaves(T, 1)
    seen = []
    y = a * 2
    a.register_hook(lambda g: seen.append(g.item()))
    a.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.item()))
    y.backward()
    return seen


@on_both
def test_retain_grad(T):
    (a,) = leaves(T, 1, 2)
    h = a * 2
    h.retain_grad()
    h.retain_grad()
    h.register_hook(lambda g: g * 3)
    y = (h * h).sum()
    y.backward(retain_graph=True)
    first = h.grad.clone()
    y.backward()
    a.retain_grad()
    return first, h.grad, a.grad, h.retains_grad, a.retains_grad


@on_both
def test_post_accumulate_hooks_see_the_grown_grad(T):
    (a,) = leaves(T, 1, 2)
    seen = []
    handle = a.register_post_accumulate_grad_hook(
        lambda leaf: seen.append((leaf is a, leaf.grad.clone()))
    )
    for _ in range(2):
        (a * 2).sum().backward()
    handle.remove()
    (a * 2).sum().backward()
    return seen, a.grad, raised((a * 2).register_post_accumulate_grad_hook, print)


@on_both
def test_node_hooks(T):
    a, b = leaves(T, 2, 2)
    h = a * b
    seen = []
    node = h.grad_fn
    node.register_prehook(lambda arrived: seen.append(("pre", arrived)))
    node.register_prehook(lambda arrived: (arrived[0] * 2,))
    node.register_hook(lambda sent, arrived: seen.append(("post", sent, arrived)))
    handle = node.register_hook(lambda sent, arrived: (sent[0] * 0, sent[1]))
    h.sum().backward(retain_graph=True)
    first = a.grad.clone(), b.grad.clone()
    handle.remove()
    h.sum().backward()
    return seen, first, a.grad, b.grad


@on_both
def test_node_hooks_of_a_node_with_several_outputs(T):
    (a,) = leaves(T, 1, 3)
    x, y, z = a.unbind()
    seen = []
    x.grad_fn.register_prehook(lambda arrived: seen.append(arrived))
    x.grad_fn.register_hook(lambda sent, arrived: seen.append((sent, arrived)))
    y.register_hook(lambda g: g * 5)
    (x * 2 + y * y).backward()
    return seen, a.grad


@on_both
def test_hooks_that_return_what_they_must_not(T):
    results = []
    for wrong in (3, "x", T.ones(3, dtype=T.float64), [T.ones(2, dtype=T.float64)]):
        (a,) = leaves(T, 1, 2)
        a.register_hook(lambda g: wrong)
        results.append(raised((a * 2).sum().backward))
    for wrong in ((1, 2, 3), (T.ones(5, dtype=T.float64), None)):
        (a,) = leaves(T, 1, 2)
        y = a * 2
        y.grad_fn.register_hook(lambda sent, arrived: wrong)
        results.append(raised(y.sum().backward))
    return results


@on_both
def test_hooks_and_in_place_changes(T):
    """A hook stays with the numbers it was put on; `retain_grad` goes along with the tensor."""
    (a,) = leaves(T, 1, 2)
    h, seen = a * 2, []
    h.register_hook(lambda g: seen.append(g.clone()))
    h.retain_grad()
    h.mul_(3)
    h.sum().backward()
    return seen, h.grad, a.grad


@on_both
def test_a_backward_pass_inside_a_hook(T):
    a, b = leaves(T, 2, 2)

    def hook(g):
        with T.enable_grad():
            (b * b).sum().backward()

    a.register_hook(hook)
    (a * 2).sum().backward()
    return a.grad, b.grad, T.is_grad_enabled()


@on_both
def test_hooks_that_remove_themselves_or_add_another_run(T):
    (a,) = leaves(T, 1)
    seen, handles = [], {}

    def once(name):
        def hook(*given):
            seen.append(name)
            handles[name].remove()

        return hook

    y = a * 3
    handles["post"] = y.grad_fn.register_hook(once("post"))
    handles["pre"] = y.grad_fn.register_prehook(once("pre"))
    handles["accumulated"] = a.register_post_accumulate_grad_hook(once("accumulated"))
    handles["tensor"] = y.register_hook(once("tensor"))
    a.register_post_accumulate_grad_hook(
        lambda leaf: (
            handles.setdefault("late", a.register_post_accumulate_grad_hook(lambda leaf: None))
            and None
        )
    )
    y.backward(retain_graph=True)
    y.backward()
    return seen, a.grad


@on_both
def test_data_of_whole_numbers_is_refused_for_what_requires_a_gradient(T):
    (a,) = leaves(T, 1)
    error = raised(setattr, a, "data", T.tensor([1, 2]))
    return type(error), a.dtype.is_floating_point

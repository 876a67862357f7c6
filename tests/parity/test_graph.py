"""The graph and the walk back, against PyTorch: who runs when, what is kept, what is freed, what hooks see."""

import copy
import pickle
import threading

import numpy as np
import pytest

from .engines import ENGINES, assert_same, assert_same_steps, backward, graph, on_both, raised


def leaves(T, count, *shape, seed=0):
    rng = np.random.default_rng(seed)
    return [T.tensor(rng.standard_normal(shape), requires_grad=True) for _ in range(count)]


# ---- order ---------------------------------------------------------------------------------------------------------


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


def random_program(T, seed):
    """A loss of 30 random operations on 6 leaves, with much fan-out; matrices all (3, 3)."""
    rng = np.random.default_rng(seed)
    pool = leaves(T, 6, 3, 3, seed=seed)
    for _ in range(30):
        a, b, c = (pool[i] for i in rng.integers(len(pool), size=3))
        choose = [lambda: a + b, lambda: a * b.tanh(), lambda: a @ b, lambda: a.sigmoid(), lambda: (a - b).t(),
                  lambda: T.where(a > b, a, c), lambda: T.stack([a, b, c]).mean(0), lambda: sum(a.unbind()) * b,
                  lambda: T.cat([a[:1], b[1:]]), lambda: (a.relu() + c.sum()) * 0.1, lambda: a.exp().clamp(max=3.0),
                  lambda: a / (1 + b * b), lambda: a.reshape(9).view(3, 3).clone(), lambda: b.max() * a * 0.1]
        pool.append(choose[rng.integers(len(choose))]())
    return sum((t * T.tensor(rng.standard_normal((3, 3)))).sum() for t in pool[-5:])


@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed):
    """Graph, order and every gradient at every node."""
    losses = [random_program(T, seed) for T in ENGINES]
    assert_same(*losses)
    assert graph([losses[0]]) == graph([losses[1]])
    assert_same_steps(*(backward(T, [loss]) for T, loss in zip(ENGINES, losses)))


@on_both
def test_several_roots(T):
    a, b = leaves(T, 2, 2)
    y, z = (a * b), (a + b).exp()
    return backward(T, [y, z, a], [T.ones_like(y), z.detach(), T.ones_like(a)]), a.grad, b.grad


@on_both
def test_the_same_root_twice(T):
    a, = leaves(T, 1)
    y = a * a
    return backward(T, [y, y]), a.grad


@on_both
def test_a_leaf_as_root(T):
    a, = leaves(T, 1)
    a.backward()
    return a.grad, raised(a.backward), a.grad


@on_both
def test_fan_out(T):
    a, = leaves(T, 1, 3)
    y = a * a + a.exp() * a - a
    return backward(T, [(y * y).sum()]), a.grad


@on_both
def test_constants_have_a_place_among_the_inputs(T):
    a, = leaves(T, 1, 2)
    return graph([a * T.ones(2, dtype=T.float64) + 1]), (a + 1).grad_fn.next_functions[1]


@on_both
def test_an_input_that_never_counts_gets_zeros_and_one_that_is_not_there_none(T):
    a, b, c = leaves(T, 3, 2)
    (a + 0 * b).sum().backward()
    return a.grad, b.grad, c.grad


# ---- keeping, freeing ----------------------------------------------------------------------------------------------


@on_both
def test_a_second_backward_needs_what_was_saved(T):
    a, = leaves(T, 1, 2)
    saved, nothing_saved = (a * a).sum(), (a + 1).sum()
    results = []
    for y in (saved, nothing_saved):
        y.backward()
        results += [raised(y.backward), a.grad.clone()]
    return results


@on_both
def test_part_of_a_graph_freed(T):
    a, = leaves(T, 1, 2)
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
def test_which_operations_save_nothing(T):
    a, b = leaves(T, 2, 2, 2)
    results = []
    for y in (a + b, a - b, -a, a * 2, a.t(), a[0], a.sum(0), a.mean(), a.view(4), T.stack([a, b]), T.cat([a, b]),
              a.expand(2, 2, 2), a.clone(), a * b, a / 2, 2 / a, a ** 2, a ** 1, a.exp(), a.relu(), a.max(), a @ b,
              T.where(a > 0, a, b), a[a > 0], a[[0, 1]], a.softmax(0), abs(a), a.clamp(0, 1), a.unbind()[0],
              T.addmm(a, b, b), T.maximum(a, b), a.squeeze(), a.permute(1, 0), a.split(1)[0], 1 - a, 2 ** a,
              a.float(), a.reshape(4), T.nn.functional.mse_loss(a, b), T.zeros(2, 2).double().copy_(a), a @ b[0],
              a[0] @ b[0]):
        total = y.sum()
        total.backward()
        results.append((y.grad_fn.name(), raised(y.sum().backward)))
    return results


@on_both
def test_grad_accumulates_in_place(T):
    a, = leaves(T, 1, 2)
    (a * 2).sum().backward()
    first = a.grad
    (a * 3).sum().backward()
    same = a.grad is first
    a.grad.zero_()
    (a * 5).sum().backward()
    return same, a.grad is first, a.grad, first._version > 0


@on_both
def test_grad_is_not_shared_between_leaves(T):
    a, b = leaves(T, 2, 2)
    (a + b).sum().backward()
    a.grad.mul_(10)
    return a.grad, b.grad


@on_both
def test_grad_is_not_the_gradient_that_was_given(T):
    a, = leaves(T, 1, 2)
    given = T.ones(2, dtype=T.float64)
    a.backward(given)
    given.mul_(5)
    a.backward(given)
    return a.grad


# ---- higher derivatives --------------------------------------------------------------------------------------------


@on_both
def test_third_order(T):
    x, = leaves(T, 1, 3)
    y = (x ** 4 + (2 * x).sin() + x.tanh() * x).sum()
    results = [y]
    for _ in range(3):
        y, = T.autograd.grad(y, x, create_graph=True)
        results.append(y)
        y = y.sum()
    return results


@on_both
def test_backward_with_create_graph(T):
    x, = leaves(T, 1, 2)
    (x ** 3).sum().backward(create_graph=True)
    first = x.grad
    x.grad = None
    (first * first).sum().backward()
    return first, x.grad


@on_both
def test_a_penalty_on_the_gradient_of_a_network(T):
    w1, w2, x = leaves(T, 3, 3, 3)
    y = ((x @ w1).tanh() @ w2).sigmoid().mean()
    slope, = T.autograd.grad(y, x, create_graph=True)
    ((slope ** 2).sum().sqrt() + y).backward()
    return slope, w1.grad, w2.grad, x.grad


@on_both
def test_create_graph_keeps_the_graph(T):
    x, = leaves(T, 1)
    y = x.exp()
    T.autograd.grad(y, x, create_graph=True)
    T.autograd.grad(y, x)
    return raised(T.autograd.grad, y, x)


# ---- autograd.grad and backward(inputs=) ---------------------------------------------------------------------------


@on_both
def test_grad_of_interior_tensors(T):
    a, b = leaves(T, 2, 2)
    h = a * b
    y = (h.exp() + h * a).sum()
    return T.autograd.grad(y, [h, a, b], retain_graph=True), T.autograd.grad(y, h), a.grad


@on_both
def test_grad_stops_at_what_was_asked_for(T):
    a, = leaves(T, 1, 2)
    h = a.exp()
    y = (h * 2).sum()
    seen = []
    a.register_hook(seen.append)
    T.autograd.grad(y, h)
    return seen, raised(lambda: h.sum().backward()), a.grad


@on_both
def test_grad_of_the_output_itself(T):
    a, = leaves(T, 1)
    y = a * 3
    return T.autograd.grad(y, [y, a]), T.autograd.grad(y, y)


@on_both
def test_grad_for_unused_inputs(T):
    a, b = leaves(T, 2, 2)
    y = (a * 2).sum()
    grad = T.autograd.grad
    return (grad(y, [a, b], allow_unused=True, retain_graph=True), grad(y, [a, b], materialize_grads=True),
            raised(grad, (a * 2).sum(), [a, b]), raised(grad, y, a, allow_unused=False, materialize_grads=True),
            raised(grad, y, T.ones(2)))


@on_both
def test_grad_of_several_outputs(T):
    a, b = leaves(T, 2, 2)
    y, z = (a * b).sum(), a.exp()
    return T.autograd.grad([y, z], [a, b], [None, z.detach()]), T.autograd.grad([a.sum(), b.sum()], [b, a])


@on_both
def test_grad_twice_for_one_input(T):
    a, = leaves(T, 1, 2)
    return T.autograd.grad((a * a).sum(), [a, a])


@on_both
def test_grad_does_not_touch_grad(T):
    a, b = leaves(T, 2, 2)
    T.autograd.grad((a * b).sum(), a)
    return a.grad, b.grad


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
def test_backward_with_a_gradient(T):
    a, = leaves(T, 1, 3)
    y = a.exp()
    y.backward(gradient=T.tensor([1.0, 0.0, -2.0], dtype=T.float64), retain_graph=True)
    first = a.grad.clone()
    y.backward(y.detach())
    return first, a.grad


# ---- hooks ---------------------------------------------------------------------------------------------------------


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
    a, = leaves(T, 1)
    seen = []
    h = a * 2
    first, second = h.register_hook(lambda g: seen.append(1)), h.register_hook(lambda g: seen.append(2))
    first.remove()
    first.remove()
    with a.register_hook(lambda g: seen.append(3)):
        h.backward(retain_graph=True)
    h.backward()
    second.remove()
    return seen


@on_both
def test_a_leafs_hook_outlives_the_graph(T):
    a, = leaves(T, 1)
    seen = []
    (a * 2).backward()
    a.register_hook(lambda g: seen.append(g.item()))
    (a * 3).backward()
    (a * 4).backward()
    return seen


@on_both
def test_a_leafs_hook_added_after_the_forward(T):
    a, = leaves(T, 1)
    seen = []
    y = a * 2
    a.register_hook(lambda g: seen.append(g.item()))
    a.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.item()))
    y.backward()
    return seen


@on_both
def test_hooks_that_read_grad_mode(T):
    a, = leaves(T, 1)
    seen = []
    a.register_hook(lambda g: seen.append((T.is_grad_enabled(), g.requires_grad)))
    (a * a).backward(create_graph=True)
    (a * a).backward()
    return seen


@on_both
def test_retain_grad(T):
    a, = leaves(T, 1, 2)
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
    a, = leaves(T, 1, 2)
    seen = []
    handle = a.register_post_accumulate_grad_hook(lambda leaf: seen.append((leaf is a, leaf.grad.clone())))
    for _ in range(2):
        (a * 2).sum().backward()
    handle.remove()
    (a * 2).sum().backward()
    return seen, a.grad, raised((a * 2).register_post_accumulate_grad_hook, print)


@on_both
def test_optimizing_inside_backward(T):
    a, = leaves(T, 1, 2)

    def step(leaf):
        with T.no_grad():
            leaf.sub_(leaf.grad * 0.1)
        leaf.grad = None
    a.register_post_accumulate_grad_hook(step)
    for _ in range(3):
        (a * a).sum().backward()
    return a, a.grad


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
    a, = leaves(T, 1, 3)
    x, y, z = a.unbind()
    seen = []
    x.grad_fn.register_prehook(lambda arrived: seen.append(arrived))
    x.grad_fn.register_hook(lambda sent, arrived: seen.append((sent, arrived)))
    y.register_hook(lambda g: g * 5)
    (x * 2 + y * y).backward()
    return seen, a.grad


# ---- recording on and off ------------------------------------------------------------------------------------------


@on_both
def test_grad_modes(T):
    a, = leaves(T, 1)
    seen = []

    def note():
        seen.append((T.is_grad_enabled(), (a * 2).requires_grad))
    with T.no_grad():
        note()
        with T.enable_grad():
            note()
            with T.set_grad_enabled(False):
                note()
            note()
        note()
    T.no_grad()(note)()
    T.enable_grad()(note)()
    T.set_grad_enabled(False)
    note()
    T.set_grad_enabled(True)
    note()

    @T.no_grad()
    def outer():
        note()
        inner()
        note()

    @T.enable_grad()
    def inner():
        note()
        raise_inside()

    @T.set_grad_enabled(False)
    def raise_inside():
        note()
    outer()
    note()
    return seen


@on_both
def test_grad_mode_is_restored_after_an_error(T):
    def fail():
        with T.no_grad():
            raise KeyError
    return raised(fail), T.is_grad_enabled(), raised(T.no_grad()(fail)), T.is_grad_enabled()


@on_both
def test_one_context_entered_twice(T):
    context, seen = T.no_grad(), []
    with context:
        seen.append(T.is_grad_enabled())
    with context:
        seen.append(T.is_grad_enabled())
    return seen, T.is_grad_enabled()


@on_both
def test_generators_under_no_grad(T):
    @T.no_grad()
    def generate():
        seen = []
        try:
            while True:
                seen.append((yield T.is_grad_enabled()))
                if seen[-1] == "stop":
                    return seen
        except ValueError:
            seen.append(T.is_grad_enabled())
            yield seen
        finally:
            seen.append(T.is_grad_enabled())
    results = []
    g = generate()
    results += [next(g), T.is_grad_enabled(), g.send("more"), T.is_grad_enabled()]
    try:
        g.send("stop")
    except StopIteration as stop:
        results.append(stop.value)
    g = generate()
    next(g)
    results += [g.throw(ValueError), T.is_grad_enabled()]
    g.close()
    return results, T.is_grad_enabled()


@on_both
def test_grad_mode_belongs_to_the_thread(T):
    seen = []
    with T.no_grad():
        thread = threading.Thread(target=lambda: seen.append(T.is_grad_enabled()))
        thread.start()
        thread.join()
    return seen


# ---- memory: views, versions, copies -------------------------------------------------------------------------------


@on_both
def test_detach_shares_memory_and_version_and_data_only_memory(T):
    a, = leaves(T, 1, 2)
    h = a * 1
    h.detach().add_(1)
    versions = [h._version]
    h.data.add_(1)
    versions.append(h._version)
    h.view(2).detach().zero_()
    versions.append(h._version)
    return versions, h, h.detach().is_leaf, h.data.requires_grad


@on_both
def test_a_stale_saved_tensor_is_noticed(T):
    results = []
    for change in (lambda h: h.add_(1), lambda h: h.detach().add_(1), lambda h: h.detach()[0].fill_(3),
                   lambda h: h.data.add_(1)):
        a, = leaves(T, 1, 2)
        h = a * 1
        y = (h * h).sum()
        change(h)
        results += [raised(y.backward), a.grad]
    return results


@on_both
def test_which_in_place_changes_are_harmless(T):
    results = []
    for make, change in ((lambda h: h + 1, lambda h: h.mul_(2)), (lambda h: h * 2, lambda h: h.add_(1)),
                         (lambda h: h.exp(), lambda h: h.add_(1)), (lambda h: h.sum(), lambda h: h.exp_()),
                         (lambda h: h.relu(), lambda h: h.zero_()), (lambda h: h.log(), lambda h: h.add_(1))):
        a, = leaves(T, 1, 2)
        h = a.exp() * 1
        y = make(h).sum()
        change(h)
        results += [raised((y + h.sum()).backward), a.grad]
    return results


@on_both
def test_a_changed_result_is_noticed_too(T):
    results = []
    for make in (T.exp, T.tanh, T.sigmoid, T.relu, T.sqrt, lambda a: a + 1, lambda a: a * 2):
        a, = leaves(T, 1, 2)
        y = make(a * a)
        y.add_(1)
        results += [raised(y.sum().backward), a.grad]
    return results


@on_both
def test_backward_after_step(T):
    w, = leaves(T, 1, 2)
    optimizer = T.optim.SGD([w], lr=0.1)
    square, line = (w * w).sum(), (w * 2).sum()
    square.backward(retain_graph=True)
    optimizer.step()
    return raised(square.backward), raised(line.backward), w._version


@on_both
def test_in_place_operations_in_a_row(T):
    a, b = leaves(T, 2, 2)
    h = a * 1
    h.mul_(b).add_(b)
    h *= 2
    h += b
    h -= 1
    h /= 4
    h.exp_()
    return graph([h]), backward(T, [h.sum()]), a.grad, b.grad, h._version


@on_both
def test_a_view_shares_its_version(T):
    base = T.zeros(4)
    view = base.view(2, 2)
    view[0].add_(1)
    base.add_(1)
    return base, view, base._version, view._version


@on_both
def test_item_assignment_without_a_graph(T):
    x = T.zeros(3, 3)
    x[0] = 1
    x[1:, 1] = T.tensor([2.0, 3.0])
    x[x == 0] = -1
    x[T.tensor([0, 2]), T.tensor([0, 0])] = 7
    x[..., 2] = T.tensor(9)
    return x, x._version


@on_both
def test_deepcopy_and_pickle(T):
    a, = leaves(T, 1, 2)
    (a * a).sum().backward()
    copied, loaded = copy.deepcopy(a), pickle.loads(pickle.dumps(a))
    pair = copy.deepcopy([a, a])
    copied.detach().zero_()
    return a, a.grad, copied, copied.grad, loaded, loaded.grad, pair[0] is pair[1], raised(copy.deepcopy, a * 2)


@on_both
def test_requires_grad_switched(T):
    a, = leaves(T, 1, 2)
    a.requires_grad = False
    frozen = (a * 2).requires_grad
    a.requires_grad_()
    h = a * 2
    return frozen, h.requires_grad, raised(setattr, h, "requires_grad", False), raised(h.requires_grad_, True), \
        raised(T.ones(2, dtype=T.int64).requires_grad_), h.detach_().requires_grad


@on_both
def test_set_grad(T):
    a, = leaves(T, 1, 2)
    a.grad = T.ones(2, dtype=T.float64)
    (a * 2).sum().backward()
    grad = a.grad.clone()
    del a.grad
    return grad, a.grad, [type(raised(setattr, a, "grad", wrong)).__name__ for wrong in (
        1, T.ones(3, dtype=T.float64), T.ones(2))]

"""Shared memory, version counters, stale saved tensors and copies, against PyTorch."""

from tests.engines import leaves, on_both, raised


@on_both
def test_detach_shares_memory_and_version_and_data_only_memory(T):
    (a,) = leaves(T, 1, 2)
    h = a * 1
    h.detach().add_(1)
    versions = [h._version]
    h.data.add_(1)
    versions.append(h._version)
    h.view(2).detach().zero_()
    versions.append(h._version)
    return versions, h, h.detach().is_leaf, h.data.requires_grad


def times_two_through_data(h):
    h.data *= 2


@on_both
def test_a_stale_saved_tensor_is_noticed(T):
    results = []
    for change in (
        lambda h: h.add_(1),
        lambda h: h.detach().add_(1),
        lambda h: h.detach()[0].fill_(3),
        lambda h: h.data.add_(1),
        times_two_through_data,
    ):
        (a,) = leaves(T, 1, 2)
        h = a * 1
        y = (h * h).sum()
        change(h)
        results += [raised(y.backward), a.grad]
    return results


@on_both
def test_which_in_place_changes_are_harmless(T):
    results = []
    for make, change in (
        (lambda h: h + 1, lambda h: h.mul_(2)),
        (lambda h: h * 2, lambda h: h.add_(1)),
        (lambda h: h.exp(), lambda h: h.add_(1)),
        (lambda h: h.sum(), lambda h: h.exp_()),
        (lambda h: h.relu(), lambda h: h.zero_()),
        (lambda h: h.log(), lambda h: h.add_(1)),
    ):
        (a,) = leaves(T, 1, 2)
        h = a.exp() * 1
        y = make(h).sum()
        change(h)
        results += [raised((y + h.sum()).backward), a.grad]
    return results


@on_both
def test_a_changed_result_is_noticed_too(T):
    results = []
    for make in (T.exp, T.tanh, T.sigmoid, T.relu, T.sqrt, lambda a: a + 1, lambda a: a * 2):
        (a,) = leaves(T, 1, 2)
        y = make(a * a)
        y.add_(1)
        results += [raised(y.sum().backward), a.grad]
    return results


@on_both
def test_backward_after_step(T):
    (w,) = leaves(T, 1, 2)
    optimizer = T.optim.SGD([w], lr=0.1)
    square, line = (w * w).sum(), (w * 2).sum()
    square.backward(retain_graph=True)
    optimizer.step()
    return raised(square.backward), raised(line.backward), w._version


@on_both
def test_rows_of_a_leaf_changed_under_no_grad(T):
    (w,) = leaves(T, 1, 2, 2)
    with T.no_grad():
        w[0].zero_()
        w[1, 1] = 5
        w[:, 0].mul_(3)
    w.data -= 1
    return w, w._version


@on_both
def test_requires_grad_switched(T):
    (a,) = leaves(T, 1, 2)
    a.requires_grad = False
    frozen = (a * 2).requires_grad
    a.requires_grad_()
    h = a * 2
    return (
        frozen,
        h.requires_grad,
        raised(setattr, h, "requires_grad", False),
        raised(h.requires_grad_, True),
        raised(T.ones(2, dtype=T.int64).requires_grad_),
        h.detach_().requires_grad,
    )


@on_both
def test_set_grad(T):
    (a,) = leaves(T, 1, 2)
    a.grad = T.ones(2, dtype=T.float64)
    (a * 2).sum().backward()
    grad = a.grad.clone()
    del a.grad
    return (
        grad,
        a.grad,
        [
            type(raised(setattr, a, "grad", wrong)).__name__
            for wrong in (T.ones(3, dtype=T.float64), T.ones(2))
        ],
    )


@on_both
def test_a_power_keeps_its_result_whichever_side_has_the_gradient(T):
    errors = []
    for power in (lambda x, e: x**e, lambda x, e: e**x):
        result = power(T.tensor([1.0, 2.0], requires_grad=True), T.tensor([2.0, 3.0]))
        later = result * 0.4
        result.mul_(0.4)
        errors.append(type(raised(later.sum().backward)).__name__)
    return errors

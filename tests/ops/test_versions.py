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


@on_both
def test_a_stale_saved_tensor_is_noticed(T):
    results = []
    for change in (
        lambda h: h.add_(1),
        lambda h: h.detach().add_(1),
        lambda h: h.detach()[0].fill_(3),
        lambda h: h.data.add_(1),
    ):
        (a,) = leaves(T, 1, 2)
        h = a * 1
        y = (h * h).sum()
        change(h)
        results += [raised(y.backward), a.grad]
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

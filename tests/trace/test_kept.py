"""`follow(..., keep=n)` and `history.backward(loss)`: which steps are kept, what is in them, and
that the graph is let go.
"""

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import Summary, follow, report, trace
from autograd_core.trace.kept import MOST_REGULAR, MOST_SURPRISES, KeptTraces, lean
from autograd_core.trace.kept import _values as values_of

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])


def setting(T):
    T.manual_seed(0)
    net = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Tanh(), T.nn.Linear(4, 1))
    return (
        net,
        T.optim.SGD(net.parameters(), lr=0.1, momentum=0.9),
        T.linspace(-1, 1, 15).reshape(5, 3),
    )


def trained(T, steps, keep=None, scale=lambda step: 1.0, history=True):
    net, optimizer, x = setting(T)
    # which is empty at first, and so not True
    history = follow(net, optimizer, keep) if history else None
    for step in range(steps):
        optimizer.zero_grad()
        loss = (net(x) ** 2).mean() * scale(step)
        (history.backward if history is not None else type(loss).backward)(loss)
        optimizer.step()
    return net, history, loss


@engines
def test_every_nth_step_is_kept_with_its_numbers(T):
    net, history, _ = trained(T, 6, keep=2)
    assert list(history.views) == [0, 2, 4] and history.surprises() == []
    for step, view in history.views.items():
        places = {parameter.name: parameter.node for parameter in view.parameters}
        assert list(places) == [f"net.{name}" for name in history.names]
        arrived = {event.node: event.after for event in view.events if event.kind == "accumulate"}
        norms = [np.linalg.norm(arrived[node]) for node in places.values()]
        np.testing.assert_allclose(norms, history.gradient[step], rtol=1e-6)
    assert trained(T, 3)[1].views == {}, "nobody asked for them"


@engines
def test_no_number_of_the_training_changes(T):
    bits = [
        b"".join(p.detach().numpy().tobytes() for p in trained(T, 5, **how)[0].parameters())
        for how in ({"keep": 1}, {"keep": None}, {"history": False})
    ]
    assert bits[0] == bits[1] == bits[2]


@engines
def test_a_jump_is_kept_at_its_own_step(T):
    _, history, _ = trained(T, 9, keep=100, scale=lambda step: 1e6 if step == 7 else 1.0)
    assert list(history.views) == [0, 7] and {step for step, _ in history.surprises()} == {7}
    root = next(event for event in history.views[7].events if event.kind == "loss")
    assert root.after > 100


@engines
def test_a_pass_that_no_step_used_leaves_no_view(T):
    net, optimizer, x = setting(T)
    with follow(net, optimizer, keep=1) as history:
        for step in range(4):
            optimizer.zero_grad()
            loss = (net(x) ** 2).mean() * (1e6 if step == 2 else 1)
            history.backward(loss)
            if step != 2:
                optimizer.step()
    ends = [next(e for e in view.events if e.kind == "loss") for view in history.views.values()]
    assert len(ends) == 3 and all(end.after < 100 for end in ends)


@engines
@pytest.mark.filterwarnings("ignore:.*encountered")
def test_a_nan_that_the_backward_pass_makes_is_kept_where_it_is_born(T):
    """The loss itself is a number: a square root at 0 has a slope of inf, times 0 is nan."""
    net, optimizer, x = setting(T)
    with follow(net, optimizer, keep=100) as history:
        for step in range(5):
            optimizer.zero_grad()
            with watching():
                loss = (net(x) ** 2).mean()
                if step == 3:
                    loss = loss + (net[0].weight * 0).sqrt().sum()
            history.backward(loss)
            optimizer.step()
    assert min(history.views) == 0 and 3 in history.views
    first = next(
        finding
        for finding in report(history.views[3]).verdicts.values.firsts
        if finding.word == "nan"
    )
    node = history.views[3].nodes[first.node]
    assert first.phase == "backward" and node.name in ("SqrtBackward0", "MulBackward0")
    assert history.views[3].source, "watching() told the lines"


@engines
def test_inside_of_watching_a_pass_is_recorded_once_and_its_step_belongs_to_it(T):
    net, optimizer, x = setting(T)
    with watching(), follow(net, optimizer, keep=1) as history:
        loss = (net(x) ** 2).mean()
        history.backward(loss)
        optimizer.step()
    for seen in (history.views[0], trace(loss)):
        assert [event.kind for event in seen.events].count("accumulate") == 4
    assert [event.kind for event in trace(loss).events].count("step") == 4


@engines
def test_the_graph_is_let_go(T):
    _, _, loss = trained(T, 2, keep=5)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()


def test_what_a_graph_saved_is_freed_before_the_next_forward():
    freed = []

    class Watched(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g

    net, optimizer, x = setting(torch)
    history = follow(net, optimizer, keep=5)
    loss = Watched.apply(net(x) ** 2).mean()
    node = loss.grad_fn.next_functions[0][0]
    assert node.saved_tensors[0].shape == (5, 1)
    history.backward(loss)
    with pytest.raises(RuntimeError, match="second time"):
        freed.append(node.saved_tensors)
    assert not freed
    history.stop()


def test_views_are_bounded_in_number():
    _, history, _ = trained(torch, 70, keep=1)
    assert len(history.views) <= MOST_REGULAR and history.kept_every == 8 and 64 in history.views
    kept, trace = KeptTraces(1000), history.views[0]
    for step in range(1, 30):
        if kept.wanted(step, True):
            kept.add(step, trace, True)
    assert len(kept.all()) == MOST_SURPRISES


def test_views_are_bounded_in_memory():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(1000, 1000), torch.nn.Linear(1000, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    history = follow(net, optimizer, keep=1)
    history.backward(net(torch.randn(8, 1000)).sum())
    optimizer.step()
    view = history.views[0]
    arrays = {id(value): value.nbytes for value in values_of(view) if isinstance(value, np.ndarray)}
    assert 0 < sum(arrays.values()) <= 4_000_000
    large = [value for value in values_of(view) if isinstance(value, Summary)]
    assert {value.size for value in large} == {1_000_000} and all(value.norm > 0 for value in large)
    assert lean(view) is view or lean(view) == view


@engines
@pytest.mark.parametrize("keep", [0, -1, 1.5, True, "10"])
def test_a_keep_that_is_no_number_of_steps_is_refused(T, keep):
    net, optimizer, _ = setting(T)
    with pytest.raises(ValueError, match="keep=100 keeps a view of every hundredth step"):
        follow(net, optimizer, keep)

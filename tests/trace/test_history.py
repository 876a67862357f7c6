"""`follow`: what each step did to each parameter, on both engines."""

import weakref

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import follow
from autograd_core.trace.sentences import FOLLOW

from .models import followed, loss_of, setting, trained

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])


@engines
def test_a_row_for_each_step_and_parameter(T):
    norms, moved = [], []

    def one_step(net, optimizer, x, history):
        optimizer.zero_grad()
        loss_of(net, x).backward()
        before = [p.detach().numpy().copy() for p in net.parameters()]
        optimizer.step()
        pairs = zip(net.parameters(), before)
        moved.append([np.linalg.norm(p.detach().numpy() - b) / np.linalg.norm(b) for p, b in pairs])
        norms.append([np.linalg.norm(p.grad.numpy()) for p in net.parameters()])

    history = followed(T, 4, one_step, momentum=0.9)
    assert len(history) == 4 and history.names == ("0.weight", "0.bias", "2.weight", "2.bias")
    np.testing.assert_allclose(history.gradient, norms, rtol=1e-6)
    np.testing.assert_allclose(history.share, moved, rtol=1e-5)
    assert history.surprises() == [] and "4 steps of 4 parameters; no surprise" in repr(history)


@engines
def test_following_changes_no_number_and_leaves_no_hook(T):
    def run(follows):
        net, optimizer, x = setting(T, momentum=0.9)
        history = follow(net, optimizer) if follows else None
        for step in range(4):
            if step == 3 and history:
                history.stop()
                assert not optimizer._optimizer_step_pre_hooks
                assert not optimizer._optimizer_step_post_hooks
            optimizer.zero_grad()
            loss_of(net, x).backward()
            optimizer.step()
        assert not history or len(history) == 3, "it has stopped"
        return b"".join(p.detach().numpy().tobytes() for p in net.parameters())

    assert run(True) == run(False)


@engines
def test_a_gradient_that_nothing_uses_is_told_and_one_of_another_optimizer_is_not(T):
    def surprises(optimizers):
        net = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Linear(4, 1))
        one, *others = (T.optim.SGD(part, lr=0.1) for part in optimizers(net))
        with follow(net, one) as history:
            for _ in range(3):
                net.zero_grad()
                net(T.ones(1, 3)).sum().backward()
                for optimizer in (one, *others):
                    optimizer.step()
        return [(step, text.split(" but")[0]) for step, text in history.surprises()]

    said = [(0, f"1.{name}: has a gradient") for name in ("weight", "bias")]
    assert surprises(lambda net: [net[0].parameters()]) == said
    assert surprises(lambda net: [net[0].parameters(), net[1].parameters()]) == []


@engines
def test_a_step_that_moves_a_matrix_by_more_than_twice_its_length_is_told_and_a_zero_that_begins_to_learn_is_not(
    T,
):
    def surprises(lr):
        T.manual_seed(0)
        net = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Linear(4, 1))
        T.nn.init.zeros_(net[1].weight)
        optimizer = T.optim.Adam(net.parameters(), lr=lr)
        with follow(net, optimizer) as history:
            for _ in range(4):
                optimizer.zero_grad()
                (net(T.ones(1, 3)) - 1).square().sum().backward()
                optimizer.step()
        return [(step, text.split(" by ")[0]) for step, text in history.surprises()]

    assert surprises(0.01) == [] and surprises(1.0)[0] == (1, "0.weight: moved")


def test_surprises_come_in_model_order_and_those_alike_share_a_row():
    def plant(step, net, optimizer):
        for p in net.parameters():
            p.grad[:] = torch.nan

    history = trained(torch, 2, plant)
    named = [text.split(":")[0] for _, text in history.surprises()]
    assert named == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert repr(history).splitlines() == [
        "2 steps of 4 parameters:",
        f"step 0: 0.weight: {FOLLOW['nan']}; and 3 more like it",
    ]


@engines
def test_what_cannot_be_followed_is_refused(T):
    net = T.nn.Linear(2, 1)
    optimizer = T.optim.SGD(net.parameters(), lr=0.1)
    for wrong in ((net, net), (net, [optimizer]), ([net], optimizer)):
        with pytest.raises(TypeError, match="takes a module and an optimizer, not"):
            follow(*wrong)
    history = follow(net, optimizer)
    with pytest.raises(AttributeError, match="a history has gradient, share"):
        history.gradients


# ---- the loss, the graph, and what never learns --------------------------------------------------


@engines
@pytest.mark.parametrize("clear", [None, True, False], ids=["not cleared", "to None", "to zeros"])
def test_a_step_has_the_losses_of_all_passes_whose_gradients_it_uses(T, clear):
    first, second = [], []

    def one_step(net, optimizer, x, history):
        optimizer.zero_grad()
        for losses, part in ((first, x[:2]), (second, x[2:])):
            loss = loss_of(net, part)
            loss.backward()
            losses.append(loss.item())
            if losses is first and clear is not None:
                optimizer.zero_grad(set_to_none=clear)
        optimizer.step()

    history = followed(T, 3, one_step)
    used = second if clear is not None else [a + b for a, b in zip(first, second)]
    assert history.loss.tolist() == used
    one_graph = trained(T, 1).nodes[0]
    assert history.nodes.tolist() == [one_graph * (1 if clear is not None else 2)] * 3


@engines
def test_a_pass_from_several_losses_or_numbers(T):
    def one_step(net, optimizer, x, history):
        losses = net(x).mean(), loss_of(net, x)
        T.autograd.backward([*losses])
        optimizer.step()
        optimizer.zero_grad()
        net(x).backward(T.ones(5, 1))
        optimizer.step()
        first.append(sum(loss.item() for loss in losses))

    first = []
    history = followed(T, 1, one_step)
    np.testing.assert_allclose(history.loss[0], first[0], rtol=1e-6)
    assert np.isnan(history.loss[1]) and history.nodes[1] > 0


def test_with_a_closure_it_is_the_loss_of_the_last_evaluation():
    torch.manual_seed(0)
    net, x, losses = torch.nn.Linear(3, 1), torch.ones(2, 3), []
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (net(x) - 2).square().sum()
        loss.backward()
        losses.append(loss.item())
        return loss

    with follow(net, optimizer) as history:
        optimizer.step(closure)
    assert len(losses) > 1 and history.loss.tolist() == losses[-1:]


@engines
def test_a_history_keeps_no_loss_and_no_graph_alive(T):
    gone = []

    def one_step(net, optimizer, x, history):
        optimizer.zero_grad()
        loss = loss_of(net, x)
        loss.backward()
        optimizer.step()
        gone.append(weakref.ref(loss))
        del loss
        assert gone[-1]() is None

    followed(T, 3, one_step)
    assert len(gone) == 3


@engines
def test_a_graph_that_grows_at_each_step_is_told_and_one_that_varies_is_not(T):
    carried = []

    def growing(net, optimizer, x, history):
        optimizer.zero_grad()
        # whose slope needs no weight
        carried[:] = [net[0](x).mean() + (carried[0] if carried else 0)]
        (net(x).square().mean() + carried[0]).backward(retain_graph=True)
        optimizer.step()

    history = followed(T, 12, growing, lr=0.01)
    [(step, text)] = history.surprises()
    assert step == 8 and text.startswith(
        f"the graph: has more nodes at each step, {history.nodes[8]:.0f} by now"
    )
    lengths = iter([1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11])

    def varying(net, x):
        return sum((net(x) for _ in range(next(lengths))), T.zeros(5, 1)).mean()

    assert trained(T, 12, loss_of=varying, lr=0.01).surprises() == []


@engines
def test_what_the_optimizer_holds_and_no_step_finds_a_gradient_of_is_told(T):
    found = trained(T, 4, lambda step, net, optimizer: setattr(net[0].bias, "grad", None))
    assert [(step, text[:32]) for step, text in found.surprises()] == [
        (0, "0.bias: the optimizer holds it, ")
    ]


def test_a_compiled_model_is_followed():
    def run(compiled):
        torch._dynamo.reset()
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        model = torch.compile(net, backend="aot_eager") if compiled else net
        x = torch.linspace(-1, 1, 15).reshape(5, 3)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        # compiled for one pass back, as in any training
        model(x).mean().backward()
        with follow(model, optimizer) as history:
            for step in range(4):
                optimizer.zero_grad()
                with watching():
                    ((model(x) ** 2).mean() + net[2].bias.sum()).backward()
                optimizer.step()
                if step == 2:
                    net[0].weight.data[0, 0] = torch.nan
        return history

    plain, history = run(False), run(True)
    np.testing.assert_allclose(history.gradient, plain.gradient, rtol=1e-6)
    np.testing.assert_allclose(history.loss, plain.loss, rtol=1e-6)
    assert (3, f"_orig_mod.0.weight: {FOLLOW['nan']}") in history.surprises()

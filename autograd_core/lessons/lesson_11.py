"""Lesson 11: two networks, the second of which is trained already, and six ways to try to keep it
unchanged."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from ..widgets import GraphView, watch
from ..widgets.kit.format import number
from .engines import ENGINES
from .widgets.switchboard import WHOLE
from .widgets.switchboard import switchboard as Switchboard
from .widgets.table import table

__all__ = ["fork", "norms", "pretrain", "six_ways", "switchboard", "table", "two_modes"]

WORDS = {
    "evaluation": "eval()",
    "loss2": "loss 2 from",
    "inputs": "inputs=net1",
    "step": "optimizer2.step()",
}


def switchboard() -> Switchboard:
    """A training step with a switch for each way to try to keep net2 unchanged, on both engines."""
    return Switchboard(
        *map(runs, ENGINES),
        program=program,
        note="a line that is struck through is off; grad and moved are norms; lr 0.1",
        words=WORDS,
        frozen=False,
        evaluation=False,
        loss2=[*WHOLE],
        inputs=False,
        step=True,
    )


def program(
    frozen: bool, evaluation: bool, loss2: str, inputs: bool, step: bool
) -> dict[str, bool]:
    """The lines of the training step, and whether each of them runs."""
    kept = "net2(h.detach())" if "detach" in loss2 else "net2(h)"
    switched = "with torch.no_grad(): " if "no_grad" in loss2 else ""
    return {
        "net2.requires_grad_(False)": frozen,
        "net2.eval()": evaluation,
        "h = net1(x)": True,
        "loss1 = h.pow(2).mean()": True,
        f"{switched}loss2 = F.cross_entropy({kept}, target)": True,
        f"(loss1 + loss2).backward({'inputs=list(net1.parameters())' if inputs else ''})": True,
        "optimizer1.step()": True,
        "optimizer2.step()": step,
    }


def runs(T: Any) -> Callable[..., dict[str, Any]]:
    """The `run` of the switchboard on one engine."""
    nn, F = T.nn, T.nn.functional
    T.manual_seed(0)
    good = 2 + T.randn(64, 4, dtype=T.float64)
    label = (good.sum(dim=1) > 8).long()
    x = T.randn(32, 3, dtype=T.float64)
    target = (x[:, 0] > 0).long()

    T.manual_seed(1)
    untrained = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4)).double()
    given = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 2)).double()
    pretrain(T, given, good, label)

    def accuracy(net2: Any) -> float:
        return (net2.eval()(good).argmax(dim=1) == label).double().mean().item()

    def run(**settings: Any) -> dict[str, Any]:
        before = accuracy(given)
        nets = net1, net2 = copy.deepcopy(untrained), copy.deepcopy(given)
        start, mean = [flat(net.parameters()) for net in nets], net2[0].running_mean.clone()
        net2.requires_grad_(not settings["frozen"]).train(not settings["evaluation"])
        optimizer1, optimizer2 = (T.optim.SGD(net.parameters(), lr=0.1) for net in nets)
        h = net1(x)
        loss1 = h.pow(2).mean()
        with T.set_grad_enabled("no_grad" not in settings["loss2"]):
            out = net2(h.detach() if "detach" in settings["loss2"] else h)
            loss2 = F.cross_entropy(out, target)
        wanted = list(net1.parameters()) if settings["inputs"] else None
        (loss1 + loss2).backward(inputs=wanted)
        optimizer1.step()
        if settings["step"]:
            optimizer2.step()
        return {
            **{f"net{i}": gradient_of(net) for i, net in enumerate(nets, 1)},
            "moved": [flat(net.parameters()) - was for net, was in zip(nets, start)],
            "statistics": net2[0].running_mean - mean,
            "losses": [loss1.item(), loss2.item()],
            "accuracy": [before, accuracy(net2)],
        }

    def flat(tensors: Any) -> Any:
        return T.cat([each.detach().clone().flatten() for each in tensors])

    def gradient_of(net: Any) -> Any:
        gradients = [p.grad for p in net.parameters()]
        return None if any(each is None for each in gradients) else flat(gradients)

    return run


def pretrain(T: Any, net: Any, x: Any, label: Any) -> None:
    """Train a classifier for 60 steps of SGD. Its parameters have no gradient at the end."""
    optimizer = T.optim.SGD(net.parameters(), lr=0.5)
    for _ in range(60):
        optimizer.zero_grad()
        T.nn.functional.cross_entropy(net(x), label).backward()
        optimizer.step()
    optimizer.zero_grad()


def two_modes(results: Mapping[str, tuple[float, ...]], label: Any, target: Any) -> table:
    """The table of two trainings, {mode of net2: (last loss 2, mean of h, net2, net1)}, and of the
    constant answers to `label` and `target`.
    """
    rows = {}
    for mode, (loss, mean, net2, net1) in results.items():
        rows[f"trained with net2 in `{mode}`"] = [loss, f"{mean:.1f}", f"{net2:.0%}", f"{net1:.0%}"]
    for answer in (0, 1):
        shares = [(wanted == answer).double().mean().item() for wanted in (label, target)]
        rows[f"always class {answer}"] = ["–", "–", *(f"{share:.0%}" for share in shares)]
    head = "loss2 at the end", "mean of h", "net2 on its own data"
    return table(rows, ["", *head, "net1, judged by the original net2"])


def norms(*nets: Any) -> list[str]:
    """The norm of all gradients of each network, or "None"."""
    found = []
    for net in nets:
        gradients = [p.grad for p in net.parameters()]
        whole = sum((g**2).sum() for g in gradients if g is not None)
        found.append("None" if None in gradients else number(whole.item() ** 0.5))
    return found


WAYS: dict[str, dict[str, Any]] = {
    "1. `net2.requires_grad_(False)`": {"frozen": True},
    "2. `net2.eval()`": {"evaluation": True},
    "3. `net2(h.detach())`": {"loss2": "net2(h.detach())"},
    "4. `net2(h)` under `torch.no_grad()`": {"loss2": "no_grad()"},
    "5. `backward(inputs=list(net1.parameters()))`": {"inputs": True},
    "6. no `optimizer2.step()`": {"step": False},
    "7. rows 1 and 2 together": {"frozen": True, "evaluation": True},
}


def six_ways(T: Any) -> table:
    """The step of the switchboard with each way to try to keep net2 unchanged."""
    run, rows = runs(T), {}
    usual: dict[str, Any] = dict.fromkeys(("frozen", "evaluation", "inputs"), False)
    usual |= {"step": True, "loss2": "net2(h)"}
    for name, changed in WAYS.items():
        found = run(**usual | changed)
        learns = run(**usual | changed | {"loss2": "no_grad()"})["net1"].ne(found["net1"]).any()
        rows[name] = [
            "yes" if learns else "no",
            "None" if found["net2"] is None else "filled",
            "changed" if found["moved"][1].any() else "kept",
            "changed" if found["statistics"].any() else "kept",
        ]
    heads = "net1 learns from loss2", "`.grad` of net2", "weights of net2", "its statistics"
    return table(rows, ["", *heads])


def fork(loss: Any, other: Any) -> GraphView:
    """The pass from two losses through a frozen weight, to be run by the reader."""
    return watch(loss, other, title="Through a frozen weight")

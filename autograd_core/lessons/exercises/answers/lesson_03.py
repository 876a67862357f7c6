"""Lesson 03, accumulate and step: what PyTorch answers to its exercises."""

from dataclasses import dataclass

import torch
from torch import nn

from ..check import exercise, function_exercise
from ..references import Function, pytorch_tensor

WRONG_CALLS = {
    "that is the sequence you know. Where else can the factor 2 come from?": "bss",
    "w is 5.0625, after four calls. Three are asked for. This is the loop without `zero_grad()`,"
    " and it goes too far": "bsbs",
    "w is 2.25. The last call only changed `w.grad`, to −3.75. No step used it": "bsb",
    "w is 2.25. The first `step()` found no gradient, so it did nothing": "sbs",
    "w is 0. `zero_grad()` deleted the gradient before `step()` could use it": "bzs",
}


def rows_of(calls: str) -> list[tuple[float, float | None]]:
    """`w` and `w.grad` after each of the calls."""
    w, rows = torch.tensor(0.0, requires_grad=True), []
    optimizer = torch.optim.SGD([w], lr=0.75)
    for call in calls:
        if call == "b":
            ((w - 3) ** 2 / 2).backward()
        elif call == "s":
            optimizer.step()
        else:
            optimizer.zero_grad()
        rows.append((w.item(), None if w.grad is None else w.grad.item()))
    return rows


@dataclass(frozen=True)
class Calls:
    """A reference for a sequence of calls, as text."""

    goal: float

    def judge(self, value: object) -> tuple[bool, str]:
        """(whether these three calls lead to the goal, a sentence)."""
        calls = "".join(value.lower().split()) if isinstance(value, str) else ""
        if not calls or calls.strip("bsz"):
            return False, "Write the calls as text, with b, s and z for the three calls."
        for words, wrong in WRONG_CALLS.items():
            if calls == wrong:
                return False, f"{words[0].upper()}{words[1:]}{'' if words[-1] == '?' else '.'}"
        rows = rows_of(calls)
        shown = ", ".join(f"{w:g} and {g if g is None else format(g, 'g')}" for w, g in rows)
        found = f"After each call, w and w.grad are {shown}.".replace("-", "−")
        if len(calls) != 3:
            return False, f"{found} Three calls are asked for."
        return rows[-1][0] == self.goal, found


@exercise("03.1", mistakes=WRONG_CALLS)
def sequence():
    return {"calls": Calls(goal=4.5)}


class Step(Function):
    """A function that changes three parameters in place. The third has no gradient."""

    engines = (pytorch_tensor,)

    def trial(self, generator, arguments):
        names = [f"{what}parameter {i}" for what in ("", "the gradient of ") for i in range(3)]
        return arguments, list(self.call(self.reference, arguments)), names

    def call(self, function, given):
        leaves = [each.detach().clone().requires_grad_() for each in given[:3]]
        for leaf, gradient in zip(leaves, given[3:]):
            leaf.grad = gradient.detach().clone()
        if function([*leaves], 0.1) is ...:
            return ...
        values = [leaf.detach() for leaf in leaves]
        return *values, *(leaf.grad for leaf in leaves)


def moved_by(part, clears=False):
    """An `sgd_step` that adds `part` times `lr` times the gradient."""

    def step(parameters, lr):
        for p in parameters:
            if p.grad is not None:
                p.data += part * lr * p.grad
                p.grad = None if clears else p.grad

    return step


function_exercise(
    "03.2",
    step=Step(
        moved_by(-1),
        {"p": (3,), "q": (3,), "r": (2,), "of p": (3,), "of q": (3,)},
        slips={
            "a leaf Variable that requires grad": (
                "records the update itself, which PyTorch refuses. Put the update under"
                " `torch.no_grad()`"
            ),
            "NoneType": (
                "doesn't test for None: the third parameter has no gradient. Skip it, as"
                " `optim.SGD` does"
            ),
        },
        mistakes={
            "no parameter changed. If you gave the name `p` to a new tensor, the model still holds"
            " the old one: change it in place": moved_by(0),
            "the sign: a step goes against the gradient": moved_by(1),
            "the weights are right, but `step()` doesn't clear `.grad`. That is the task of"
            " `zero_grad()`": moved_by(-1, clears=True),
        },
    ),
)


class Training(Function):
    """A function that trains a network of two layers on batches. One bias is frozen."""

    engines = (pytorch_tensor,)

    def trial(self, generator, arguments):
        expected = list(self.call(self.reference, arguments))
        return arguments, expected, ["0.weight", "0.bias", "2.weight", "2.bias"]

    def call(self, function, given):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()
        net[0].bias.requires_grad_(False)
        if function(net, list(given[0]), lambda out: (out - 1).square().mean()) is ...:
            return ...
        return tuple(p.detach() for p in net.parameters())


def trainer(before=None, between=None, after=None, weights=1.0, zero=False, **options):
    """A `train` that multiplies gradients in three places: None stands for not at all."""

    def train(net, batches, loss_of):
        optimizer = torch.optim.SGD(net.parameters(), **{"lr": 0.05, **options})

        def times(part):
            for p in net.parameters():
                if part is not None and p.grad is not None:
                    p.grad *= part

        for x in batches:
            times(before)
            if zero:
                optimizer.zero_grad()
            loss_of(net(x)).backward()
            times(between)
            optimizer.step()
            times(after)
            for p in net.parameters():
                p.data *= weights

    return train


function_exercise(
    "03.3",
    tolerance=1e-12,
    train=Training(
        trainer(zero=True, momentum=0.9),
        {"batches": (20, 8, 3)},
        slips={
            "NoneType": (
                "multiplies a gradient that isn't there: `.grad` of the frozen parameter is always"
                " None, and before the first `backward()` every `.grad` is. Skip such a parameter"
            )
        },
        mistakes={
            "now the new gradient is multiplied too. This is momentum 0.9 with `lr` 0.045": (
                trainer(between=0.9)
            ),
            "you multiplied the old gradient, and then you deleted it": trainer(zero=True),
            "that multiplies the weights. The old sum is in `p.grad`": [
                trainer(weights=0.9),
                trainer(weights=0.9, zero=True),
            ],
            "the old gradients keep their full size": trainer(),
        },
    ),
)

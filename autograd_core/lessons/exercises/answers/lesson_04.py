"""Lesson 04, freed and retained: the references of its exercises."""

import torch

from ..check import exercise, function_exercise
from ..references import Function, Refused, pytorch_tensor
from ..you_run import YouRun


@exercise("04.1")
def second_call():
    return {"run": YouRun(refuses="Mul")}


class Branches(Function):
    """A reference for a function that returns `x.grad`, where its argument `x` is a leaf."""

    def call(self, function, given):
        result = function(given[0].detach().requires_grad_())
        if result is None:
            send = "send it on with `h.backward(copy.grad)`"
            raise Refused(f"returns None: the gradient stopped at the copy of `h`, so {send}")
        return result


def _gradient(x, exp=1.0, sin=1.0):
    x = x.detach().requires_grad_()
    h = torch.tanh(x)
    (exp * torch.exp(h).sum() + sin * torch.sin(h).sum()).backward()
    return x.grad


def _at_the_copy(x):
    copy = torch.tanh(x.detach()).requires_grad_()
    (torch.exp(copy).sum() + torch.sin(copy).sum()).backward()
    return copy.grad


def _in_two_branches(seen):
    if seen.order.count("TanhBackward0") > seen.calls:
        return "the gradient is right, but you computed the trunk twice"
    if seen.retained:
        return "the gradient is right, but with `retain_graph` the backward of the trunk runs twice: row 3 of the four ways"
    alive = set()
    for name in seen.order:
        alive = set() if name == "backward" else alive | {name} & {"ExpBackward0", "SinBackward0"}
        if len(alive) == 2:
            return "the gradient is right, but both branches were in memory at once: row 1 of the four ways"
    if seen.passes < 3 * seen.calls:
        return "the gradient is right, but each branch needs a backward of its own, then the trunk"
    return ""


SLIPS_04_2 = {
    "backward through the graph a second time": "runs the node of `tanh` twice, and the first call freed it. Let the branches read a detached copy of `h`, and send its gradient on once, after both",
    "element 0 of tensors does not require grad": "lets a branch read a tensor that collects no gradient. Make the copy a leaf: `h.detach().requires_grad_()`",
}
WRONG_GRADIENTS = {
    "the branch `sin` is missing": lambda x: _gradient(x, sin=0.0),
    "the branch `exp` is missing": lambda x: _gradient(x, exp=0.0),
    "this is the gradient of `h`. It has yet to pass through `tanh`": _at_the_copy,
    "this is twice the gradient: it went through the trunk twice": lambda x: 2 * _gradient(x),
    "`exp` counts twice: `copy.grad` still contains the first branch. Send it on once, after both": lambda x: (
        _gradient(x, exp=2.0)
    ),
    "the trunk received ones. It needs `copy.grad`": lambda x: 1 - torch.tanh(x.detach()) ** 2,
}
function_exercise(
    "04.2",
    gradient=Branches(
        _gradient,
        {"x": (5,)},
        [(0.5,), ([0.0],), (torch.arange(-3.0, 3.0).double().reshape(2, 3),)],
        conduct=_in_two_branches,
        slips=SLIPS_04_2,
        mistakes=WRONG_GRADIENTS,
    ),
)


class Training(Function):
    """A reference for a function that trains `weight`; what it returns is ignored."""

    engines = (pytorch_tensor,)

    def call(self, function, given):
        torch.manual_seed(0)
        weight, steps = (0.3 * torch.randn(8, 8)).requires_grad_(), []
        optimizer = torch.optim.SGD([weight], lr=0.1)
        optimizer.register_step_post_hook(lambda *_: steps.append(1))
        function(torch.randn(20, 1, 8), weight, optimizer, int(given[0]))
        return weight.detach() if steps else ...

    def trial(self, generator, arguments):
        return arguments, [self.call(self.reference, arguments)], ["`weight`"]

    def praise(self, seen, tolerance):
        return "`weight` is as in PyTorch after 20 steps, with windows of 5, 1 and 20 steps."


def _trained(after, each=False, zero="before", last=False):
    """A training whose window ends with `after(h)`, the next state."""

    def train(xs, weight, optimizer, k):
        h, total = torch.zeros(1, 8), 0.0
        for step, x in enumerate(xs, start=1):
            h = torch.tanh(h @ weight + x)
            loss = (h**2).mean()
            total = total + loss
            if step % k == 0:
                if zero == "before":
                    optimizer.zero_grad()
                (loss if last else total).backward()
                if zero == "between":
                    optimizer.zero_grad()
                optimizer.step()
                h, total = after(h), 0.0
            h = h.detach() if each else h

    return train


SLIPS_04_3 = {
    "backward through the graph a second time": "runs nodes of the first window in the second, and they are freed. At the end of a window, detach `h` and reset `total`",
    "modified by an inplace operation": "raises at the second window: the retained nodes saved `weight`, and `optimizer.step()` changed it. Detach instead",
}
function_exercise(
    "04.3",
    tolerance=1e-6,
    train=Training(
        _trained(torch.Tensor.detach),
        {"k": ()},
        [(5,), (1,), (20,)],
        random=0,
        slips=SLIPS_04_3,
        mistakes={
            "you cut at every step, so a window is one step long": _trained(
                torch.detach, each=True
            ),
            "the state was thrown away. Keep its values and drop its graph": _trained(
                torch.zeros_like
            ),
            "the other losses of the window are missing. Use `total`": _trained(
                torch.detach, last=True
            ),
            "the gradients of earlier windows are still in `weight.grad` (lesson 03)": _trained(
                torch.detach, zero=""
            ),
            "you cleared the gradient before the step could use it (lesson 03)": _trained(
                torch.detach, zero="between"
            ),
        },
    ),
)

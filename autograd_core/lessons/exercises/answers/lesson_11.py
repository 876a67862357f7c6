"""Lesson 11, two networks: what PyTorch answers to its exercises."""

import torch

import autograd_core

from ..check import exercise, function_exercise
from ..references import Function, Refused


@exercise(
    "11.1",
    mistakes={
        "that is the whole gradient of w1. How much of it comes from loss 2?": 28.0,
        "that is what loss 1 contributes": 4.0,
        "that part reaches h0. How much of it reaches w1?": 12.0,
        "that reaches h0 from both losses. How much of it comes from loss 2, and reaches w1?": 14.0,
        "w2 gets no gradient, but the path through it uses its value 3": 0.0,
    },
)
def through_a_frozen_weight():
    x0, w1, w2 = torch.tensor(2.0), torch.tensor(0.5, requires_grad=True), torch.tensor(3.0)
    return {"through_w2": torch.autograd.grad((w2 * w1 * x0 - 1) ** 2, w1)[0]}


NO_GRAPH = (
    "leaves no graph for the student: `backward()` raises “element 0 of tensors does not require"
    " grad”"
)


def _engine_of(tensor):
    return torch if isinstance(tensor, torch.Tensor) else autograd_core


def _flat(tensors):
    """The numbers of all tensors in one row, or None if there are none."""
    tensors = [each for each in tensors if each is not None]
    return (
        _engine_of(tensors[0]).cat([each.detach().flatten() for each in tensors])
        if tensors
        else None
    )


class Imitation(Function):
    """A reference for a loss of a student and a teacher. The check compares the value, both
    gradients, and the state in which the teacher is left."""

    def trial(self, generator, arguments):
        names = ["the loss", "the gradient of the student", "the gradient of the teacher"]
        expected = list(self.call(self.reference, arguments))
        return arguments, expected, [*names, "the teacher's `requires_grad`", "its mode"]

    def call(self, function, given):
        T = _engine_of(given[0])
        T.manual_seed(0)
        student, teacher = (
            T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Tanh(), T.nn.Linear(4, 2)).double()
            for _ in "st"
        )
        loss = function(student, teacher, *given)
        if loss is ... or loss is None:
            return loss
        if not loss.requires_grad:
            raise Refused(NO_GRAPH)
        loss.backward()
        gradients = [_flat(p.grad for p in net.parameters()) for net in (student, teacher)]
        keeps = all(p.requires_grad for p in teacher.parameters())
        # the mode matters only to those who wanted to stop a gradient with it
        mode = gradients[1] is None or teacher.training
        return loss.detach(), *gradients, float(keeps), float(mode)


def _distance(
    change_student=lambda out: out, change_teacher=lambda out: out, before=lambda net: net
):
    """A loss that changes both outputs, and the teacher before it runs."""

    def imitate(student, teacher, x):
        before(teacher)
        return ((change_student(student(x)) - change_teacher(teacher(x))) ** 2).mean()

    return imitate


def _detached(out):
    return out.detach()


function_exercise(
    "11.2",
    loss=Imitation(
        _distance(change_teacher=_detached),
        {"x": (5, 3)},
        mistakes={
            "the teacher got a gradient: it is trained to imitate the student": _distance(),
            "the wrong side is detached: the student got no gradient": (
                _distance(change_student=_detached)
            ),
            "the mean is asked for, not the sum": (
                lambda student, teacher, x: ((student(x) - teacher(x).detach()) ** 2).sum()
            ),
            "`eval()` stops no gradient: the teacher still got one": (
                _distance(before=lambda teacher: teacher.eval())
            ),
            "the gradients are right, but now the teacher can't learn from its own loss": (
                _distance(before=lambda teacher: teacher.requires_grad_(False))
            ),
        },
    ),
)


class Epoch(Function):
    """A reference for an epoch that trains the first of two networks."""

    def trial(self, generator, arguments):
        names = ["net1", "the parameters of net2", "the buffers of net2", "the `.grad` of net2"]
        return arguments, list(self.call(self.reference, arguments)), names

    def call(self, function, given):
        (x,), T = given, _engine_of(given[0])
        T.manual_seed(0)
        net1 = T.nn.Sequential(T.nn.Linear(3, 8), T.nn.Tanh(), T.nn.Linear(8, 4)).double()
        net2 = T.nn.Sequential(T.nn.BatchNorm1d(4), T.nn.Linear(4, 2)).double()
        target = (x[:, 0] > 0).long()
        for p in net2.parameters():
            p.grad = T.ones_like(p)  # left from another loss

        def losses_of(net1, net2):
            h = net1(x)
            return h.pow(2).mean(), T.nn.functional.cross_entropy(net2(h), target)

        optimizer = T.optim.SGD(net1.parameters(), lr=0.1)
        if function(net1, net2, optimizer, losses_of) is ...:
            return ...
        statistics = net2[0].running_mean, net2[0].running_var
        held = _flat(T.zeros_like(p) if p.grad is None else p.grad for p in net2.parameters())
        return _flat(net1.parameters()), _flat(net2.parameters()), _flat(statistics), held


def _epoch(frozen=True, evaluation=True, first_alone=False, cleared=False):
    """An epoch with some of the switches, which may clear the gradients of net2."""

    def epoch(net1, net2, optimizer1, losses_of):
        net1.train(), net2.train(not evaluation)
        net2.requires_grad_(not frozen)
        for _ in range(3):
            optimizer1.zero_grad()
            loss1, loss2 = losses_of(net1, net2)
            (loss1 if first_alone else loss1 + loss2).backward()
            optimizer1.step()
        if cleared:
            net2.zero_grad()

    return epoch


function_exercise(
    "11.3",
    epoch=Epoch(
        _epoch(),
        {"x": (16, 3)},
        mistakes={
            "net2 holds no gradient, but its `running_mean` has moved, because it ran in training"
            " mode. Does `train()` undo your `eval()`?": _epoch(evaluation=False),
            "net2 got gradients: `eval()` stops none": _epoch(frozen=False),
            "net2 got gradients, and its `running_mean` has moved: two switches are missing": (
                _epoch(frozen=False, evaluation=False)
            ),
            "net2 had a `.grad` from another loss before the epoch, and now it is gone": [
                _epoch(frozen=frozen, evaluation=evaluation, cleared=True)
                for frozen in (False, True)
                for evaluation in (True, False)
            ],
            "net1 learns only from loss 1: the path through net2 is cut": [
                _epoch(first_alone=True),
                _epoch(first_alone=True, evaluation=False),
            ],
        },
    ),
)

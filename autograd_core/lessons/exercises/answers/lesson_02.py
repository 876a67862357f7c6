"""Lesson 02, backward step by step: what PyTorch answers to its exercises."""

from ..check import BackwardRule, Function, exercise


@exercise("02.1", tolerance=1e-3)
def a_third_path(torch):
    a, b, c = (torch.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
    u = a * b
    (u * torch.sigmoid(u + c) + u).backward()
    return {"a_grad": a.grad}


@exercise("02.2")
def rule_of_a_times_exp_b(torch):
    return {"rule": BackwardRule(lambda a, b: a * torch.exp(b), {"a": (3,), "b": (3,)})}


@exercise("02.3")
def one_row_of_a_jacobian(torch):
    def last_row(x):
        return torch.autograd.functional.jacobian(lambda x: x.exp() * x.flip(0), x)[-1]
    return {"last_row": Function(last_row, {"x": (3,)})}

"""Lesson 04, the life of a graph: what PyTorch answers to its exercises."""

from ....trace import graph_size
from ..check import Function, exercise


@exercise("04.1")
def what_two_functions_save(torch):
    x = torch.ones(1000, dtype=torch.float64, requires_grad=True)
    return {"saved_bytes": graph_size(torch.sin(torch.exp(x)))[1]}


@exercise("04.2")
def two_branches_one_after_the_other(torch):
    def gradient(x):
        x = x.detach().requires_grad_()
        h = torch.tanh(x)
        (torch.exp(h).sum() + torch.sin(h).sum()).backward()
        return x.grad
    return {"gradient": Function(gradient, {"x": (5,)})}


@exercise("04.3")
def in_place_and_then_backward(torch):
    def outcome(h):
        try:
            h.sum().backward()
        except RuntimeError:
            return "raises"
        return "works"

    w = torch.tensor([0.5, 1.0], requires_grad=True)
    after_sqrt = torch.sqrt(w)
    after_sqrt.detach().mul_(2)
    return {"outcomes": [outcome(torch.tanh(w).add_(1)), outcome((w * w).add_(1)), outcome(after_sqrt),
                         outcome(torch.cos(w).mul_(2))]}

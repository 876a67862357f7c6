"""Lesson 11, two networks: what PyTorch answers to its exercises."""

from ..check import Function, Loss, exercise


@exercise("11.1")
def one_backward_and_three(torch):
    w = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    h = w.exp()
    loss1, loss2 = h ** 2, h.sin()
    g1, g2 = (torch.autograd.grad(loss, w, retain_graph=True)[0] for loss in (loss1, loss2))
    loss1.backward(retain_graph=True)
    a = w.grad / g1
    for _ in range(3):
        loss2.backward(retain_graph=True)
    return {"a": a, "b": (w.grad - a * g1) / g2}


@exercise("11.2")
def through_a_network_that_gets_nothing(torch):
    return {"loss": Loss(lambda w, second: ((w * second.detach()) ** 2).sum(), {"w": (4,), "second": (4,)})}


@exercise("11.3")
def every_sample_counts_the_same(torch):
    return {"loss": Function(lambda a, b: torch.cat([a, b]).mean(), {"a": (4,), "b": (2,)})}

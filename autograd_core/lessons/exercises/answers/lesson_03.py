"""Lesson 03, accumulate and step: what PyTorch answers to its exercises."""

from ..check import Function, exercise


@exercise("03.1")
def two_backwards_one_step(torch):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(2):
        ((w - 3) ** 2 / 2).backward()
    optimizer.step()
    return {"w_after": w}


@exercise("03.2")
def a_batch_in_two_halves(torch):
    def whole(w, x):
        w = w.detach().requires_grad_()
        ((x @ w) ** 2).mean().backward()
        return w.grad
    return {"gradient": Function(whole, {"w": (3,), "x": (8, 3)})}


@exercise("03.3")
def a_step_with_weight_decay(torch):
    def step(w, gradient):
        w = w.clone().requires_grad_()
        w.grad = gradient
        torch.optim.SGD([w], lr=0.1, weight_decay=0.01).step()
        return w.detach()
    return {"step": Function(step, {"w": (3,), "gradient": (3,)})}

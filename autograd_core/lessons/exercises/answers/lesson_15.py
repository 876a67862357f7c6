"""Lesson 15, beyond one scalar: what PyTorch answers to its exercises."""

from ..check import Function, exercise


@exercise("15.1")
def hessian_times_vector(torch):
    def product(w, v):
        return torch.autograd.functional.hvp(lambda w: (torch.exp(w) * w.sum()).sum(), w, v)[1]
    return {"product": Function(product, {"w": (4,), "v": (4,)})}


@exercise("15.2", tolerance=1e-5)
def a_hook_that_scales_down(torch):
    def passed_on(gradient):
        parameter = torch.zeros(3, dtype=torch.float64)
        parameter.grad = gradient.clone()
        torch.nn.utils.clip_grad_norm_([parameter], 1.0)
        return parameter.grad

    def some(generator):
        return torch.randn(3, generator=generator, dtype=torch.float64) * 2 * torch.rand(1, generator=generator)
    return {"hook": Function(passed_on, {"gradient": some})}


@exercise("15.3")
def where_two_rules_agree(torch):
    low, high = torch.tensor([0.1, 1.0], dtype=torch.float64)
    for _ in range(60):
        middle = (low + high) / 2
        x = middle.clone().requires_grad_()
        slope, = torch.autograd.grad(x ** 3, x)
        low, high = (low, middle) if slope > 2 * middle else (middle, high)
    return {"x": middle}


@exercise("15.4")
def unequal_shards(torch):
    def mean_over_all(of_12, of_4):
        w = torch.zeros(3, dtype=torch.float64, requires_grad=True)
        (torch.cat([of_12.expand(12, 3), of_4.expand(4, 3)]) @ w).mean().backward()
        return w.grad
    return {"gradient": Function(mean_over_all, {"of_12": (3,), "of_4": (3,)})}

"""Tensors by hand, as a type checker sees it: leaves, signs, gradients, a function of one's own."""

import autograd_core as torch
from autograd_core.autograd import Function


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


w = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
x = torch.ones(2, dtype=torch.float64)
y = (w * x + 1).exp().sum() / 2 - torch.log(w).mean()
y.backward()
assert w.grad is not None
print(w.grad.tolist(), y.grad_fn, w.shape[0], float(y))
(slope,) = torch.autograd.grad(Cube.apply(w).sum(), w, create_graph=True)
h = torch.cat([w, x]).view(2, 2).t().unsqueeze(0)
mask = h > 1
h = torch.where(mask, h, torch.zeros_like(h)).clamp(min=0.1)
h.register_hook(lambda g: g * 2)
(h**2).sum(dim=(0, 1), keepdim=True).sum().backward()


@torch.no_grad()
def halve(tensor: torch.Tensor) -> None:
    tensor.mul_(0.5)
    tensor[0] = 0.0


halve(w)
print(2 * w - 1, -w, w @ x, w[0].item(), slope.detach().numpy())

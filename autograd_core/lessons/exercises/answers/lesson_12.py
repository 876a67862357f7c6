"""Lesson 12, optimizer steps: what PyTorch answers to its exercises."""

from ..check import Function, exercise


def _valid(torch):
    """Rows with different numbers of valid elements, one at least."""
    def make(generator):
        valid = torch.rand(3, 4, generator=generator) < 0.5
        valid[:, 0] = True
        return valid
    return make


@exercise("12.1", tolerance=1e-3)
def three_steps_of_adam(torch):
    w = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.1)
    for _ in range(3):
        w.grad = torch.tensor([250.0], dtype=torch.float64)
        optimizer.step()
    return {"place": w.item()}


@exercise("12.2")
def two_steps_with_momentum(torch):
    def two_steps(w, g1, g2):
        w = w.clone().requires_grad_()
        optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        for w.grad in (g1, g2):
            optimizer.step()
        return w.detach()
    return {"two_steps": Function(two_steps, {"w": (3,), "g1": (3,), "g2": (3,)})}


@exercise("12.3")
def masked_micro_batches(torch):
    def whole(w, x, mask):
        w = w.detach().requires_grad_()
        ((w * x - 1) ** 2)[mask].mean().backward()
        return w.grad
    return {"gradient": Function(whole, {"w": (4,), "x": (3, 4), "mask": _valid(torch)})}


@exercise("12.4", tolerance=1e-5)
def clipped_by_their_common_norm(torch):
    def clip(g1, g2):
        weights = [torch.zeros_like(g, requires_grad=True) for g in (g1, g2)]
        for weight, g in zip(weights, (g1, g2)):
            weight.grad = g.clone()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        return tuple(weight.grad for weight in weights)
    return {"clip": Function(clip, {"g1": (3,), "g2": (2,)})}

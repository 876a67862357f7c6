"""What PyTorch answers to the exercises, a file for each lesson; here, what several ask of it."""

import torch


def mask_of(*shape, share=0.5):
    """What draws a mask that is True for about this share of its elements."""
    return lambda generator: torch.rand(shape, generator=generator) < share


def gradient_of(loss_of, w):
    """The gradient of `loss_of(w)` at `w`."""
    w = w.detach().requires_grad_()
    loss_of(w).backward()
    return w.grad


def after_steps(w, *gradients, **options):
    """`w` after a step of SGD with each of `gradients`."""
    w = w.clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.1, **options)
    for w.grad in gradients:
        optimizer.step()
    return w.detach()


def clipped(*gradients):
    """`gradients` whose common norm was limited to 1."""
    weights = [torch.zeros_like(gradient, requires_grad=True) for gradient in gradients]
    for weight, gradient in zip(weights, gradients):
        weight.grad = gradient.clone()
    torch.nn.utils.clip_grad_norm_(weights, 1.0)
    return tuple(weight.grad for weight in weights)

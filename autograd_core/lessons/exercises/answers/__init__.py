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

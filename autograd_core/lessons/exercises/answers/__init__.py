"""The tables of mistakes, one file for each lesson. The functions here serve several of them."""

import torch


def mask_of(*shape, share=0.5):
    """Return a function that draws a mask; this fraction of its elements is True on average."""
    return lambda generator: torch.rand(shape, generator=generator) < share


def gradient_of(loss_of, w):
    """The gradient of `loss_of(w)` at `w`."""
    w = w.detach().requires_grad_()
    loss_of(w).backward()
    return w.grad

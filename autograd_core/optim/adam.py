"""Adam (Kingma and Ba 2015)."""

import math

import numpy as np

from ..creation import tensor, zeros_like
from .optimizer import Optimizer


class Adam(Optimizer):
    """Steps of about `lr`, whatever the size of the gradient g, by its running mean m and mean square v:

        weight_decay λ:  g ← g + λ p
        m ← β₁ m + (1 − β₁) g            v ← β₂ v + (1 − β₂) g²
        p ← p − lr · (m / (1 − β₁ᵗ)) / (sqrt(v / (1 − β₂ᵗ)) + eps)

    State: "step" (t), "exp_avg" (m), "exp_avg_sq" (v); with `amsgrad` also "max_exp_avg_sq", the greatest v so far,
    which then takes its place. As `torch.optim.Adam`; lesson 10.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if eps < 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
                                      maximize=maximize, foreach=foreach, capturable=capturable,
                                      differentiable=differentiable, fused=fused, decoupled_weight_decay=False))

    def _update(self, p, group):
        g, weight, state, (beta1, beta2) = p.grad._array, p._storage(), self.state[p], group["betas"]
        if group["maximize"]:
            g = -g
        if group["weight_decay"]:
            g = g + group["weight_decay"] * weight
        if not state:
            state["step"] = tensor(0.0)
            state["exp_avg"], state["exp_avg_sq"] = zeros_like(p), zeros_like(p)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(p)
        state["step"] += 1
        step = state["step"].item()
        m, v = state["exp_avg"]._storage(), state["exp_avg_sq"]._storage()
        m[...] = m + (1 - beta1) * (g - m) if beta1 > 0.5 else g - beta1 * (g - m)      # the end that is nearer
        v *= beta2
        v += (1 - beta2) * g * g
        if group["amsgrad"]:
            greatest = state["max_exp_avg_sq"]._storage()
            v = np.maximum(greatest, v, out=greatest)
        size = group["lr"] / (1 - beta1 ** step)
        weight += -size * m / (np.sqrt(v) / math.sqrt(1 - beta2 ** step) + group["eps"])

"""Adam (Kingma and Ba 2015), and AdamW (Loshchilov and Hutter 2019) with decoupled weight decay."""

import math

import numpy as np

from .optimizer import Optimizer, lerp


class Adam(Optimizer):
    """Steps of about `lr` for any size of the gradient g, by exponential moving averages of g (m) and
    of its square (v):

        weight_decay λ:  g ← g + λ p
        m ← β₁ m + (1 − β₁) g            v ← β₂ v + (1 − β₂) g²
        p ← p − lr · (m / (1 − β₁ᵗ)) / (sqrt(v / (1 − β₂ᵗ)) + eps)

    State: "step" (t), "exp_avg" (m), "exp_avg_sq" (v). Like `torch.optim.Adam`. See lesson 12.
    """

    _decoupled = False

    def __init__(
        self,
        params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
    ) -> None:
        if not all(0.0 <= beta < 1.0 for beta in betas):
            raise ValueError(f"Invalid betas: {betas}")
        options = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=False)
        options |= dict(maximize=False, foreach=None, capturable=False, differentiable=False)
        options |= dict(fused=None, decoupled_weight_decay=self._decoupled)
        super().__init__(params, options)

    def _update(self, p, group):
        g, weight, (beta1, beta2) = self._gradient(p, group), p._storage(), group["betas"]
        t, m, v = self._count(p), self._buffer(p, "exp_avg"), self._buffer(p, "exp_avg_sq")
        size, correction = group["lr"] / (1 - beta1**t), math.sqrt(1 - beta2**t)
        if group["decoupled_weight_decay"]:
            weight *= 1 - group["lr"] * group["weight_decay"]
        lerp(m, g, 1 - beta1)
        v *= beta2
        v += (1 - beta2) * g * g
        weight += -size * m / (np.sqrt(v) / correction + group["eps"])


class AdamW(Adam):
    """Adam with decoupled weight decay, which doesn't enter g, m and v: first p ← p − lr λ p, then the
    step of Adam. Like `torch.optim.AdamW`. See lesson 12.
    """

    _decoupled = True

    def __init__(
        self,
        params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)

"""Adam (Kingma and Ba 2015), and AdamW (Loshchilov and Hutter 2019), which decays the weights on
their own.
"""

import math

import numpy as np

from ..core.graph import check
from .optimizer import Optimizer, in_blocks, lerp


class Adam(Optimizer):
    """Steps of about `lr`, whatever the size of the gradient g, by its running mean m and mean
    square v:

        weight_decay λ:  g ← g + λ p   (with `decoupled_weight_decay` instead p ← p − lr λ p, as
                         `AdamW`)
        m ← β₁ m + (1 − β₁) g            v ← β₂ v + (1 − β₂) g²
        p ← p − lr · (m / (1 − β₁ᵗ)) / (sqrt(v / (1 − β₂ᵗ)) + eps)

    State: "step" (t), "exp_avg" (m), "exp_avg_sq" (v); with `amsgrad` also "max_exp_avg_sq", the
    greatest v so far, which then takes its place. As `torch.optim.Adam`; lesson 12.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ):
        for i, beta in enumerate(betas):
            check(
                0.0 <= beta < 1.0,
                "Invalid beta parameter at index {}: {}",
                i,
                beta,
                error=ValueError,
            )
        check(
            all(isinstance(beta, float) for beta in betas),
            "betas must be either both floats or both Tensors: autograd_core takes floats",
            error=ValueError,
        )
        super().__init__(
            params,
            dict(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                amsgrad=amsgrad,
                maximize=maximize,
                foreach=foreach,
                capturable=capturable,
                differentiable=differentiable,
                fused=fused,
                decoupled_weight_decay=decoupled_weight_decay,
            ),
        )

    def _update(self, p, group):
        g, weight, (beta1, beta2) = self._gradient(p, group), p._storage(), group["betas"]
        t, m, v = self._count(p), self._buffer(p, "exp_avg"), self._buffer(p, "exp_avg_sq")
        greatest = self._buffer(p, "max_exp_avg_sq") if group["amsgrad"] else v
        size, correction = group["lr"] / (1 - beta1**t), math.sqrt(1 - beta2**t)
        for weight, g, m, v, greatest in in_blocks(weight, g, m, v, greatest):
            if group["decoupled_weight_decay"]:
                weight *= 1 - group["lr"] * group["weight_decay"]
            lerp(m, g, 1 - beta1)
            v *= beta2
            v += (1 - beta2) * g * g
            if group["amsgrad"]:
                np.maximum(greatest, v, out=greatest)
            weight += -size * m / (np.sqrt(greatest) / correction + group["eps"])


class AdamW(Adam):
    """Adam with the decay of weights outside of g, so that neither m nor v knows of it:  p ← p − lr
    λ p, then as Adam.

    As `torch.optim.AdamW`; lesson 12.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
        foreach=None,
        capturable=False,
        differentiable=False,
        fused=None,
    ):
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def load_state_dict(self, state_dict):
        """As ever; what Adam saved is taken over too, and then decays as AdamW does."""
        super().load_state_dict(state_dict)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True

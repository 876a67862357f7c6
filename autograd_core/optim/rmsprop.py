"""RMSprop (Hinton's lecture 6e of 2012)."""

import numpy as np

from .optimizer import Optimizer


class RMSprop(Optimizer):
    """Steps of about `lr` for any size of the gradient g, by a moving average v of its square:

        weight_decay λ:  g ← g + λ p
        v ← α v + (1 − α) g²             d = g / (sqrt(v) + eps)
        momentum μ:      b ← μ b + d;   d = b
        p ← p − lr · d

    State: "step", "square_avg" (v), with momentum also "momentum_buffer" (b). Like
    `torch.optim.RMSprop`. See lesson 12.
    """

    def __init__(
        self,
        params,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
    ) -> None:
        options = dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=False)
        options |= dict(weight_decay=weight_decay, capturable=False, foreach=None)
        super().__init__(params, options | dict(maximize=False, differentiable=False))

    def _update(self, p, group):
        g, weight, alpha = self._gradient(p, group), p._storage(), group["alpha"]
        self._count(p)
        v = self._buffer(p, "square_avg")
        if group["momentum"]:
            b = self._buffer(p, "momentum_buffer")
        v *= alpha
        v += (1 - alpha) * g * g
        size = np.sqrt(v) + group["eps"]
        if group["momentum"]:
            b *= group["momentum"]
            b += g / size
            weight += -group["lr"] * b
        else:
            weight += -group["lr"] * g / size

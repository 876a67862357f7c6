"""RMSprop (Hinton's lecture 6e of 2012; centered: Graves 2013)."""

import numpy as np

from .optimizer import Optimizer, lerp


class RMSprop(Optimizer):
    """Steps of about `lr`, whatever the size of the gradient g, by its running mean square v:

        weight_decay λ:  g ← g + λ p
        v ← α v + (1 − α) g²             d = g / (sqrt(v) + eps)
        centered:        m ← α m + (1 − α) g;   v − m², the running variance, takes the place of v
                         in d
        momentum μ:      b ← μ b + d;   d = b
        p ← p − lr · d

    State: "step", "square_avg" (v); with momentum "momentum_buffer" (b), if centered "grad_avg"
    (m). As `torch.optim.RMSprop`; lesson 12.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        super().__init__(
            params,
            dict(
                lr=lr,
                momentum=momentum,
                alpha=alpha,
                eps=eps,
                centered=centered,
                weight_decay=weight_decay,
                capturable=capturable,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
            ),
        )

    def _update(self, p, group):
        g, weight, alpha, momentum = (
            self._gradient(p, group),
            p._storage(),
            group["alpha"],
            group["momentum"],
        )
        self._count(p)
        v = self._buffer(p, "square_avg")
        if momentum:
            b = self._buffer(p, "momentum_buffer")
        v *= alpha
        v += (1 - alpha) * g * g
        if group["centered"]:
            m = self._buffer(p, "grad_avg")
            lerp(m, g, 1 - alpha)
            v = v - m * m
        size = np.sqrt(v) + group["eps"]
        if momentum:
            b *= momentum
            b += g / size
            weight += -group["lr"] * b
        else:
            weight += -group["lr"] * g / size

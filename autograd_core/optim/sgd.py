"""Stochastic gradient descent."""

from ..core.graph import check
from .optimizer import Optimizer


class SGD(Optimizer):
    """p ← p − lr · d, where d is the gradient g, with what was asked for on top:

        weight_decay λ:  g ← g + λ p
        momentum μ:      b ← μ b + (1 − dampening) g   (at the first step b ← g);   d = b
        nesterov:        d = g + μ b
        maximize:        g ← −g

    State: "momentum_buffer", the b above, of the parameter's shape. As `torch.optim.SGD`; lessons
    03 and 12."""

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        check(
            not nesterov or momentum > 0 and not dampening,
            "Nesterov momentum requires a momentum and zero dampening",
            error=ValueError,
        )
        super().__init__(
            params,
            dict(
                lr=lr,
                momentum=momentum,
                dampening=dampening,
                weight_decay=weight_decay,
                nesterov=nesterov,
                maximize=maximize,
                foreach=foreach,
                differentiable=differentiable,
                fused=fused,
            ),
        )

    def _update(self, p, group):
        g, weight, momentum = self._gradient(p, group), p._storage(), group["momentum"]
        if momentum:
            first = "momentum_buffer" not in self.state[p]
            b = self._buffer(p, "momentum_buffer")
            b *= momentum
            b += g if first else (1 - group["dampening"]) * g
            g = g + momentum * b if group["nesterov"] else b
        weight += -group["lr"] * g

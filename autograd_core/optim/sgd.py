"""Stochastic gradient descent."""

from .optimizer import Optimizer


class SGD(Optimizer):
    """p ← p − lr · d, where d is the gradient g, changed by these options:

        weight_decay λ:  g ← g + λ p
        momentum μ:      b ← μ b + (1 − dampening) g   (at the first step b ← g);   d = b
        nesterov:        d = g + μ b

    State: "momentum_buffer" (b), of the parameter's shape. Like `torch.optim.SGD`. See lessons 03 and
    12."""

    def __init__(
        self,
        params,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        options = dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay)
        options |= dict(nesterov=nesterov, maximize=False, foreach=None)
        super().__init__(params, options | dict(differentiable=False, fused=None))

    def _update(self, p, group):
        g, weight, momentum = self._gradient(p, group), p._storage(), group["momentum"]
        if momentum:
            first = "momentum_buffer" not in self.state[p]
            b = self._buffer(p, "momentum_buffer")
            b *= momentum
            b += g if first or not group["dampening"] else (1 - group["dampening"]) * g
            g = g + momentum * b if group["nesterov"] else b
        weight += -group["lr"] * g

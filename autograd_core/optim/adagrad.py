"""Adagrad (Duchi, Hazan and Singer 2011)."""

import numpy as np

from ..compat.creation import full_like, tensor
from .optimizer import Optimizer


class Adagrad(Optimizer):
    """Steps that shrink with all that came before: s is the sum of the squares of every gradient g
    so far.

        weight_decay λ:  g ← g + λ p
        s ← s + g²   (it starts at `initial_accumulator_value`)
        p ← p − lr / (1 + (t − 1) lr_decay) · g / (sqrt(s) + eps)

    State, from the beginning: "step" (t), "sum" (s). As `torch.optim.Adagrad`, except that a group
    added later gets its state too (PyTorch raises KeyError at its first step); lesson 12.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        super().__init__(
            params,
            dict(
                lr=lr,
                lr_decay=lr_decay,
                eps=eps,
                weight_decay=weight_decay,
                initial_accumulator_value=initial_accumulator_value,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                fused=fused,
            ),
        )

    def add_param_group(self, param_group):
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        for p in group["params"]:
            self.state[p].update(
                step=tensor(0.0), sum=full_like(p, group["initial_accumulator_value"])
            )

    def _update(self, p, group):
        g, weight, t, s = (
            self._gradient(p, group),
            p._storage(),
            self._count(p),
            self._buffer(p, "sum"),
        )
        s += g * g
        lr = group["lr"] / (1 + (t - 1) * group["lr_decay"])
        weight += -lr * g / (np.sqrt(s) + group["eps"])

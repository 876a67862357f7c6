"""Gradient clipping, between `backward()` and `step()`. See lesson 12."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..autograd.grad_mode import no_grad
from ..compat.creation import tensor
from ..compat.tensor import Tensor
from ..core.public import offers
from ..core.tensor import wrap

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def _gradients(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
) -> Tensor:
    """Scale all gradients in place so that their norm, as one long vector, is at most `max_norm`. Each
    gradient is multiplied by min(1, max_norm / (norm + 1e-6)). Returns the norm before clipping.

    norm_type  the p of the p-norm; `inf` for the largest absolute value of an element.
    """
    grads, p = _gradients(parameters), float(norm_type)
    if not grads:
        return tensor(0.0)
    of_each = [np.linalg.norm(g._array.reshape(-1), p) for g in grads]
    of_each = np.array(of_each, dtype=grads[0].dtype.numpy)
    norm = wrap(np.linalg.norm(of_each, p).astype(of_each.dtype))
    for g in grads:
        g.mul_((float(max_norm) / (norm + 1e-6)).clamp(max=1.0))
    return norm


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Clamp every element of every gradient to [-clip_value, clip_value] in place."""
    for g in _gradients(parameters):
        g.clamp_(-float(clip_value), float(clip_value))


if not TYPE_CHECKING:  # a type checker finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

"""What is done to all parameters at once between `backward()` and `step()`, and parameters as one
vector.

Names and arguments are those of `torch.nn.utils`; lesson 12 clips gradients.
"""

import numpy as np

from ..autograd.grad_mode import no_grad
from ..compat.creation import tensor
from ..compat.tensor import Tensor
from ..core.graph import check
from ..core.tensor import wrap
from ..ops.shape import cat


def _gradients(parameters, foreach):
    check(
        not foreach,
        "autograd_core has no foreach form: leave foreach=None",
        error=NotImplementedError,
    )
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale all gradients together, in place, so that their norm as one long vector is at most
    `max_norm`.

    parameters  one tensor or several; those whose `.grad` is None are left out.
    norm_type   the p of the p-norm; `inf` for the greatest size of an element.
    Each gradient is multiplied by min(1, max_norm / (norm + 1e-6)). Returns the norm as it was, a
    0-d tensor. Raises RuntimeError, before anything is changed, for a norm that is nan or infinite
    if `error_if_nonfinite`. As `torch.nn.utils.clip_grad_norm_`.
    """
    grads, p = _gradients(parameters, foreach), float(norm_type)
    if not grads:
        return tensor(0.0)
    of_each = np.array(
        [np.linalg.norm(g._array.reshape(-1), p) for g in grads], dtype=grads[0].dtype.numpy
    )
    norm = wrap(np.linalg.norm(of_each, p).astype(of_each.dtype))
    check(
        not error_if_nonfinite or np.isfinite(norm.item()),
        "The total norm of order {} for gradients from `parameters` is non-finite, so it cannot be"
        " clipped. To scale by it anyway, set `error_if_nonfinite=False`",
        p,
    )
    for g in grads:
        g.mul_((float(max_norm) / (norm + 1e-6)).clamp(max=1.0))
    return norm


@no_grad()
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Move every element of every gradient into [-clip_value, clip_value], in place."""
    for g in _gradients(parameters, foreach):
        g.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters):
    """All parameters, one after the other, as one vector: a part of the graph, as `cat` makes it."""
    return cat([p.view(-1) for p in parameters])

"""Full derivatives of a function of one tensor: its Jacobian, its Hessian, and the Hessian times a
vector.

A backward pass computes one vector-Jacobian product vᵀJ. A Jacobian needs one product for each
output element, and a Hessian is the Jacobian of a gradient. `create_graph` makes the result
differentiable. Like `torch.autograd.functional`, for one input and one output. See lesson 15.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..core.public import offers
from ..core.tensor import wrap
from ..ops.table import recorded_ops as ops
from .entry import grad
from .grad_mode import enable_grad

__all__ = ["hessian", "hvp", "jacobian"]


def _called(func, inputs, create_graph):
    """(the input, the output) of `func`, recorded on a separate copy of the input."""
    attached = create_graph and inputs.requires_grad
    own = inputs.clone() if attached else inputs.detach().requires_grad_()
    return own, func(own)


def pull(output, x, v, create_graph=False):
    """vᵀJ, the gradient for `x`. It is zeros if `output` doesn't depend on `x`."""
    if not output.requires_grad:
        return ops.zeros_like(x.detach())
    options = dict(retain_graph=True, create_graph=create_graph, materialize_grads=True)
    return grad(output, x, v, **options)[0]


def _answer(x, create_graph):
    return x if create_graph else x.detach()


@enable_grad()
def jacobian(func, inputs, create_graph: bool = False):
    """∂output/∂input of shape (*output.shape, *input.shape), by one vᵀJ for each output element."""
    x, out = _called(func, inputs, create_graph)
    units = np.eye(out.numel(), dtype=out.dtype.numpy).reshape(out.numel(), *out.shape)
    rows = ops.stack([pull(out, x, wrap(v), create_graph) for v in units], 0)
    return _answer(ops.reshape(rows, (*out.shape, *x.shape)), create_graph)


@enable_grad()
def hessian(func, inputs, create_graph: bool = False):
    """∂²output/∂input∂input, the Jacobian of the gradient. `func` must return a single number."""

    def gradient(x):
        return jacobian(lambda x: ops.reshape(_single(func(x)), ()), x, create_graph=True)

    return jacobian(gradient, inputs, create_graph)


def _single(output):
    """`output`, which must be a single number. Else raises RuntimeError."""
    if output.numel() != 1:
        raise RuntimeError("The Tensor returned by the function should contain a single element")
    return output


@enable_grad()
def hvp(func, inputs, v, create_graph: bool = False):
    """(output, Hv), where Hv = vᵀH by symmetry. `func` returns one number; v has the input's shape."""
    x, out = _called(lambda x: _single(func(x)), inputs, create_graph)
    first = pull(out, x, ops.zeros_like(out.detach()) + 1, True)
    return _answer(out, create_graph), _answer(pull(first, x, v, create_graph), create_graph)


if not TYPE_CHECKING:  # a type checker finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

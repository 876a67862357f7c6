"""Whole derivatives of a function of one tensor: its Jacobian, its Hessian, and the Hessian times a
vector.

`backward` gives one product vᵀJ at a time. All else is made of that: a Jacobian of one product for
each output element, a Hessian of the Jacobian of a gradient. `create_graph` makes the answer
differentiable. As `torch.autograd.functional`, of one tensor in and one out; lesson 15.
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
    """(the input, the output): `func`, recorded, on an input of its own."""
    attached = create_graph and inputs.requires_grad
    own = inputs.clone() if attached else inputs.detach().requires_grad_()
    return own, func(own)


def pull(output, x, v, create_graph=False):
    """vᵀJ: the gradient for `x`; zeros where `output` does not depend on it."""
    if not output.requires_grad:
        return ops.zeros_like(x.detach())
    options = dict(retain_graph=True, create_graph=create_graph, materialize_grads=True)
    return grad(output, x, v, **options)[0]


def _answer(x, create_graph):
    return x if create_graph else x.detach()


@enable_grad()
def jacobian(func, inputs, create_graph: bool = False):
    """∂output/∂input, (*output.shape, *input.shape): one vᵀJ for each output element."""
    x, out = _called(func, inputs, create_graph)
    units = np.eye(out.numel(), dtype=out.dtype.numpy).reshape(out.numel(), *out.shape)
    rows = ops.stack([pull(out, x, wrap(v), create_graph) for v in units], 0)
    return _answer(ops.reshape(rows, (*out.shape, *x.shape)), create_graph)


@enable_grad()
def hessian(func, inputs, create_graph: bool = False):
    """∂²output/∂input∂input for a `func` of one number: the Jacobian of its gradient."""

    def gradient(x):
        return jacobian(lambda x: ops.reshape(_single(func(x)), ()), x, create_graph=True)

    return jacobian(gradient, inputs, create_graph)


def _single(output):
    """The one number that `func` returned. Raises RuntimeError if it is not one."""
    if output.numel() != 1:
        raise RuntimeError("The Tensor returned by the function should contain a single element")
    return output


@enable_grad()
def hvp(func, inputs, v, create_graph: bool = False):
    """(output, Hv), for a `func` of one number and v shaped as the input. H is symmetric."""
    x, out = _called(lambda x: _single(func(x)), inputs, create_graph)
    first = pull(out, x, ops.zeros_like(out.detach()) + 1, True)
    return _answer(out, create_graph), _answer(pull(first, x, v, create_graph), create_graph)


if not TYPE_CHECKING:  # which finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

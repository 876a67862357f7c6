"""Whole derivatives of functions of tensors: Jacobians, Hessians, and their products with a vector.

`backward` gives one product vᵀJ at a time. All else is made of that: a Jacobian of one product for
each output element, a Hessian of the Jacobian of a gradient, Jv by differentiating vᵀJ in v. Each
function takes `func(*inputs)` with tensors in and out, one or a tuple, and answers with a tuple for
each tuple. `create_graph` makes the answer differentiable.

Names and arguments are those of `torch.autograd.functional`, but for `strict`, `vectorize` and
`strategy`: where an output does not depend on an input there are zeros, and rows are computed one
by one, in reverse mode; lesson 15."""

import numpy as np

from ..core.graph import check
from ..core.tensor import TensorBase, wrap
from ..ops.table import recorded_ops as ops
from .entry import grad
from .grad_mode import enable_grad


def _tuple(x, what):
    """(`x` as a tuple of tensors, whether it was a tuple). Raises TypeError for anything else."""
    parts = x if isinstance(x, tuple) else (x,)
    for part in parts:
        check(
            isinstance(part, TensorBase),
            "The {} must be either a Tensor or a tuple of Tensors, but one has type {}.",
            what,
            type(part),
            error=TypeError,
        )
    return parts, isinstance(x, tuple)


def _call(func, inputs, create_graph):
    """(inputs, outputs, whether inputs were a tuple, whether outputs were): `func`, recorded, on
    inputs of its own.
    """
    inputs, many = _tuple(inputs, "inputs given to the user-provided function")
    inputs = tuple(
        x.clone() if create_graph and x.requires_grad else x.detach().requires_grad_()
        for x in inputs
    )
    return inputs, *_tuple(func(*inputs), "outputs of the user-provided function"), many


def _vector(v, like, what):
    """`v` as a tuple with the shapes of `like`; if it is None, 1 for a single number."""
    check(
        v is not None or len(like) == 1 == like[0].numel(),
        "The vector v can only be None if {} is a single Tensor with a single element.",
        what,
    )
    v, _ = _tuple(_zeros(like[0]) + 1 if v is None else v, "vector v")
    wanted, got = ([list(t.shape) for t in tensors] for tensors in (like, v))
    check(wanted == got, "v has invalid size: should be {} but got {}.", wanted, got)
    return v


def _zeros(t):
    return ops.zeros_like(t.detach())


def pull(outputs, inputs, v, create_graph=False):
    """vᵀJ: a gradient for each input; zeros where `outputs` do not depend on it."""
    pairs = [(out, part) for out, part in zip(outputs, v) if out.requires_grad]
    if not pairs:
        return tuple(map(_zeros, inputs))
    outputs, v = zip(*pairs)
    return grad(
        outputs, inputs, v, retain_graph=True, create_graph=create_graph, materialize_grads=True
    )


def _answer(parts, many, create_graph):
    parts = tuple(part if create_graph else part.detach() for part in parts)
    return parts if many else parts[0]


@enable_grad()
def jacobian(func, inputs, create_graph=False):
    """∂output/∂input for each pair: a tensor of shape (*output.shape, *input.shape), one vᵀJ for
    each output element.
    """
    inputs, outputs, many_outputs, many = _call(func, inputs, create_graph)
    blocks = []
    for out in outputs:
        units = np.eye(out.numel(), dtype=out.dtype.numpy).reshape(out.numel(), *out.shape)
        rows = [pull([out], inputs, [wrap(v)], create_graph) for v in units]
        columns = (ops.stack(column, 0) for column in zip(*rows)) if rows else map(_zeros, inputs)
        blocks.append(
            _answer(
                [ops.reshape(column, (*out.shape, *x.shape)) for column, x in zip(columns, inputs)],
                many,
                create_graph,
            )
        )
    return tuple(blocks) if many_outputs else blocks[0]


@enable_grad()
def hessian(func, inputs, create_graph=False):
    """∂²output/∂input∂input for a `func` of one number: the Jacobian of its gradient, for each pair
    of inputs.
    """

    def gradient(*xs):
        xs = xs if isinstance(inputs, tuple) else xs[0]
        return jacobian(lambda *xs: ops.reshape(_single(func, xs), ()), xs, create_graph=True)

    return jacobian(gradient, inputs, create_graph)


def _single(func, xs):
    """The one number that `func` returns. Raises RuntimeError if it is not one."""
    outputs, many = _tuple(func(*xs), "outputs of the user-provided function")
    check(
        not many and outputs[0].numel() == 1,
        "The Tensor returned by the function should contain a single element, and be no tuple",
    )
    return outputs[0]


@enable_grad()
def vjp(func, inputs, v=None, create_graph=False):
    """(outputs, vᵀJ), for v in the shapes of the outputs."""
    inputs, outputs, many_outputs, many = _call(func, inputs, create_graph)
    v = _vector(v, outputs, "the output of the user-provided function")
    found = pull(outputs, inputs, v, create_graph)
    return _answer(outputs, many_outputs, create_graph), _answer(found, many, create_graph)


@enable_grad()
def jvp(func, inputs, v=None, create_graph=False):
    """(outputs, Jv), for v in the shapes of the inputs. wᵀJ is linear in w, and its derivative in
    w, times v, is Jv.
    """
    inputs, outputs, many_outputs, many = _call(func, inputs, create_graph)
    v = _vector(v, inputs, "the input of the user-provided function")
    w = tuple(_zeros(out).requires_grad_() for out in outputs)
    found = pull(pull(outputs, inputs, w, True), w, v, create_graph)
    return _answer(outputs, many_outputs, create_graph), _answer(found, many_outputs, create_graph)


@enable_grad()
def hvp(func, inputs, v=None, create_graph=False):
    """(output, Hv), for a `func` of one number and v in the shapes of the inputs. H is symmetric:
    Hv is vᵀH.
    """
    inputs, outputs, _, many = _call(lambda *xs: _single(func, xs), inputs, create_graph)
    v = _vector(v, inputs, "the input of the user-provided function")
    first = pull(outputs, inputs, (_zeros(outputs[0]) + 1,), True)
    found = pull(first, inputs, v, create_graph)
    return _answer(outputs, False, create_graph), _answer(found, many, create_graph)

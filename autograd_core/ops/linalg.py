"""Products of vectors and matrices, and normalization to length 1.

For c = a @ b of any sizes, the gradient of a is g @ bᵀ, and the gradient of b is aᵀ @ g. All products
here use that rule."""

from math import prod

import numpy as np

from ..core.graph import check
from ..core.operation import formula, operation, plain_number
from ..core.public import public
from ..core.types import type_name
from .arithmetic import add, div, mul
from .elementwise import clamp_min
from .reduction import vector_norm
from .shape import (
    clone,
    expand_to,
    reshape_to,
    squeeze_dim,
    squeeze_temporary,
    t,
    transpose,
    unsafe_view,
    unsqueeze,
    view_as_shape,
)


def _check_matrices(a, b):
    check(
        a.ndim == b.ndim == 2, "mat1 and mat2 must be matrices, got {}-D and {}-D", a.ndim, b.ndim
    )
    if a.shape[1] != b.shape[0]:
        (n, m), (k, p) = a.shape, b.shape
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {k}x{p})")
    if a.dtype is not b.dtype:
        types = f"{type_name(a)} and {type_name(b)}"
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {types}: use .to()")


@public("T", "Tensor", example="T.dot(a, b)", a=(3,), b=(3,))
@operation(input=lambda g, tensor: g * tensor, tensor=lambda g, input: g * input, sign="@")
def dot(input, tensor):
    """The sum of the products of two vectors of the same length."""
    check(input.ndim == tensor.ndim == 1, "dot() needs two vectors")
    return np.dot(input, tensor)


@public("T", "Tensor", example="T.mv(a, b)", a=(2, 3), b=(3,))
@operation(
    input=lambda ops, g, vec: ops.mul(ops.unsqueeze(g, 1), vec),
    vec=lambda ops, g, input: ops.mv(ops.t(input), g),
    sign="@",
)
def mv(input, vec):
    """A matrix (n, m) times a vector (m). The result has the shape (n)."""
    check((input.ndim, vec.ndim) == (2, 1), "mv() needs a matrix and a vector")
    return np.dot(input, vec)


@public("T", "Tensor", example="T.mm(a, b)", a=(2, 3), b=(3, 4))
@operation(
    input=lambda ops, g, mat2: ops.mm(g, ops.t(mat2)),
    mat2=lambda ops, g, input: ops.mm(ops.t(input), g),
    sign="@",
)
def mm(input, mat2):
    """The product (n, p) of matrices (n, m) and (m, p). RuntimeError if sizes or types don't fit."""
    _check_matrices(input, mat2)
    return np.dot(input, mat2)


@public("T", "Tensor", example="T.bmm(a, b)", a=(2, 3, 4), b=(2, 4, 2))
@operation(
    input=lambda ops, g, mat2: ops.bmm(g, ops.transpose(mat2, 1, 2)),
    mat2=lambda ops, g, input: ops.bmm(ops.transpose(input, 1, 2), g),
    sign="@",
)
def bmm(input, mat2):
    """The products (b, n, p) of two batches of matrices (b, n, m) and (b, m, p)."""
    check(input.ndim == mat2.ndim == 3 and len(input) == len(mat2), "bmm() needs equal batches")
    return np.matmul(input, mat2)


@formula("mm(t(mat1), g)")
def _of_second_matrix(ops, g, mat1):
    """As a transpose, because a layer uses weightᵀ: so the gradient has the weight's memory order."""
    return ops.t(ops.mm(ops.t(g), mat1))


@public("T", "Tensor", example="T.addmm(a, b, c)", a=(4,), b=(2, 3), c=(3, 4))
@operation(
    input=lambda g: g,
    mat1=lambda ops, g, mat2: ops.mm(g, ops.t(mat2)),
    mat2=_of_second_matrix,
    broadcasts=True,
    sign="@+",
)
def addmm(input, mat1, mat2):
    """`input + mat1 @ mat2`. `input` is broadcast to the product's shape (n, p). Errors as in `mm`."""
    _check_matrices(mat1, mat2)
    product = np.dot(mat1, mat2)
    product += input
    return product


_PRODUCTS = {(1, 1): dot, (2, 1): mv, (2, 2): mm}  # by the numbers of dimensions


@public("T", "Tensor", example="T.matmul(a, b)", a=(2, 3), b=(3, 4))
def matmul(input, other):
    """`input @ other` of vectors, matrices, or batches whose leading dimensions are broadcast. It is
    composed of other operations as in PyTorch.
    """
    dims = (input.ndim, other.ndim)
    if dims in _PRODUCTS:
        return _PRODUCTS[dims](input, other)
    check(0 not in dims, "both arguments to matmul need to be at least 1D")
    if dims == (1, 2):
        return squeeze_temporary(mm(unsqueeze(input, 0), other), 0)
    if input.ndim >= 3 > other.ndim and _folds(input, other):
        return _fold(input, other)
    if other.ndim >= 3 > input.ndim and (
        input.requires_grad or input.ndim == 1 and _folds(mT(other.detach()), input)
    ):
        if input.ndim == 1:
            return _fold(mT(other), input)
        folded = mT(_fold(mT(other), t(input)))
        return folded if folded.is_contiguous() else clone(folded, True)
    if input.ndim == other.ndim == 3 and len(input) != len(other):
        if len(input) == 1 and input.requires_grad:
            return matmul(squeeze_dim(input, 0), other)
        if len(other) == 1 and other.requires_grad:
            return matmul(input, squeeze_dim(other, 0))
    return _batched(input, other)


def _folds(batch, small):
    """Whether PyTorch reshapes `batch` to one matrix: needs no copy, or `small` needs a gradient."""
    strides, sizes = batch.stride()[:-1], batch.shape[:-1]
    return (
        small.requires_grad
        or not batch.numel()
        or all(outer == inner * n for outer, inner, n in zip(strides, strides[1:], sizes[1:]))
    )


def _fold(batch, small):
    """All rows of `batch` (…, n, m) as one tall matrix, times a matrix (m, p) or a vector (m)."""
    rows = reshape_to(batch, (prod(batch.shape[:-1]), batch.shape[-1]))
    product = mv(rows, small) if small.ndim == 1 else mm(rows, small)
    return unsafe_view(product, (*batch.shape[:-1], *small.shape[1:]))


def _batched(input, other):
    """Broadcast the leading dimensions and flatten them to one. A vector is one row or column."""
    rows = input.shape[-2:] if input.ndim > 1 else (1, *input.shape)
    columns = other.shape[-2:] if other.ndim > 1 else other.shape
    batch = np.broadcast_shapes(input.shape[:-2], other.shape[:-2])
    count = prod(batch)
    left = reshape_to(expand_to(input, (*batch, *rows)), (count, *rows))
    right = reshape_to(expand_to(other, (*batch, *columns)), (count, *columns))
    if other.ndim == 1:
        product = squeeze_dim(bmm(left, unsqueeze(right, 2)), -1)
        return unsafe_view(product, (*batch, *input.shape[-2:-1]))
    return unsafe_view(bmm(left, right), (*batch, *input.shape[-2:-1], other.shape[-1]))


@public("F", example="F.linear(a, w)", a=(4, 3), w=(2, 3))
def linear(input, weight, bias=None):
    """`input @ weightᵀ + bias`: input (…, n), weight (m, n), bias (m) or None, result (…, m)."""
    if bias is None:
        return matmul(input, t(weight))
    if input._array.ndim == 2:
        return addmm(bias, input, t(weight))
    if not input.is_contiguous():
        return add(matmul(input, t(weight)), bias)
    rows = view_as_shape(input, (-1, input.shape[-1]))
    return view_as_shape(addmm(bias, rows, t(weight)), (*input.shape[:-1], weight.shape[0]))


def mT(input):
    """Swap the last two dimensions."""
    return transpose(input, -2, -1)


@public("T", "Tensor", example="T.outer(a, b)", a=(2,), b=(3,))
def outer(input, vec2):
    """The matrix (n, m) of all products of two vectors (n) and (m)."""
    check(input.ndim == vec2.ndim == 1, "outer() needs two vectors")
    return mul(reshape_to(input, (-1, 1)), vec2)


# ---- norms ---------------------------------------------------------------------------------------


@public("F", example="F.normalize(a)", a=(2, 3, 2))
def normalize(input, p=2.0, dim=1, eps=1e-12):
    """`input` divided by its p-norm along `dim`, or by `eps` if the norm is less."""
    length = clamp_min(vector_norm(input, plain_number(p), dim), eps)
    return div(input, expand_to(length, input.shape))

"""Products of vectors and matrices.

For c = a @ b, whatever the sizes: the gradient of a is g @ bᵀ, that of b is aᵀ @ g. Everything here
is that rule."""

from math import prod

import numpy as np

from ..core.checks import broadcast_shapes, check_tensors
from ..core.graph import check
from ..core.operation import formula, operation
from ..core.types import type_name
from .elementwise import add
from .shape import (
    clone,
    expand,
    reshape,
    squeeze_dim,
    squeeze_temporary,
    t,
    transpose,
    unsafe_view,
    unsqueeze,
    view,
)


def _same_type(a, b):
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {type_name(a)} and {type_name(b)}:"
            " use .to()"
        )


def _refuse_booleans(kernel, array):
    check(
        array.dtype.kind != "b",
        "\"{}\" not implemented for 'Bool'",
        kernel,
        error=NotImplementedError,
    )


def _check_matrices(a, b):
    if (
        a.ndim == b.ndim == 2
        and a.shape[1] == b.shape[0]
        and a.dtype is b.dtype
        and a.dtype.kind == "f"
    ):
        return  # in every layer: no calls
    check(
        a.ndim == b.ndim == 2,
        "mat1 and mat2 must be matrices, got {}-D and {}-D tensors",
        a.ndim,
        b.ndim,
    )
    check(
        a.shape[1] == b.shape[0],
        "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
        *a.shape,
        *b.shape,
    )
    _same_type(a, b)
    _refuse_booleans("addmm_impl_cpu_", a)


@operation(input=lambda g, tensor: g * tensor, tensor=lambda g, input: g * input)
def dot(input, tensor):
    """Two vectors of one length: the sum of the products."""
    check(
        input.ndim == tensor.ndim == 1,
        "1D tensors expected, but got {}D and {}D tensors",
        input.ndim,
        tensor.ndim,
    )
    check(
        len(input) == len(tensor),
        "inconsistent tensor size: {} and {} elements",
        len(input),
        len(tensor),
    )
    _same_type(input, tensor)
    _refuse_booleans("dot", input)
    return np.dot(input, tensor)


@operation(
    input=lambda ops, g, vec: ops.mul(ops.unsqueeze(g, 1), vec),
    vec=lambda ops, g, input: ops.mv(ops.t(input), g),
)
def mv(input, vec):
    """A matrix (n, m) times a vector (m): a vector (n)."""
    check(
        (input.ndim, vec.ndim) == (2, 1),
        "mv expects a matrix and a vector, got {}D and {}D",
        input.ndim,
        vec.ndim,
    )
    rows, columns = input.shape
    check(
        columns == len(vec),
        "size mismatch, got input ({}), mat ({}x{}), vec ({})",
        rows,
        rows,
        columns,
        len(vec),
    )
    _same_type(input, vec)
    _refuse_booleans("addmv_impl_cpu", input)
    return np.dot(input, vec)


@operation(
    input=lambda ops, g, mat2: ops.mm(g, ops.t(mat2)),
    mat2=lambda ops, g, input: ops.mm(ops.t(input), g),
)
def mm(input, mat2):
    """Matrices (n, m) and (m, p): a matrix (n, p)."""
    _check_matrices(input, mat2)
    return np.dot(input, mat2)


@operation(
    input=lambda ops, g, mat2: ops.bmm(g, ops.transpose(mat2, 1, 2)),
    mat2=lambda ops, g, input: ops.bmm(ops.transpose(input, 1, 2), g),
)
def bmm(input, mat2):
    """Batches of matrices (b, n, m) and (b, m, p): (b, n, p)."""
    check(
        input.ndim == mat2.ndim == 3,
        "batch1 and batch2 must be 3D tensors, got {}D and {}D",
        input.ndim,
        mat2.ndim,
    )
    want = (len(input), input.shape[2])
    check(
        mat2.shape[:2] == want,
        "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: "
        "[{}, {}].",
        *want,
        *mat2.shape[:2],
    )
    _same_type(input, mat2)
    _refuse_booleans("bmm", input)
    return np.matmul(input, mat2)


@formula("mm(t(mat1), g)")
def _of_second_matrix(ops, g, mat1):
    """Reckoned as a transpose, as in PyTorch: a layer's weight is transposed, and its gradient lies
    as the weight does.
    """
    return ops.t(ops.mm(ops.t(g), mat1))


@operation(
    input=lambda g: g,
    mat1=lambda ops, g, mat2: ops.mm(g, ops.t(mat2)),
    mat2=_of_second_matrix,
    broadcasts=True,
)
def addmm(input, mat1, mat2):
    """`input + mat1 @ mat2`; `input` is stretched to the product's shape."""
    _check_matrices(mat1, mat2)
    _same_type(input, mat1)
    product = np.dot(mat1, mat2)
    product += input
    return product


_PRODUCTS = {(1, 1): dot, (2, 1): mv, (2, 2): mm}  # by the dimensions of the two


def matmul(input, other):
    """`input @ other`: vectors, matrices, or batches of matrices whose leading dimensions are
    stretched to agree.

    Composed of `dot`, `mv`, `mm` and `bmm` as PyTorch composes it. Raises RuntimeError when the
    sizes do not fit."""
    dims = (input.ndim, other.ndim)
    if dims in _PRODUCTS:
        return _PRODUCTS[dims](input, other)
    check(
        0 not in dims,
        "both arguments to matmul need to be at least 1D, but they are {}D and {}D",
        *dims,
    )
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
    """Whether PyTorch makes one tall matrix of a batch: where it need not copy, or where its
    gradient would be large.
    """
    strides, sizes = batch.stride()[:-1], batch.shape[:-1]
    return (
        small.requires_grad
        or not batch.numel()
        or all(outer == inner * n for outer, inner, n in zip(strides, strides[1:], sizes[1:]))
    )


def _fold(batch, small):
    """All rows of `batch` (…, n, m) in one tall matrix, times a matrix (m, p) or a vector (m)."""
    rows = reshape(batch, (prod(batch.shape[:-1]), batch.shape[-1]))
    product = mv(rows, small) if small.ndim == 1 else mm(rows, small)
    return unsafe_view(product, (*batch.shape[:-1], *small.shape[1:]))


def _batched(input, other):
    """Leading dimensions stretched to agree, then made one; a vector is a matrix of one row, or of
    one column.
    """
    rows = input.shape[-2:] if input.ndim > 1 else (1, *input.shape)
    columns = other.shape[-2:] if other.ndim > 1 else other.shape
    batch = broadcast_shapes(input.shape[:-2], other.shape[:-2])
    count = prod(batch)
    left = reshape(expand(input, (*batch, *rows)), (count, *rows))
    right = reshape(expand(other, (*batch, *columns)), (count, *columns))
    product = (
        bmm(left, right) if other.ndim > 1 else squeeze_dim(bmm(left, unsqueeze(right, 2)), -1)
    )
    return unsafe_view(product, (*batch, *input.shape[-2:-1], *other.shape[-1:] * (other.ndim > 1)))


def linear(input, weight, bias=None):
    """`input @ weightᵀ + bias`: the last dimension of `input` is the layer's number of inputs. As
    `F.linear`.
    """
    check_tensors("linear", input=input, weight=weight, bias=weight if bias is None else bias)
    if bias is None:
        return matmul(input, t(weight))
    if input.ndim == 2:
        return addmm(bias, input, t(weight))
    if not input.is_contiguous():
        return add(matmul(input, t(weight)), bias)
    rows = view(input, (-1, input.shape[-1]))
    return view(addmm(bias, rows, t(weight)), (*input.shape[:-1], weight.shape[0]))


def mT(input):
    """The last two dimensions exchanged."""
    return transpose(input, -2, -1)

"""Sums of products by a formula: `einsum("ij,jk->ik", a, b)` is the product of two matrices.

Each operand gets a dimension for every index, of size 1 where it lacks that index. Then what both
have and the result has not is summed by one `bmm`, as PyTorch composes it.
"""

import re
from math import prod

import numpy as np

from ..core.checks import check_list
from ..core.graph import check
from ..core.public import public
from .elementwise import mul
from .linalg import bmm
from .reduction import sum_dim
from .shape import permute, reshape, unsqueeze, view


@public("T", example="T.einsum('ij,jk->ik', a, b)", a=(2, 3), b=(3, 4))
def einsum(equation, *operands):
    """Sums of the products of one operand or two, over all indices that are not named after `->`;
    without `->`, over those that occur twice, and the others are left in the order of the alphabet.

    Raises RuntimeError when formula and operands do not fit, NotImplementedError for `...`, for an
    index twice in one operand, and for more operands.
    """
    if not isinstance(equation, str):
        raise TypeError("einsum(): argument 'equation' (position 1) must be str")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    check_list("einsum", operands)
    inputs, output = _indices(equation, operands)
    order = [*output, *sorted({*"".join(inputs)} - {*output})]
    left, *others = (_align(*pair, order) for pair in zip(operands, inputs))
    kept, ndim = len(output), len(order)
    if not others:
        return sum_dim(left, tuple(range(kept, ndim)), False) if ndim > kept else left
    (right,) = others
    summed = range(kept, ndim)
    together = [dim for dim in summed if 1 not in (left.shape[dim], right.shape[dim])]
    left, right = (_sum_wide(t, set(summed) - set(together)) for t in (left, right))
    result = _sum_of_products(left, right, together) if together else mul(left, right)
    return view(result, result.shape[:kept]) if ndim > kept else result


def _indices(equation, operands):
    """The indices of each operand and those of the result, as texts."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) > 2 or "." in equation or any(len({*term}) < len(term) for term in inputs):
        what = "einsum of one operand or two, each index once in it, without '...'"
        raise NotImplementedError(f"autograd_core has {what}")
    fits = re.fullmatch("[a-zA-Z,]*", left + right) and len(inputs) == len(operands)
    check(fits, "einsum(): {!r} is no formula for {} operands", equation, len(operands))
    sizes = {}
    for number, (term, operand) in enumerate(zip(inputs, operands)):
        words = "einsum(): the number of subscripts in the equation does not match the number of"
        words += " dimensions ({}) for operand {}"
        check(len(term) == operand.ndim, words, operand.ndim, number)
        for i, size in zip(term, operand.shape):
            if size != 1 and sizes.setdefault(i, size) != size:
                what = f"{size} for operand {number} which does not broadcast with previously seen"
                raise RuntimeError(f"einsum(): subscript {i} has size {what} size {sizes[i]}")
    named = "".join(inputs)
    output = right if arrow else "".join(sorted(i for i in {*named} if named.count(i) == 1))
    for i in output:
        check(i in named, "einsum(): output subscript {} does not appear in the equation", i)
        words = "einsum(): output subscript {} appears more than once in the output"
        check(output.count(i) == 1, words, i)
    return inputs, output


def _align(operand, indices, order):
    """The operand with a dimension for each index of `order`."""
    for i in order:
        if i not in indices:
            operand, indices = unsqueeze(operand, -1), indices + i
    return permute(operand, tuple(map(indices.index, order)))


def _sum_wide(operand, dims):
    wide = tuple(dim for dim in sorted(dims) if operand.shape[dim] != 1)
    return sum_dim(operand, wide, True) if wide else operand


def _sum_of_products(left, right, summed):
    """`(left * right)` summed over the dimensions `summed`, which are kept, as one `bmm`."""
    # the dimensions that both have, or the left alone, or the right alone
    both, lefts, rights = [], [], []
    for dim in sorted(set(range(left.ndim)) - set(summed)):
        (rights if left.shape[dim] == 1 else lefts if right.shape[dim] == 1 else both).append(dim)
    full = np.broadcast_shapes(left.shape, right.shape)
    batch, rows, shared, columns = (
        prod(full[d] for d in dims) for dims in (both, lefts, summed, rights)
    )
    a = reshape(permute(left, (*both, *lefts, *summed, *rights)), (batch, rows, shared))
    b = reshape(permute(right, (*both, *summed, *rights, *lefts)), (batch, shared, columns))
    order = [*both, *lefts, *summed, *rights]
    shape = [1 if d in summed else full[d] for d in order]
    return permute(view(bmm(a, b), shape), tuple(map(order.index, range(left.ndim))))

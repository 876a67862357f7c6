"""Sums of products by a formula of indices: `einsum("ij,jk->ik", a, b)` is the product of two
matrices.

Each operand gets a dimension for every index, of size 1 where it lacks that index. Then two
operands at a time are multiplied: the indices that both have and that are needed no more are summed
by one `bmm`. As PyTorch composes it."""

import re
from math import prod

import numpy as np

from ...core.checks import check_list
from ...core.graph import check
from ..elementwise import mul
from ..linalg import bmm
from ..reduction import sum_dim
from ..shape import permute, reshape, unsqueeze, view
from .rearrange import diagonal, movedim

_TERM = r"[a-zA-Z]*(\.\.\.)?[a-zA-Z]*"
# the indices that `...` stands for: they come before all letters
_DOTS = "0123456789"


def einsum(equation, *operands):
    """The sum over all indices that the part after `->` does not name, of the products of the
    operands' elements.

    `...` stands for any number of dimensions. Without `->` the result has the indices that occur
    once, in the order of the alphabet. Raises RuntimeError when formula and operands do not fit.
    """
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}"
        )
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    check_list("einsum", operands)
    inputs, output = _indices(equation, operands)
    order = [*output, *sorted({*"".join(inputs)} - {*output})]
    return _contract([_align(*pair, order) for pair in zip(operands, inputs)], len(output))


def _indices(equation, operands):
    """The indices of each operand and those of the result, as texts. Raises RuntimeError where
    sizes do not fit.
    """
    formula = equation.replace(" ", "")
    left, arrow, right = formula.partition("->")
    terms = left.split(",")
    check(
        re.fullmatch(f"{_TERM}(,{_TERM})*(->{_TERM})?", formula) and len(terms) == len(operands),
        "einsum(): {!r} is no formula of letters for {} operands",
        equation,
        len(operands),
    )
    spans = [operand.ndim - len(term.replace("...", "")) for term, operand in zip(terms, operands)]
    inputs = [
        term.replace("...", _DOTS[max(spans) - span : max(spans)])
        for term, span in zip(terms, spans)
    ]
    sizes = {}
    for number, (indices, operand) in enumerate(zip(inputs, operands)):
        check(
            len(indices) == operand.ndim,
            "einsum(): the number of subscripts in the equation {!r} does not match "
            "the number of dimensions ({}) for operand {}",
            equation,
            operand.ndim,
            number,
        )
        for i, size in zip(indices, operand.shape):
            seen = size if size == 1 else sizes.setdefault(i, size)
            check(
                size == seen,
                "einsum(): subscript {} has size {} for operand {} which does not broadcast with "
                "previously seen size {}",
                i,
                size,
                number,
                seen,
            )
    named = "".join(inputs)
    once = sorted(i for i in {*named} if i.isdigit() or named.count(i) == 1)
    output = right.replace("...", _DOTS[: max(spans)]) if arrow else once
    for i in output:
        check(
            i in named,
            "einsum(): output subscript {} does not appear in the equation for any input operand:"
            " {!r}",
            i,
            equation,
        )
        check(
            output.count(i) == 1,
            "einsum(): output subscript {} appears more than once in the output: {!r}",
            i,
            equation,
        )
    return inputs, output


def _align(operand, indices, order):
    """The operand with a dimension for each index of `order`; of an index that it has twice, the
    diagonal.
    """
    for i in indices:
        while indices.count(i) > 1:
            first, second = indices.index(i), indices.rindex(i)
            sizes = operand.shape[second], operand.shape[first]
            check(
                sizes[0] == sizes[1],
                "einsum(): subscript {} is repeated for an operand but the sizes don't match, {}"
                " != {}",
                i,
                *sizes,
            )
            operand = movedim(diagonal(operand, 0, first, second), -1, first)
            indices = indices[:second] + indices[second + 1 :]
    for i in order:
        if i not in indices:
            operand, indices = unsqueeze(operand, -1), indices + i
    return permute(operand, tuple(map(indices.index, order)))


def _contract(operands, kept):
    """Multiply from left to right; what comes after the first `kept` dimensions is summed as soon
    as it can be.
    """
    result, ndim = operands[0], operands[0].ndim
    if len(operands) == 1:
        return sum_dim(result, tuple(range(kept, ndim)), False) if ndim > kept else result
    for number, other in enumerate(operands[1:], 2):
        done = [
            dim for dim in range(kept, ndim) if all(t.shape[dim] == 1 for t in operands[number:])
        ]
        together = [dim for dim in done if 1 not in (result.shape[dim], other.shape[dim])]
        result, other = (_sum_wide(t, set(done) - set(together)) for t in (result, other))
        result = _sum_of_products(result, other, together) if together else mul(result, other)
    return view(result, result.shape[:kept]) if ndim > kept else result


def _sum_wide(operand, dims):
    wide = tuple(dim for dim in sorted(dims) if operand.shape[dim] != 1)
    return sum_dim(operand, wide, True) if wide else operand


def _sum_of_products(left, right, summed):
    """`(left * right)`, summed over the dimensions `summed`, which are kept, as one product of
    batches of matrices.
    """
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

"""Sums of products by a formula of indices: `einsum("ij,jk->ik", a, b)` is the product of two matrices.

Each operand gets a dimension for every index, of size 1 where it lacks that index. Then two operands at a time are
multiplied: the indices that both have and that are needed no more are summed by one `bmm`. As PyTorch composes it.
"""

from math import prod

from .checks import check_list
from .elementwise import mul
from .linalg import bmm
from .rearrange import diagonal, movedim
from .reduction import sum_dim
from .shape import permute, reshape, unsqueeze, view


def einsum(equation, *operands):
    """The sum over all indices that the part after `->` does not name, of the products of the operands' elements.

    `...` stands for any number of dimensions. Without `->` the result has the indices that occur once, in the order of
    the alphabet. Raises RuntimeError when formula and operands do not fit.
    """
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    check_list("einsum", operands)
    inputs, output = _indices(equation, operands)
    _check_sizes(inputs, operands)
    order = output + sorted({i for indices in inputs for i in indices} - set(output))
    aligned = [_align(operand, indices, order) for operand, indices in zip(operands, inputs)]
    return _contract(aligned, len(output))


def _indices(equation, operands):
    """A list of indices for each operand, and that of the result; `...` as numbers "00", "01", …, the last ones last."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise RuntimeError(f"einsum(): {len(terms)} operands in the equation {equation!r}, but {len(operands)} given")
    spans = [operand.ndim - len(term.replace("...", "")) for operand, term in zip(operands, terms)]
    for number, (term, span) in enumerate(zip(terms, spans)):
        if span < 0 or span and "..." not in term:
            raise RuntimeError(f"einsum(): the number of subscripts in the equation {equation!r} does not match the "
                               f"number of dimensions ({operands[number].ndim}) for operand {number}")
    longest = max(spans)

    def split(term, span):
        before, dots, after = term.partition("...")
        return [*before, *(f"{i:02}" for i in range(longest - span, longest) if dots), *after]
    inputs = [split(term, span) for term, span in zip(terms, spans)]
    named = [i for indices in inputs for i in indices]
    output = split(right, longest) if arrow else sorted(i for i in set(named) if len(i) == 2 or named.count(i) == 1)
    for i in {*named, *output}:
        if not i.isalnum() or i not in named or output.count(i) > 1:
            raise RuntimeError(f"einsum(): output subscript {i} does not appear in the equation for any input operand, "
                               f"or twice in the output, or is no letter: {equation!r}")
    return inputs, output


def _check_sizes(inputs, operands):
    sizes = {}
    for number, (indices, operand) in enumerate(zip(inputs, operands)):
        for i, size in zip(indices, operand.shape):
            if size != 1 and sizes.setdefault(i, size) != size:
                raise RuntimeError(f"einsum(): subscript {i} has size {size} for operand {number} which does not "
                                   f"broadcast with previously seen size {sizes[i]}")


def _align(operand, indices, order):
    """The operand with a dimension for each index of `order`; of an index that it has twice, the diagonal."""
    distinct = []
    for i in indices:
        if i in distinct:
            at, here = distinct.index(i), len(distinct)
            if operand.shape[at] != operand.shape[here]:
                raise RuntimeError(f"einsum(): subscript {i} is repeated for an operand but the sizes don't match, "
                                   f"{operand.shape[here]} != {operand.shape[at]}")
            operand = movedim(diagonal(operand, 0, at, here), -1, at)
        else:
            distinct.append(i)
    indices = distinct + [i for i in order if i not in distinct]
    for _ in range(len(indices) - operand.ndim):
        operand = unsqueeze(operand, -1)
    return permute(operand, tuple(indices.index(i) for i in order))


def _contract(operands, kept):
    """Multiply from left to right; what comes after the first `kept` dimensions is summed as soon as it can be."""
    result, ndim = operands[0], operands[0].ndim
    if len(operands) == 1:
        return sum_dim(result, tuple(range(kept, ndim)), False) if ndim > kept else result
    left = {dim: sum(t.shape[dim] != 1 for t in operands) for dim in range(kept, ndim)}     # how many still need it
    for other in operands[1:]:
        together, alone = [], ([], [])
        for dim in left:
            wide = (result.shape[dim] != 1, other.shape[dim] != 1)
            left[dim] -= wide == (True, True)
            if left[dim] == 1 and any(wide):
                (together if wide == (True, True) else alone[wide.index(True)]).append(dim)
                left[dim] = 0
        result, other = (sum_dim(t, tuple(dims), True) if dims else t for t, dims in zip((result, other), alone))
        result = _sum_of_products(result, other, together) if together else mul(result, other)
    return view(result, result.shape[:kept]) if ndim > kept else result


def _sum_of_products(left, right, summed):
    """`(left * right)`, summed over the dimensions `summed`, which are kept, as one product of batches of matrices."""
    both, lefts, rights = [], [], []            # the dimensions that both have, or the left alone, or the right alone
    for dim in sorted(set(range(left.ndim)) - set(summed)):
        (rights if left.shape[dim] == 1 else lefts if right.shape[dim] == 1 else both).append(dim)
    batch, shared = prod(left.shape[d] for d in both), prod(left.shape[d] for d in summed)
    rows = reshape(permute(left, (*both, *lefts, *summed, *rights)), (batch, prod(left.shape[d] for d in lefts), shared))
    columns = reshape(permute(right, (*both, *summed, *rights, *lefts)),
                      (batch, shared, prod(right.shape[d] for d in rights)))
    shape = (*(left.shape[d] for d in both + lefts), *(1 for _ in summed), *(right.shape[d] for d in rights))
    order = [*both, *lefts, *summed, *rights]
    return permute(view(bmm(rows, columns), shape), tuple(order.index(d) for d in range(left.ndim)))

"""Sums of products by a formula of indices: `einsum("ij,jk->ik", a, b)` is the product of two matrices.

Each operand gets a dimension for every index, of size 1 where it lacks that index. Then two operands at a time are
multiplied: the indices that both have and that are needed no more are summed by one `bmm`. As PyTorch composes it.
"""

from math import prod

from .checks import check_list
from .elementwise import mul
from .linalg import bmm
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
        raise RuntimeError(f"einsum(): {len(terms)} operands in the equation {equation!r}, but {len(operands)} were given")
    spans = [t.ndim - len(term.replace("...", "")) for t, term in zip(operands, terms)]
    for number, (term, span, operand) in enumerate(zip(terms, spans, operands)):
        if span < 0 or span and "..." not in term:
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({len(term.replace('...', ''))}) does not "
                               f"match the number of dimensions ({operand.ndim}) for operand {number}")
    longest = max([0, *(span for term, span in zip(terms, spans) if "..." in term)])

    def split(term, span):
        before, dots, after = term.partition("...")
        return [*before, *(f"{i:02}" for i in range(longest - span, longest) if dots), *after]
    inputs = [split(term, span) for term, span in zip(terms, spans)]
    named = [i for indices in inputs for i in indices]
    output = split(right, longest) if arrow else sorted(i for i in set(named) if len(i) == 2 or named.count(i) == 1)
    for i in {*named, *output}:
        if not (i.isalpha() or len(i) == 2) or i not in named or output.count(i) > 1:
            raise RuntimeError(f"einsum(): output subscript {i} does not appear in the equation for any input operand, or "
                               f"twice in the output, or is no letter: {equation!r}")
    for indices in inputs:
        if len(set(indices)) < len(indices):
            raise NotImplementedError("autograd_core has einsum without an index twice in one operand: take its diagonal")
    return inputs, output


def _check_sizes(inputs, operands):
    sizes = {}
    for number, (indices, operand) in enumerate(zip(inputs, operands)):
        for i, size in zip(indices, operand.shape):
            if size != 1 and sizes.setdefault(i, size) != size:
                raise RuntimeError(f"einsum(): subscript {i} has size {size} for operand {number} which does not broadcast "
                                   f"with previously seen size {sizes[i]}")


def _align(operand, indices, order):
    """The operand with a dimension for each index of `order`."""
    indices = indices + [i for i in order if i not in indices]
    for _ in range(len(indices) - operand.ndim):
        operand = unsqueeze(operand, -1)
    return permute(operand, tuple(indices.index(i) for i in order))


def _contract(operands, kept):
    """Multiply from left to right; what comes after the first `kept` dimensions is summed as soon as it can be."""
    result, ndim = operands[0], operands[0].ndim
    if len(operands) == 1:
        return sum_dim(result, tuple(range(kept, ndim)), False) if ndim > kept else result
    left = {dim: sum(t.shape[dim] != 1 for t in operands) for dim in range(kept, ndim)}     # operands that need it still
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
    groups = {(True, True): [], (True, False): [], (False, True): []}       # in both, in the left only, in the right only
    for dim in range(left.ndim):
        if dim not in summed:
            wide = (left.shape[dim] != 1, right.shape[dim] != 1)
            groups[wide if wide[0] else (False, True)].append(dim)
    both, lefts, rights = groups.values()
    sizes = [prod(t.shape[d] for d in dims) for t, dims in ((left, both), (left, lefts), (left, summed), (right, rights))]
    rows = reshape(permute(left, (*both, *lefts, *summed, *rights)), (sizes[0], sizes[1], sizes[2]))
    columns = reshape(permute(right, (*both, *summed, *rights, *lefts)), (sizes[0], sizes[2], sizes[3]))
    order = [*both, *lefts, *summed, *rights]
    shape = (*(left.shape[d] for d in both + lefts), *(1 for _ in summed), *(right.shape[d] for d in rights))
    return permute(view(bmm(rows, columns), shape), tuple(order.index(d) for d in range(left.ndim)))

"""Reading, writing and adding at places that tensors name: `gather`, `scatter`, `index_select`,
masks.

All rests on three linear operations that are each other's rules: `index` reads, `put` adds into
zeros, `drop` writes zeros. What was not chosen gets a gradient of exactly zero; what was chosen
twice gets both."""

import numpy as np

from ..core.checks import broadcast_shapes, check_flags, check_number, check_tensors
from ..core.graph import check
from ..core.operation import formula, operation
from ..core.tensor import TensorBase
from ..core.types import stored, type_name
from .reduction import normal_dims
from .shape import expand, reshape


@operation(
    input=lambda ops, g, input_shape, indices: ops.put(g, input_shape, indices),
    constants=("indices",),
)
def index(input, indices):
    """The entries that `indices` name: one array or slice for each dimension, as NumPy's advanced
    indexing.
    """
    return np.asarray(input[indices], order="C")


@operation(
    node="PutBackward0",
    gradient=lambda ops, g, indices: ops.index(g, indices),
    constants=("indices",),
)
def put(gradient, shape, indices):
    """Zeros of `shape` with `gradient` added where `indices` point: the transpose of `index`."""
    out = np.zeros(shape, gradient.dtype)
    if any(isinstance(i, np.ndarray) and i.dtype != np.bool_ for i in indices):
        # an entry may be named twice: it gets both
        np.add.at(out, indices, gradient)
    else:
        out[indices] = gradient
    return out


@operation(
    node="DropBackward0",
    gradient=lambda ops, g, indices: ops.drop(g, indices),
    constants=("indices",),
)
def drop(gradient, indices):
    """`gradient` with zeros where `indices` point: what is left for entries that were not
    overwritten.
    """
    out = np.array(gradient)
    out[indices] = 0
    return out


@operation(
    node="IndexPutBackward0",
    input=lambda ops, g, indices, accumulate: g if accumulate else ops.drop(g, indices),
    values=lambda ops, g, indices: ops.index(g, indices),
    broadcasts=True,
    constants=("indices",),
)
def put_at(input, indices, values, accumulate=False):
    """`input` with `values` where `indices` point, in place of what was there, or added to it if
    `accumulate`.
    """
    check(
        input.dtype == values.dtype,
        "Index put requires the source and destination dtypes match, got {} for the "
        "destination and {} for the source.",
        type_name(input),
        type_name(values),
    )
    out = np.array(input)
    try:
        if accumulate:
            np.add.at(out, indices, values)
        else:
            out[indices] = values
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(input[indices].shape)}"
        ) from None
    return out


# ---- one dimension at a time ---------------------------------------------------------------------


def _check_index(name, input, dim, index):
    """Raises TypeError, IndexError or RuntimeError unless `index` is a tensor of integers that are
    places along `dim`.
    """
    check(
        isinstance(index, np.ndarray | np.generic),
        "{}(): argument 'index' (position 2) must be Tensor, not {}",
        name,
        type(index).__name__,
        error=TypeError,
    )
    check(
        index.dtype in (np.int32, np.int64),
        "{}(): Expected dtype int32/int64 for index, not {}: write index.long()",
        name,
        index.dtype,
    )
    size = input.shape[normal_dims((dim,), input.ndim)[0]]
    wrong = index[(index < 0) | (index >= size)]
    check(
        not wrong.size,
        "index {} is out of bounds for dimension {} with size {}: index out of range in self",
        *wrong.flat[:1],
        dim,
        size,
        error=IndexError if name.startswith("index") else RuntimeError,
    )


def _rows(dim, index, shape):
    """The key of the entries `index` along `dim`."""
    return (*[slice(None)] * (dim % len(shape)), np.atleast_1d(index))


def along(dim, index):
    """For each element of `index` the place it names: its own, but for its place along `dim`, which
    is its number.
    """
    places = list(np.indices(np.shape(index), sparse=True))
    places[dim] = np.asarray(index)
    return tuple(places)


def _check_along(name, input, dim, index, *src):
    """Slices that cut `src` to the shape of `index`. Raises RuntimeError if the shapes do not fit."""
    _check_index(name, input, dim, index)
    check(
        {index.ndim, *(s.ndim for s in src)} == {input.ndim} != {0},
        "{}(): Index tensor must have the same number of dimensions as input tensor (and src)",
        name,
    )
    for d, n in enumerate(index.shape):
        check(
            (d == dim % input.ndim or n <= input.shape[d]) and all(n <= s.shape[d] for s in src),
            "{}(): Size does not match at dimension {}: Expected index {} to be no larger than self"
            " {} apart from dimension {}, and than src",
            name,
            d,
            list(index.shape),
            list(input.shape),
            dim,
        )
    return tuple(map(slice, index.shape))


@operation(
    input=lambda ops, g, input_shape, dim, index: ops.put(
        g, input_shape, _rows(dim, index, input_shape)
    ),
    constants=("index",),
)
def index_select(input, dim, index):
    """The entries `index`, a vector of integers, along `dim`."""
    _check_index("index_select", input, dim, index)
    check(index.ndim <= 1, "index_select(): Index is supposed to be a vector", error=IndexError)
    return np.asarray(input[_rows(dim, index, input.shape)], order="C")


@operation(
    input=lambda g: g,
    source=lambda ops, g, source, input_shape, dim, index, alpha: (
        ops.index(g, _rows(dim, index, input_shape)) * alpha
    ),
    constants=("index",),
)
def index_add(input, dim, index, source, alpha=1):
    """`input` with `alpha` times the entries of `source` along `dim` added to its entries `index`."""
    _check_index("index_add_", input, dim, index)
    check(
        index.size == source.shape[dim],
        "index_add_(): Number of indices ({}) should be equal to source.size(dim): "
        "({}), for dim: {}",
        index.size,
        source.shape[dim],
        dim,
    )
    return put_at.forward(
        np.asarray(input, order="C"), _rows(dim, index, input.shape), source * alpha, True
    )


@operation(
    input=lambda ops, g, input, dim, index: ops.put(g, input.shape, along(dim, index)),
    constants=("index",),
)
def gather(input, dim, index):
    """In the place of each element of `index`, the element of `input` whose number along `dim` it
    is.
    """
    _check_along("gather", input, dim, index)
    return input[along(dim, index)]


@operation(
    node="ScatterBackward0",
    input=lambda ops, g, dim, index: ops.drop(g, along(dim, index)),
    src=lambda ops, g, dim, index: ops.index(g, along(dim, index)),
    constants=("index",),
)
def scatter_src(input, dim, index, src):
    """`input` with the elements of `src` written where `gather` would read; the undoing of
    `gather`.
    """
    part = _check_along("scatter", input, dim, index, src)
    return put_at.forward(np.asarray(input, order="C"), along(dim, index), src[part])


@operation(
    node="ScatterBackward1",
    input=lambda ops, g, dim, index: ops.drop(g, along(dim, index)),
    constants=("index",),
)
def scatter_value(input, dim, index, value):
    """`input` with a number written where `gather` would read."""
    _check_along("scatter", input, dim, index)
    return put_at.forward(
        np.asarray(input, order="C"), along(dim, index), np.asarray(stored(value, input.dtype))
    )


def scatter(input, dim, index, src=None, *, value=None):
    """`input` with `src`, a tensor or a number, written where `gather` would read. Of several at
    one place one stays.
    """
    src = value if src is None else src
    return (
        scatter_src(input, dim, index, src)
        if isinstance(src, TensorBase)
        else scatter_value(input, dim, index, src)
    )


@operation(
    input=lambda g: g,
    src=lambda ops, g, dim, index: ops.index(g, along(dim, index)),
    constants=("index",),
)
def scatter_add(input, dim, index, src):
    """`input` with the elements of `src` added where `gather` would read: the transpose of
    `gather`.
    """
    part = _check_along("scatter_add", input, dim, index, src)
    return put_at.forward(np.asarray(input, order="C"), along(dim, index), src[part], True)


def take_along_dim(input, indices, dim=None):
    """`gather` with both stretched to a common shape, but for `dim`; without `dim`, from all
    elements in a row.
    """
    check_tensors("take_along_dim", input=input, indices=indices)
    check(
        indices._array.dtype == np.int64,
        "torch.take_along_dim(): dtype of indices should be Long but got {}",
        type_name(indices._array),
    )
    if dim is None:
        return gather(reshape(input, (-1,)), 0, reshape(indices, (-1,)))
    check(
        input.ndim == indices.ndim,
        "torch.take_along_dim(): input and indices should have the same number of dimensions, "
        "but got {} dimensions for input, and {} dimensions for indices",
        input.ndim,
        indices.ndim,
    )
    (dim,) = normal_dims((dim,), input.ndim)
    sizes = broadcast_shapes(*((*t.shape[:dim], 1, *t.shape[dim + 1 :]) for t in (input, indices)))
    input, indices = (
        expand(t, (*sizes[:dim], t.shape[dim], *sizes[dim + 1 :])) for t in (input, indices)
    )
    return gather(input, dim, indices)


# ---- masks ---------------------------------------------------------------------------------------


def _spread(mask, shape):
    return (np.broadcast_to(np.asarray(mask), shape),)


def _check_mask(name, mask):
    check(
        getattr(mask, "dtype", None) == np.bool_,
        "{} only supports boolean masks, expected BoolTensor for mask: write mask.bool()",
        name,
        error=RuntimeError if hasattr(mask, "dtype") else TypeError,
    )


@operation(
    node="MaskedFillBackward0",
    input=lambda ops, g, mask: ops.drop(g, _spread(mask, g.shape)),
    broadcasts=True,
    constants=("mask",),
)
def masked_fill_number(input, mask, value):
    """`input` with a number where `mask` is true."""
    _check_mask("masked_fill_", mask)
    value = (
        np.asarray(value, input.dtype)
        if isinstance(value, np.generic | np.ndarray)
        else stored(value, input.dtype)
    )
    return np.asarray(np.where(mask, value, input), order="C")


@operation(
    node="MaskedFillBackward1",
    input=lambda ops, g, mask: ops.drop(g, _spread(mask, g.shape)),
    value=lambda ops, g, mask: ops.sum(ops.index(g, _spread(mask, g.shape))),
    broadcasts=True,
    constants=("mask",),
)
def masked_fill_tensor(input, mask, value):
    """`input` with the one number of the tensor `value` where `mask` is true."""
    check(
        not value.ndim,
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} "
        "dimension(s).",
        value.ndim,
    )
    return masked_fill_number.forward(input, mask, value)


def masked_fill(input, mask, value):
    """`input` with `value`, a number or a tensor of one, where `mask` is true. What was covered
    gets gradient zero.
    """
    check_number("masked_fill", value, (TensorBase,))
    return (masked_fill_tensor if isinstance(value, TensorBase) else masked_fill_number)(
        input, mask, value
    )


@formula("put(g, mask)")
def _put_selected(ops, g, input, mask):
    shape = np.broadcast_shapes(input.shape, mask.shape)
    return ops.put(g, shape, _spread(mask, shape))


@operation(input=_put_selected, broadcasts=True, constants=("mask",))
def masked_select(input, mask):
    """The elements of `input` where `mask` is true, in a row. As `input[mask]`, but stretched to a
    common shape.
    """
    _check_mask("masked_select", mask)
    input, mask = np.broadcast_arrays(input, mask)
    return input[mask]


@operation()
def rows_of_nonzero(input):
    """The places of the elements that are not zero, one row each."""
    return np.argwhere(input)


@operation(results=None)
def places_of_nonzero(input):
    """The places of the elements that are not zero, a vector for each dimension."""
    return np.nonzero(np.atleast_1d(input))


def nonzero(input, as_tuple=False):
    """The places of the elements that are not zero: one row each, or with `as_tuple` a vector for
    each dimension.
    """
    check_flags("nonzero", as_tuple=as_tuple)
    return places_of_nonzero(input) if as_tuple else rows_of_nonzero(input)


@operation()
def one_hot(input, num_classes=-1):
    """For each class number a vector of zeros with 1 in that place; `num_classes` long, or as long
    as is needed.
    """
    check(input.dtype == np.int64, "one_hot is only applicable to index tensor of type LongTensor.")
    check(num_classes > 0 or input.size, "Can not infer total number of classes from empty tensor.")
    classes = int(np.max(input)) + 1 if num_classes == -1 else num_classes
    check(np.all(input >= 0), "Class values must be non-negative.")
    check(np.all(input < classes), "Class values must be smaller than num_classes.")
    return np.eye(classes, dtype=np.int64)[input]

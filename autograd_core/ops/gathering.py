"""Reading, writing and adding at places that tensors name: `gather`, `scatter`, masks.

All rests on three linear operations that are each other's rules: `index` reads, `put` adds into
zeros, `drop` writes zeros. What was not chosen gets a gradient of exactly zero; what was chosen
twice gets both."""

import numpy as np

from ..core.checks import check_flags, check_number, check_tensors
from ..core.graph import check
from ..core.operation import formula, operation
from ..core.public import public
from ..core.tensor import TensorBase
from ..core.types import stored, type_name
from .reduction import normal_dims
from .shape import unbind, unsqueeze


@operation(
    input=lambda ops, g, input_shape, indices: ops.put(g, input_shape, indices),
    constants=("indices",),
    sign="[ ]",
)
def index(input, indices):
    """The entries that `indices` name: an array or slice for each dimension, as in NumPy."""
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
    """`gradient` with zeros where `indices` point."""
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
    """`input` with `values` where `indices` point, written or, with `accumulate`, added."""
    if input.dtype != values.dtype:
        words = "Index put requires the source and destination dtypes match, got"
        types = f"{type_name(input)} for the destination and {type_name(values)} for the source."
        raise RuntimeError(f"{words} {types}")
    out = np.array(input)
    try:
        if accumulate:
            np.add.at(out, indices, values)
        else:
            out[indices] = values
    except ValueError:
        part = f"{list(values.shape)} cannot be broadcast to indexing result of shape"
        part += f" {list(input[indices].shape)}"
        raise RuntimeError(f"shape mismatch: value tensor of shape {part}") from None
    return out


# ---- one dimension at a time ---------------------------------------------------------------------


def _check_index(name, input, dim, index):
    """Raises unless `index` is a tensor of integers that are places along `dim`."""
    if not isinstance(index, np.ndarray | np.generic):
        kind = type(index).__name__
        raise TypeError(f"{name}(): argument 'index' (position 2) must be Tensor, not {kind}")
    words = "{}(): Expected dtype int32/int64 for index, not {}"
    check(index.dtype in (np.int32, np.int64), words, name, index.dtype)
    size = input.shape[normal_dims(dim, input.ndim)[0]]
    wrong = index[(index < 0) | (index >= size)]
    if wrong.size:
        error = IndexError if name.startswith("index") else RuntimeError
        place = f"index {wrong.flat[0]} is out of bounds for dimension {dim} with size {size}"
        raise error(f"{place}: index out of range in self")


def _rows(dim, index, shape):
    """The key of the entries `index` along `dim`."""
    return (*[slice(None)] * (dim % len(shape)), np.atleast_1d(index))


def along(dim, index):
    """For each element of `index` its own place, but along `dim` the number that it is."""
    places = list(np.indices(np.shape(index), sparse=True))
    places[dim] = np.asarray(index)
    return tuple(places)


def _check_along(name, input, dim, index, *src):
    """Slices that cut `src` to the shape of `index`. Raises RuntimeError if the shapes do not fit."""
    _check_index(name, input, dim, index)
    words = "{}(): Index tensor must have the same number of dimensions as input tensor"
    check({index.ndim, *(s.ndim for s in src)} == {input.ndim} != {0}, words, name)
    for d, n in enumerate(index.shape):
        if d != dim % input.ndim and n > input.shape[d] or any(n > s.shape[d] for s in src):
            small = f"{list(index.shape)} to be no larger than self {list(input.shape)} apart"
            words = f"{name}(): Size does not match at dimension {d}: Expected index {small}"
            raise RuntimeError(f"{words} from dimension {dim}, and than src")
    return tuple(map(slice, index.shape))


@public("T", "Tensor", example="T.index_add(a, 0, c, b)", a=(3, 2), b=(3, 2), c=[0, 2, 2])
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
    if index.size != source.shape[dim]:
        sizes = f"({index.size}) should be equal to source.size(dim): ({source.shape[dim]})"
        raise RuntimeError(f"index_add_(): Number of indices {sizes}, for dim: {dim}")
    rows = _rows(dim, index, input.shape)
    return put_at.forward(np.asarray(input, order="C"), rows, source * alpha, True)


@public("T", "Tensor", example="T.gather(a, 1, c)", a=(2, 3), c=[[0, 2], [1, 1]])
@operation(
    input=lambda ops, g, input, dim, index: ops.put(g, input.shape, along(dim, index)),
    constants=("index",),
)
def gather(input, dim, index):
    """For each element of `index` the element of `input` whose number along `dim` it is."""
    _check_along("gather", input, dim, index)
    return input[along(dim, index)]


@operation(
    node="ScatterBackward0",
    input=lambda ops, g, dim, index: ops.drop(g, along(dim, index)),
    src=lambda ops, g, dim, index: ops.index(g, along(dim, index)),
    constants=("index",),
)
def scatter_src(input, dim, index, src):
    """`input` with the elements of `src` written where `gather` would read."""
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
    number = np.asarray(stored(value, input.dtype))
    return put_at.forward(np.asarray(input, order="C"), along(dim, index), number)


@public("T", "Tensor", example="T.scatter(a, 0, c, b)", a=(3, 2), b=(2, 2), c=[[0, 1], [2, 0]])
def scatter(input, dim, index, src=None, *, value=None):
    """`input` with `src`, a tensor or a number, written where `gather` would read."""
    src = value if src is None else src
    write = scatter_src if isinstance(src, TensorBase) else scatter_value
    return write(input, dim, index, src)


@public("T", "Tensor", example="T.scatter_add(a, 1, c, b)", a=(2, 3), b=(2, 2), c=[[0, 2], [1, 1]])
@operation(
    input=lambda g: g,
    src=lambda ops, g, dim, index: ops.index(g, along(dim, index)),
    constants=("index",),
)
def scatter_add(input, dim, index, src):
    """`input` with the elements of `src` added where `gather` would read."""
    part = _check_along("scatter_add", input, dim, index, src)
    return put_at.forward(np.asarray(input, order="C"), along(dim, index), src[part], True)


# ---- masks ---------------------------------------------------------------------------------------


def _spread(mask, shape):
    return (np.broadcast_to(np.asarray(mask), shape),)


def _check_mask(name, mask):
    if getattr(mask, "dtype", None) != np.bool_:
        error = RuntimeError if hasattr(mask, "dtype") else TypeError
        raise error(f"{name} only supports boolean masks, expected BoolTensor for mask")


@operation(
    node="MaskedFillBackward0",
    input=lambda ops, g, mask: ops.drop(g, _spread(mask, g.shape)),
    broadcasts=True,
    constants=("mask",),
)
def masked_fill_number(input, mask, value):
    """`input` with a number where `mask` is true."""
    _check_mask("masked_fill_", mask)
    of_numpy = isinstance(value, np.generic | np.ndarray)
    value = np.asarray(value, input.dtype) if of_numpy else stored(value, input.dtype)
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
    words = "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {}"
    check(not value.ndim, words + " dimension(s).", value.ndim)
    return masked_fill_number.forward(input, mask, value)


@public("T", "Tensor", example="T.masked_fill(a, c, -9)", a=(2, 3), c=[[True], [False]])
def masked_fill(input, mask, value):
    """`input` with `value`, a number or a tensor of one, where `mask` is true."""
    check_number("masked_fill", value, (TensorBase,))
    fill = masked_fill_tensor if isinstance(value, TensorBase) else masked_fill_number
    return fill(input, mask, value)


@formula("put(g, mask)")
def _put_selected(ops, g, input, mask):
    shape = np.broadcast_shapes(input.shape, mask.shape)
    return ops.put(g, shape, _spread(mask, shape))


@public("T", "Tensor", example="T.masked_select(a, c)", a=(2, 3), c=[True, False, True])
@operation(input=_put_selected, broadcasts=True, constants=("mask",))
def masked_select(input, mask):
    """The elements of `input` where `mask`, stretched to its shape, is true, in a row."""
    _check_mask("masked_select", mask)
    input, mask = np.broadcast_arrays(input, mask)
    return input[mask]


@operation()
def rows_of_nonzero(input):
    """The places of the elements that are not zero, one row each."""
    return np.argwhere(input)


@public("T", "Tensor", example="T.nonzero(c)", c=[[1, 0], [0, 2]])
def nonzero(input, as_tuple=False):
    """The places of what is not zero: one row each, or `as_tuple` a vector for each dimension."""
    check_tensors("nonzero", input=input)
    check_flags("nonzero", as_tuple=as_tuple)
    if not as_tuple:
        return rows_of_nonzero(input)
    return unbind(rows_of_nonzero(input if input.ndim else unsqueeze(input, 0)), 1)


@public("F", example="F.one_hot(c)", c=[[0, 2], [1, 1]])
@operation()
def one_hot(input, num_classes=-1):
    """For each class number a vector of zeros with 1 in that place; by default as long as needed."""
    check(input.dtype == np.int64, "one_hot is only applicable to index tensor of type LongTensor.")
    check(num_classes > 0 or input.size, "Can not infer total number of classes from empty tensor.")
    classes = int(np.max(input)) + 1 if num_classes == -1 else num_classes
    check(np.all(input >= 0), "Class values must be non-negative.")
    check(np.all(input < classes), "Class values must be smaller than num_classes.")
    return np.eye(classes, dtype=np.int64)[input]

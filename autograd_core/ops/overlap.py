"""In place, where what is read lies in the memory that is written: `x /= x[:, :1]`.

PyTorch has one of two answers. Tensors that each fill a piece of memory may not overlap:
RuntimeError. Of others it computes one element after the other, as they lie in memory, and each
reads what those before it have written:

    x = [[2, 4], [5, 10]]     x /= x[:, :1]     [[1, 4], [1, 10]]       x[0, 0] is 1 when x[0, 1] is
                              divided by it

In a long row it computes 8, 16 or 32 elements at once, as its processor can, and the rest of the
row one by one: the numbers are others on another machine. Where that matters there is nothing to
agree with, and it is an error here."""

from math import prod

import numpy as np

from ..core.graph import check
from ..core.recording import recording
from ..core.tensor import TensorBase, wrap
from .shape import memory_order

REFUSED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a"
    " single memory location. Please clone() the tensor before performing the operation."
)
SHORT = 8  # in fewer elements PyTorch's processors compute none at once
MOST = 2**15  # in more elements its threads take turns


def meets(written, values, elementwise=True):
    """Whether one of `values` reads elements of the array `written` in other places than its own.

    Raises RuntimeError where PyTorch does: always, if the operation is not `elementwise`.
    """
    found = False
    for x in values:
        if isinstance(x, tuple):  # of indices
            meets(written, x, elementwise)
        elif isinstance(x, TensorBase):
            read = x._array
            alone = (
                written.base is None and read.base is None and (elementwise or read is not written)
            )
            if (
                not alone
                and np.may_share_memory(written, read)
                and not (elementwise and _place(written) == _place(read))
            ):
                shared = np.shares_memory(written, read)
                check(not shared or elementwise and not (_dense(written) and _dense(read)), REFUSED)
                found |= shared
    return found


def _place(array):
    return array.__array_interface__["data"][0], array.shape, array.strides


def _dense(array):
    """Whether an array fills its piece of memory, in whichever order."""
    return array.transpose(memory_order(array)).flags.c_contiguous


def one_by_one(function, tensor, args, options):
    """What `function`, element by element, writes into `tensor` if each element reads what those
    before have written.

    Raises RuntimeError where that depends on how many are computed at once.
    """
    memory = tensor._storage()
    check(memory.size <= MOST, REFUSED)
    order, before = memory_order(memory), memory.copy()

    def laid_out(x):
        return (
            np.broadcast_to(x._array, memory.shape).transpose(order).squeeze()
            if isinstance(x, TensorBase)
            else x
        )

    written = memory.transpose(order).squeeze()
    args, options = [*map(laid_out, args)], {k: laid_out(x) for k, x in options.items()}

    def in_parts(dims):
        def part(x):
            return wrap(x[place]) if isinstance(x, np.ndarray) else x

        subscribers = recording.subscribers
        # nobody is to hear of the parts
        for subscriber in subscribers:
            recording.subscribe(subscriber, False)
        try:
            with np.errstate(all="ignore"):
                for place in np.ndindex(written.shape[:dims]):
                    written[place] = function(
                        part(written), *map(part, args), **{k: part(options[k]) for k in options}
                    )._array
            return memory.copy()
        finally:
            memory[...] = before
            for subscriber in subscribers:
                recording.subscribe(subscriber)

    made, row = in_parts(written.ndim), max(written.ndim - 1, 0)
    arrays = [x for x in (written, *args, *options.values()) if isinstance(x, np.ndarray)]
    while row and all(x.strides[row - 1] == x.shape[row] * x.strides[row] for x in arrays):
        # two dimensions that lie in memory as one do
        row -= 1
    if prod(written.shape[row:]) >= SHORT:
        check(
            np.array_equal(made, in_parts(row), equal_nan=True),
            "{} PyTorch's result depends on how many elements a processor computes at once.",
            REFUSED,
        )
    return made

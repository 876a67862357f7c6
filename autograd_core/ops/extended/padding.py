"""Borders of what is there already: mirrored, repeated, or from the other end. (A border of one
number: `ops/windows.py`.)
"""

import numpy as np

from ...core.graph import check
from ...core.tensor import wrap
from .. import windows
from ..indexing import slice_dim
from ..inplace import copy_
from ..windows import refuse_integers
from .resampling import Taps, resampling

_NODES = {
    (mode, dims): resampling(f"{node}Pad{dims}D")
    for dims in (1, 2, 3)
    for mode, node in (("reflect", "Reflection"), ("replicate", "Replication"))
}


def _border(mode, entries, before, after):
    """For each result the entry that it shows; negative counts cut off."""
    columns, last = np.arange(-before, entries + after), entries - 1
    there_and_back = last - np.abs(last - np.abs(columns))  # the last entry once
    columns = np.clip(columns, 0, last) if mode == "replicate" else there_and_back
    return Taps(np.arange(len(columns)), columns, 1, len(columns), entries)


def _circular(input, counts):
    """Written piece by piece into new memory, as PyTorch does: first the input, then from dimension
    to dimension its ends.
    """
    sizes = [n + before + after for n, (before, after) in zip(input.shape[2:], counts)]
    out = wrap(np.zeros((*input.shape[:2], *sizes), input._array.dtype))
    middle, part = out, input
    for dim, (before, after) in reversed(list(enumerate(counts, 2))):
        middle = slice_dim(middle, dim, max(before, 0), out.shape[dim] - max(after, 0), 1)
        part = slice_dim(part, dim, max(-before, 0), input.shape[dim] - max(-after, 0), 1)
    copy_(middle, part)
    for dim, (before, after) in reversed(list(enumerate(counts, 2))):
        end, first = out.shape[dim] - max(after, 0), max(before, 0)
        if before > 0:
            copy_(slice_dim(out, dim, 0, before, 1), slice_dim(out, dim, end - before, end, 1))
        if after > 0:
            copy_(
                slice_dim(out, dim, end, end + after, 1),
                slice_dim(out, dim, first, first + after, 1),
            )
    return out


def pad(input, pad, mode="constant", value=None):
    """A border around `input`: a count before and one after for each dimension, from the last;
    negative ones cut off.

    mode   "constant": of `value`, by default 0. "reflect": mirrored, the last entry once.
           "replicate": the last entry again and again. "circular": from the other end. These three
           for the last one to three of (N, C, …).
    """
    if mode == "constant":
        return windows.pad(input, pad, value or 0)
    check(
        mode in ("reflect", "replicate", "circular"),
        "Unrecognised padding mode {}",
        mode,
        error=NotImplementedError,
    )
    check(not len(pad) % 2, "Padding length must be divisible by 2")
    check(value in (None, 0), 'Padding mode "{}" doesn\'t take in value argument', mode)
    dims = len(pad) // 2
    check(
        dims in (1, 2, 3) and input.ndim - dims in (1, 2),
        "Padding size {} is not supported for {}D input tensor. Beside "
        "constant padding there are size 2 for 2D or 3D, 4 for 3D or 4D, 6 for 4D or 5D",
        len(pad),
        input.ndim,
        error=NotImplementedError,
    )
    counts = list(zip(pad[-2::-2], pad[::-2]))
    if mode == "circular":
        check(
            input.ndim == dims + 2,
            "Invalid padding size, expected {} but got {}",
            2 * input.ndim - 4,
            len(pad),
        )
        for n, (before, after) in zip(input.shape[2:], counts):
            check(max(before, after) <= n, "Padding value causes wrapping around more than once.")
            check(
                n + before + after >= 0, "Negative padding value is resulting in an empty dimension"
            )
        return _circular(input, counts)
    refuse_integers(f"{mode}_pad{dims}d", input)
    for dim, (before, after) in enumerate(counts, input.ndim - dims):
        n = input.shape[dim]
        check(
            mode == "replicate" or max(before, after) < n,
            "Padding size should be less than the corresponding input "
            "dimension, but got: padding ({}, {}) at dimension {} of input {}",
            before,
            after,
            dim,
            list(input.shape),
        )
        check(
            n + before + after >= 1,
            "input (size {}) is too small for the padding ({}, {}) at dimension {}",
            n,
            before,
            after,
            dim,
        )
    maps = [_border(mode, n, *count) for n, count in zip(input.shape[-dims:], counts)]
    return _NODES[mode, dims](input, maps)

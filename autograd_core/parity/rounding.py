"""How far two engines' numbers may be apart: what rounding can do to that very element, and no more.

The rule, for each element of each result:

1. Its own last places. float64 may differ by 1e-10 of the element's own magnitude (a wrong formula differs by more, an
   order of summation by less), every narrower type by 4 units in its last place; nan must meet nan and inf the same inf.
   Elementwise operations round each result once, so they stay within this. A float of Python that float32 can hold on
   both sides came out of float32.
2. What others show. Where sums are taken in another order, many elements differ a little, and those near zero are what
   is left of terms as large as their neighbours. So an element may also be off by 4 units in the last place of the
   typical one (the median) *among those that differ*. An element that is the same to the bit excuses no other: a
   mask's -1e9 says nothing about what stands beside it.
3. What a trial shows. If a number is still off, autograd_core runs the cell again with the last places of every number
   shaken, and measures how far each element moves. That is what rounding can do there: a sum moves as its terms, a
   product as itself, 60 steps of a training as far as they amplify. Four times as much is allowed, as
   in 2 at least for the typical one among those that differ. What the cell asserts is left out of the trial: of shaken
   numbers it need not hold.

A tolerance that the learner asks for (`%%both tolerance=1e-12`) caps 1 and 2 at that part of the element, and there is no
trial.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..core.recording import recording

FLOAT64_TOLERANCE = 1e-10
UNITS_IN_THE_LAST_PLACE = 4
TRIALS = 3
SHAKEN_BY = 2                           # units in the last place


@dataclass(frozen=True, slots=True)
class Gap:
    """The largest difference between two arrays, where it is, and how much is allowed there.

    If an element is off by more than it may, `index` and `allowed` are that element's, else those of the largest
    difference; `index` is `None` if there is none.
    """

    size: float
    index: tuple[int, ...] | None
    allowed: float
    agrees: bool


def tolerance_for(dtype: np.dtype) -> float:
    """How far two values of `dtype` may be apart, relative to their magnitude."""
    if dtype.kind not in "fc":
        return 0.0
    eps = float(np.finfo(dtype).eps)
    return FLOAT64_TOLERANCE if eps < FLOAT64_TOLERANCE else UNITS_IN_THE_LAST_PLACE * eps


def last_place(magnitudes: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The unit in the last place of numbers of `dtype` that are this large."""
    real = np.finfo(dtype).dtype
    with np.errstate(all="ignore"):
        return np.spacing(np.minimum(magnitudes, np.finfo(real).max).astype(real)).astype(np.float64)


def differences(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """How far apart each pair of elements is; inf for nan or inf against anything but the same."""
    if ours.dtype.kind not in "fciub":
        return np.where(ours == theirs, 0.0, math.inf)
    wide = np.complex128 if ours.dtype.kind == "c" else np.float64
    same = (ours == theirs) | ((ours != ours) & (theirs != theirs))
    with np.errstate(all="ignore"):
        gap = np.atleast_1d(np.abs(ours.astype(wide) - theirs.astype(wide)))
    same = np.atleast_1d(same)
    gap[np.isnan(gap)] = math.inf
    gap[~same & (gap == 0)] = 1.0                           # integers too large for float64 to tell apart
    gap[same] = 0.0
    return gap.reshape(ours.shape)


def gap_between(ours: np.ndarray, theirs: np.ndarray, cap: float = math.inf, moved: np.ndarray | None = None) -> Gap:
    """Compare two arrays of one shape and type by the rule above; `moved` is how far the elements moved in the trial."""
    if ours.dtype.kind in "fciub" and np.array_equal(ours, theirs):
        return Gap(0.0, None, 0.0, True)
    gap = differences(ours, theirs)
    size = float(gap.max(initial=0.0))
    if not size:
        return Gap(0.0, None, 0.0, True)
    allowed = allowances(ours, theirs, gap, cap)
    if moved is not None:
        moved = np.maximum(moved, np.median(moved[gap > 0]))
        allowed = np.maximum(allowed, UNITS_IN_THE_LAST_PLACE * moved)
    excess = np.where(gap > allowed, gap / np.maximum(allowed, np.finfo(np.float64).tiny), 0.0)
    agrees = not excess.any()
    index = np.unravel_index((gap if agrees else excess).argmax(), gap.shape)
    return Gap(size, tuple(map(int, index)), float(allowed[index]), agrees)


def allowances(ours, theirs, gap, cap):
    """How far each element may be off by parts 1 and 2 of the rule."""
    if ours.dtype.kind not in "fc":
        return np.zeros(gap.shape)
    dtype = ours.dtype
    if gap.ndim == 0 and dtype == np.float64:
        with np.errstate(all="ignore"):
            narrow = np.array([ours, theirs]).astype(np.float32)
        if np.array_equal(narrow.astype(np.float64), np.array([ours, theirs]), equal_nan=True):
            dtype = np.dtype(np.float32)
    magnitude = np.maximum(np.abs(ours), np.abs(theirs)).astype(np.float64)
    finite = np.isfinite(magnitude)
    magnitude = np.where(finite, magnitude, 0.0)
    if np.finfo(dtype).eps < FLOAT64_TOLERANCE:
        own = FLOAT64_TOLERANCE * magnitude
    else:
        own = UNITS_IN_THE_LAST_PLACE * last_place(magnitude, dtype)
    typical = np.median(magnitude[finite & (gap > 0)]) if (finite & (gap > 0)).any() else 0.0
    allowed = np.maximum(own, UNITS_IN_THE_LAST_PLACE * last_place(typical, dtype))
    return np.minimum(allowed, cap * magnitude) if math.isfinite(cap) else allowed


class Shaking:
    """Subscribes to autograd_core: the last places of each number that an operation or a backward rule gives are shaken.

    Whole numbers stay what they are: they count, and arithmetic on them is exact.
    """

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)

    def on_operation(self, operation, node, args, outs):
        if not getattr(operation, "view", False):
            for out in outs:
                out._array = self.shaken(out._array)

    def on_node_ran(self, node, sent):
        for gradient in sent:
            if isinstance(gradient, np.ndarray) and gradient.flags.writeable:
                self.shaken(gradient)

    def shaken(self, array, by=0.0):
        """`array` with each element moved by up to its last places, or by `by`; in place where that can be done."""
        if getattr(array, "dtype", np.dtype(bool)).kind not in "fc":
            return array
        with np.errstate(all="ignore"):
            most = np.maximum(SHAKEN_BY * last_place(np.abs(array), array.dtype), by)
            step = most * self.random.uniform(-1, 1, np.shape(array))
            moved = np.where(array == np.rint(array), array, array + step).astype(array.dtype)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[...] = moved
            return array
        return moved[()] if not isinstance(array, np.ndarray) else moved

    def watching(self):
        """The context in which numbers are shaken."""
        return recording.subscribed(self)

"""How far two engines' numbers may be apart: what rounding can do to that very element, and no
more.

1. Its own last places. float64 may differ by 1e-10 of the element's own magnitude (a wrong formula
   differs by more, an order of summation by less), every narrower type by 4 units in its last
   place; nan must meet nan and inf the same inf. Elementwise operations stay within this.
2. What a trial shows. If an element is still off, autograd_core runs the %%both cells again, in
   names of their own, with the last places of every number shaken, and measures how far this
   element moves. That is what rounding can do there: a sum moves as its terms, 60 steps of a
   training as far as they amplify. Four times as much is allowed. A trial may have moved an element
   less than the next would; so what is typical of those that are off counts for it too, up to 16
   times its own movement.

   The first trial shakes nothing. If it does not give our very numbers again, something was changed
   that no %%both cell did (a hook, a method), and nothing is excused.

Where rounding alone moves an element by more than a thousandth of itself, being within that says
nothing: such elements are not compared, and counted.
"""

import contextlib
import math
from dataclasses import dataclass

import numpy as np

FLOAT64_TOLERANCE = 1e-10
UNITS_IN_THE_LAST_PLACE = 4
SHAKEN_BY = 4  # units in the last place: a kernel rounds more than once before it gives a result
LOGARITHMS_OF_SUMS = ("log_softmax", "logsumexp")  # of sums of at least 1, whose last places count
NUMBERS = "fciub"
LUCK = 16  # times less than it could have moved
NO_LONGER_KNOWN = 1e-3  # part of an element


@dataclass(frozen=True, slots=True)
class Gap:
    """The largest difference between two arrays, where it is, and how much is allowed there.

    If an element is off by more than it may, `index` and `allowed` are that element's, else those
    of the largest difference; `index` is `None` if there is none. Of `unknown` elements, which
    agree, rounding alone moves one by up to `moved`.
    """

    size: float = 0.0
    index: tuple[int, ...] | None = None
    allowed: float = 0.0
    agrees: bool = True
    unknown: int = 0
    moved: float = 0.0


def differences(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """How far apart each pair of elements is; inf for nan or inf against anything but the same."""
    same = (ours == theirs) | ((ours != ours) & (theirs != theirs))
    if ours.dtype.kind not in NUMBERS:
        return np.where(same, 0.0, math.inf)
    wide = np.complex128 if ours.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        gap = np.atleast_1d(np.abs(ours.astype(wide) - theirs.astype(wide)))
    same = np.atleast_1d(same)
    gap[np.isnan(gap)] = math.inf
    gap[~same & (gap == 0)] = 1.0  # integers too large for float64 to tell apart
    gap[same] = 0.0
    return gap.reshape(ours.shape)


def gap_between(ours: np.ndarray, theirs: np.ndarray, moved: np.ndarray | None = None) -> Gap:
    """Compare two arrays of one shape and type; `moved` is how far elements moved in the trials."""
    if np.array_equal(ours, theirs):
        return Gap()
    gap = differences(ours, theirs)
    size, magnitude = float(gap.max(initial=0.0)), np.zeros(gap.shape)
    if not size:
        return Gap()
    for each in (ours, theirs) if ours.dtype.kind in NUMBERS else ():
        magnitude = np.maximum(magnitude, np.where(np.isfinite(each), np.abs(each), 0.0))
    allowed = own_places(magnitude, ours.dtype)
    off, most = gap > allowed, 0.0
    if moved is not None and off.any():
        typical = np.clip(np.median(moved[off]), moved, LUCK * moved)
        allowed = np.maximum(allowed, UNITS_IN_THE_LAST_PLACE * typical)
        off &= moved > NO_LONGER_KNOWN * magnitude
        most = float(moved[off].max(initial=0.0))
    excess = np.where(gap > allowed, gap / np.maximum(allowed, np.finfo(np.float64).tiny), 0.0)
    agrees = not excess.any()
    index = np.unravel_index((gap if agrees else excess).argmax(), gap.shape)
    unknown = int(off.sum()) if agrees else 0
    return Gap(size, tuple(map(int, index)), float(allowed[index]), agrees, unknown, most)


def own_places(magnitude: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """How far elements may be off by rule 1."""
    if dtype.kind not in "fc":
        return np.zeros(magnitude.shape)
    if np.finfo(dtype).eps < FLOAT64_TOLERANCE:
        return FLOAT64_TOLERANCE * magnitude
    real = np.finfo(dtype).dtype  # a complex number rounds as its parts do
    within = np.minimum(magnitude, np.finfo(real).max).astype(real)
    return UNITS_IN_THE_LAST_PLACE * np.spacing(within).astype(np.float64)


class Shaking:
    """Subscribes to autograd_core: shakes the last places of all numbers that are made, unless it
    `is_still`.

    Whole numbers stay what they are: they count, and arithmetic on them is exact.
    """

    def __init__(self, seed: int, is_still: bool):
        self.random, self.is_still = np.random.default_rng(seed), is_still

    def on_operation(self, operation, node, args, outs):
        if not getattr(operation, "view", False):
            least = 1.0 if operation.__name__ in LOGARITHMS_OF_SUMS else 0.0
            for out in outs:
                out._array = self.shaken(out._array, least)

    def on_creation(self, name, array):
        self.shaken(array)

    def on_node_ran(self, node, sent):
        for gradient in sent:
            if isinstance(gradient, np.ndarray) and gradient.flags.writeable:
                self.shaken(gradient)

    @contextlib.contextmanager
    def during_step(self, optimizer, closure):
        yield
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                self.shaken(parameter._array)

    def shaken(self, array, least=0.0):
        """`array` with each element moved by its last places, or those of `least`; in place if
        possible.
        """
        if self.is_still or getattr(array, "dtype", np.dtype(bool)).kind not in "fc":
            return array
        by = SHAKEN_BY * np.finfo(array.dtype).eps
        with np.errstate(all="ignore"):
            step = np.maximum(np.abs(array), least) * self.random.uniform(-by, by, np.shape(array))
            moved = np.where(array == np.rint(array), array, array + step).astype(array.dtype)
        if not isinstance(array, np.ndarray) or not array.flags.writeable:
            return moved if isinstance(array, np.ndarray) else moved[()]
        array[...] = moved
        return array

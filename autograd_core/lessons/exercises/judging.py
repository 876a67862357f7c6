"""Compare numbers or lists of words with PyTorch's, and say the result in a sentence."""

import numpy as np

from ...parity.compare import differences
from ...parity.results import as_array

DIGITS = 4  # significant digits of a number that a learner computes by hand and types
SHOWN_IN_FULL = 3  # elements; beyond, only their number is named


def judge_value(value, reference, tolerance):
    """(whether a typed value equals the reference, a sentence that doesn't reveal the reference)."""
    words = isinstance(reference, (list, tuple)) and any(isinstance(x, str) for x in reference)
    if not words:
        return judge_numbers(value, reference, tolerance, shows_reference=False)
    if not isinstance(value, (list, tuple)):
        return False, "Pass a list."
    if len(value) != len(reference):
        return False, f"Yours has {len(value)} entries, PyTorch's {len(reference)}."
    right = sum(_normal(yours) == _normal(theirs) for yours, theirs in zip(value, reference))
    if right < len(reference):
        return False, f"{right} of {len(reference)} entries are as in PyTorch."
    return True, f"All {len(reference)} entries as in PyTorch."


def _normal(value):
    """A word, or a number as a word, without capitals and spaces."""
    if type(value) in (int, float):
        value = f"{value:g}"
    return value.strip().casefold() if isinstance(value, str) else value


def judge_numbers(value, reference, tolerance, shows_reference=True):
    """(whether numbers are the reference's within `tolerance`, a sentence). `shows_reference`:
    the sentence may show PyTorch's number, because the inputs are random and it isn't the answer."""
    if isinstance(value, (str, bytes)):
        return False, f"“{value}” is text. Write the number without quotes."
    if value is None or reference is None:
        pair = [x if x is None else np.asarray(as_array(x), np.float64) for x in (value, reference)]
        return value is reference, "Yours is {}, PyTorch's {}.".format(*map(shown, pair))
    try:
        yours = np.asarray(as_array(value), np.float64)
    # a learner's own class may raise anything here
    except Exception:
        return False, f"Yours is {type(value).__name__}, which cannot be read as numbers."
    theirs = np.asarray(as_array(reference), np.float64)
    if yours.shape != theirs.shape:
        return False, f"Yours has shape {list(yours.shape)}, PyTorch's {list(theirs.shape)}."
    gaps = differences(yours, theirs)
    allowed = tolerance if shows_reference else np.maximum(tolerance, _typed(theirs))
    if not (gaps <= allowed).all():
        if not shows_reference:
            return False, _not_it(yours, theirs, tolerance)
        index = np.unravel_index(gaps.argmax(), gaps.shape)
        here, there = _told_apart(yours[index], theirs[index])
        where = f"At [{', '.join(map(str, index))}]: yours" if theirs.ndim else "Yours"
        return False, f"{where} {here}, PyTorch {there}.{_everywhere(yours, theirs)}"
    if theirs.size > SHOWN_IN_FULL:
        return True, f"All {theirs.size} numbers equal PyTorch's within {tolerance:g}."
    within = f", within {tolerance:g}" if gaps.any() else ""
    if gaps.max(initial=0.0) > tolerance:
        within = f", rounded to {DIGITS} digits"
    return True, f"Yours {shown(yours)}, PyTorch {shown(theirs)}{within}."


def _typed(theirs, digits=DIGITS):
    """The allowed error of a typed number: half a unit of its last digit, and 0 for whole numbers."""
    first = 10.0 ** np.floor(np.log10(np.where(theirs == 0, 1.0, abs(theirs))))
    return np.where(theirs == np.round(theirs), 0.0, 0.500001 * first / 10 ** (digits - 1))


def _not_it(yours, theirs, tolerance):
    """A sentence about wrong numbers that doesn't reveal the right ones."""
    for digits in range(1, DIGITS):
        kept = all(float(f"{number:.{digits - 1}e}") == number for number in yours.flat)
        if kept and (abs(yours - theirs) <= _typed(theirs, digits)).all():
            return f"{shown(yours)} is rounded too far: give {DIGITS} digits, or a fraction."
    if theirs.ndim == 0:
        sign = " Look at its sign." if abs(yours + theirs) <= tolerance else ""
        return f"{_told_apart(yours, theirs)[0]} is not what PyTorch computes.{sign}"
    right = int((abs(yours - theirs) <= tolerance).sum())
    return f"{right} of {theirs.size} numbers are what PyTorch computes."


def _everywhere(yours, theirs):
    """ "Everywhere −1 times PyTorch's.", where one factor explains all numbers."""
    if theirs.size < 2 or not theirs.all() or not np.isfinite(yours).all():
        return ""
    factors = yours / theirs
    if np.ptp(factors) > 1e-9 * abs(factors).max() or not factors.any():
        return ""
    return f" Everywhere {shown(factors.flat[0])} times PyTorch's."


def _told_apart(yours, theirs):
    """Both numbers, with as many digits as it takes to see them differ."""
    for digits in range(5, 18):
        here, there = shown(yours, digits), shown(theirs, digits)
        if here != there:
            break
    return here, there


def shown(array, digits=5):
    if array is None:
        return "None"
    if array.ndim:
        return f"[{', '.join(shown(item, digits) for item in array)}]"
    return f"{array + 0.0:.{digits}g}".replace("-", "−")

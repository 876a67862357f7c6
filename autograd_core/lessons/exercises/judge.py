"""Whether an answer is right, and a sentence about it that names a mistake and not the solution."""

import contextlib
import io

import numpy as np

from ...parity.compare import as_array, largest_gap
from ...parity.report import counted, first_line
from .functions import Function, Mistake

TRIALS = 5                      # random inputs that a learner's function is run on
SHOWN_IN_FULL = 3               # elements; beyond, only their number is named
LINES = 10                      # of what a learner's function prints; beyond, only their number is named
OPEN = object()                 # the verdict on a function that nobody has written yet


def judge(value, reference, tolerance, torch):
    """(whether it is right, a sentence), or OPEN for a function that returns nothing yet."""
    if isinstance(reference, Function):
        return _judge_function(value, reference, tolerance, torch)
    if callable(value):
        return False, "That is a function; a value is asked for."
    if isinstance(reference, (str, bool, type(None))):
        right = _normal(value) == _normal(reference)
        return right, f"{_quoted(value)}, as PyTorch shows." if right else f"PyTorch does not show {_quoted(value)}."
    if isinstance(reference, (list, tuple)) and any(isinstance(item, str) for item in reference):
        return _judge_words(value, reference)
    right, sentence = _judge_numbers(value, reference, tolerance)
    return right, sentence if right else _without_solution(value, reference, tolerance, sentence)


def _without_solution(value, reference, tolerance, sentence):
    """What is wrong with numbers that the learner worked out, and no more than that."""
    if value is None or reference is None:
        return f"PyTorch does not show {_none_or_numbers(value)}."
    if not sentence.startswith(("At [", "Yours ")) or sentence.startswith("Yours is ") or " shape " in sentence:
        return sentence
    yours, theirs = (np.asarray(as_array(x), np.float64) for x in (value, reference))
    gap = largest_gap(np.atleast_1d(yours), np.atleast_1d(theirs), 0.0)
    here = np.atleast_1d(yours)[gap.index]
    where = f"At [{', '.join(map(str, gap.index))}]: {_shown(here)}" if theirs.ndim else _shown(here)
    if _judge_numbers(-yours, theirs, tolerance)[0]:
        return f"{where} has the right size and the wrong sign."
    close = gap.size <= 0.01 * abs(np.atleast_1d(theirs)[gap.index])
    if close:
        return f"{where} is close to what PyTorch gives, but rounded too much."
    return f"{where} is not what PyTorch gives."


def _normal(value):
    return value.strip().casefold() if isinstance(value, str) else (type(value), value)


def _quoted(value):
    return f"“{value}”" if isinstance(value, str) else str(value)


def _judge_words(value, reference):
    if not isinstance(value, (list, tuple)):
        return False, "A list is asked for."
    for index, (yours, theirs) in enumerate(zip(value, reference)):
        if _normal(yours) != _normal(theirs):
            return False, f"At [{index}]: {_quoted(yours)} is not what PyTorch shows."
    if len(value) != len(reference):
        return False, f"Yours has {len(value)} entries, PyTorch's {len(reference)}."
    return True, f"All {len(reference)} entries as in PyTorch."


def _judge_numbers(value, reference, tolerance):
    if value is None or reference is None:
        return value is reference, f"Yours is {_none_or_numbers(value)}, PyTorch's {_none_or_numbers(reference)}."
    try:
        yours = np.asarray(as_array(value), np.float64)
    except (TypeError, ValueError, RuntimeError):
        return False, f"Yours is {type(value).__name__}, which cannot be read as numbers."
    theirs = np.asarray(as_array(reference), np.float64)
    if yours.shape != theirs.shape:
        return False, f"Yours has shape {list(yours.shape)}, PyTorch's {list(theirs.shape)}."
    gap = largest_gap(np.atleast_1d(yours), np.atleast_1d(theirs), 0.0)
    if gap.size > tolerance:
        here, there = _distinct(*(np.atleast_1d(array)[gap.index] for array in (yours, theirs)))
        where = f"At [{', '.join(map(str, gap.index))}]: yours" if theirs.ndim else "Yours"
        return False, f"{where} {here}, PyTorch {there}."
    if theirs.size > SHOWN_IN_FULL:
        return True, f"All {theirs.size} numbers equal PyTorch's within {tolerance:g}."
    within = f", within {tolerance:g}" if gap.size else ""
    return True, f"Yours {_shown(yours)}, PyTorch {_shown(theirs)}{within}."


def _none_or_numbers(value):
    return "None" if value is None else _shown(np.asarray(as_array(value), np.float64))


def _shown(array, digits=5):
    if array.ndim:
        return f"[{', '.join(_shown(item, digits) for item in array)}]"
    return f"{array + 0.0:.{digits}g}".replace("-", "−")


def _distinct(here, there):
    """Both numbers with as many digits as it takes to see them differ."""
    for digits in range(5, 18):
        shown = _shown(here, digits), _shown(there, digits)
        if shown[0] != shown[1]:
            break
    return shown


def _judge_function(function, reference, tolerance, torch):
    if not callable(function):
        return False, f"A function is asked for, not {type(function).__name__}."
    generator = torch.Generator().manual_seed(0)
    trials, wrong = [], ""
    for _ in range(TRIALS):
        arguments, expected, names = reference.trial(torch, generator)
        try:
            with _few_lines():
                results = reference.call(function, arguments)
        except Mistake as mistake:
            return False, str(mistake)
        except KeyboardInterrupt:
            return False, "Your function was interrupted before it returned. Does its loop end?"
        except Exception as error:
            wrong = wrong or f"Your function raises {first_line(error).rstrip('.')}."
            results = error
        if results is ...:
            return OPEN
        trials.append((arguments, results))
        wrong = wrong or _difference(results, expected, names, tolerance)
    if not wrong:
        return True, f"The same as PyTorch on {TRIALS} random inputs, within {tolerance:g}."
    return False, _known_function(reference, trials, tolerance) or wrong


def _difference(results, expected, names, tolerance):
    """What is wrong with the results of one trial, "" if nothing is."""
    if results is None and expected[0] is not None:
        return ("Your function returns None: a return is missing, or nothing was written into what it "
                "returns.")
    results = _as_list(results)
    if len(results) != len(expected):
        return f"Your function returns {counted(len(results), 'result')}, and {len(expected)} are asked for."
    for name, yours, theirs in zip(names, results, expected):
        right, sentence = _judge_numbers(yours, theirs, tolerance)
        if not right:
            return f"In {name}: {sentence[0].lower()}{sentence[1:]}"
    return ""


def _as_list(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


def _known_function(reference, trials, tolerance):
    """What is said to a wrong function that is known, or that returns the same whatever it is given; else ""."""
    for sentence, mistaken in reference.mistakes.items():
        if all(_same_results(_outcome(reference, mistaken, arguments), results, tolerance)
               for arguments, results in trials):
            return sentence
    first = trials[0][1]
    if first is not None and not isinstance(first, Exception) and all(_same_results(first, results, tolerance) for _, results in trials[1:]):
        return "Your function returns the same whatever it is given."
    return ""


def _outcome(reference, function, arguments):
    try:
        return reference.call(function, arguments)
    except Exception as error:
        return error


def _same_results(one, other, tolerance):
    if isinstance(one, Exception) or isinstance(other, Exception):
        return type(one) is type(other)
    one, other = _as_list(one), _as_list(other)
    return len(one) == len(other) and all(_judge_numbers(a, b, tolerance)[0] for a, b in zip(one, other))


@contextlib.contextmanager
def _few_lines():
    """What is printed meanwhile is printed afterwards, its first lines only."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            yield
        finally:
            lines = printed.getvalue().splitlines()
    print(*lines[:LINES], sep="\n", end="\n" if lines else "")
    if len(lines) > LINES:
        print(f"… and {len(lines) - LINES:,} lines more")


def same(one, other, tolerance):
    """Whether two answers are the same, numbers within `tolerance`."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and _normal(one) == _normal(other)
    if isinstance(other, (list, tuple)) and any(isinstance(item, str) for item in other):
        return isinstance(one, (list, tuple)) and len(one) == len(other) and all(
            same(a, b, tolerance) for a, b in zip(one, other))
    if one is None or other is None or isinstance(other, bool):
        return type(one) is type(other) and one == other
    return _judge_numbers(one, other, tolerance)[0]

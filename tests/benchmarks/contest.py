"""Contenders that take turns at one work: their answers are compared, then they are timed.

Each contender has a process of its own with one thread. They take turns, round by round, so that a
busy machine slows all of them. Each round starts again from the same numbers, so that all do the
same arithmetic however many rounds they are given. What is told is the median of the rounds'
ratios, and in brackets the middle half of them."""

import contextlib
import gc
import importlib.util
import multiprocessing
import os
import statistics
import time
import unittest.mock

import numpy as np

from .works import AUTOGRAD, FOREACH, FUSED, MICROGRAD, NUMPY, OURS, TORCH

COLUMNS = TORCH, FUSED, FOREACH, AUTOGRAD, MICROGRAD, NUMPY
# rounds of each work; how long a round lasts at least
ROUNDS, SECONDS = 11, 0.05
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# before answers are compared: a wrong update shows by then
PASSES = 3
# of each number, of the largest of its array
CLOSE = {"float32": (1e-4, 1e-5), "float64": (1e-9, 1e-10)}


class WrongAnswer(Exception):
    """Two contenders computed different numbers: their times cannot be compared."""


# ---- in the contender's process ------------------------------------------------------------------


def once(stages, spent):
    """One pass through the stages; the seconds of each are added to `spent`."""
    value = None
    for i, stage in enumerate(stages):
        start = time.perf_counter()
        value = stage(value)
        spent[i] += time.perf_counter() - start


def solve(make, dtype, passes=PASSES):
    """The answers that the last of so many passes left behind."""
    stages, answers = make(dtype)
    for _ in range(passes):
        once(stages, [0.0] * len(stages))
    return [np.array(array) for array in answers()]


def seconds_of(make, dtype, repeats):
    """The seconds that each stage took in `repeats` passes. Where these are several, one goes
    before, not counted.
    """
    stages, _ = make(dtype)
    if repeats > 1:
        once(stages, [0.0] * len(stages))
    gc.collect()
    spent = [0.0] * len(stages)
    for _ in range(repeats):
        once(stages, spent)
    return spent


def serve(connection, make, dtype):
    """Answer requests: None for the answers, a number for the seconds of so many passes, by stage."""
    while True:
        try:
            repeats = connection.recv()
        except EOFError:
            return
        connection.send(seconds_of(make, dtype, repeats) if repeats else solve(make, dtype))


# ---- in the parent -------------------------------------------------------------------------------


@contextlib.contextmanager
def contender(make, dtype):
    """A process that serves `make`; gives a function that sends a request and returns the answer."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=serve, args=(there, make, dtype))
    with unittest.mock.patch.dict(os.environ, ONE_THREAD):
        process.start()
    there.close()

    def ask(request):
        here.send(request)
        return here.recv()

    try:
        yield ask
    finally:
        here.close()
        process.join()


def absent():
    """The packages that are contenders and not installed here."""
    return [name for name in (AUTOGRAD, MICROGRAD) if importlib.util.find_spec(name) is None]


def check_answers(answers, dtype):
    """Raises WrongAnswer unless all contenders computed, in `dtype`, the numbers that the first
    did.
    """
    rtol, atol = CLOSE[dtype]
    (first, expected), *others = answers.items()
    for name, found in others:
        if len(found) != len(expected):
            raise WrongAnswer(
                f"{name} answers with {len(found)} arrays, {first} with {len(expected)}"
            )
        for i, (array, other) in enumerate(zip(expected, found)):
            largest = np.abs(array).max(initial=0)
            if array.shape != other.shape or not np.allclose(other, array, rtol, atol * largest):
                raise WrongAnswer(f"gradient {i}: {first} and {name} differ")
    for name, found in answers.items():
        if other := [str(array.dtype) for array in found if array.dtype != dtype]:
            raise WrongAnswer(f"{name} computes in {other[0]}")


def measure(work, dtype, rounds=ROUNDS, seconds=SECONDS):
    """{contender: array (rounds, stages) of seconds for one pass}. Raises WrongAnswer if the
    answers differ.
    """
    with contextlib.ExitStack() as stack:
        asks = {
            name: stack.enter_context(contender(make, dtype))
            for name, make in work.contenders.items()
            if name not in absent()
        }
        check_answers({name: ask(None) for name, ask in asks.items()}, dtype)
        repeats = {name: max(1, round(seconds / sum(ask(1)))) for name, ask in asks.items()}
        times = {name: [] for name in asks}
        for _ in range(rounds):
            for name, ask in asks.items():
                times[name].append(np.array(ask(repeats[name])) / repeats[name])
    return {name: np.array(of_rounds) for name, of_rounds in times.items()}


def middle(numbers, form):
    """The median of the numbers, and the middle half: "2.10 (2.05 to 2.16)" in the format ".2f"."""
    low, median, high = statistics.quantiles(numbers, n=4) if len(numbers) > 1 else [*numbers] * 3
    return f"{median:{form}} ({low:{form}} to {high:{form}})"


def rows_of(work, dtype, **how):
    """The work's lines of the table: how many times longer each other contender takes than we do."""
    times = measure(work, dtype, **how)
    for title, stages in work.rows.items():
        spent = {name: of_rounds[:, list(stages)].sum(1) for name, of_rounds in times.items()}
        cells = [middle(spent[c] / spent[OURS], ".2f") if c in spent else "" for c in COLUMNS]
        yield "| " + " | ".join([title, *cells]) + " |"


def table(works, dtype, say, **how):
    """The table line by line, each handed to `say`; returns the complaints about works whose
    answers differ.
    """
    say(f"| work, {dtype} | " + " | ".join(COLUMNS) + " |")
    say("| --- |" + " --- |" * len(COLUMNS))
    complaints = []
    for name, work in works.items():
        if dtype in work.dtypes:
            try:
                for row in rows_of(work, dtype, **how):
                    say(row)
            except WrongAnswer as error:
                complaints.append(f"{name}, {dtype}: {error}")
    return complaints

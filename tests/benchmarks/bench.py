"""How long the works of `works.py` take here, in PyTorch eager, and in NumPy written by hand:

    make bench                                      all works; the table goes to tests/benchmarks/RESULTS.md
    python -m tests.benchmarks.bench small chain    these works only, printed

Each contender has a process of its own with one thread. The contenders take turns, round by round, so that a busy
machine slows all of them; what is told is the median of the rounds' ratios, and in brackets the middle half of them.
Before anything is timed, the gradients are compared. A row whose answers differ is not printed, and the run fails.
"""

import contextlib
import gc
import multiprocessing
import os
import platform
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

from .works import FOREACH, FUSED, WORKS

ROUNDS, SECONDS = 15, 0.05                          # rounds of each work; how long a round lasts at least
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
OURS = "autograd_core"
COLUMNS = ("PyTorch", FUSED, FOREACH, "NumPy")
RESULTS = Path(__file__).with_name("RESULTS.md")


class WrongAnswer(Exception):
    """Two contenders computed different gradients: their times cannot be compared."""


# ---- in the contender's process ------------------------------------------------------------------------------------


def once(stages, spent):
    """One round of the stages; the seconds of each are added to `spent`."""
    value = None
    for i, stage in enumerate(stages):
        start = time.perf_counter()
        value = stage(value)
        spent[i] += time.perf_counter() - start


def serve(connection, make):
    """Answer requests: None for the gradients of a first round, a number for the seconds of so many, by stage."""
    stages, answers = make()
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
    while True:
        try:
            repeats = connection.recv()
        except EOFError:
            return
        gc.collect()
        spent = [0.0] * len(stages)
        for _ in range(repeats or 1):
            once(stages, spent)
        connection.send(spent if repeats else {name: np.array(array) for name, array in answers().items()})


# ---- in the parent -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def contender(make):
    """A process that serves `make`; gives a function that sends a request and returns the answer."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=serve, args=(there, make))
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


def check_answers(answers):
    """Raises WrongAnswer unless all contenders computed the gradients that the first did."""
    (first, expected), *others = answers.items()
    for name, found in others:
        if found.keys() != expected.keys():
            raise WrongAnswer(f"{name} answers {', '.join(found)}; {first} answers {', '.join(expected)}")
        for key, array in expected.items():
            scale = np.abs(array).max(initial=0)
            if array.shape != found[key].shape or not np.allclose(found[key], array, rtol=1e-4, atol=1e-5 * scale):
                raise WrongAnswer(f"{key}: {first} and {name} differ")


def measure(work, rounds=ROUNDS, seconds=SECONDS):
    """{contender: array (rounds, stages) of seconds for one pass}. Raises WrongAnswer if the gradients differ."""
    with contextlib.ExitStack() as stack:
        asks = {name: stack.enter_context(contender(make)) for name, make in work.contenders.items()}
        check_answers({name: ask(None) for name, ask in asks.items()})
        repeats = {name: max(1, round(seconds / sum(ask(1)))) for name, ask in asks.items()}
        times = {name: [] for name in asks}
        for _ in range(rounds):
            for name, ask in asks.items():
                times[name].append(np.array(ask(repeats[name])) / repeats[name])
    return {name: np.array(of_rounds) for name, of_rounds in times.items()}


def ratio(numerator, denominator):
    """The median of the rounds' ratios, and the middle half: "2.10 (2.05 to 2.16)"."""
    ratios = sorted(numerator / denominator)
    low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def rows_of(work, **how):
    """The work's lines of the table: how many times longer each other contender takes than we do."""
    times = measure(work, **how)
    for title, stages in work.rows.items():
        spent = {name: of_rounds[:, list(stages)].sum(1) for name, of_rounds in times.items()}
        yield "| " + " | ".join([title, *(ratio(spent[c], spent[OURS]) if c in spent else "" for c in COLUMNS)]) + " |"


def table(works, say, **how):
    """The table line by line, each handed to `say`; returns the complaints about works whose answers differ."""
    say("| work, float32 | " + " | ".join(COLUMNS) + " |")
    say("| --- |" + " --- |" * len(COLUMNS))
    complaints = []
    for name, work in works.items():
        try:
            for row in rows_of(work, **how):
                say(row)
        except WrongAnswer as error:
            complaints.append(f"{name}: {error}")
    return complaints


def main(names):
    """Print the table of these works, or of all, and then write it to the file. Returns the exit status."""
    os.environ |= ONE_THREAD
    unknown = set(names) - set(WORKS)
    if unknown:
        print(f"there is no work {', '.join(unknown)}: the works are {', '.join(WORKS)}", file=sys.stderr)
        return 2
    lines = []
    complaints = table({name: WORKS[name] for name in names or WORKS},
                       lambda line: (print(line, flush=True), lines.append(line)))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if not names and not complaints:
        RESULTS.write_text("\n".join([
            "# How many times longer others take", "",
            "Written by `make bench`: the time of each column divided by that of autograd_core, the median of "
            f"{ROUNDS} rounds and in brackets the middle half of them.",
            "One thread; the contenders take turns; gradients were compared first.",
            f"Python {platform.python_version()}, NumPy {version('numpy')}, PyTorch {version('torch')}.", "",
            *lines, ""]), encoding="utf-8")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

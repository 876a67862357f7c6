"""How long the works of `works.py` take here, in PyTorch eager, in other packages, and in NumPy
written by hand.

Also how a graph's cost grows, and what a learner waits for.

    make bench                                      everything; tests/benchmarks/RESULTS.md and
    README.md are written
    python -m tests.benchmarks.bench small chain    these works only, printed
    python -m tests.benchmarks.bench lessons        likewise a part: growth, import, lessons, nbval,
    detector

Before anything is timed, the answers are compared. A row whose answers differ is not printed, and
the run fails."""

import importlib.util
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from tests.readme import shown

from . import contest, detector, growth, lessons
from .works import AUTOGRAD, MICROGRAD, works

WORKS = works()
PARTS = {
    "growth": growth.report,
    "import": lessons.report_import,
    "lessons": lessons.report,
    "nbval": lessons.report_nbval,
    "detector": detector.report,
}
RESULTS, README = Path(__file__).with_name("RESULTS.md"), Path(__file__).parents[2] / "README.md"
BEGIN = "<!-- make bench writes from here -->"

PAGE = """\
# How many times longer others take

Written by `make bench`: the time of each column divided by that of autograd_core, the median of {rounds} rounds and \
in brackets the middle half of them. Below 1, the other is faster.
One thread; the contenders take turns; gradients and updates were compared first.
{versions}; {cores} cores.

A column is empty where a contender has no way to say the work. micrograd has + × ** and relu on Python's numbers, \
which are float64 in both tables, and walks back recursively. autograd has no convolution, and its updates are written \
by hand.

{float32}

{float64}

Lesson 10 trains in float64.

# What a graph costs as it grows

![Time and memory of a chain of additions against its number of nodes, on logarithmic axes](growth.svg)

{growth}

Time is that of forward and backward. Memory is that of the whole process above what it had before the chain.

# What a learner waits for

{import}

{lessons}

Memory is the kernel's resident set in megabytes, the most until then.

{nbval}

# How well the detector of lesson 10 does

{detector}

On the crops of the lesson that are held out, trained on PyTorch as there, from other starts and on other crops. Seed 0 is the lesson.
"""

IN_README = """
How many times longer PyTorch takes than autograd_core, in float32; below 1, it is faster.

{figures}

[All other figures](tests/benchmarks/RESULTS.md): autograd, micrograd and NumPy written by hand beside it, float64, memory, \
how long the lessons take.

"""
IN_FIGURES = "MLP 784-256-128-10", "chain of 1,000 operations", "TextSnake head"


def figures(table):
    """Three lines of a table, for PyTorch alone."""
    lines = table.splitlines()
    chosen = [
        *lines[:2],
        *(next(line for line in lines if line.startswith(f"| {work}")) for work in IN_FIGURES),
    ]
    return "\n".join("|".join(line.split("|")[:3]) + "|" for line in chosen)


def versions():
    """ "Python 3.11.7, NumPy 2.4.6, …": what the figures were taken with, as far as it is installed."""
    packages = {"NumPy": "numpy", "PyTorch": "torch", AUTOGRAD: AUTOGRAD, MICROGRAD: MICROGRAD}
    return ", ".join(
        [
            f"Python {platform.python_version()}",
            *(
                f"{name} {version(package)}"
                for name, package in packages.items()
                if importlib.util.find_spec(package)
            ),
        ]
    )


def main(names):
    """Print these works and parts, or all and then write them to the files. Returns the exit
    status.
    """
    unknown = set(names) - {*WORKS, *PARTS}
    if unknown:
        print(
            f"there is no {', '.join(unknown)}: there are {', '.join([*WORKS, *PARTS])}",
            file=sys.stderr,
        )
        return 2
    for name in contest.absent():
        print(f"{name} is not installed: its column stays empty", file=sys.stderr)
    chosen = {name: work for name, work in WORKS.items() if name in (names or WORKS)}
    sections, complaints = {}, []

    def run(section, report, *given):
        sections[section] = []

        def say(line):
            print(line, flush=True)
            sections[section].append(line)

        complaints.extend(report(*given, say) or ())

    if chosen:
        for dtype in contest.CLOSE:
            run(dtype, contest.table, chosen, dtype)
    for part, report in PARTS.items():
        if part in (names or PARTS):
            run(part, report)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if not names and not complaints:
        page = {section: "\n".join(lines) for section, lines in sections.items()}
        page |= {"rounds": contest.ROUNDS, "versions": versions(), "cores": os.cpu_count()}
        RESULTS.write_text(PAGE.format(**page), encoding="utf-8")
        README.write_text(
            shown(
                README.read_text(encoding="utf-8"),
                BEGIN,
                IN_README.format(figures=figures(page["float32"])),
            ),
            encoding="utf-8",
        )
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run a lesson with every seed in it moved, ten times, and say which assertion failed under which.

    python -m notebooks.authoring.seeds 07            lesson 07, ten times
    python -m notebooks.authoring.seeds 07 12 --times 3

A sentence without "here" or "with this seed" stands on an assertion that holds under all of them.
Moved is what a cell hands to `manual_seed` and `default_rng`, and what it calls `seed=`; so the
datasets of the lessons move too. A line that ends with the comment `# this seed` is about this seed
only: it keeps its seed, and if it is an `assert`, it does not run."""

import argparse
import copy
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from .refresh import NOTEBOOKS, execute

TIMES = 10
APART = 1009
"""How far one move is from the next: farther than the seeds of a lesson lie apart."""
SEED = re.compile(r"\b(manual_seed\(|default_rng\(|seed=)([\w.]+)(?=[,)])")
STAYS = re.compile(r"#\s*this seed\s*$")
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Failure:
    """What cell `cell` (counted from 0, with the markdown) ended with when the seeds were moved by
    `moved`.
    """

    moved: int
    cell: int
    error: str
    line: str

    def __str__(self):
        return f"seeds + {self.moved}: cell {self.cell}: {self.error}\n      {self.line}"


def moved(source: str, by: int) -> str:
    """The source of a cell with its seeds moved."""

    def moved_line(line: str) -> str:
        if STAYS.search(line):
            return re.sub(r"^( *)assert .*", r"\1pass", line)
        return SEED.sub(rf"\g<1>\g<2> + {by}", line)

    return "\n".join(map(moved_line, source.split("\n")))


def has_seeds(notebook: NotebookNode) -> bool:
    """Whether anything would be moved."""
    return any(
        moved(cell.source, 1) != cell.source for cell in notebook.cells if cell.cell_type == "code"
    )


def failures(path: Path, by: int) -> Iterator[Failure]:
    """What fails in the notebook at `path` when its seeds are moved."""
    notebook = copy.deepcopy(nbformat.read(path, as_version=4))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = moved(cell.source, by)
            tags = cell.metadata.get("tags", [])
            # so that the cells behind it run too
            cell.metadata.tags = [*tags, "raises-exception"]
            cell.metadata.may_raise = "raises-exception" in tags
    for number, cell in enumerate(execute(notebook, path.parent).cells):
        for output in cell.get("outputs", ()):
            if output.output_type == "error" and not cell.metadata.may_raise:
                yield Failure(
                    by,
                    number,
                    f"{output.ename}: {output.evalue}".strip(": ")[:300],
                    _line(output, cell),
                )


def _line(output: NotebookNode, cell: NotebookNode) -> str:
    """The last line of the cell that the traceback marks, or what it calls there."""
    marked = [
        line.strip()
        for line in re.findall(
            r"^-+> *\d+ (.*)$", ANSI.sub("", "\n".join(output.traceback)), re.MULTILINE
        )
    ]
    return next(
        (line for line in reversed(marked) if line in cell.source), marked[-1] if marked else ""
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each lesson and each failure; return how many lessons failed anywhere."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", help='"07", or how a file name begins; default: all')
    parser.add_argument("--times", type=int, default=TIMES)
    chosen = parser.parse_args(arguments)
    paths = [
        path
        for path in sorted(NOTEBOOKS.glob("*.ipynb"))
        if not chosen.lessons or path.name.startswith(tuple(chosen.lessons))
    ]
    failed = 0
    for path in paths:
        if not has_seeds(nbformat.read(path, as_version=4)):
            print(f"{path.stem}: no seeds")
            continue
        start = time.perf_counter()
        found = [
            failure for k in range(1, chosen.times + 1) for failure in failures(path, k * APART)
        ]
        seeds = len({failure.moved for failure in found})
        print(
            f"{path.stem}: failed under {seeds} of {chosen.times}"
            f" ({time.perf_counter() - start:.0f} s)",
            flush=True,
        )
        for failure in found:
            print("   ", failure, flush=True)
        failed += bool(found)
    return failed


if __name__ == "__main__":
    sys.exit(main())

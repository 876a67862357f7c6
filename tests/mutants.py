"""Plant one small fault at a time in the engine, run the tests, and list the faults that none of them finds.

    python -m tests.mutants 200             two hundred random faults; takes hours
    python -m tests.mutants 20 --seed 1 --only optim

A fault is one operator, comparison, constant or condition that is changed. It is planted in a copy of the checkout. The
tests of the fault's own room run first, then the others; the first failure ends the run. What survives is either a gap
in the tests, or changes nothing: a bound that is never reached, a faster way to the same numbers. A person decides.
"""

import argparse
import ast
import copy
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
ROOMS = ("core", "ops", "nn", "optim", "autograd")
TESTS = ("core", "ops", "nn", "optim", "autograd", "compat", "utils", "trace")
WORKERS = ("-n", "2", "-p", "no:cacheprovider")
SECONDS = 1800                          # a fault that makes the tests run for ever counts as found
OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.MatMult: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """`file`, relative to the checkout, with `was` at `line` become `now`; `source` is the whole changed file."""

    file: str
    line: int
    was: str
    now: str
    source: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.was}  ->  {self.now}"


def changed(node: ast.AST) -> ast.AST | None:
    """A copy of `node` with one fault in it; None where it is of no kind that is changed."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.BinOp | ast.BoolOp) and type(new.op) in OTHER:
        new.op = OTHER[type(new.op)]()
    elif isinstance(new, ast.Compare) and type(new.ops[0]) in OTHER:
        new.ops[0] = OTHER[type(new.ops[0])]()
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.USub | ast.Not):
        return new.operand
    elif isinstance(new, ast.Constant) and type(new.value) is bool:
        new.value = not new.value
    elif isinstance(new, ast.Constant) and type(new.value) in (int, float):
        new.value += 1
    elif isinstance(new, ast.IfExp):
        new.body, new.orelse = new.orelse, new.body
    else:
        return None
    return new


def expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Every expression below `node`, but types, texts with something filled in, and what is checked for its message."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in ("annotation", "returns") and not isinstance(child, ast.JoinedStr):
                if isinstance(child, ast.expr):
                    yield child
                yield from expressions(child)


def mutants(path: Path, house: Path = HOUSE) -> list[Mutant]:
    """All faults that can be planted in the file."""
    source = path.read_text(encoding="utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    encoded, found = source.encode(), []
    for node in expressions(ast.parse(source)):
        if (new := changed(node)) is not None:
            begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            now = ast.unparse(new)
            text = (encoded[:begin] + f"({now})".encode() + encoded[end:]).decode()
            found.append(Mutant(str(path.relative_to(house)), node.lineno, encoded[begin:end].decode(), now, text))
    return found


def fails(rooms: Iterable[str], folder: Path) -> bool:
    """Whether a test of these rooms fails in the checkout `folder`, or takes for ever."""
    try:
        run = subprocess.run([sys.executable, "-m", "pytest", "-x", "-q", *WORKERS, *(f"tests/{room}" for room in rooms)],
                             cwd=folder, env={"PYTHONPATH": str(folder), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
                             capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return bool(run.returncode)


def is_found(mutant: Mutant, folder: Path) -> bool:
    """Whether a test fails with the fault planted in the checkout `folder`, which is mended afterwards."""
    path, room = folder / mutant.file, Path(mutant.file).parts[1]
    right = path.read_text(encoding="utf-8")
    path.write_text(mutant.source, encoding="utf-8")
    try:
        others = [other for other in TESTS if other != room]
        return fails([room], folder) or bool(others) and fails(others, folder)
    finally:
        path.write_text(right, encoding="utf-8")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=ROOMS)
    given = parser.parse_args(arguments)
    files = [path for room in ([given.only] if given.only else ROOMS) for path in (HOUSE / "autograd_core" / room).rglob("*.py")]
    every = [mutant for path in sorted(files) for mutant in mutants(path, HOUSE)]
    chosen = random.Random(given.seed).sample(every, min(given.count, len(every)))
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("autograd_core", "tests", "notebooks", "pyproject.toml"):
            (shutil.copytree if (HOUSE / name).is_dir() else shutil.copy)(HOUSE / name, Path(folder) / name)
        if fails(TESTS, Path(folder)):
            sys.exit("a test fails, or takes for ever, without any fault: every fault would count as found")
        for number, mutant in enumerate(chosen, start=1):
            found = is_found(mutant, Path(folder))
            survivors += [] if found else [mutant]
            print(f"{number}/{len(chosen)} {'found   ' if found else 'SURVIVES'} {mutant}", flush=True)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} faults were found, of {len(every):,} that can be planted")


if __name__ == "__main__":
    main(sys.argv[1:])

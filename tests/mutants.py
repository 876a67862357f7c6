"""Plant one small fault at a time in the engine, run the tests, and list the faults that none of
them finds.

    python -m tests.mutants 200             two hundred random faults; takes hours
    python -m tests.mutants 20 --seed 1 --only optim

`make prove` does this with forty faults of the day. And tests/test_mutants.py plants faults in the
arithmetic of backward rules, some on every push and all in `make prove`: each changes a gradient,
so each must be found.

A fault is one operator, comparison, constant or condition that is changed. It is planted in a copy
of the checkout. The tests of the fault's own room run first, then the others; the first failure
ends the run. What survives is either a gap in the tests, or changes nothing: a bound that is never
reached, a faster way to the same numbers. A person decides."""

import argparse
import ast
import contextlib
import copy
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .budget import SEED

HOUSE = Path(__file__).resolve().parents[1]
ROOMS = ("core", "ops", "nn", "optim", "autograd")
TESTS = ("core", "ops", "nn", "optim", "autograd", "compat", "utils", "trace")
UNKEPT = ("-p", "no:cacheprovider", "-p", "no:nbval")
WORKERS = ("-n", "2", *UNKEPT)
SECONDS = 3600  # a fault that makes the tests run for ever counts as found
OTHER = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """`file`, relative to the checkout, with `was` at `line` become `now`; `source` is the whole
    changed file.

    in_rule  whether what changed is arithmetic in a backward rule.
    """

    file: str
    line: int
    was: str
    now: str
    source: str
    in_rule: bool = False

    def __str__(self):
        return f"{self.file}:{self.line}: {self.was}  ->  {self.now}"


def changed(node: ast.AST) -> ast.AST | None:
    """A copy of `node` with one fault in it, and with the same parts; None where it is of no kind
    that is changed.
    """
    new = copy.copy(node)
    if isinstance(new, ast.BinOp | ast.BoolOp) and type(new.op) in OTHER:
        new.op = OTHER[type(new.op)]()
    elif isinstance(new, ast.Compare) and type(new.ops[0]) in OTHER:
        new.ops = [OTHER[type(new.ops[0])](), *new.ops[1:]]
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
    """Every expression below `node`, but types, texts with something filled in, and what is checked
    for its message.
    """
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if (
                isinstance(child, ast.AST)
                and name not in ("annotation", "returns")
                and not isinstance(child, ast.JoinedStr)
            ):
                if isinstance(child, ast.expr):
                    yield child
                yield from expressions(child)


def mutants(path: Path, house: Path = HOUSE) -> list[Mutant]:
    """All faults that can be planted in the file."""
    source = path.read_text(encoding="utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    encoded, found, tree = source.encode(), [], ast.parse(source)
    rules = [
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        for part in ast.walk(decorator)
        if isinstance(part, ast.Lambda)
    ]
    arithmetic = {
        id(part)
        for rule in rules
        for part in ast.walk(rule)
        if isinstance(part, ast.BinOp | ast.UnaryOp)
    }
    for node in expressions(tree):
        if (new := changed(node)) is not None:
            begin, end = (
                starts[node.lineno - 1] + node.col_offset,
                starts[node.end_lineno - 1] + node.end_col_offset,
            )
            now = ast.unparse(new)
            text = (encoded[:begin] + f"({now})".encode() + encoded[end:]).decode()
            was = encoded[begin:end].decode()
            found.append(
                Mutant(
                    str(path.relative_to(house)),
                    node.lineno,
                    was,
                    now,
                    text,
                    id(node) in arithmetic,
                )
            )
    return found


def fails(tests: Iterable[str], folder: Path, *options: str) -> bool:
    """Whether one of these files and folders of tests/ fails in the checkout `folder`, or takes for
    ever.
    """
    try:
        run = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-x",
                "-q",
                *options,
                *(f"tests/{each}" for each in tests),
            ],
            cwd=folder,
            env={"PYTHONPATH": str(folder), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return True
    return bool(run.returncode)


@contextlib.contextmanager
def planted(mutant: Mutant, folder: Path) -> Iterator[None]:
    """The fault stands in the checkout `folder` inside of the block."""
    path = folder / mutant.file
    right = path.read_text(encoding="utf-8")
    path.write_text(mutant.source, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(right, encoding="utf-8")


def is_found(mutant: Mutant, folder: Path) -> bool:
    """Whether a test finds the fault: the tests of its own room are asked first."""
    room = Path(mutant.file).parts[1]
    others = [other for other in TESTS if other != room]
    with planted(mutant, folder):
        return fails([room], folder, *WORKERS) or bool(others) and fails(others, folder, *WORKERS)


def copied(folder: Path) -> None:
    """What the tests need, in `folder`."""
    for name in ("autograd_core", "tests", "notebooks", "pyproject.toml"):
        (shutil.copytree if (HOUSE / name).is_dir() else shutil.copy)(HOUSE / name, folder / name)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=SEED, help="default: the day's")
    parser.add_argument("--only", choices=ROOMS)
    given = parser.parse_args(arguments)
    files = [
        path
        for room in ([given.only] if given.only else ROOMS)
        for path in (HOUSE / "autograd_core" / room).rglob("*.py")
    ]
    every = [mutant for path in sorted(files) for mutant in mutants(path, HOUSE)]
    chosen = random.Random(given.seed).sample(every, min(given.count, len(every)))
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        copied(Path(folder))
        if fails(TESTS, Path(folder), *WORKERS):
            sys.exit(
                "a test fails, or takes for ever, without any fault: every fault would count as found"
            )
        for number, mutant in enumerate(chosen, start=1):
            found = is_found(mutant, Path(folder))
            survivors += [] if found else [mutant]
            print(
                f"{number}/{len(chosen)} {'found   ' if found else 'SURVIVES'} {mutant}", flush=True
            )
    print(
        f"{len(chosen) - len(survivors)} of {len(chosen)} faults were found, of {len(every):,} that can be planted"
    )


if __name__ == "__main__":
    main(sys.argv[1:])

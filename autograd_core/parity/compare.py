"""Two engines' results, compared by name.

Numbers must agree as `rounding` says, element by element; integers, booleans and strings exactly.
dtype, shape, `requires_grad`, `is_leaf`, and the graphs must be
the same."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from .graphs import compare_graphs
from .results import VALUE_KINDS, Pair, as_array
from .rounding import NO_LONGER_KNOWN, gap_between

UNCOUNTED = ("detail", "code")
TENSORS = ("tensor", "parameter", "buffer")
ONE_SIDED = ({"detail", "missing"}, {"code", "missing"})  # what an engine keeps for itself
PRINTED = "what it prints"
_NUMBER = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?|[-+]?\d+e[-+]?\d+|\bnan\b|\binf\b")
_PLACE = re.compile(r"0x[0-9a-f]{6,}")


class OneSentence(Exception):
    """IPython shows its message: what the learner can do. The stack would only lead into the
    comparison.
    """

    def _render_traceback_(self):
        return ["\n".join([f"{type(self).__name__}: {self}", *getattr(self, "__notes__", ())])]


class ParityError(OneSentence, AssertionError):
    """The engines differ. The message names what, where, and both values."""


@dataclass(frozen=True, slots=True)
class Row:
    """A result: `difference` is the largest one, at `where`; 0 if equal.

    `differs` is the sentence that says how the sides differ, and `allowed` how far rounding may
    move them apart there, if it can be the reason. `not_compared` says why a result was left out.
    Of `unknown` of its elements nothing is known: rounding alone moves one by up to `moved`.
    """

    name: str
    kind: str
    dtype: str = ""
    shape: tuple | None = None
    difference: float = 0.0
    where: str = ""
    differs: str = ""
    allowed: float | None = None
    not_compared: str = ""
    unknown: int = 0
    moved: float = 0.0


@dataclass(slots=True)
class Comparison:
    """The outcome: a row for each result that agrees or was left out, one for each difference, and
    the graphs.
    """

    rows: list[Row] = field(default_factory=list)
    differences: list[Row] = field(default_factory=list)
    graphs: list[tuple[str, int]] = field(default_factory=list)  # (name, nodes)

    @property
    def made(self) -> int:
        return len(self.rows)

    @property
    def compared(self) -> int:
        return sum(not row.not_compared for row in self.rows)

    @property
    def largest(self) -> float:
        """The largest difference of any number; 0 if all are equal."""
        return max((row.difference for row in self.rows if not row.not_compared), default=0.0)

    @property
    def may_be_rounding(self) -> bool:
        """Whether there is a difference, and rounding may be the reason of all."""
        found = [row.allowed is not None for row in self.differences]
        return bool(found) and all(found)

    def add(self, other: "Comparison"):
        """Add what another comparison found."""
        self.rows += other.rows
        self.differences += other.differences
        self.graphs += other.graphs

    def apart(self) -> dict[str, str]:
        """A sentence for each name under which the sides are not equal, be it by rounding."""
        by_rounding = [row for row in self.rows if row.difference]
        told = {row.name: f"{row.name} differs by {row.difference:.0e}" for row in by_rounding}
        return told | {row.name: row.differs for row in self.differences}

    def differ(self, name: str, message: str):
        """Note that `name` differs; `message` is the whole sentence."""
        self.differences.append(Row(name, "", differs=message))

    def leave_out(self, name: str, kind: str, why: str):
        """Note that `name` was made, and why it is not compared."""
        self.rows.append(Row(name, kind, not_compared=why))

    def compare_arrays(self, name, kind, ours, theirs, moved, dtype="", shape=None):
        """Compare numbers. `moved` is how far trials moved them; None if there was none."""
        gap = gap_between(ours, theirs, moved)
        where = f"[{', '.join(map(str, gap.index))}]" if gap.index else ""
        if gap.agrees:
            lost = (
                f"rounding alone moves it by {gap.moved:.0e}"
                if 0 < gap.unknown == ours.size
                else ""
            )
            row = Row(
                name, kind, dtype, shape, gap.size, where, "", None, lost, gap.unknown, gap.moved
            )
            self.rows += [row] if lost or kind not in UNCOUNTED else []
            return
        here, there = (array[gap.index].item() for array in (ours, theirs))
        size, allowed = math.inf, None
        if ours.dtype.kind in "fc" and math.isfinite(abs(here - there)):
            size, allowed = abs(here - there), gap.allowed
        message = f"{name} differs{where and ' at ' + where}: {here!r} here, {there!r} in PyTorch"
        self.differences.append(Row(name, kind, difference=size, differs=message, allowed=allowed))

    def compare_texts(self, name, kind, ours, theirs, moved):
        """Compare what is written; numbers with a fraction as numbers, where all other words are
        the same.
        """
        texts = [_PLACE.sub("0x…", str(each)) for each in (ours, theirs)]
        words = [_NUMBER.sub("·", text) for text in texts]
        numbers = [numbers_in(text) for text in texts]
        if words[0] == words[1] and numbers[0].size:
            units = np.minimum(*(_last_digits(text) for text in texts))
            flipped = abs(numbers[0] - numbers[1]) <= 1.01 * units
            flipped &= units <= NO_LONGER_KNOWN * abs(numbers[0])
            either = numbers[0], np.where(flipped, *numbers)
            if gap_between(*numbers, moved).agrees or not gap_between(*either, moved).agrees:
                self.compare_arrays(name, kind, *numbers, moved, type(ours).__name__)
            else:
                self.leave_out(name, kind, "its last written digit may be rounded either way")
        elif texts[0] != texts[1] and name == PRINTED:
            self.leave_out(name, kind, "the sides print other words")
        elif texts[0] != texts[1]:
            message = f"{name} differs: {ours!r} here, {theirs!r} in PyTorch"
            self.differences.append(Row(name, kind, differs=message))
        elif kind not in UNCOUNTED:
            self.rows.append(Row(name, kind, type(ours).__name__))

    def check(self):
        """Raises ParityError with the first difference, if there is any, and the names of the
        others.

        One that rounding cannot make comes first: where that is, rounding was not measured.
        """
        if not self.differences:
            return
        first = min(self.differences, key=lambda row: row.allowed is not None)
        message = first.differs
        if first.allowed is not None:
            message += f" ({first.difference:.1e} apart, rounding allows {first.allowed:.1e})"
        names = list(dict.fromkeys(row.name for row in self.differences if row.name != first.name))
        raise ParityError(
            message + (f"; {len(names)} more differ: {listed(names)}" if names else "")
        )


def listed(names) -> str:
    """The first eight of the names."""
    return ", ".join([*names][:8]) + (", …" if len(names) > 8 else "")


def numbers_in(text: str) -> np.ndarray:
    """The numbers with a fraction that a text holds."""
    return np.array([float(number) for number in _NUMBER.findall(text)])


def _last_digits(text):
    """The unit of the last digit of each of them: 0.01 for "1.25"."""
    parts = [number.partition("e") for number in _NUMBER.findall(text)]
    return np.array(
        [10.0 ** (int(power or 0) - len(digits.partition(".")[2])) for digits, _, power in parts]
    )


def compare_results(
    pairs: dict[str, Pair],
    made: Callable[[str], bool],
    moved: Mapping[str, np.ndarray] | None = None,
    graphs: bool = True,
) -> Comparison:
    """Compare the pairs under each path for which `made(path)` holds; a result with two names is
    counted once.

    `moved` says how far rounding was seen to move the numbers under a path. Without `graphs` the
    nodes that made the results are not compared. `pairs` holds everything, so that the leaves of a
    graph can be called by name."""
    comparison, seen, roots, partners = Comparison(), set(), [], ({}, {})
    for path, (_, ours, theirs) in pairs.items():
        pair = id(ours.value), id(theirs.value)
        if ours.kind == theirs.kind in TENSORS:  # of two names for one tensor
            known = [partners[0].setdefault(pair[0], (pair[1], path))]
            known += [partners[1].setdefault(pair[1], (pair[0], path))]
            if made(path) and (known[0][0], known[1][0]) != pair[::-1]:
                which, first = (
                    ("here", known[0][1]) if known[0][0] != pair[1] else ("in PyTorch", known[1][1])
                )
                comparison.differ(path, f"{path} and {first} are one tensor only {which}")
        if not made(path) or pair in seen:
            continue
        if ours.kind not in (*VALUE_KINDS, "structure", "missing"):
            seen.add(pair)
        _compare_one(comparison, path, ours, theirs, (moved or {}).get(path))
        roots += _graph_root(path, ours, theirs)
    if graphs:
        names = [{}, {}]
        for path, (_, *results) in reversed(pairs.items()):
            for side, result in zip(names, results):
                side[id(result.value)] = path
        compare_graphs(roots, *names, comparison)
    return comparison


def _compare_one(comparison, path, ours, theirs, moved):
    kinds = ours.kind, theirs.kind
    types = [result.text or type(result.value).__name__ for result in (ours, theirs)]
    if "foreign" in kinds:
        why = "comes from the same engine on both sides: make it with T, F, nn or optim in %%both"
        comparison.differ(path, f"{path} {why}")
    elif "unknown" in kinds:
        unknown = ours if ours.kind == "unknown" else theirs
        comparison.leave_out(path, type(unknown.value).__name__, unknown.text)
    elif kinds[0] != kinds[1] or types[0] != types[1]:
        if {*kinds} not in ONE_SIDED:
            here, there = (_described(path, result) for result in (ours, theirs))
            comparison.differ(path, f"{path} is {here} here, {there} in PyTorch")
    elif ours.kind in ("graph", "structure"):
        return  # their nodes, and their parts, are compared by themselves
    elif hasattr(ours.value, "dtype") and hasattr(ours.value, "shape"):
        _compare_tensors(comparison, path, ours, theirs, moved)
    elif isinstance(ours.value, float | complex):
        numbers = (np.asarray(result.value) for result in (ours, theirs))
        comparison.compare_arrays(path, ours.kind, *numbers, moved, "float")
    else:
        comparison.compare_texts(path, ours.kind, ours.value, theirs.value, moved)


def _compare_tensors(comparison, path, ours, theirs, moved):
    for attribute in ("dtype", "shape", "requires_grad", "is_leaf"):
        found = [getattr(result.value, attribute, None) for result in (ours, theirs)]
        here, there = [
            list(each) if attribute == "shape" else str(each() if callable(each) else each)
            for each in found
        ]
        if here != there:
            comparison.differ(path, f"{path}.{attribute} is {here} here, {there} in PyTorch")
            return
    dtype, shape = str(ours.value.dtype).removeprefix("torch."), tuple(ours.value.shape)
    numbers = as_array(ours.value), as_array(theirs.value)
    comparison.compare_arrays(path, ours.kind, *numbers, moved, dtype, shape)


def _described(path, result):
    if result.kind == "missing":
        return "None" if path.endswith(".grad") else "missing"
    shape = getattr(result.value, "shape", None)
    name = result.text or type(result.value).__name__
    if result.text or shape is None:
        return name
    return f"{'a tensor' if result.kind == 'gradient' else name} of shape {list(shape)}"


def _graph_root(path, ours, theirs):
    if ours.kind == theirs.kind == "graph":
        return [(path, (ours.value, 0), (theirs.value, 0))]
    if not ours.kind == theirs.kind in TENSORS:
        return []  # the graph of a gradient need not be PyTorch's, only its numbers
    edges = [(result.value.grad_fn, result.value.output_nr) for result in (ours, theirs)]
    return [] if None in (edges[0][0], edges[1][0]) else [(path, *edges)]

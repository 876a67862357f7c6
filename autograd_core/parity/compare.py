"""Two engines' results, compared by name.

Numbers must agree as `rounding` says, element by element; integers, booleans and strings exactly.
dtype, shape, `requires_grad`, `is_leaf`, whether it is an inference tensor, and the graphs must be the same.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from .graphs import compare_graphs
from .results import VALUE_KINDS, Result, as_array
from .rounding import gap_between

COUNTED = (
    "tensor",
    "gradient",
    "parameter",
    "buffer",
    "optimizer state",
    "array",
    "number",
    "value",
    "setting",
    "random generator",
    "printed text",
)

_NUMBER = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?|[-+]?\d+e[-+]?\d+|\bnan\b|\binf\b")
_PLACE = re.compile(r"0x[0-9a-f]{6,}")


class OneSentence(Exception):
    """IPython shows its message: what the learner can do. The stack would only lead into the comparison."""

    def _render_traceback_(self):
        return ["\n".join([f"{type(self).__name__}: {self}", *getattr(self, "__notes__", ())])]


class ParityError(OneSentence, AssertionError):
    """The engines differ. The message names what, where, and both values."""


@dataclass(frozen=True, slots=True)
class Row:
    """A compared result: `difference` is the largest one, at `where`; 0 if equal.

    `not_compared` says why a result could not be compared, and is "" for all others. Of `unknown` of its
    elements nothing is known: rounding alone moves one by up to `moved`.
    """

    name: str
    kind: str
    dtype: str = ""
    shape: tuple | None = None
    difference: float = 0.0
    where: str = ""
    not_compared: str = ""
    unknown: int = 0
    moved: float = 0.0


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs: the path it has, a sentence that names both sides, and whether rounding may be the reason."""

    name: str
    message: str
    may_be_rounding: bool = False


@dataclass(slots=True)
class Comparison:
    """The outcome: a row for each result, one `(name, nodes)` for each graph, and the differences."""

    rows: list[Row] = field(default_factory=list)
    graphs: list[tuple[str, int]] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

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

    def differ(self, name: str, message: str, may_be_rounding: bool = False):
        """Note that `name` differs; `message` is the whole sentence."""
        self.differences.append(Difference(name, message, may_be_rounding))

    def leave_out(self, name: str, kind: str, why: str):
        """Note that `name` was made, and why it is not compared."""
        self.rows.append(Row(name, kind, not_compared=why))

    def check(self):
        """Raises ParityError with the first difference, and the names of the others, if there is any."""
        if not self.differences:
            return
        first, *others = self.differences
        names = list(dict.fromkeys(other.name for other in others if other.name != first.name))
        more = (
            f"; {len(names)} more differ: {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
            if names
            else ""
        )
        raise ParityError(first.message + more)


def compare_results(
    ours: dict[str, Result],
    theirs: dict[str, Result],
    made: Callable[[str], bool],
    cap: float = math.inf,
    graphs: bool = True,
    moved: Mapping[str, np.ndarray] | None = None,
) -> Comparison:
    """Compare the results under each path for which `made(path)` holds; a result with two names is counted once.

    `cap` tightens the tolerance, `moved` says how far rounding was seen to move the numbers under a path.
    Without `graphs` the nodes that made the results are not compared.
    `ours` and `theirs` hold everything, so that the leaves of a graph can be called by their names.
    """
    comparison, seen, roots = Comparison(), set(), []
    for path in dict.fromkeys([*ours, *theirs]):
        if not made(path):
            continue
        mine, other = ours.get(path), theirs.get(path)
        if mine is None or other is None:
            if "detail" not in (mine or other).kind:  # a setting that one engine alone has
                comparison.differ(path, _one_side_only(path, mine, other))
            continue
        pair = (id(mine.value), id(other.value))
        if mine.kind not in (*VALUE_KINDS, "structure"):
            if pair in seen:
                continue
            seen.add(pair)
        if "foreign" in (mine.kind, other.kind):
            comparison.differ(
                path,
                f"{path} comes from the same engine on both sides: make it with T, F, nn or optim in %%both",
            )
        elif mine.kind == "unknown":
            comparison.leave_out(path, type(mine.value).__name__, mine.text)
        else:
            _compare_one(comparison, path, mine, other, cap, (moved or {}).get(path))
            roots += _graph_root(path, mine, other)
    if graphs:
        compare_graphs(roots, _leaf_names(ours), _leaf_names(theirs), comparison)
    return comparison


def _one_side_only(path, mine, other):
    if path.endswith(".grad") and hasattr(
        (mine or other).value, "shape"
    ):  # or it is the learner's own class
        absent, present = "None", f"a tensor of shape {list((mine or other).value.shape)}"
    else:
        absent, present = "missing", _described(mine or other)
    here, there = (absent, present) if mine is None else (present, absent)
    return f"{path} is {here} here, {there} in PyTorch"


def _described(result):
    if result.text:
        return result.text
    shape = getattr(result.value, "shape", None)
    return type(result.value).__name__ + ("" if shape is None else f" of shape {list(shape)}")


def _graph_root(path, mine, other):
    if mine.kind == "graph" and other.kind == "graph":
        return [(path, mine.value, other.value)]
    nodes = [getattr(result.value, "grad_fn", None) for result in (mine, other)]
    if mine.kind == "gradient" or None in nodes:
        return []  # the graph of a gradient need not be PyTorch's, only its numbers
    return [(path, *nodes)]


def _leaf_names(results):
    return {
        id(result.value): path
        for path, result in reversed(results.items())
        if result.kind not in VALUE_KINDS
    }


def _compare_one(comparison, path, mine, other, cap, moved):
    if mine.kind == other.kind == "graph":
        return  # the walk over the graphs compares it
    types = [result.text or type(result.value).__name__ for result in (mine, other)]
    if mine.kind != other.kind or types[0] != types[1]:
        comparison.differ(
            path, f"{path} is {_described(mine)} here, {_described(other)} in PyTorch"
        )
    elif mine.kind == "structure":
        return  # its contents have paths of their own
    elif hasattr(mine.value, "dtype") and hasattr(mine.value, "shape"):
        _compare_tensors(comparison, path, mine, other, cap, moved)
    elif isinstance(mine.value, float | complex) and mine.kind != "detail":
        numbers = (np.asarray(result.value) for result in (mine, other))
        _compare_arrays(comparison, path, mine.kind, *numbers, cap, moved, "float", None)
    elif mine.value != other.value and (mine.value == mine.value or other.value == other.value):
        comparison.differ(path, f"{path} differs: {mine.value!r} here, {other.value!r} in PyTorch")
    elif mine.kind != "detail":
        comparison.rows.append(Row(path, mine.kind, type(mine.value).__name__))


def _compare_tensors(comparison, path, mine, other, cap, moved):
    a, b = mine.value, other.value
    for attribute in ("dtype", "shape", "requires_grad", "is_leaf", "is_inference"):
        if not hasattr(a, attribute):
            continue
        here, there = getattr(a, attribute), getattr(b, attribute)
        here, there = (here(), there()) if callable(here) else (here, there)
        here, there = (list(here), list(there)) if attribute == "shape" else (str(here), str(there))
        if here != there:
            comparison.differ(path, f"{path}.{attribute} is {here} here, {there} in PyTorch")
            return
    _compare_arrays(
        comparison,
        path,
        mine.kind,
        as_array(a),
        as_array(b),
        cap,
        moved,
        str(a.dtype).removeprefix("torch."),
        tuple(a.shape),
    )


def _compare_arrays(comparison, path, kind, ours, theirs, cap, moved, dtype, shape):
    gap = gap_between(ours, theirs, cap, moved)
    where = f"[{', '.join(map(str, gap.index))}]" if gap.index else ""
    if gap.agrees:
        nothing = (
            f"rounding alone moves it by {gap.moved:.0e}" if 0 < gap.unknown == ours.size else ""
        )
        comparison.rows.append(
            Row(path, kind, dtype, shape, gap.size, where, nothing, gap.unknown, gap.moved)
        )
        return
    here, there = (
        array[gap.index].item() if array.ndim else array.item() for array in (ours, theirs)
    )
    size = abs(here - there) if ours.dtype.kind in "fc" else math.inf
    allowance = (
        f" ({size:.1e} apart, rounding allows {gap.allowed:.1e})"
        if math.isfinite(size) and cap
        else ""
    )
    comparison.differ(
        path,
        f"{path} differs{where and ' at ' + where}: {here!r} here, {there!r} in PyTorch{allowance}",
        may_be_rounding=math.isfinite(size),
    )


PRINTED = "what it prints"


def numbers_in(text: str) -> np.ndarray:
    """The numbers with a fraction that a printed text holds."""
    return np.array([float(number) for number in _NUMBER.findall(text)])


def compare_printed(
    comparison: Comparison, ours: str, theirs: str, moved: np.ndarray | None = None
):
    """Compare what the sides printed, numbers with a fraction as numbers. Of other words the report tells."""
    if ours == theirs:
        return
    words = [_PLACE.sub("0x…", _NUMBER.sub("·", text)) for text in (ours, theirs)]
    if words[0] != words[1]:
        comparison.leave_out(PRINTED, "printed text", "the sides print other words")
        return
    numbers = map(numbers_in, (ours, theirs))
    _compare_arrays(comparison, PRINTED, "printed text", *numbers, math.inf, moved, "", None)

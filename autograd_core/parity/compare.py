"""Compares the results of two engines by path. The docstring of `both` says what is compared.

The tolerance is `rtol` times the largest element of the tensor, or the largest number in the same
list, dict or object. Python's floats often come from float32 tensors, so their `rtol` is 1e-4.

Some gradients are zero except for rounding errors, for example the gradient of a bias before
BatchNorm. The two engines agree in none of their digits. So a gradient may also differ by 16 times
the machine epsilon times the largest element of all gradients that the cell made or changed. The
same holds for each kind of optimizer state.
"""

import math
from collections.abc import Container
from dataclasses import dataclass, field, replace

import numpy as np

from .cell import OneSentence
from .graphs import compare_graphs
from .results import TENSORS, Pair, as_array

RTOL = {"float64": 1e-7, "complex128": 1e-7}
RTOL_OF_OTHERS = 1e-4
ROUNDED = ("gradient", "optimizer state")  # kinds that may consist of rounding errors


class ParityError(OneSentence, AssertionError):
    """The engines differ. The message says what differs, where, and both values."""


@dataclass(frozen=True, slots=True)
class Row:
    """A compared result.

    `difference` is the largest difference of two elements, and `where` is their index. `differs` is
    the message if the results differ. `not_compared` is the reason why a result was left out."""

    name: str
    kind: str
    dtype: str = ""
    shape: tuple | None = None
    difference: float = 0.0
    where: str = ""
    differs: str = ""
    not_compared: str = ""


@dataclass(slots=True)
class Comparison:
    """`rows` are the results that are the same or were left out, `differences` the results that
    differ, and `graphs` the compared graphs as (name, number of nodes).
    """

    rows: list[Row] = field(default_factory=list)
    differences: list[Row] = field(default_factory=list)
    graphs: list[tuple[str, int]] = field(default_factory=list)

    def differ(self, name: str, message: str):
        """Record that `name` differs; `message` is the whole sentence."""
        self.differences.append(Row(name, "", differs=message))

    def leave_out(self, name: str, kind: str, why: str):
        """Record that the result `name` is not compared, and why."""
        self.rows.append(Row(name, kind, not_compared=why))

    def check(self):
        """Raise ParityError, if there are differences, with the first one and the others' names."""
        if self.differences:
            first = self.differences[0]
            names = dict.fromkeys(row.name for row in self.differences if row.name != first.name)
            many = "result differs" if len(names) == 1 else "results differ"
            more = f"; {len(names)} more {many}: {listed(names)}" if names else ""
            raise ParityError(first.differs + more)


def listed(names) -> str:
    """The first eight names, and "…" if there are more."""
    return ", ".join([*names][:8]) + (", …" if len(names) > 8 else "")


def differences(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """The distance of each pair of elements; inf for nan or inf, unless both are the same."""
    same = (ours == theirs) | ((ours != ours) & (theirs != theirs))
    wide = np.complex128 if ours.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        gap = np.atleast_1d(np.abs(ours.astype(wide) - theirs.astype(wide)))
    same = np.atleast_1d(same)
    gap[np.isnan(gap)] = math.inf
    gap[~same & (gap == 0)] = 1.0  # integers too large for float64 to tell apart
    gap[same] = 0.0
    return gap.reshape(ours.shape)


def largest_in(array: np.ndarray) -> float:
    """The largest absolute value of the finite elements of an array; 0 if there are none."""
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))


def allowed_difference(ours, theirs, rtol=None, scale=0.0, rounded=0.0) -> float:
    """How far apart the elements of two arrays may be. `scale` is as in `Pair`. `rounded` is the
    largest number whose rounding errors the elements may consist of.
    """
    if ours.dtype.kind not in "fc":
        return 0.0
    if rtol is None:
        rtol = RTOL.get(ours.dtype.name, RTOL_OF_OTHERS)
    scale = max(scale, largest_in(ours), largest_in(theirs))
    return max(rtol * scale, 16 * float(np.finfo(ours.dtype).eps) * rounded)


def compare_results(
    pairs: dict[str, Pair], chosen: Container[str], rtol: float | None = None, graphs: bool = True
) -> Comparison:
    """Compare the pairs whose path is in `chosen`. A result that has two names is compared once.

    `rtol` is the relative tolerance, or `None` for the tolerance of the dtype. Graphs are compared
    only if `graphs` is true. `pairs` has all results, so that messages can name any leaf."""
    comparison, seen, roots = Comparison(), set(), []
    pairs_to_compare = {path: pair for path, pair in pairs.items() if path in chosen}
    largest = _largest_of_each_kind(pairs_to_compare)
    for path, pair in pairs_to_compare.items():
        both = id(pair.ours.value), id(pair.theirs.value)
        if pair.ours.kind == pair.theirs.kind and pair.ours.kind in (*TENSORS, "graph"):
            if both in seen:
                continue
            seen.add(both)
        _compare_one(comparison, path, pair, rtol, largest.get(_kind_of(path), 0.0))
        roots += _graph_root(path, pair.ours, pair.theirs)
    if graphs:
        names = [{}, {}]
        for path, pair in reversed(pairs.items()):
            for side, result in zip(names, pair[1:3]):
                side[id(result.value)] = path
        compare_graphs(roots, *names, comparison)
    return comparison


def _kind_of(path):
    """ "grad" for net.0.weight.grad, "exp_avg" for opt.state[0].exp_avg."""
    return path.rpartition(".")[2]


def _largest_of_each_kind(pairs):
    largest = {}
    for path, pair in pairs.items():
        if pair.ours.kind in ROUNDED and pair.ours.kind == pair.theirs.kind:
            here = largest_in(as_array(pair.ours.value))
            largest[_kind_of(path)] = max(largest.get(_kind_of(path), 0.0), here)
    return largest


def _compare_one(comparison, path, pair, rtol, rounded):
    ours, theirs = pair.ours, pair.theirs
    kinds = ours.kind, theirs.kind
    if "foreign" in kinds:
        why = "belongs to the same engine on both sides: create it with torch in the %%both cell"
        comparison.differ(path, f"{path} {why}")
    elif (
        kinds[0] != kinds[1]
        or ours.text != theirs.text
        or (ours.kind == "number" and type(ours.value) is not type(theirs.value))
    ):
        here, there = (_described(path, result) for result in (ours, theirs))
        comparison.differ(path, f"{path} is {here} here, {there} in PyTorch")
    elif ours.kind in (*TENSORS, "array"):
        _compare_tensors(comparison, path, ours, theirs, rtol, rounded)
    elif ours.kind == "number" and not isinstance(ours.value, int):
        numbers = np.asarray(ours.value), np.asarray(theirs.value)
        rtol = RTOL_OF_OTHERS if rtol is None else rtol
        _compare_arrays(comparison, Row(path, "number"), *numbers, rtol, pair.scale)
    elif ours.kind in ("number", "value"):
        if ours.value != theirs.value:
            message = f"{path} differs: {ours.value!r} here, {theirs.value!r} in PyTorch"
            comparison.differences.append(Row(path, ours.kind, differs=message))
        elif ours.value is not None:
            comparison.rows.append(Row(path, ours.kind))


def _compare_tensors(comparison, path, ours, theirs, rtol, rounded):
    for attribute in ("dtype", "shape", "requires_grad", "is_leaf"):
        found = [getattr(result.value, attribute, None) for result in (ours, theirs)]
        here, there = [list(each) if attribute == "shape" else str(each) for each in found]
        if here != there:
            comparison.differ(path, f"{path}.{attribute} is {here} here, {there} in PyTorch")
            return
    dtype, shape = str(ours.value.dtype).removeprefix("torch."), tuple(ours.value.shape)
    numbers = as_array(ours.value), as_array(theirs.value)
    _compare_arrays(comparison, Row(path, ours.kind, dtype, shape), *numbers, rtol, rounded=rounded)


def _compare_arrays(comparison, row, ours, theirs, rtol=None, scale=0.0, rounded=0.0):
    """Add `row` with the largest difference of two arrays, which have the same shape and dtype."""
    gap, index, where = differences(ours, theirs), (), ""
    size = float(gap.max(initial=0.0))
    if size and gap.ndim:
        index = tuple(map(int, np.unravel_index(gap.argmax(), gap.shape)))
        where = f"[{', '.join(map(str, index))}]"
    row = replace(row, difference=size, where=where)
    if size <= allowed_difference(ours, theirs, rtol, scale, rounded):
        comparison.rows.append(row)
        return
    here, there = (array[index].item() for array in (ours, theirs))
    at = f" at {where}" if where else ""
    message = f"{row.name} differs{at}: {here!r} here, {there!r} in PyTorch"
    comparison.differences.append(replace(row, differs=message))


def _described(path, result):
    if result.kind == "missing":
        return "None" if path.endswith(".grad") else "missing"
    if result.kind in (*TENSORS, "array"):
        return f"a tensor of shape {list(result.value.shape)}"
    return result.text or type(result.value).__name__


def _graph_root(path, ours, theirs):
    if ours.kind == theirs.kind == "graph":
        return [(path, (ours.value, 0), (theirs.value, 0))]
    if ours.kind != theirs.kind or ours.kind not in ("tensor", "parameter", "buffer"):
        return []  # a gradient's numbers must agree with PyTorch's, but not its graph
    edges = [(result.value.grad_fn, result.value.output_nr) for result in (ours, theirs)]
    return [] if None in (edges[0][0], edges[1][0]) else [(path, *edges)]

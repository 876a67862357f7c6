"""What a file says of a trace, read and checked: what comes out can be shown, whatever went in.

Each field is read as its annotation in `data` says; `_wrong` adds how the fields belong together.
"""

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Iterator
from typing import Any

import numpy as np

from .data import Trace
from .summary import Summary

DTYPES = {str(np.dtype(code)): np.dtype(code) for code in "?bBhHiIqQefdFD"}
WORDS = "nan", "inf", "-inf"
LARGEST = 2**53  # of whole numbers; a browser's numbers have holes beyond
MOST_AXES = 64  # as NumPy's arrays
MOST_NESTED = 100  # modules in one another
MOST_FOR_EACH = 100  # edges, and events, for each node
KINDS = {
    "nodes": ("operation", "leaf", "constant", "frozen", "severed"),
    "events": ("forward", "loss", "backward", "accumulate", "step", "zero_grad"),
}
REFERENCES = (
    ("nodes", "line", "source"),
    ("edges", "line", "source"),
    ("edges", "consumer", "nodes"),
    ("events", "node", "nodes"),
    ("parameters", "node", "nodes"),
    ("parameters", "cut", "edges"),
)


def checked(content: Any) -> Trace:
    """The trace that JSON's `content` stands for. ValueError names the place of what is wrong."""
    trace: Trace = _read(content, Trace, "trace")
    for wrong in _wrong(trace):
        raise ValueError(f"trace.{wrong}")
    return trace


# ---- each field by itself ------------------------------------------------------------------------


def _read(value: Any, kind: Any, place: str) -> Any:
    """`value` as what the annotation `kind` says."""
    kinds = typing.get_args(kind)
    if isinstance(kind, types.UnionType):  # such as np.ndarray | Summary | None
        if value is None and types.NoneType in kinds:
            return None
        is_summary = Summary in kinds and isinstance(value, dict) and "is" in value
        return _read(value, Summary if is_summary else kinds[0], place)
    if typing.get_origin(kind) is tuple:
        _must(isinstance(value, list), place, "a list", value)
        if kinds[-1] is Ellipsis:
            kinds = kinds[:1] * len(value)
        _must(len(value) == len(kinds), place, f"a list of {len(kinds)}", value)
        return tuple(_read(part, kinds[i], f"{place}[{i}]") for i, part in enumerate(value))
    if dataclasses.is_dataclass(kind):
        return _read_record(value, kind, place)
    if kind is np.ndarray:
        return _read_array(value, place)
    if kind is float:
        return _read_number(value, place)
    if kind is int:
        _must(type(value) is int and 0 <= value < LARGEST, place, "a whole number from 0 on", value)
        return value
    # as UTF-8: JSON has halves of letters, which cannot be written
    is_text = isinstance(value, str) and not any("\ud800" <= x <= "\udfff" for x in value)
    _must(is_text, place, "a text", value)
    return value


def _read_record(value: Any, kind: Any, place: str) -> Any:
    what = f"a {kind.__name__}"
    _must(isinstance(value, dict) and value.get("is") == kind.__name__, place, what, value)
    hints, given, fields = _hints(kind), value.keys() - {"is"}, dataclasses.fields(kind)
    needed = {field.name for field in fields if field.default is dataclasses.MISSING}
    what += f" with the fields {', '.join(hints)}"
    _must(needed <= given <= hints.keys(), place, what, sorted(given))
    parts = {n: _read(value[n], hint, f"{place}.{n}") for n, hint in hints.items() if n in given}
    shape = parts.get("shape") or ()
    small = len(shape) <= MOST_AXES and math.prod(shape) < LARGEST
    _must(small, place, "of a shape that a tensor may have", shape)
    return kind(**parts)


_hints = functools.cache(typing.get_type_hints)


def _read_array(value: Any, place: str) -> np.ndarray:
    is_array = isinstance(value, dict) and value.keys() == {"dtype", "shape", "numbers"}
    is_array = is_array and isinstance(value["numbers"], list)
    _must(is_array, place, "an array, with dtype, shape and numbers", value)
    dtype = DTYPES.get(_read(value["dtype"], str, f"{place}.dtype"))
    if dtype is None:
        raise ValueError(f"{place}.dtype should be one of {', '.join(DTYPES)}")
    shape, numbers = _read(value["shape"], tuple[int, ...], f"{place}.shape"), value["numbers"]
    if dtype.kind in "fc":
        numbers = [_read_number(x, f"{place}.numbers") for x in numbers]
    else:
        right = all(type(x) is (bool if dtype.kind == "b" else int) for x in numbers)
        _must(right, f"{place}.numbers", f"numbers of type {dtype}", numbers)
    try:
        with np.errstate(over="ignore"):
            if dtype.kind == "c":
                return np.array(numbers).view(complex).astype(dtype).reshape(shape)
            return np.array(numbers, dtype).reshape(shape)
    except (ValueError, OverflowError) as problem:  # too few for the shape; too large for the dtype
        raise ValueError(f"{place}: {problem}") from None


def _read_number(value: Any, place: str) -> float:
    is_number = type(value) is float or type(value) is int and abs(value) <= LARGEST
    _must(is_number or isinstance(value, str) and value in WORDS, place, "a number", value)
    return float(value)


def _must(holds: bool, place: str, what: str, value: Any) -> None:
    if not holds:
        plain = isinstance(value, str | int | float | None)
        text = ascii(value) if plain else f"a {type(value).__name__}"
        raise ValueError(f"{place} should be {what}, and is {text[:60]}")


# ---- how they belong together --------------------------------------------------------------------


def _wrong(trace: Trace) -> Iterator[str]:
    """What is wrong with a trace of which each field is right by itself, one sentence each."""
    for table, field, target in REFERENCES:
        count = len(getattr(trace, target))
        for i, record in enumerate(getattr(trace, table)):
            number = getattr(record, field)
            if number is not None and number >= count:
                yield f"{table}[{i}].{field} is {number}, and there are {count} {target}"
    for table, kinds in KINDS.items():
        for i, record in enumerate(getattr(trace, table)):
            if record.kind not in kinds:
                yield f"{table}[{i}].kind should be one of {', '.join(kinds)}"
    for table in ("edges", "events"):
        count = len(getattr(trace, table))
        if count > MOST_FOR_EACH * len(trace.nodes):
            yield f"{table} has {count:,} {table} of {len(trace.nodes):,} nodes"
    if not any(event.kind == "loss" for event in trace.events):
        yield "events has no event of the kind 'loss'"
    yield from _wrong_graph(trace)
    for i, event in enumerate(trace.events):
        needed = {"loss": event.after, "backward": event.before}
        if needed.get(event.kind, event) is None:
            yield f"events[{i}] is of the kind {event.kind!r}, and has no value"
        leaving = trace.inputs.get(event.node, ())
        for number, _ in event.sent:
            edge = trace.edges[number] if number < len(trace.edges) else None
            if edge is None or edge not in leaving or trace.nodes[edge.producer].kind == "severed":
                yield f"events[{i}] sends along edge {number}, on which none leaves its node"


def _wrong_graph(trace: Trace) -> Iterator[str]:
    operations = {i for i, node in enumerate(trace.nodes) if node.kind in ("operation", "severed")}
    for i, edge in enumerate(trace.edges):
        way = f"edges[{i}] leads from node {edge.producer} to {edge.consumer}, which"
        if edge.producer >= edge.consumer:
            yield f"{way} was there before"
        if edge.consumer not in operations:
            yield f"{way} is no operation"
    for i, node in enumerate(trace.nodes):
        if i not in operations and i not in trace.outputs:
            yield f"nodes[{i}] is no operation, and input of none"
        if node.module.count(".") > MOST_NESTED:
            yield f"nodes[{i}].module lies in more than {MOST_NESTED} others"

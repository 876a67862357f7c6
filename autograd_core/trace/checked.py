"""What a file says of a trace, read and checked: what comes out can be shown, whatever went in.

Each field is read as its annotation in `data` says; `_wrong` adds how the fields of a trace belong
together."""

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

# of numbers and truth values
DTYPES = {str(np.dtype(code)): np.dtype(code) for code in "?bBhHiIqQefdFD"}
WORDS = "nan", "inf", "-inf"
LARGEST = 2**53  # of whole numbers; a browser's numbers have holes beyond
MOST_AXES = 64  # as NumPy's arrays
MOST_NESTED = 100  # modules in one another
MOST_EVENTS = MOST_EDGES = 100  # for each node
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
    """The trace that JSON's `content` stands for. Raises ValueError, with the place and what is
    wrong there.
    """
    trace: Trace = _read(content, Trace, "trace")
    for wrong in _wrong(trace):
        raise ValueError(wrong)
    return trace


# ---- each field by itself ------------------------------------------------------------------------


def _read(value: Any, kind: Any, place: str) -> Any:
    """`value` as what the annotation `kind` says."""
    kinds = typing.get_args(kind)
    # such as np.ndarray | Summary | None
    if isinstance(kind, types.UnionType):
        if value is None and types.NoneType in kinds:
            return None
        is_summary = Summary in kinds and isinstance(value, dict) and "is" in value
        return _read(value, Summary if is_summary else kinds[0], place)
    if typing.get_origin(kind) is tuple:
        return _read_tuple(value, kinds, place)
    if dataclasses.is_dataclass(kind):
        return _read_record(value, kind, place)
    if kind is np.ndarray:
        return _read_array(value, place)
    if kind is float:
        return _read_number(value, place)
    if kind is int:
        _must(type(value) is int and 0 <= value < LARGEST, place, "a whole number from 0 on", value)
    else:
        _must(_is_text(value), place, "a text", value)
    return value


def _read_tuple(value: Any, kinds: tuple[Any, ...], place: str) -> tuple[Any, ...]:
    _must(isinstance(value, list), place, "a list", value)
    if kinds[-1] is Ellipsis:
        kinds = kinds[:1] * len(value)
    _must(len(value) == len(kinds), place, f"a list of {len(kinds)}", value)
    return tuple(
        _read(part, kind, f"{place}[{i}]") for i, (part, kind) in enumerate(zip(value, kinds))
    )


def _read_record(value: Any, kind: Any, place: str) -> Any:
    _must(
        isinstance(value, dict) and value.get("is") == kind.__name__,
        place,
        f"a {kind.__name__}",
        value,
    )
    hints = _hints(kind)
    needed = {
        field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING
    }
    given = value.keys() - {"is"}
    _must(
        needed <= given <= hints.keys(),
        place,
        f"a {kind.__name__} with the fields {', '.join(hints)}",
        sorted(given),
    )
    record = kind(
        **{
            name: _read(value[name], hints[name], f"{place}.{name}")
            for name in hints
            if name in given
        }
    )
    shape = getattr(record, "shape", None) or ()
    _must(
        len(shape) <= MOST_AXES and math.prod(shape) < LARGEST,
        place,
        "of a shape that a tensor may have",
        shape,
    )
    return record


_hints = functools.cache(typing.get_type_hints)


def _read_array(value: Any, place: str) -> np.ndarray:
    _must(
        isinstance(value, dict)
        and value.keys() == {"dtype", "shape", "numbers"}
        and isinstance(value["numbers"], list),
        place,
        "an array, with dtype, shape and numbers",
        value,
    )
    dtype = DTYPES.get(_read(value["dtype"], str, f"{place}.dtype"))
    if dtype is None:
        raise ValueError(f"{place}.dtype should be one of {', '.join(DTYPES)}")
    shape, numbers = _read(value["shape"], tuple[int, ...], f"{place}.shape"), value["numbers"]
    if dtype.kind in "fc":
        numbers = [_read_number(x, f"{place}.numbers") for x in numbers]
    else:
        wanted = bool if dtype.kind == "b" else int
        _must(
            all(type(x) is wanted for x in numbers),
            f"{place}.numbers",
            f"numbers of type {dtype}",
            numbers,
        )
    try:
        with np.errstate(over="ignore"):
            flat = (
                np.array(numbers).view(complex).astype(dtype)
                if dtype.kind == "c"
                else np.array(numbers, dtype)
            )
        return flat.reshape(shape)
    # too few numbers for the shape; too large for the dtype
    except (ValueError, OverflowError) as problem:
        raise ValueError(f"{place}: {problem}") from None


def _read_number(value: Any, place: str) -> float:
    is_word = isinstance(value, str) and value in WORDS
    _must(
        is_word or type(value) is float or type(value) is int and abs(value) <= LARGEST,
        place,
        "a number",
        value,
    )
    return float(value)


def _is_text(value: Any) -> bool:
    """Whether it can be written as UTF-8: JSON has halves of letters, which cannot."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _must(holds: bool, place: str, what: str, value: Any) -> None:
    if not holds:
        text = (
            ascii(value)
            if isinstance(value, str | int | float | None)
            else f"a {type(value).__name__}"
        )
        raise ValueError(f"{place} should be {what}, and is {text[:60]}")


# ---- how they belong together --------------------------------------------------------------------


def _wrong(trace: Trace) -> Iterator[str]:
    """What is wrong with a trace of which each field is right by itself, one sentence each."""
    for table, field, target in REFERENCES:
        count = len(getattr(trace, target))
        for i, record in enumerate(getattr(trace, table)):
            number = getattr(record, field)
            if number is not None and number >= count:
                yield f"trace.{table}[{i}].{field} is {number}, and there are {count} {target}"
    for table, kinds in KINDS.items():
        for i, record in enumerate(getattr(trace, table)):
            if record.kind not in kinds:
                yield f"trace.{table}[{i}].kind should be one of {', '.join(kinds)}"
    operations = {i for i, node in enumerate(trace.nodes) if node.kind in ("operation", "severed")}
    if len(trace.edges) > MOST_EDGES * len(trace.nodes):
        yield f"trace.edges has {len(trace.edges):,} edges of {len(trace.nodes):,} nodes"
    for i, edge in enumerate(trace.edges):
        if edge.producer >= edge.consumer:
            yield (
                f"trace.edges[{i}] leads from node {edge.producer} to {edge.consumer}, which was"
                " there before"
            )
        if edge.consumer not in operations:
            yield f"trace.edges[{i}] leads to node {edge.consumer}, which is no operation"
    for i in {*range(len(trace.nodes))} - operations - {edge.producer for edge in trace.edges}:
        yield f"trace.nodes[{i}] is no operation, and input of none"
    for i, node in enumerate(trace.nodes):
        if node.module.count(".") > MOST_NESTED:
            yield f"trace.nodes[{i}].module lies in more than {MOST_NESTED} others"
    yield from _wrong_events(trace)


def _wrong_events(trace: Trace) -> Iterator[str]:
    if not any(event.kind == "loss" for event in trace.events):
        yield "trace.events has no event of the kind 'loss'"
    if len(trace.events) > MOST_EVENTS * len(trace.nodes):
        yield f"trace.events has {len(trace.events):,} events of {len(trace.nodes):,} nodes"
    passable = {
        (edge.consumer, i)
        for i, edge in enumerate(trace.edges)
        if trace.nodes[edge.producer].kind != "severed"
    }
    for i, event in enumerate(trace.events):
        if (
            event.kind == "loss"
            and event.after is None
            or event.kind == "backward"
            and event.before is None
        ):
            yield f"trace.events[{i}] is of the kind {event.kind!r}, and has no value"
        for edge, _ in event.sent:
            if (event.node, edge) not in passable:
                yield (
                    f"trace.events[{i}] sends a gradient along edge {edge}, on which none leaves"
                    " its node"
                )

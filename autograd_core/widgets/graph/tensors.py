"""Tensors in the form that is sent to the browser: the numbers of small ones, the norms of large
ones, and maps on request.

A place names a tensor of a trace: ("value", node), ("grad", leaf), ("before", event),
("after", event) or ("sent", event, position among the gradients it sent). Nodes and events count
from 0.
"""

import functools
import math
import re
from collections.abc import Callable

import numpy as np

from ...trace import Summary, Trace
from ...trace.difference import equal
from ...trace.report import Report
from ...trace.summary import Value, summary_of
from ...trace.verdicts import Verdicts
from ..kit import agreement
from ..kit.format import number, size_of
from .folds import once

SENT_IN_FULL = 64  # a tensor of more elements is sent as its norm
LONGEST = 64  # rows and columns of a map
WIDEST_ROW = 32  # columns in the map of a tensor with one axis

Place = tuple[str | int, ...]


verdicts_of = once(Verdicts)


def tensor_of(value: Value | None) -> list | None:
    """A tensor as JSON: [shape, list of values or None, norm]. nan and inf are words, because JSON
    lacks them.
    """
    if value is None:
        return None
    if isinstance(value, Summary) or np.size(value) > SENT_IN_FULL or np.iscomplexobj(value):
        return [list(value.shape), None, plain(size_of(value))]
    value = np.asarray(value)
    exact = value.ravel().tolist()
    size = abs(exact[0]) if len(exact) == 1 else math.sqrt(sum(x * x for x in exact))
    if value.dtype == np.float32:
        # the shortest text that means this float32
        exact = [float(str(x)) for x in value.ravel()]
    return [list(value.shape), [plain(x) for x in exact], plain(size)]


def plain(x: bool | int | float) -> bool | int | float | str:
    """A number as JSON: nan and inf are words."""
    return x if math.isfinite(x) else str(x)


def numbers_of(trace: Trace, first: Trace | None = None) -> dict:
    """The numbers of a trace, by node and by event, in the order of its nodes and of its events.

    `first` is the other engine's trace, if this one is shown next to it.
    """
    verdicts = verdicts_of(trace)
    return {
        "engine": trace.engine,
        "line": line_of(trace, verdicts),
        "masks": verdicts.values.masks,
        "firsts": [
            [finding.word, finding.event, finding.origin] for finding in verdicts.values.firsts
        ],
        "differences": {} if first is None else differences_of(first, trace),
        "values": [tensor_of(node.value) for node in trace.nodes],
        "grads": {
            i: tensor_of(node.grad) for i, node in enumerate(trace.nodes) if node.grad is not None
        },
        "events": [
            [tensor_of(e.before), tensor_of(e.after), [tensor_of(g) for _, g in e.sent]]
            for e in trace.events
        ],
    }


def line_of(trace: Trace, verdicts: Verdicts) -> list[list]:
    """The verdicts on the learner's model, as [style, text, place]: how many parameters are trained
    or cut. [] if there is no model.

    The place is ["event", k], ["node", index] or ["parameter", place in the list]."""
    if not of_a_model(trace):
        return []
    places = {}
    for place, each in reversed([*enumerate(verdicts.statuses)]):
        if not each.waits:
            zero = each.status in ("zero", "only rounding") and bool(each.origins)
            places[each.status] = ["node", each.origins[0]] if zero else ["parameter", place]
    places |= {finding.word: ["event", finding.event] for finding in verdicts.values.firsts}
    report = Report(trace, verdicts)
    if report.causes:
        places["cause"] = ["node", report.causes[0].node]
    return [
        ["bad" if surprise else "", re.sub(r"(?<=\de)-(?=\d)", "−", text), places.get(surprise)]
        for text, surprise in report.parts
    ]


def of_a_model(trace: Trace) -> bool:
    """Whether a trace uses parameters of modules."""
    return any(p.model and p.node is not None for p in trace.parameters)


def differences_of(first: Trace, second: Trace) -> dict[str, list]:
    """The tensors of two traces of the same graph that differ in any bit: {place: [largest
    difference, whether it is only rounding]}.

    A place is written as words, "sent 12 0". The largest difference is nan if only one of the two
    traces has a number."""
    places = [("value", i) for i in range(len(first.nodes))]
    for i, event in enumerate(first.events):
        places += [("before", i), ("after", i), *(("sent", i, j) for j in range(len(event.sent)))]
    found, close = {}, close_in(first)
    for place in places:
        a, b = at(first, place), at(second, place)
        # a value may be unrecorded on one side
        if a is b or (place[0] == "value" and (a is None or b is None)):
            continue
        name = " ".join(map(str, place))
        if a is None or b is None or a.shape != b.shape or a.dtype != b.dtype:
            found[name] = ["nan", False]
        elif isinstance(a, Summary) or isinstance(b, Summary):
            if not equal(a, b, close):
                found[name] = ["nan", False]
        elif not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            largest = np.abs(a.astype(np.float64) - b.astype(np.float64)).max()
            found[name] = [plain(float(largest)), close(a, b)]
    return found


def close_in(trace: Trace) -> Callable[[np.ndarray, np.ndarray], bool]:
    """Whether two tensors are equal except for rounding, given the largest numbers of the pass."""
    numbers = [node.value for node in trace.nodes] + [
        g for event in trace.events for _, g in event.sent
    ]
    extremes = (summary_of(each) for each in numbers if each is not None)
    largest = max(
        (abs(end) for each in extremes for end in (each.min, each.max) if math.isfinite(end)),
        default=0.0,
    )
    return functools.partial(agreement.close, among=largest)


def at(trace: Trace, place: Place) -> Value | None:
    """The tensor at `place`. Raises ValueError for an invalid place, and IndexError if `trace` has
    no such node or event.
    """
    kind, index, *rest = place
    if kind in ("value", "grad"):
        return getattr(trace.nodes[index], kind)
    event = trace.events[index]
    if kind == "sent":
        return event.sent[rest[0]][1]
    if kind not in ("before", "after"):
        raise ValueError(
            f"a tensor stands at a 'value', 'grad', 'before', 'after' or 'sent', not at {kind!r}"
        )
    return event.before if kind == "before" else event.after


def map_of(value: Value, plane: int = 0) -> tuple[np.ndarray, dict]:
    """The map of plane number `plane` of `value`, which has at least one axis and one element:
    at most LONGEST × LONGEST float64 numbers, one for each block of elements, and facts as JSON.

    A plane has the last two axes, at the index `lead` along the others. A tensor with one axis is
    read in rows of WIDEST_ROW cells, and zeros fill its last row. `block` is the number of rows and
    columns in a cell. The number of a block is its element of largest size, so neither a spike nor
    a nan is lost. `low` and `high` are the extremes of the finite numbers of the whole tensor, and
    `zeros` and `nans` are shares of it.

    Raises IndexError if `value` has no such plane, and ValueError if only its summary was kept."""
    if isinstance(value, Summary):
        raise ValueError(
            f"its {value.size:,} numbers were not kept: {value.zeros:,} are 0, the others reach"
            f" from {number(value.min)} to {number(value.max)}"
        )
    value = np.abs(value) if np.iscomplexobj(value) else value
    finite = value[np.isfinite(value)]
    lead_shape = value.shape[:-2]
    planes = math.prod(lead_shape)
    if not 0 <= plane < planes:
        raise IndexError(f"plane {plane} of a tensor of shape {value.shape}, which has {planes}")
    lead = [int(i) for i in np.unravel_index(plane, lead_shape)] if lead_shape else []
    if value.ndim == 1:
        block = [1, math.ceil(value.size / (LONGEST * WIDEST_ROW))]
        row = _blocks(value[None, :], *block)[0]
        cells = np.pad(row, (0, -row.size % WIDEST_ROW)).reshape(-1, WIDEST_ROW)
    else:
        block = [math.ceil(count / LONGEST) for count in value.shape[-2:]]
        cells = _blocks(value[tuple(lead)], *block)
    if value.dtype == np.float32:
        # the shortest text that means this float32
        cells = cells.astype(np.float32).astype(str).astype(np.float64)
    return cells, {
        "rows": cells.shape[0],
        "columns": cells.shape[1],
        "block": block,
        "planes": planes,
        "lead": lead,
        "low": float(finite.min()) if finite.size else "nan",
        "high": float(finite.max()) if finite.size else "nan",
        "zeros": float(np.mean(value == 0)),
        "nans": float(np.mean(np.isnan(value))),
    }


def _blocks(plane: np.ndarray, height: int, width: int) -> np.ndarray:
    """`plane`, R × C, in which each block is replaced by its element of largest size. nan is larger
    than any number.
    """
    padded = np.pad(
        plane.astype(np.float64), ((0, -plane.shape[0] % height), (0, -plane.shape[1] % width))
    )
    rows, columns = padded.shape[0] // height, padded.shape[1] // width
    blocks = (
        padded.reshape(rows, height, columns, width)
        .swapaxes(1, 2)
        .reshape(rows, columns, height * width)
    )
    return np.take_along_axis(blocks, np.abs(blocks).argmax(2)[..., None], 2)[..., 0]

"""What changes in the picture, event by event: the texts of its slots, and the classes of its boxes and lines.

A track is [[k, text], ...]: from event k on, until the next entry, this text, "" before the first. A list of texts says
the same in fewer words each; the first for which there is room is shown. js/graph/boxes.js applies them, and so does a
still.

    boxes    one dict for each box: "class", and the slots "value", "gradient", "caption"
    lines    one for each line: "class", "pill", what was sent, and "weight", how thick it is
    start    what backward() starts with
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ...trace import Trace, TraceNode
from ...trace.summary import Value, norm
from ...trace.verdicts import Verdicts
from ..kit.format import number, shape_text, size_text, tensor_text
from . import describe
from .folds import is_operation
from .layout.sizes import LEAVES
from .layout.small_rows import shapes_of
from .states import State, added, finite, walk

LEAST_WEIGHT, MOST_WEIGHT, DECADE = 1.3, 5, 1.5     # of a line; per power of ten below the largest norm
EMPTY = {"leaf": "None", "frozen": "frozen", "severed": "no gradient"}


def brief(value: Value) -> str:
    """One number for a tensor: the number it is, or its norm."""
    single = isinstance(value, np.ndarray) and value.size == 1 and not np.iscomplexobj(value)
    return number(np.ravel(value)[0] if single else norm(value))


def weight(size: float, largest: float) -> float:
    """How thick a line is along which a gradient of this norm came; `largest` is that of all that were sent."""
    if not 0 < size < math.inf:
        return LEAST_WEIGHT
    return round(max(LEAST_WEIGHT, MOST_WEIGHT + DECADE * math.log10(size / largest)), 1)


def shown(track: list, k: int, empty: object = "") -> object:
    """What a track says after event k."""
    at = bisect_right(track, k, key=lambda entry: entry[0])
    return track[at - 1][1] if at else empty


def changes_of(trace: Trace, drawn: dict) -> dict:
    """All that changes in what `drawn_of` says is drawn of `trace`."""
    return {"boxes": _Boxes(trace, drawn).tracks(), "lines": _lines(trace, drawn), "start": _start(trace)}


def _note(tracks: dict, k: int, said: dict) -> None:
    for name, value in said.items():
        track = tracks.setdefault(name, [])
        if value != (track[-1][1] if track else ""):
            track.append([k, value])


def _classes(**words: bool) -> str:
    return " ".join(f"ac-{word.replace('_', '-')}" for word, on in words.items() if on)


class _Boxes:
    """The tracks of the boxes. `bad` are the nodes in each whose value or gradient is not finite."""

    def __init__(self, trace: Trace, drawn: dict):
        self.trace, self.boxes, self.large = trace, drawn["boxes"], drawn["large"]
        self.shapes, self.root, self.masks = shapes_of(trace), describe.root_name(trace), set(Verdicts(trace).masks)
        self.bad: dict[tuple[int, str], set[int]] = defaultdict(set)

    def tracks(self) -> list[dict]:
        out: list[dict] = [{} for _ in self.boxes]
        of = {node: i for i, box in enumerate(self.boxes) for node in box["nodes"]}
        for k, states, touched in walk(self.trace):
            event = self.trace.events[k - 1] if k else None
            for node in touched & of.keys():
                self.judge(of[node], node, states[node])
            for i in {of[node] for node in touched & of.keys()}:
                _note(out[i], k, self.told(i, states, event.node if event else None))
        return [{name: track for name, track in tracks.items() if track} for tracks in out]

    def judge(self, i: int, node: int, state: State) -> None:
        for name, good in (("value", finite(state.value) or node in self.masks), ("gradient", finite(state.gradient))):
            (self.bad[i, name].discard if good else self.bad[i, name].add)(node)

    def told(self, i: int, states: list[State], current: int | None) -> dict:
        """What a box shows: its texts and its classes."""
        box = self.boxes[i]
        index = box.get("exit", box["nodes"][0])
        node, state, kind = self.trace.nodes[index], states[index], box["kind"]
        if node.kind == "constant":
            return {"class": _classes(ghost=not state.recorded), "value": self.constant(node, state)}
        leaf, small = node.kind in LEAVES, kind in ("plus", "dot")
        said = {"value": self.value(kind, index, state), "gradient": self.gradient(box, node, state)}
        if not leaf and not self.large:
            said["caption"] = self.caption(state, index == current)
        bad = {name: bool(self.bad[i, name]) for name in ("value", "gradient")}
        here = state.recorded if kind != "fold" else any(
            states[each].recorded for each in box["nodes"] if is_operation(self.trace.nodes[each].kind))
        return {"class": _classes(
            ghost=not here, has=state.gradient is not None, half=kind == "node" and not leaf
            and 0 < state.arrived < state.expected, bad_value=bad["value"] and not small,
            bad_gradient=bad["gradient"] or (small and bad["value"]),
            released=bool(node.saved) and not self.large and state.done and index != current), **said}

    def constant(self, node: TraceNode, state: State) -> str | list[str]:
        shape = shape_text(node.shape or ())
        known = state.value is not None and state.value.size <= 3
        return tensor_text(state.value) if known else [f"{shape} · no grad", shape]

    def value(self, kind: str, index: int, state: State) -> str | list[str]:
        shape = self.shapes[index]
        short = "not recorded" if shape is None else size_text(shape)
        if state.value is None:
            return "" if kind == "fold" else short
        text = brief(state.value) if self.large else tensor_text(state.value)
        return text if self.large or text == short else [text, short]

    def gradient(self, box: dict, node: TraceNode, state: State) -> str | list[str]:
        if state.gradient is None:
            waits = "…" if state.arrived and box["kind"] == "node" else "not yet"
            kind = "severed" if box.get("severed") else "fold" if box["kind"] == "fold" else node.kind
            return "frozen" if box.get("rest") else EMPTY.get(kind, waits)
        if self.large:
            return brief(state.gradient)
        text = tensor_text(state.gradient, gradient=True)
        return [text, f"norm {number(norm(state.gradient))}"] if 1 < state.gradient.size <= 3 else text

    def caption(self, state: State, current: bool) -> str:
        """What stands above a gradient: what it is, or how much of it has arrived."""
        if not state.arrived or (state.done and not current):
            return f"∂ {self.root}"
        return f"{'Σ ' * (state.arrived == state.expected > 1)}{state.arrived} of {state.expected} arrived"


def _lines(trace: Trace, drawn: dict) -> list[dict]:
    sent = {edge: (k, gradient) for k, event in enumerate(trace.events, 1) for edge, gradient in event.sent}
    recorded = {event.node: k for k, event in reversed([*enumerate(trace.events, 1)]) if event.kind == "forward"}
    runs = {event.node: event.before for event in trace.events if event.kind == "backward"}
    received: dict[int, set[int]] = defaultdict(set)
    for edge in sent:
        received[trace.edges[edge].producer].add(edge)
    large, sizes = drawn["large"], [norm(gradient) for _, gradient in sent.values()] if drawn["large"] else []
    largest = max((size for size in sizes if math.isfinite(size)), default=0)

    def carried(edges: list[int], due: list[int], done: list[int]) -> tuple[str, Value | None]:
        """The words for what has come along a line, and the tensor, if it is one."""
        producers = {trace.edges[edge].producer for edge in due}
        if len(edges) == 1:
            total = sent[edges[0]][1]
            return brief(total) if large else tensor_text(total, gradient=True), total
        if len(done) < len(due):
            return f"{len(done)} of {len(due)}", None
        if len(producers) > 1:
            return f"{len(producers)} tensors", None
        producer = producers.pop()
        whole = producer in runs and received[producer] <= {*due}
        total = runs[producer] if whole else added([sent[edge][1] for edge in due])
        return f"{len(due)} sent" if total is None else brief(total), total

    def tracks(edges: list[int]) -> dict:
        due, out = [edge for edge in edges if edge in sent], {}
        first = recorded.get(trace.edges[edges[0]].consumer, 0)
        if first > 1:
            out["class"] = [[1, "ac-ghost"], [first, ""]]
        for k in sorted({sent[edge][0] for edge in due}):
            text, total = carried(edges, due, [edge for edge in due if sent[edge][0] <= k])
            thick = {"weight": weight(norm(total), largest)} if large and total is not None else {}
            _note(out, k, {"class": _classes(ran=True, shown=True, bad=not finite(total)), "pill": text, **thick})
        return out

    return [tracks(line["edges"]) for line in drawn["lines"]]


def _start(trace: Trace) -> list:
    root, name = describe.root_of(trace), describe.root_name(trace)
    runs: Iterable = ((k, event) for k, event in enumerate(trace.events, 1) if (event.kind, event.node) == ("backward", root))
    return [[k, f"∂ {name} / ∂ {name} = {tensor_text(event.before)}"] for k, event in runs][:1]

"""The changes of the picture, event by event: the texts of its slots, and the classes of its boxes and
lines.

A track is [[k, text], ...]. Each text applies from event k on until the next entry, and "" applies
before the first entry. If an entry is a list of texts, each one is shorter than the one before, and
the first one that fits is shown. js/graph/boxes.js applies the tracks, and so does a still.

    boxes    one dict for each box: "class", and the slots "value", "gradient", "caption"
    lines    one dict for each line: "class", "pill" (what was sent) and "weight" (the width)
    start    the gradient that backward() starts with
    legend   the gradient sizes of three line widths
"""

import math
from bisect import bisect_right
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from ...trace import Summary, Trace, TraceNode
from ...trace.summary import Value
from ..kit.format import number, shape_text, size_of, size_text, tensor_text
from . import describe
from .folds import LEAVES, is_large, is_operation
from .states import State, added, walk
from .tensors import verdicts_of

# line widths in pixels: an exact zero, the smallest gradient, the difference to the largest
ZERO_WEIGHT, LEAST_WEIGHT, SPAN = 1, 2, 8
DECADES = 1, 8  # the smallest and the largest range of the width scale, in decades
SIGNED = 3  # tensors with up to this many elements show them all: their sign gives the color
IN_FULL = 8  # tensors with up to this many elements show them all if they fit
EMPTY = {"leaf": "None", "frozen": "frozen", "severed": "no gradient"}


def weight(size: float, largest: float, decades: float) -> float:
    """The width of a line that carried a gradient of norm `size`. `largest` is the largest norm of
    the pass, and the scale extends `decades` powers of ten below it.
    """
    if not 0 < size < math.inf:
        return ZERO_WEIGHT
    # a quotient of float64 may underflow to 0; a sum of several may be larger than each that was sent
    place = 1 + (math.log10(size) - math.log10(largest)) / decades
    return round(LEAST_WEIGHT + SPAN * min(1.0, max(0.0, place)), 1)


def is_negative(value: Value) -> bool:
    """Whether a gradient is shown as negative: it has few elements, and none is positive."""
    if isinstance(value, Summary) or value.dtype.kind == "c" or value.size > SIGNED:
        return False
    return bool((value <= 0).all() and (value < 0).any())


def is_number(value: Value) -> bool:
    """Whether a tensor is one real number."""
    return not isinstance(value, Summary) and value.size == 1 and value.dtype.kind != "c"


def forms(value: Value, gradient: bool) -> list[str]:
    """Texts for a tensor, each shorter than the one before: up to eight numbers, then the shape of
    a value or the norm of a gradient, at last without the word "norm". A single element may lose
    its brackets. The shortest text of a value with more than two dimensions is their number, as
    "4-D".
    """
    texts = [tensor_text(value, gradient)]
    if not isinstance(value, Summary) and value.dtype.kind != "c" and 1 < value.size <= IN_FULL:
        texts.insert(0, _numbers(value.tolist()))
        texts.append(f"norm {number(size_of(value))}" if gradient else size_text(value.shape))
    if not gradient and len(value.shape) == 1 < value.shape[0]:
        texts.append(f"({value.shape[0]},)")
    if not gradient and len(value.shape) > 2:
        texts.append(f"{len(value.shape)}-D")
    if is_number(value) and value.ndim:
        texts.append(number(value.item()))
    if texts[-1].startswith("norm "):
        texts.append(texts[-1].removeprefix("norm "))
    return list(dict.fromkeys(texts))


def _numbers(values: list | float) -> str:
    return f"[{', '.join(map(_numbers, values))}]" if isinstance(values, list) else number(values)


def shown(track: list, k: int, empty: object = "") -> object:
    """The entry of a track that applies after event k."""
    at = bisect_right(track, k, key=lambda entry: entry[0])
    return track[at - 1][1] if at else empty


def _note(tracks: dict, k: int, said: dict) -> None:
    for name, value in said.items():
        track = tracks.setdefault(name, [])
        if value != (track[-1][1] if track else ""):
            track.append([k, value])


class Reading(NamedTuple):
    """The texts of a tensor: `texts`, each shorter than the one before, and `norm`, for gradients and
    for the values of a large graph. It refers to the tensor, so that no other tensor gets its id.
    """

    texts: list[str]
    norm: float
    finite: bool
    negative: bool
    tensor: Value

    @property
    def sign(self) -> list[str]:
        """The class of a gradient that isn't positive."""
        return ["ac-zero"] * (self.norm == 0) or ["ac-negative"] * self.negative

    @property
    def beside_line(self) -> list[str]:
        """The number next to a line. For a large tensor, it is the norm, without that word."""
        if isinstance(self.tensor, Summary) or self.tensor.size > IN_FULL:
            return [text.removeprefix("norm ") for text in self.texts]
        return self.texts


class Known(NamedTuple):
    """The texts and classes of a node after an event, and whether its value and its gradient are
    finite.
    """

    recorded: bool
    value: list[str]
    gradient: list[str]
    caption: str
    classes: list[str]
    sound: tuple[bool, bool]


class Changes:
    """The changes in all pictures of a trace, for any open folds."""

    def __init__(self, trace: Trace):
        self.trace, self.large, self.root = trace, is_large(trace), describe.root_name(trace)
        self.masks = set(verdicts_of(trace).values.masks)
        # {node: the event from which on its saved tensor is stale}, after the writer has run
        writes = {e.node: k for k, e in enumerate(trace.events, 1) if e.kind == "forward"}
        self.stale = {s.node: writes.get(s.writer, len(trace.events)) for s in trace.stale}
        # for the value of each node, or for its gradient if no value was recorded
        received = {
            event.node: event.before.shape
            for event in trace.events
            if event.kind == "backward" and event.before is not None
        }
        self.shapes = [
            received.get(i) if node.shape is None else node.shape
            for i, node in enumerate(trace.nodes)
        ]
        self._read: dict[tuple[int, bool], Reading] = {}
        # for each node, its states and the events from which on they apply
        self.steps: list[list[tuple[int, Known]]] = [[] for _ in trace.nodes]
        for k, states, touched in walk(trace):
            current = trace.events[k - 1].node if k else None
            for node in touched | {node for node, since in self.stale.items() if since == k}:
                known = self.known(node, states[node], node == current, k)
                self.steps[node].append((k, known))
        # several pictures share these results
        self._boxes: dict[tuple, dict] = {}
        self._lines: dict[tuple[int, ...], dict] = {}
        # the first event of a node; for a leaf, the last event that accumulated
        self.recorded: dict[int, int] = {}
        self.ran: dict[int, int] = {}
        self.taken_in: dict[int, int] = {}
        # the gradient on each edge and its event; the edges that brought a gradient to each node
        self.sent: dict[int, tuple[int, Value]] = {}
        self.received: dict[int, set[int]] = defaultdict(set)
        for k, event in enumerate(trace.events, 1):
            if event.kind == "forward":
                self.recorded.setdefault(event.node, k)
            elif event.kind == "backward":
                self.ran.setdefault(event.node, k)
            elif event.kind == "accumulate":
                self.taken_in[event.node] = k
            for edge, gradient in event.sent:
                self.sent[edge] = k, gradient
                self.received[trace.edges[edge].producer].add(edge)
        sizes = [self.read(gradient).norm for _, gradient in self.sent.values()]
        sizes = [size for size in sizes if 0 < size < math.inf]
        self.largest, least = max(sizes, default=0), min(sizes, default=0)
        span = math.log10(self.largest) - math.log10(least) if sizes else 0
        self.decades = min(max(DECADES[0], span), DECADES[1])

    def of(self, drawn: dict) -> dict:
        """All changes of the boxes and lines in the result of `drawn_of`."""
        start = []
        if k := self.ran.get(describe.root_of(self.trace)):
            begins_with = tensor_text(self.trace.events[k - 1].before)
            start.append([k, f"∂ {self.root} / ∂ {self.root} = {begins_with}"])
        return {
            "boxes": self.boxes(drawn["boxes"]),
            "lines": [
                self.line(line["edges"], drawn["boxes"][line["from"]]["nodes"][0])
                for line in drawn["lines"]
            ],
            "start": start,
            "legend": self.legend(),
        }

    def legend(self) -> list:
        """The gradient sizes of the three widths in the legend, from the first gradient on."""
        if not self.largest:
            return []
        places = (10 ** (-self.decades * part) for part in (1, 0.5, 0))
        first = min(k for k, _ in self.sent.values())
        return [[first, [number(self.largest * place) for place in places]]]

    def read(self, value: Value, gradient: bool = True) -> Reading:
        """The texts of a tensor of the trace. They are cached."""
        key = id(value), gradient
        if key not in self._read:
            self._read[key] = self.reading(value, gradient)
        return self._read[key]

    def reading(self, value: Value, gradient: bool = True) -> Reading:
        """The texts of any tensor."""
        if is_number(value):
            size = abs(value.item())
            finite = math.isfinite(size)
        else:
            size = size_of(value) if self.large or gradient else 0.0
            finite = value.finite if isinstance(value, Summary) else np.isfinite(value).all()
        if self.large:
            texts = [number(value.item() if is_number(value) else size)]
        else:
            texts = forms(value, gradient)
        signed = is_number(value) if self.large else gradient
        return Reading(texts, size, bool(finite), signed and is_negative(value), value)

    # ---- nodes -----------------------------------------------------------------------------------

    def known(self, index: int, state: State, current: bool, k: int) -> Known:
        node, shape = self.trace.nodes[index], self.shapes[index]
        if node.kind == "constant":
            return Known(state.recorded, self.constant(node, state), [], "", [], (True, True))
        value = self.read(state.value, False) if state.value is not None else None
        # incomplete sums aren't needed later, so they aren't cached
        read = self.reading if 1 < state.arrived < state.expected else self.read
        gradient = read(state.gradient) if state.gradient is not None else None
        texts = value.texts if value else ["not recorded" if shape is None else size_text(shape)]
        came = [EMPTY.get(node.kind, "…" if state.arrived else "not yet")]
        leaf, caption = node.kind in LEAVES, ""
        if not leaf and not self.large:
            caption = f"∂ {self.root}"
            if state.arrived and (current or not state.done):
                sign = "Σ " if state.arrived == state.expected > 1 else ""
                caption = f"{sign}{state.arrived} of {state.expected} arrived"
        classes = []
        if gradient:
            classes += ["ac-has", *gradient.sign]
        if 0 < state.arrived < state.expected and not leaf:
            classes.append("ac-half")
        if node.saved and not self.large and state.done:
            classes.append("ac-released")
        if index in self.stale and not 0 < k < self.stale[index]:
            classes.append("ac-stale")
            came = ["stale"]
        sound = (
            value is None or value.finite or index in self.masks,
            gradient is None or gradient.finite,
        )
        came = gradient.texts if gradient else came
        return Known(state.recorded, texts, came, caption, classes, sound)

    def constant(self, node: TraceNode, state: State) -> list[str]:
        if state.value is not None and state.value.size <= IN_FULL:
            return forms(state.value, False)
        shape = shape_text(node.shape or ())
        return [f"{shape} · no grad", shape]

    def boxes(self, boxes: list[dict]) -> list[dict]:
        keys = [(box["kind"], box.get("exit"), "rest" in box, tuple(box["nodes"])) for box in boxes]
        for key, box in zip(keys, boxes):
            if key not in self._boxes:
                self._boxes[key] = self.tracks(box)
        return [self._boxes[key] for key in keys]

    def tracks(self, box: dict) -> dict:
        """The changes of a box, from the events of its nodes."""
        steps: dict[int, dict[int, Known]] = defaultdict(dict)
        for node in box["nodes"]:
            for k, known in self.steps[node]:
                steps[k][node] = known
        tracks: dict = {}
        bad: list[set[int]] = [set(), set()]
        known: dict[int, Known] = {}
        for k in sorted(steps):
            known.update(steps[k])
            for node, state in steps[k].items():
                for nodes, sound in zip(bad, state.sound):
                    (nodes.discard if sound else nodes.add)(node)
            _note(tracks, k, self.box(box, known, [bool(nodes) for nodes in bad]))
        return {name: track for name, track in tracks.items() if track}

    def box(self, box: dict, known: dict[int, Known], bad: list[bool]) -> dict:
        """The texts of a box. A fold shows the texts of the operation whose result leaves it."""
        here, kind = known[box.get("exit", box["nodes"][0])], box["kind"]
        value, gradient = here.value, here.gradient
        recorded, classes = here.recorded, [*here.classes]
        if kind == "fold":
            nodes = self.trace.nodes
            recorded = any(
                known[node].recorded for node in box["nodes"] if is_operation(nodes[node].kind)
            )
            classes = [word for word in classes if word in ("ac-has", "ac-negative", "ac-zero")]
            if any(
                "ac-stale" in known[node].classes for node in box["nodes"] if node in self.stale
            ):
                classes.append("ac-stale")
            value = [] if nodes[box["exit"]].value is None else value
        if gradient == ["…"] and kind != "node":
            gradient = ["not yet"]
        if box.get("rest"):
            gradient = ["frozen"]
        bad_value, bad_gradient = (False, any(bad)) if kind in ("plus", "dot") else bad
        if not recorded:
            classes.append("ac-ghost")
        elif bad_value:
            classes.append("ac-bad-value")
        if bad_gradient:
            classes.append("ac-bad-gradient")
        said = {"class": " ".join(classes), "value": value, "gradient": gradient}
        return {**said, "caption": [here.caption]} if here.caption else said

    # ---- lines -----------------------------------------------------------------------------------

    def line(self, edges: list[int], leaf: int) -> dict:
        key = leaf, *edges
        if key not in self._lines:
            self._lines[key] = self.along(edges, leaf)
        return self._lines[key]

    def along(self, edges: list[int], leaf: int) -> dict:
        """The changes of a line, from the gradients on its edges. `leaf` is the leaf at its end."""
        due, tracks = [edge for edge in edges if edge in self.sent], {}
        first = self.recorded.get(self.trace.edges[edges[0]].consumer, 0)
        taken_in = self.taken_in.get(leaf, 0)
        if first > 1:
            tracks["class"] = [[1, "ac-ghost"], [first, ""]]
        for k in sorted({self.sent[edge][0] for edge in due}):
            came = self.carried(due, sum(self.sent[edge][0] <= k for edge in due))
            style, said = "ac-ran ac-shown", {"pill": [came]}
            if isinstance(came, Reading):
                style += "" if came.finite else " ac-bad"
                style = " ".join([style, *came.sign])
                thick = weight(came.norm, self.largest, self.decades)
                said = {"pill": came.beside_line, "weight": thick}
            waits = len(edges) == 1 and taken_in > k
            _note(tracks, k, {"class": style + " ac-waits" * waits, **said})
            if waits:
                _note(tracks, taken_in, {"class": style})
        return tracks

    def carried(self, due: list[int], done: int) -> Reading | str:
        """The text for the gradients that the `done` edges of a line have carried, out of the `due`
        edges. It is in words if a gradient isn't a tensor.
        """
        producer, *others = {self.trace.edges[edge].producer for edge in due}
        if done < len(due):
            return f"{done} of {len(due)}"
        if others:
            return f"{1 + len(others)} tensors"
        if len(due) == 1:
            return self.read(self.sent[due[0]][1])
        if producer in self.ran and self.received[producer] <= {*due}:
            return self.read(self.trace.events[self.ran[producer] - 1].before)
        total = added([self.sent[edge][1] for edge in due])
        return f"{len(due)} sent" if total is None else self.reading(total)

"""The graph view: a trace in the browser that you can play, scrub and inspect.

The structure (boxes, edges, words) is sent once. If a new trace has the same structure, only its
numbers are sent. The browser does the stepping, selecting and drawing (js/graph/view.js), so these
also work on a static page without a kernel.
"""

import json
import pathlib
from collections import Counter
from collections.abc import Callable, Iterable

import traitlets

from ...trace import Trace
from ...trace.rows import stale_saves
from ..kit.bundle import BundledWidget
from ..kit.files import write_whole
from ..kit.format import shorten, tensor_text
from . import describe
from .changes import Changes
from .drawn import drawn_of
from .folds import is_large
from .formulas import edge_rules, rule_runs
from .parameters import parameters_of
from .save import view_page
from .still import still
from .tensors import at, map_of, numbers_of

SLOPES = "g *", "g /", "-g *"  # the beginning of a rule that multiplies the gradient by a number


class GraphView(BundledWidget):
    """Show `trace`: play it, step through it, click a node for its rule and its numbers.

    other       the same step on the other engine. A switch chooses whose numbers are shown.
    title, note the heading, and a few words next to it.
    notice      a sentence below the heading, about this trace.
    event       the event that is shown first: 0 before the first event, n after the nth, -1 after
                the last.
    controls    the controls above the graph:
                {"kind": "slider", "name", "min", "max", "step", "value"} or {"kind": "text",
                "name", "value"}; each may have a "label".
    opened      the keys of the folds that are open at first. The key of a module is its path.
    on_change   called with (name, value) after each change. It returns the new trace. If it raises,
                the view shows the message and keeps the last good graph.

    A view and its arrays exist until `close()`, or until its cell runs again.
    Raises TypeError if `trace` isn't a trace, and ValueError for an impossible event or control, or
    if `other` has another graph.
    """

    view = traitlets.Unicode("graph").tag(sync=True)
    structure = traitlets.Dict().tag(sync=True)
    drawn = traitlets.Dict().tag(sync=True)
    # JSON: as text it takes a fifth of the time
    numbers = traitlets.Unicode("[]").tag(sync=True)
    # the numbers of the picture, for each engine, also as JSON
    changes = traitlets.Unicode("[]").tag(sync=True)
    controls = traitlets.List().tag(sync=True)
    # the loss along each slider: see `sliders.Program.slopes`
    slopes = traitlets.List().tag(sync=True)
    event = traitlets.Int(0).tag(sync=True)
    # the reader's own run ("You run it"): {"ran", "events", "wrong", "shown", "gradients", "refuses"},
    # {} before it starts. "again": a button asks where a second backward() raises
    you = traitlets.Dict().tag(sync=True)
    # the answer to the latest change: its number, the message of its error
    answer = traitlets.Dict({"change": 0, "error": ""}).tag(sync=True)

    def __init__(
        self,
        trace: Trace,
        *,
        other: Trace | None = None,
        title: str = "Step view",
        note: str = "",
        notice: str = "",
        event: int = 0,
        opened: Iterable[str] = (),
        controls: list[dict] | None = None,
        on_change: Callable[[str, object], Trace | None] | None = None,
    ):
        self.trace, self.other, self.on_change = trace, None, on_change
        self.title, self.note, self.notice = title, note, notice
        self._key: tuple | None = None
        self._opened = tuple(opened)
        self.controls = [_checked_control(control) for control in controls or ()]
        self.show(trace, other)
        self.event = event
        super().__init__()
        self.on_msg(self._received)

    @traitlets.validate("event")
    def _check_event(self, proposal: dict) -> int:
        count = len(self.trace.events)
        if not -1 <= proposal["value"] <= count:
            raise ValueError(
                f"event is {proposal['value']}, but the trace has events 1 to {count}; 0 is before"
                " the first"
            )
        return count if proposal["value"] == -1 else proposal["value"]

    def show(self, trace: Trace, other: Trace | None = None) -> None:
        """Draw `trace` instead of the present one. If only numbers differ, only numbers are sent."""
        for each in (trace,) if other is None else (trace, other):
            if not isinstance(each, Trace):
                raise TypeError(
                    f"GraphView shows a Trace, not {type(each).__name__}; watch(loss) takes one and"
                    " shows it"
                )
        key = _structure_key(trace)
        if other is not None and not same_graph(trace, other):
            raise ValueError(
                f"the traces of {trace.engine} and {other.engine} are not of the same graph; "
                "show each in its own view"
            )
        at_end = self.event == len(self.trace.events)
        numbers = [numbers_of(trace)]
        if other is not None:
            numbers.append(numbers_of(other, trace))
            # a lesson's network, which both engines computed, has another question
            if not is_large(trace):
                numbers = [{**each, "line": []} for each in numbers]
        changed = key != self._key
        changes = [Changes(each) for each in (trace, other) if each is not None]
        if changed:
            structure = structure_of(changes[0], self.title, self.note, self.notice)
            drawn = drawn_of(trace, self._opened, changes[0])
        self.trace, self.other, self._key = trace, other, key
        with self.hold_sync():
            if changed:
                self.structure = structure
                self.drawn = drawn
                self.event = (
                    len(trace.events)
                    if at_end and self.event
                    else min(self.event, len(trace.events))
                )
            self.numbers = json.dumps(numbers, separators=(",", ":"))
            self._changes = changes
            self.changes = self.changes_of(self.drawn)
            self.you = {}

    def changes_of(self, drawn: dict) -> str:
        """The changes of the picture from event to event, in the form that is sent."""
        return json.dumps([each.of(drawn) for each in self._changes], separators=(",", ":"))

    def unfold(self, keys: Iterable[str]) -> None:
        """Open the folds with these keys, "encoder.layers.0", and close all others. To open a fold
        inside another one, name both.
        """
        keys = tuple(keys)
        unknown = [key for key in keys if key not in self.drawn["folds"]]
        if unknown:
            known = ", ".join(self.drawn["folds"]) or "none"
            raise ValueError(f"there is no fold {unknown[0]!r}; the folds are {known}")
        self._opened = keys
        with self.hold_sync():
            self.drawn = drawn_of(self.trace, keys, self._changes[0])
            self.changes = self.changes_of(self.drawn)

    def changed(self, name: str, value: object) -> None:
        """The reader moved the control `name` to `value`: ask `on_change` for the new trace, and
        show it.
        """
        with self.hold_sync():
            self.controls = [
                {**each, "value": value} if each["name"] == name else each for each in self.controls
            ]
            result = self.on_change(name, value) if self.on_change else None
            if result is not None:
                self.show(result)

    def _received(self, _widget: object, content: dict, _buffers: list) -> None:
        """Handle a message from the browser. The widget shows every error, because readers don't
        look at a kernel's log.
        """
        if content.get("kind") == "change":
            # one message: the numbers, and the answer
            with self.hold_sync():
                error = _error_of(self.changed, content["name"], content["value"])
                self.answer = {"change": self.answer["change"] + 1, "error": error}
        elif content.get("kind") == "fold":
            _error_of(self.unfold, [key for key in content["open"] if key in self.drawn["folds"]])
        elif content.get("kind") == "map":
            error = _error_of(self._send_map, content)
            if error:
                self.send({**content, "error": error})

    def _send_map(self, question: dict) -> None:
        """Answer {"kind": "map", "engine": 0 or 1, "place", "plane"} with the map of that tensor,
        cells as bytes.
        """
        trace = (self.trace, self.other)[question["engine"]]
        cells, facts = map_of(at(trace, tuple(question["place"])), question["plane"])
        self.send({**question, **facts}, [cells.tobytes()])

    def close(self) -> None:
        """Remove the view from the page, and release its arrays. Running its cell again also does
        this.
        """
        super().close()
        self.trace = Trace("", (), (), ())
        self.other, self._key, self._changes = None, None, []
        self.structure, self.drawn = {}, {}
        self.numbers, self.changes = "[]", "[]"

    def svg(self) -> str:
        """A still of the current event, as the text of an SVG file."""
        return still(self.trace, self.event, self.drawn["open"], self._changes[0])

    def still(self) -> str:
        """A still picture. If the reader hasn't moved the view yet, it shows `telling_event`."""
        at = self.event or describe.telling_event(self.trace)
        return still(self.trace, at, self.drawn["open"], self._changes[0])

    def save(self, path: str | pathlib.Path) -> None:
        """Write the view to a file. The ending of its name decides the format.

        .html  one file without outside requests that plays, steps, folds, searches and shows the
               panel
        .svg   a still of the current event

        Raises ValueError for another ending, or if the view is closed.
        """
        if not self.trace.nodes:
            raise ValueError("this view is closed: what it showed is gone; run its cell again")
        path = pathlib.Path(path)
        if path.suffix == ".html":
            write_whole(path, view_page(self))
        elif path.suffix == ".svg":
            write_whole(path, self.svg())
        else:
            raise ValueError(
                f"a view is saved as .html or .svg, not as {path.suffix!r}: {path.stem}.svg is a"
                " still, which browsers show and print"
            )

    def __repr__(self) -> str:
        if not self.trace.nodes:
            return f"{self.title}: closed"
        value = next(event.after for event in self.trace.events if event.kind == "loss")
        return (
            f"{self.title}: {self.trace.size} nodes, {len(self.trace.events)} events;"
            f" {describe.root_name(self.trace)} ="
            f" {tensor_text(value)}"
        )


def _error_of(call: Callable, *arguments: object) -> str:
    """Call it, and return the message of its exception, or "" if it raised none."""
    try:
        call(*arguments)
    # a reader who interrupts the kernel also wants an answer
    except (Exception, KeyboardInterrupt) as problem:
        return shorten(str(problem) or type(problem).__name__, 300)
    return ""


def _checked_control(control: dict) -> dict:
    needed = {"slider": ("name", "min", "max", "step", "value"), "text": ("name", "value")}.get(
        control.get("kind")
    )
    if needed is None:
        raise ValueError(f"a control is of kind 'slider' or 'text', not {control.get('kind')!r}")
    missing = [key for key in needed if key not in control]
    if missing:
        raise ValueError(
            f"the {control['kind']} {control.get('name', '')!r} lacks {', '.join(missing)}"
        )
    if control["kind"] == "slider" and not control["min"] <= control["value"] <= control["max"]:
        raise ValueError(
            f"the slider {control['name']!r} starts at {control['value']}, "
            f"outside {control['min']} to {control['max']}"
        )
    return {"label": control["name"], **control}


def same_graph(first: Trace, second: Trace) -> bool:
    """Whether two traces differ only in numbers and names, so that one picture serves both."""
    return _structure_key(first, labels=False) == _structure_key(second, labels=False)


def _structure_key(trace: Trace, labels: bool = True) -> tuple:
    """The parts of a trace that decide its picture, apart from the numbers."""
    nodes = tuple((n.kind, n.name, n.shape) for n in trace.nodes)
    events = tuple(
        (e.kind, e.node, e.before is None, tuple(i for i, _ in e.sent)) for e in trace.events
    )
    if not labels:
        return nodes, trace.edges, events
    words = tuple(
        (
            n.label,
            n.line,
            n.rules,
            n.dtype,
            n.module,
            n.calls,
            *((s.name, s.label) for s in n.saved),
        )
        for n in trace.nodes
    )
    around = trace.source, trace.places, trace.called, trace.modules, trace.parameters, trace.note
    return nodes, trace.edges, events, words, around


# ---- what is sent --------------------------------------------------------------------------------


def structure_of(changes: Changes, title: str, note: str, notice: str = "") -> dict:
    """The picture of a trace without its numbers."""
    trace, root, nodes = changes.trace, changes.root, []
    stale = {(each.node, each.name) for each in trace.stale}
    titles = describe.titles_of(trace)
    for index, node in enumerate(trace.nodes):
        (short, rest), shape = describe.split_name(node.name), changes.shapes[index]
        nodes.append(
            {
                "kind": node.kind,
                "short": short,
                "rest": rest,
                "line": node.line,
                "called": describe.short_title(titles[index]),
                "label": shorten(node.label, 200),
                "module": shorten(node.module, 200),
                "dtype": node.dtype,
                "shape": None if shape is None else list(shape),
                "numbers": {} if shape else {k: x for k, x in node.numbers if x is not None},
                "saved": [
                    {
                        "label": shorten(x.label, 60) or x.name,
                        "text": describe.saved_sentence(trace, index, x),
                        "stale": (index, x.name) in stale,
                    }
                    for x in node.saved
                ],
                "rules": rule_runs(trace, index, root),
                "slope": len(node.rules) == 1 and node.rules[0][1].startswith(SLOPES),
                "recorded": changes.recorded.get(index, 0),
                "ran": changes.ran.get(index, 0),
            }
        )
    short = {index: edge_rules(trace, index) for index in changes.ran}
    edges = [
        {
            "consumer": edge.consumer,
            "slot": edge.slot,
            "producer": edge.producer,
            "sent": changes.sent[i][0] if i in changes.sent else 0,
            "rule": short.get(edge.consumer, {}).get(edge.slot, ""),
        }
        for i, edge in enumerate(trace.edges)
    ]
    notice = " ".join(filter(None, [notice, trace.note, *stale_saves(trace)]))
    return {
        "title": title,
        "note": note,
        "notice": notice,
        "large": is_large(trace),
        "nodes": nodes,
        "edges": edges,
        "root": describe.root_of(trace),
        "name": root,
        "parameters": parameters_of(trace),
        "leaves": not any(parameter.model for parameter in trace.parameters),
        "events": events_of(trace, titles),
    }


def events_of(trace: Trace, titles: list[describe.Runs]) -> list[dict]:
    """The kind, the node, the edges and the texts of each event."""
    arrivals = dict.fromkeys(range(len(trace.nodes)), 0)
    waiting = Counter(edge.producer for edge in trace.edges)
    ready: set[int] = set()
    empty = {e.node: None for e in trace.events if e.kind == "accumulate" and e.before is None}
    out = []
    for event, following in zip(trace.events, [*trace.events[1:], None]):
        sentence = describe.event_sentence(trace, event, titles, arrivals[event.node])
        ready.discard(event.node)
        for edge, _ in event.sent:
            producer = trace.edges[edge].producer
            arrivals[producer] += 1
            if arrivals[producer] == waiting[producer]:
                ready.add(producer)
        if event.kind == "accumulate":
            empty.pop(event.node, None)
        out.append(
            {
                "kind": event.kind,
                "node": event.node,
                "edges": [edge for edge, _ in event.sent],
                "title": describe.event_title(trace, event, titles),
                "text": sentence,
                "next": describe.next_runs(
                    trace, following, titles, len(ready), [trace.nodes[n] for n in empty]
                ),
            }
        )
    return out

"""What the graph view says: names and signs of operations, rules, and one sentence for each event.

A text is a list of runs, (style, text). Styles: "" plain, "b" strong, "q" quiet, "v" value, "g"
gradient, "c" code, "nv" and "ng" a number, value or gradient, that stands at a place of the trace:
"before", "after" and "sent 0" of the event, "value 5" of node 5. So the words of a trace stay the
same while its numbers change."""

import math
from collections import Counter

import numpy as np

from ...trace import Edge, Event, Saved, Trace, TraceNode
from ...trace.formula import sign_of
from ...trace.verdicts import Verdicts
from ..kit.format import shorten, tensor_text
from .formulas import IN_FULL, Runs, action_of, called, join, rules_in_words, split_name, stretched

SPOKEN = {"T": "the transpose", "Addmm": "the matrix product + bias"}
COUNTS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def sign(node: TraceNode) -> str:
    """The two or three characters in the round glyph of a box."""
    if node.kind in ("leaf", "frozen"):
        last = node.label.rsplit(".", 1)[-1]
        return (last if len(last) <= 3 else last[:1]) or "•"
    return sign_of(node.name) or split_name(node.name)[0][:2]


def root_of(trace: Trace) -> int:
    """The node at which backward() starts."""
    return next(event.node for event in trace.events if event.kind == "loss")


def root_name(trace: Trace) -> str:
    """What gradients are gradients of: the learner's name for it, else "loss"."""
    return called(trace.nodes[root_of(trace)], "loss")


def title_of(node: TraceNode) -> Runs:
    if node.kind in ("leaf", "frozen"):
        return [("v", called(node, "a leaf"))]
    short, rest = split_name(node.name)
    return [("b", short), ("q", rest)]


def counts(trace: Trace) -> str:
    """How large the trace is: "11 nodes, 27 events". Constants are no nodes of the graph."""
    return f"{trace.size} nodes, {len(trace.events)} events"


def titles_of(trace: Trace) -> list[Runs]:
    """What each node is called in a sentence: "MulBackward0", or "Mul (u)" where there is more than
    one.
    """
    count = Counter(node.name for node in trace.nodes)
    titles = []
    for node in trace.nodes:
        title = title_of(node)
        if node.kind in ("operation", "severed"):
            short = title[0][1]
            if short in SPOKEN:
                title = [("b", SPOKEN[short])]
            if count[node.name] > 1 and node.label:
                title = [("b", SPOKEN.get(short, short)), ("q", f" ({called(node)})")]
        titles.append(title)
    return titles


def short_title(title: Runs) -> str:
    """A title of `titles_of` in a table: "Mul", "Mul (u)"."""
    return split_name("".join(text for _, text in title))[0]


def event_title(trace: Trace, event: Event, titles: list[Runs]) -> Runs:
    node = trace.nodes[event.node]
    name, label = title_of(node), called(node, "the leaf")
    # one of two with the same name
    if titles[event.node][-1][1].startswith(" ("):
        name = [name[0], titles[event.node][-1]]
    if event.kind == "forward":
        return [("v", name[0][1]), ("b", f" computes {called(node)}")]
    if event.kind == "loss":
        return [("v", called(node, "loss")), ("b", " = "), ("nv", "after")]
    if event.kind == "backward":
        return [("g", name[0][1]), *name[1:], ("b", " runs")]
    if event.kind == "accumulate":
        return [("g", f"{label}.grad"), ("b", " is written" if event.before is None else " grows")]
    if event.kind == "step":
        return [("b", "step() moves "), ("v", label)]
    return [("b", "zero_grad() clears "), ("g", f"{label}.grad")]


def event_sentence(
    trace: Trace, event: Event, titles: list[Runs], arrived: int, edges: list[Edge]
) -> Runs:
    """What happened, in words. The node has the inputs `edges`, and `arrived` contributions had
    come to it.
    """
    node = trace.nodes[event.node]
    label = called(node, "the leaf")
    grad = ("c", f"{label}.grad")
    if event.kind == "forward":
        inputs = [
            (trace.nodes[edge.producer], short_title(titles[edge.producer])) for edge in edges
        ]
        named = [
            [("v", called(n, "a constant" if n.kind == "constant" else f"the result of {short}"))]
            for n, short in inputs
        ]
        kept = [
            [("v", shorten(s.label, 24))]
            if s.label
            else [("", "its result")]
            if s.name.startswith("result")
            else [("", "its argument "), ("c", s.name)]
            for s in node.saved
        ]
        runs: Runs = (
            [("", "Computed from "), *join(named), ("", ".")] if named else [("", "Computed.")]
        )
        return runs + (
            [("", " The node keeps "), *join(kept), ("", " for its way back.")] if kept else []
        )
    if event.kind == "loss":
        return [("c", "backward()"), ("", " will start here.")]
    if event.kind == "backward":
        return backward_sentence(trace, event, titles, arrived, edges)
    if event.kind == "accumulate":
        if event.before is None:
            return [
                ("", "A leaf keeps what arrives. "),
                grad,
                ("", " was None and is now "),
                ("ng", "after"),
                ("", "."),
            ]
        return [
            ("", "A leaf keeps what arrives: it is "),
            ("b", "added"),
            ("", " to what "),
            grad,
            ("", " holds. That was "),
            ("ng", "before"),
            ("", " and is now "),
            ("ng", "after"),
            ("", "."),
        ]
    if event.kind == "step":
        few = event.after is not None and event.after.size <= IN_FULL
        moved = [("", ", from "), ("nv", "before"), ("", " to "), ("nv", "after")] if few else []
        return [
            ("", "The optimizer reads "),
            grad,
            ("", " and changes "),
            ("v", label),
            ("", " in place"),
            *moved,
            ("", ". The graph has no part in it."),
        ]
    after = "None" if event.after is None else "zero"
    return [grad, ("", f" is {after} again. Without this the next backward would add to it.")]


def backward_sentence(
    trace: Trace, event: Event, titles: list[Runs], arrived: int, edges: list[Edge]
) -> Runs:
    """What came to a node, what its rule makes of it, and where that goes: in numbers where they
    are few.
    """
    node = trace.nodes[event.node]
    of = "a gradient of " if event.before is not None and event.before.size > IN_FULL else ""
    if arrived > 1:
        where = [("", " at "), ("v", called(node))] if node.label else []
        count = COUNTS[arrived] if arrived < len(COUNTS) else str(arrived)
        runs = [
            ("", f"{count} contributions met"),
            *where,
            ("", " and were "),
            ("b", "added"),
            ("", ". The sum is "),
            ("ng", "before"),
        ]
    elif arrived:
        runs = [*titles[event.node], ("", f" received {of}"), ("ng", "before")]
    else:
        runs = [("c", "backward()"), ("", " starts here, with "), ("ng", "before")]
    goes = [
        [("ng", f"sent {i}"), ("", " goes to "), *titles[trace.edges[edge].producer]]
        for i, (edge, sent) in enumerate(event.sent)
        if sent.size <= IN_FULL
    ]
    # too many numbers to say
    if len(goes) < len(event.sent):
        targets = [titles[trace.edges[edge].producer] for edge, _ in event.sent]
        goes = [[("", "what comes out goes to "), *join(targets)]]
    described = (
        rules_in_words(trace, event.node, edges, [edge for edge, _ in event.sent]) if goes else None
    )
    if described is None:
        action = action_of(node, arrived > 1)
        runs += [
            ("", f". The node {action}"),
            *([("", ": "), *join(goes)] if goes else []),
            ("", "."),
        ]
    else:
        for rule, what in zip(described, goes):
            runs += [("", ". "), *rule, ("", ", so "), *what]
        runs += [("", ".")]
    return runs + _sums(trace, event, titles)


def _sums(trace: Trace, event: Event, titles: list[Runs]) -> Runs:
    """Which inputs were broadcast, so that what they are sent is a sum."""
    runs: Runs = []
    rules = [text for _, text in trace.nodes[event.node].rules]
    for i, sent in event.sent:
        edge = trace.edges[i]
        rule = rules[edge.slot] if edge.slot < len(rules) else ""
        along = stretched(sent.shape, event.before.shape, rule)
        if along:
            runs += [
                ("", " What "),
                *titles[edge.producer],
                ("", f" gets is summed over the {along} it was stretched to."),
            ]
    return runs


def next_runs(
    trace: Trace, following: Event | None, titles: list[Runs], ready: int, empty: list[TraceNode]
) -> Runs:
    """What comes next, and why it is its turn: `ready` nodes could run, the leaves `empty` hold no
    gradient yet.
    """
    if following is None:
        return [("", "Nothing: this is the last event.")]
    node = trace.nodes[following.node]
    if following.kind == "backward":
        several = f"of {ready} nodes that are ready the one recorded last."
        why = several if ready > 1 else "the only node that is ready."
        (style, name), *more = titles[following.node]
        runs = [(style, name[:1].upper() + name[1:]), *more, ("", ", " + why)]
        if not 0 < len(empty) <= 3:
            return runs
        leaves = join([[("v", called(leaf, "a leaf"))] for leaf in empty])
        have = " still has " if len(empty) == 1 else " still have "
        return [*runs, ("q", " "), *leaves, ("q", have), ("c", ".grad = None"), ("q", ".")]
    if following.kind == "accumulate":
        return [
            ("b", "AccumulateGrad"),
            ("", " of "),
            *title_of(node),
            ("", ", which runs as soon as it is ready."),
        ]
    if following.kind == "forward":
        return [("b", split_name(node.name)[0]), ("", f" computes {called(node)}.")]
    then = {
        "loss": "backward() will start here.",
        "step": "step() moves it.",
        "zero_grad": "zero_grad() clears its .grad.",
    }
    return [("v", called(node, "loss")), ("", f": {then[following.kind]}")]


def filled(trace: Trace, event: Event, runs: Runs) -> Runs:
    """The runs of an event with its numbers in place of where they stand."""
    out = []
    for style, text in runs:
        if style in ("nv", "ng"):
            kind, *index = text.split()
            where = {"before": event.before, "after": event.after}
            if kind == "value":
                value = trace.nodes[int(index[0])].value
            else:
                value = event.sent[int(index[0])][1] if kind == "sent" else where[kind]
            style, text = style[1], tensor_text(value, gradient=style == "ng")
        out.append((style, text))
    return out


def saved_sentence(saved: Saved) -> str:
    what = "its own result" if saved.name.startswith("result") else f"its argument {saved.name}"
    if saved.value is None:
        return f"{what}, {math.prod(saved.shape):,} numbers of type {saved.dtype}."
    value = np.asarray(saved.value)
    count = f"{value.size} number{'s' * (value.size != 1)}"
    return f"{what}, {count}, {value.nbytes} bytes."


def telling_event(trace: Trace) -> int:
    """The event at which a still tells most: where something is nan first, or inf that is not meant,
    else where contributions meet first.

    Where nothing meets it is the last backward event; the last event of all where nothing ran back.
    """
    found = sorted(Verdicts(trace).firsts, key=lambda finding: finding.word != "nan")
    if found:
        return found[0].event
    sent = {index for event in trace.events for index, _ in event.sent}
    waiting = Counter(edge.producer for i, edge in enumerate(trace.edges) if i in sent)
    arrived: Counter[int] = Counter()
    meeting = last = 0
    for number, event in enumerate(trace.events, 1):
        last = number if event.kind == "backward" else last
        for index, _ in event.sent:
            producer = trace.edges[index].producer
            arrived[producer] += 1
            if (
                arrived[producer] == waiting[producer] > 1
                and trace.nodes[producer].kind == "operation"
            ):
                meeting = meeting or number
    return meeting or last or len(trace.events)

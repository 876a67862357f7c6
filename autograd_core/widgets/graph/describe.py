"""The texts of the graph view: names and signs of operations, and one sentence for each event.

A text is a list of runs, (style, text). The styles are "" plain, "b" strong, "q" quiet, "v" value,
"c" code, and "nv" and "ng" for a value and a gradient that are read from the trace. The text of such
a run names the place: "before", "after" or "sent 0" of the event, "value 5" of node 5. So the words
stay the same while the numbers change. The sign of a gradient colors its number. Its symbol has the
style "b"."""

import itertools
import math
from collections import Counter

import numpy as np

from ...trace import Event, Saved, Summary, Trace, TraceNode
from ...trace.formula import sign_of
from ...trace.rows import written
from ..kit.format import shorten
from .folds import is_large
from .formulas import (
    IN_FULL,
    Runs,
    action_of,
    called,
    fill,
    join,
    rules_in_words,
    split_name,
    stretched,
)
from .states import added
from .tensors import verdicts_of

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
    """The name of the tensor that is differentiated: the learner's name for it, or "loss"."""
    return called(trace.nodes[root_of(trace)], "loss")


def title_of(node: TraceNode) -> Runs:
    if node.kind in ("leaf", "frozen"):
        return [("v", called(node, "a leaf"))]
    short, rest = split_name(node.name)
    return [("b", short), ("q", rest)]


def titles_of(trace: Trace) -> list[Runs]:
    """The name of each node in sentences: "MulBackward0", or "Mul (u)" if there are several."""
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
        return [*name, ("b", " runs")]
    if event.kind == "accumulate":
        return [("b", f"{label}.grad {'is written' if event.before is None else 'grows'}")]
    if event.kind == "step":
        return [("b", "step() moves "), ("v", label)]
    return [("b", f"zero_grad() clears {label}.grad")]


def event_sentence(trace: Trace, event: Event, titles: list[Runs], arrived: int) -> Runs:
    """A sentence that describes the event. `arrived` contributions had come to its node."""
    label = called(trace.nodes[event.node], "the leaf")
    grad, was, now = ("c", f"{label}.grad"), ("ng", "before"), ("ng", "after")
    if event.kind == "forward":
        return _computed(trace, event.node, titles)
    if event.kind == "loss":
        return fill("{} {}.", ("c", "backward()"), _start(trace))
    if event.kind == "backward":
        return _sent_back(trace, event, titles, arrived)
    if event.kind == "accumulate" and event.before is None and changed_at(trace, event):
        text = "A leaf keeps its gradient. A hook changed it here: {} was None and is now {}."
        return fill(text, grad, now)
    if event.kind == "accumulate" and event.before is None:
        return fill("A leaf keeps its gradient. {} was None and is now {}.", grad, now)
    if event.kind == "accumulate":
        return fill(
            "The gradient is {} to {}, which was {} and is now {}.",
            ("b", "added"),
            grad,
            was,
            now,
        )
    if event.kind == "step":
        few = event.after is not None and event.after.size <= IN_FULL
        moved = fill(", from {} to {}", ("nv", "before"), ("nv", "after")) if few else []
        return fill(
            "The optimizer reads {} and changes {} in place{}. It doesn't use the graph.",
            grad,
            ("v", label),
            moved,
        )
    after = "None" if event.after is None else "zero"
    return fill("{} is {} again, so the next backward pass starts from nothing.", grad, after)


def changed_at(trace: Trace, event: Event) -> bool:
    """Whether `.grad` of a leaf was empty and now differs from the gradient that arrived, by more
    than rounding. Only a hook of the leaf can change it.
    """
    arrived = [
        gradient
        for each in itertools.takewhile(lambda each: each is not event, trace.events)
        for edge, gradient in each.sent
        if trace.edges[edge].producer == event.node
    ]
    total, kept = added(arrived), event.after
    if total is None or kept is None or isinstance(total, Summary) or isinstance(kept, Summary):
        return False
    if total.shape != kept.shape:
        return False  # a sparse gradient
    return not np.allclose(total, kept, rtol=1e-3, atol=0, equal_nan=True)


def _start(trace: Trace) -> str:
    ran_back = any(event.kind == "backward" for event in trace.events)
    refused = any(each.now > each.version for each in trace.stale) and not ran_back
    return "can't run: a saved tensor was modified" if refused else "will start here"


def _computed(trace: Trace, index: int, titles: list[Runs]) -> Runs:
    """A sentence about the inputs of a node and the tensors that it saves."""
    named, kept = [], []
    for edge in trace.inputs.get(index, {}).values():
        node, short = trace.nodes[edge.producer], short_title(titles[edge.producer])
        unnamed = "a constant" if node.kind == "constant" else f"the result of {short}"
        named.append([("v", called(node, unnamed))])
    for saved in trace.nodes[index].saved:
        if saved.label:
            kept.append([("v", shorten(saved.label, 24))])
        elif saved.name.startswith("result"):
            kept.append([("", "its result")])
        else:
            kept.append(fill("its argument {}", ("c", saved.name)))
    runs = fill("Computed from {}.", join(named)) if named else fill("Computed.")
    if kept:
        runs += fill(" The node saves {}.", join(kept))
    savers = dict.fromkeys(stale.node for stale in trace.stale if stale.writer == index)
    if savers:
        text = " It modifies in place the tensor that {} saved."
        runs += fill(text, join([titles[node] for node in savers]))
    return runs


def _sent_back(trace: Trace, event: Event, titles: list[Runs], arrived: int) -> Runs:
    """The gradient that a node received, its rule, and the gradients that it sends. Few numbers are
    shown, many are not.
    """
    node, sum_ = trace.nodes[event.node], ("ng", "before")
    if arrived > 1:
        where = fill(" at {}", ("v", called(node))) if node.label else []
        count = COUNTS[arrived] if arrived < len(COUNTS) else str(arrived)
        text = "{} contributions met{} and were {}. The sum is {}"
        runs = fill(text, count, where, ("b", "added"), sum_)
    elif arrived:
        many = event.before is not None and event.before.size > IN_FULL
        of = "a gradient of " if many else ""
        runs = fill("{} received {}{}", titles[event.node], of, sum_)
    else:
        runs = fill("{} starts here, with {}", ("c", "backward()"), sum_)
    edges = [edge for edge, _ in event.sent]
    targets = [titles[trace.edges[edge].producer] for edge in edges]
    if all(sent.size <= IN_FULL for _, sent in event.sent):
        goes = [
            fill("{} goes to {}", ("ng", f"sent {i}"), target) for i, target in enumerate(targets)
        ]
    else:
        goes = [fill("the result goes to {}", join(targets))]
    rules = rules_in_words(trace, event.node, edges) if goes else None
    if rules is None:
        runs += fill(". The node {}", action_of(node, arrived > 1))
        runs += fill(": {}.", join(goes)) if goes else fill(".")
    else:
        for rule, what in zip(rules, goes):
            runs += fill(". {}, so {}", rule, what)
        runs += fill(".")
    return runs + _sums(trace, event, titles)


def _sums(trace: Trace, event: Event, titles: list[Runs]) -> Runs:
    """The inputs that were broadcast. Each is sent a sum."""
    runs: Runs = []
    rules = [text for _, text in trace.nodes[event.node].rules]
    for i, sent in event.sent:
        edge = trace.edges[i]
        rule = rules[edge.slot] if edge.slot < len(rules) else ""
        if along := stretched(sent.shape, event.before.shape, rule):
            text = " The gradient for {} is summed over the {} along which it was broadcast."
            runs += fill(text, titles[edge.producer], along)
    return runs


def next_runs(
    trace: Trace, following: Event | None, titles: list[Runs], ready: int, empty: list[TraceNode]
) -> Runs:
    """The next event, and why it is the next one: `ready` nodes could run, and the leaves `empty`
    have no gradient yet.
    """
    if following is None:
        return fill("Nothing: this is the last event.")
    node = trace.nodes[following.node]
    if following.kind == "backward":
        several = f"the node that was recorded last among the {ready} that are ready."
        why = several if ready > 1 else "the only node that is ready."
        (style, name), *more = titles[following.node]
        runs = [(style, name[:1].upper() + name[1:]), *more, ("", ", " + why)]
        if not 0 < len(empty) <= 3:
            return runs
        leaves = join([[("v", called(leaf, "a leaf"))] for leaf in empty])
        have = " still has " if len(empty) == 1 else " still have "
        return [*runs, ("q", " "), *leaves, ("q", have), ("c", ".grad = None"), ("q", ".")]
    if following.kind == "accumulate":
        text = "{} of {}, which runs as soon as it is ready."
        return fill(text, ("b", "AccumulateGrad"), title_of(node))
    if following.kind == "forward":
        return fill("{} computes {}.", ("b", split_name(node.name)[0]), called(node))
    then = {
        "loss": f"backward() {_start(trace)}.",
        "step": "step() moves it.",
        "zero_grad": "zero_grad() clears its .grad.",
    }
    return fill("{}: {}", ("v", called(node, "loss")), then[following.kind])


def saved_sentence(trace: Trace, index: int, saved: Saved) -> str:
    for stale in trace.stale:
        if (stale.node, stale.name) == (index, saved.name):
            return f"{saved.what}, {written(trace, stale)}."
    if saved.value is None:
        return f"{saved.what}, {math.prod(saved.shape):,} numbers of type {saved.dtype}."
    value = np.asarray(saved.value)
    count = f"{value.size} number{'s' * (value.size != 1)}"
    return f"{saved.what}, {count}, {value.nbytes} bytes."


def telling_event(trace: Trace) -> int:
    """The event that a still picture shows: the first nan, else the first inf that isn't intended,
    else the first event where contributions meet, else the last backward event, else the last event.

    If no backward pass can run, it is the last event. In a large graph, it is the event that
    modified a saved tensor.
    """
    if trace.stale:
        writers = {stale.writer for stale in trace.stale} if is_large(trace) else ()
        events = enumerate(trace.events, 1)
        return next((k for k, event in events if event.node in writers), len(trace.events))
    found = sorted(verdicts_of(trace).values.firsts, key=lambda finding: finding.word != "nan")
    if found:
        return found[0].event
    sent = {edge for event in trace.events for edge, _ in event.sent}
    due = Counter(trace.edges[edge].producer for edge in sent)
    several = {node for node, n in due.items() if n > 1 and trace.nodes[node].kind == "operation"}
    for k, event in enumerate(trace.events, 1):
        for edge, _ in event.sent:
            producer = trace.edges[edge].producer
            due[producer] -= 1
            if producer in several and not due[producer]:
                return k
    ran = [k for k, event in enumerate(trace.events, 1) if event.kind == "backward"]
    return ran[-1] if ran else len(trace.events)

"""Lines that the learner types into a forward: which save goes stale, and is the gradient right?

typed(h="torch.sqrt(w)", then="h += 1")     on both engines, again at every letter
"""

import ast
import linecache
from dataclasses import replace
from typing import Any

import numpy as np
import torch

import autograd_core

from ...parity.agreement_report import first_line
from ...parity.torch_tape import TorchTape
from ...trace import Edge, Event, Saved, Stale, Tape, Trace, TraceNode, difference, names_in, trace
from ...trace.backward import BackwardRecord, watching_nodes
from ...trace.nodes import (
    argument,
    graph_of,
    is_leaf,
    key_of,
    node_of,
    numbers_of,
    saved_names,
    walk,
)
from ...trace.summary import Budget
from ...widgets.graph.formulas import split_name
from ...widgets.graph.tensors import close_in
from ...widgets.graph.view import GraphView
from ...widgets.kit.format import tensor_text

PROGRAM = """w = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
w.grad, optimizer = torch.ones_like(w), optim.SGD([w], lr=0.1)
h = {h}
{then}
loss = (h * h).sum()
{late}
optimizer.zero_grad()"""
STEP, SAME = 1e-5, 1e-6  # by how much `w` is moved; how far a right gradient may be off
FILE = "<typed>"  # where the program stands for the trace, which looks its lines up


def typed(h: str, then: str = "", late: str = "") -> GraphView:
    """The step view of PROGRAM, in which `h`, a line behind it and one behind the loss are typed.

    Each saved tensor has its version, and is stale since something wrote into it. The notice judges
    `w.grad` by the slope of the loss, as measured. A write that isn't recorded has a dashed box. A
    line that raises has no verdict; its error is shown, and the picture stays."""
    texts = {"h": h, "then": then, "late": late}

    def changed(name: str, value: object) -> Trace:
        texts[name] = value
        try:
            return ran(**texts)
        except (Exception, SystemExit) as error:
            told = "Unfinished line" if isinstance(error, SyntaxError) else first_line(error)
            raise ValueError(f"{told}. No verdict: the graph is of the previous lines.") from None

    fields = [
        {"kind": "text", "name": name, "label": label, "value": texts[name]}
        for name, label in (("h", "h ="), ("then", "the write"), ("late", "after the loss"))
    ]
    return GraphView(
        ran(**texts), title="Type a write", event=-1, controls=fields, on_change=changed
    )


def ran(h: str, then: str = "", late: str = "") -> Trace:
    """The trace of PROGRAM with these lines; its note has the verdict, and whether both engines did
    the same. Raises what the program raises on both."""
    program, found, raised = PROGRAM.format(h=h, then=then, late=late), [], []
    for engine in (autograd_core, torch):
        try:
            found.append(_traced(engine, program))
        except (Exception, SystemExit) as error:
            raised.append(error)
    if not found:
        raise raised[0]
    first = found[0]
    if raised:
        other = "autograd_core" if first.engine == "PyTorch" else "PyTorch"
        return replace(first, note=f"{first.note} ({other} raises {first_line(raised[0])})")
    told = [(each.note, {(s.node, s.name, s.version, s.now) for s in each.stale}) for each in found]
    differs = difference(*found, close_in(first)) or told[0] != told[1] and told[1]
    same = f"The engines differ: {differs}" if differs else "Both engines agree."
    return replace(first, note=f"{first.note} {same}")


def _traced(T: Any, program: str) -> Trace:
    """A program's trace, with versions, what is stale, and the verdict as its note."""
    linecache.cache[FILE] = len(program), None, program.splitlines(True), FILE
    names, saves, stale, w, unrecorded = _names(T), {}, {}, None, []
    with (tape := TorchTape() if T is torch else Tape()).recording():
        for statement in ast.parse(program).body:
            before = [(x, node_of(x), numbers_of(x).copy()) for _, x in _tensors(names)]
            exec(compile(ast.Module([statement], []), FILE, "exec"), names)
            w = names["w"] if w is None else w  # the leaf, whatever is called so later
            code = ast.unparse(statement).replace("\n   ", "")
            write = code.rpartition(": ")[2]
            _look(names, saves, stale, code)
            unrecorded += [
                (node, write, numbers_of(x).copy())
                for x, node, numbers in before
                if node is node_of(x) and not np.array_equal(numbers, numbers_of(x), equal_nan=True)
            ]
        refused, passed = False, BackwardRecord(Budget())
        graph = graph_of(names["loss"], what="typed") if node_of(names["loss"]) else []
        live = [node for node in graph if not is_leaf(node)]
        try:
            with watching_nodes(live, passed):
                names["loss"].backward()
        except RuntimeError as error:
            refused = "modified by an inplace operation" in str(error)
            if not refused:
                raise
    taken = trace(names["loss"], names_in(dict(_tensors(names))), tape)
    drawn = [place for place, node in enumerate(taken.nodes) if node.kind == "operation"]
    nodes, hidden = list(taken.nodes), []
    for place, node in zip(drawn, live, strict=True):
        known = {each.name: each for each in nodes[place].saved}
        for name, (owner, version, numbers) in saves.get(node, {}).items():
            known[name] = Saved(name, f"{owner} v{version}" if owner else "", numbers)
            if (node, name) in stale:
                hidden.append(Stale(place, name, version, version, by=stale[node, name]))
        nodes[place] = replace(nodes[place], saved=tuple(known.values()))
    edges = list(taken.edges)
    for node, write, numbers in unrecorded:
        if node in live:
            edges.append(Edge(drawn[live.index(node)], len(edges), len(nodes)))
            nodes.append(TraceNode("constant", "", write, value=numbers))
    stales = (*taken.stale, *hidden)
    note = _verdict(T, program, w.grad, refused, bool(stales))
    if refused and taken.stale:
        places = dict(zip(map(key_of, live), drawn, strict=True))
        ran_back = [_placed(event, places, taken) for event in passed.events]
        taken = replace(taken, events=(*taken.events, *ran_back))
        note = note.replace("raises.", f"raises at {_was_and_is(nodes, taken.stale[0], names)}", 1)
    note += " The write in the dashed box isn't recorded." if len(edges) > len(taken.edges) else ""
    return replace(taken, nodes=tuple(nodes), edges=tuple(edges), stale=stales, note=note)


def _placed(event: Event, places: dict[int, int], taken: Trace) -> Event:
    """An event of a pass that raised later, with the indices of the trace `taken`."""
    place = places[event.node]
    edges = {edge.slot: k for k, edge in taken.inputs.get(place, {}).items()}
    sent = tuple((edges[k], gradient) for k, gradient in event.sent if k in edges)
    return replace(event, node=place, sent=sent)


def _was_and_is(nodes: list[TraceNode], stale: Stale, names: dict) -> str:
    """Which node raises, the tensor that it saved, and its numbers then and now."""
    node = nodes[stale.node]
    saved = next(each for each in node.saved if each.name == stale.name)
    owner = names.get(name := saved.label.partition(" v")[0])
    if saved.value is None or getattr(owner, "_version", None) != stale.now:
        return f"{split_name(node.name)[0]}."
    was, now = tensor_text(saved.value), tensor_text(numbers_of(owner))
    return f"{split_name(node.name)[0]}: its saved {name} was {was}, now it is {now}."


def _names(T: Any) -> dict[str, Any]:
    T.manual_seed(0)
    return {"T": T, "torch": T, "nn": T.nn, "F": T.nn.functional, "optim": T.optim}


def _tensors(names: dict) -> list[tuple[str, Any]]:
    return [(name, x) for name, x in names.items() if hasattr(x, "grad_fn")]


def _look(names: dict, saves: dict, stale: dict, code: str) -> None:
    """Note what new nodes have saved, and what `code` has written into without being counted."""
    tensors = _tensors(names)
    for node in walk(*(node_of(x) for _, x in tensors)):
        for name in saved_names(type(node)):
            try:
                value = getattr(node, f"_saved_{name}")
            except (AttributeError, RuntimeError):
                continue  # freed, or refused: the trace tells
            if not hasattr(value, "grad_fn"):
                continue
            numbers, name = numbers_of(value), argument(name)
            shared = (each for each in tensors if np.shares_memory(numbers_of(each[1]), numbers))
            owners = ((owner, x._version) for owner, x in shared)
            new = *next(owners, ("", 0)), numbers.copy()
            *_, before = saves.setdefault(node, {}).setdefault(name, new)
            if not np.array_equal(before, numbers, equal_nan=True):
                stale.setdefault((node, name), code)


def _verdict(T: Any, program: str, grad: Any, refused: bool, stale: bool) -> str:
    """Whether `grad`, which backward has left in `w.grad`, is the slope of the loss. The sign at the
    beginning is the color of the sentence."""
    slope, found = _measured(T, program), None if grad is None else numbers_of(grad)
    measured = "" if slope is None else f" Finite difference: {tensor_text(slope)}."
    if refused:
        return f"✕ backward() raises.{measured}"
    got = f"w.grad is {tensor_text(found)}."
    if slope is None:
        return f"? No verdict: the loss jumps or has a kink here, or isn't float64. {got}"
    if not np.allclose(0.0 if found is None else found, slope, SAME, SAME):
        return f"✕ Wrong, and no error: {got}{measured}"
    if stale:
        return f"≈ Right by coincidence, because a saved tensor is stale: {got}{measured}"
    return f"✓ Right: {got}{measured}"


def _measured(T: Any, program: str) -> np.ndarray | None:
    """The slope at each element of `w`, from both sides; None where these are not one."""
    first, rest = program.split("\n", 1)

    def loss(shift: np.ndarray) -> float:
        names = _names(T)
        exec(first, names)
        names["w"].detach().numpy()[:] += shift
        exec(rest, names)
        return names["loss"].item() if names["loss"].dtype == T.float64 else np.nan

    steps, here = STEP * np.eye(2), loss(np.zeros(2))
    up = np.array([loss(step) - here for step in steps]) / STEP
    down = np.array([here - loss(-step) for step in steps]) / STEP
    return (up + down) / 2 if np.allclose(up, down, 1e-3, 1e-3) else None

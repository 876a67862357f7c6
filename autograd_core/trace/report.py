"""`report(loss)`: what `watch` shows, as text for a terminal, a log and CI, and as data.

print(report(loss))
report(loss).raise_if(cut=True, nan=True)
"""

import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from .build import trace
from .data import Trace
from .names import Names, names_in
from .nodes import MOST_NODES, check_size
from .rows import folded, stale_saves, stated, where
from .verdicts import Fate, Finding, Verdicts, has_unnamed, others

MOST_ROWS = 8  # of one kind
STATUSES = "trained", "frozen", "cut", "unused"


def report(loss: Any, *, names: Names | None = None, most: int = MOST_NODES) -> "Report":
    """What can be said of `loss`: which parameters it trains, what is cut off, its gradients, the
    first nan.

    loss   a tensor of autograd_core or of PyTorch, before or after `backward()`; or a `Trace`.
    names  what `names_in` returns; by default the caller's variables name the tensors of `loss`.
    most   nodes of a graph that is looked at without being asked for; ValueError for one of more,
           and for one of PyTorch's of more than 20,000 whatever is asked: looking at those ends the
           process.

    Like `watch` it runs a backward pass on the side and leaves everything as it was. Of a forward
    that ran inside of `with watching():` it also knows values, source lines and why paths end.
    Raises what `trace` raises.
    """
    if not isinstance(loss, Trace):
        check_size(loss, most, "report")
        if names is None:
            frame = sys._getframe(1)
            names = names_in({**frame.f_globals, **frame.f_locals})
        loss = trace(loss, names, caller="report")
    return Report(loss)


class Report:
    """The verdicts on a trace: as text by `str` and `line`, as `data()`, for a test by `raise_if`."""

    def __init__(self, trace: Trace, verdicts: Verdicts | None = None):
        self.trace, self.verdicts = trace, verdicts or Verdicts(trace)

    def raise_if(self, **wanted: bool) -> "Report":
        """Raise AssertionError, with the report, where one of the things that are True was found;
        else return this.

            cut, frozen, unused     a parameter gets no gradient, for that reason
            nan, inf                one appears in a value or a gradient; a mask of -inf that a
                                    softmax consumes is none
            vanishing, exploding    gradients do, from some layer on
            dead                    a ReLU gives only zeros

        `cut` counts parameters that the loss does not reach at all too. Raises TypeError for any
        other name.
        """
        verdicts, words = self.verdicts, {finding.word for finding in self.verdicts.firsts}
        known = {
            "cut": [*verdicts.having("cut"), *verdicts.having("unused")],
            "unused": verdicts.having("unused"),
            "frozen": verdicts.having("frozen"),
            "nan": "nan" in words,
            "inf": "inf" in words,
            "vanishing": verdicts.vanishing,
            "exploding": verdicts.exploding,
            "dead": verdicts.dead,
        }
        for name in wanted.keys() - known.keys():
            raise TypeError(f"raise_if() knows no {name!r}: it takes {', '.join(known)}")
        found = [name for name, asked in wanted.items() if asked and known[name]]
        if found:
            raise AssertionError(f"found: {', '.join(found)}\n\n{self}")
        return self

    # ---- as data ---------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """All of it as dicts, lists, strings and numbers, which JSON can hold but for nan and inf."""
        verdicts, norms = self.verdicts, self.verdicts.range
        return {
            "engine": self.trace.engine,
            "nodes": self.trace.size,
            "events": len(self.trace.events),
            "line": self.line,
            "note": self.trace.note,
            "kept": self.trace.kept,
            "stale": stale_saves(self.trace),
            "others": others(self.trace),
            "parameters": [self._parameter(fate) for fate in verdicts.fates],
            "gradients": norms and {"least": norms[0], "most": norms[1]},
            "vanishing": verdicts.vanishing,
            "exploding": verdicts.exploding,
            "dead": [self._place(node) for node in verdicts.dead],
            "masks": [self._place(node) for node in verdicts.masks],
            "first": {finding.word: self._finding(finding) for finding in verdicts.firsts},
        }

    def _parameter(self, fate: Fate) -> dict[str, Any]:
        parameter, gradient = fate.parameter, fate.gradient
        shown = ("norm", "min", "max", "zeros", "nan", "inf")
        return {
            "name": parameter.name,
            "shape": list(parameter.shape),
            "status": fate.status,
            "reason": parameter.reason,
            "optimizer": parameter.optimizer,
            **where(self.trace, self._line_of_cut(fate)),
            "gradient": gradient and {name: getattr(gradient, name) for name in shown},
        }

    def _finding(self, finding: Finding) -> dict[str, Any]:
        origin = None if finding.origin is None else self._called(finding.origin)
        place = self._place(finding.node)
        return {**place, "event": finding.event, "phase": finding.phase, "origin": origin}

    def _place(self, number: int) -> dict[str, Any]:
        node = self.trace.nodes[number]
        named = {"name": node.name, "label": node.label, "module": node.module}
        return named | where(self.trace, node.line)

    def _called(self, number: int) -> str:
        node = self.trace.nodes[number]
        return node.label or (node.name if node.kind == "operation" else f"a {node.kind}")

    def _line_of_cut(self, fate: Fate) -> int | None:
        cut = fate.parameter.cut
        return None if cut is None else self.trace.edges[cut].line

    # ---- as text ---------------------------------------------------------------------------------

    @property
    def line(self) -> str:
        """One line: "62 parameters: 2 trained, 60 frozen on purpose, 0 cut. No nan." """
        return "".join(text for text, _ in self.parts)

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The line in parts, each with the surprise that it is; "" for none."""
        verdicts = self.verdicts
        trained, frozen, cut, unused = (len(verdicts.having(status)) for status in STATUSES)
        zero = [x for x in verdicts.having("trained") if x.gradient and not x.gradient.norm]
        parts = [(f"{_counted(verdicts.fates, 'parameter')}: {trained - len(zero)} trained", "")]
        if zero:
            parts += [(", ", ""), (f"{len(zero)} with a gradient of 0", "zero")]
        if frozen:
            parts.append((f", {frozen} frozen on purpose", ""))
        parts += [(", ", ""), (f"{cut} cut", "cut" if cut else "")]
        if unused:
            parts += [(", ", ""), (f"{unused} not reached", "unused")]
        if verdicts.range:
            least, most = map(brief, verdicts.range)
            parts.append((f". Gradients {f'{least} to {most}' if most != least else least}", ""))
        if verdicts.vanishing:
            parts += [(", ", ""), (f"vanishing below {verdicts.vanishing}", "vanishing")]
        if verdicts.exploding:
            parts += [(", ", ""), (f"exploding at {verdicts.exploding}", "exploding")]
        parts.append((". ", ""))
        if verdicts.dead:
            parts += [(f"{_counted(verdicts.dead, 'ReLU')} without an output", "dead"), (". ", "")]
        for place, finding in enumerate(verdicts.firsts):
            text = f"{' ' * bool(place)}First {finding.word} at {self._where(finding)}"
            parts += [(text, finding.word), (".", "")]
        return parts if verdicts.firsts else [*parts, ("No nan.", "")]

    def _where(self, finding: Finding) -> str:
        node = self.trace.nodes[finding.node]
        where = f"{self._called(finding.node)}.grad" if node.kind == "leaf" else node.name
        backward = ", backward" if finding.phase == "backward" else ""
        return f"{where}{_in(node.module)}{backward}"

    def _rows(self) -> Iterator[tuple[str, list[str]]]:
        """(kind, sentences) of what is to be said beyond the line; where "" is none."""
        verdicts = self.verdicts
        yield "in place", stale_saves(self.trace)
        for finding in verdicts.firsts:
            yield f"first {finding.word}", [self._found(finding)]
        for status in ("cut", "unused", "frozen"):
            yield status, self._lost(verdicts.having(status))
        if turn := verdicts.vanishing or verdicts.exploding:
            yield "gradients", list(_around(verdicts.layers, turn))
        dead = [(self._at(number), found) for number, found in verdicts.dead.items()]
        yield "dead", [f"{at}: {s.zeros:,} of {s.size:,} numbers are 0" for at, s in dead]
        for note in self._notes():
            yield "note", [note]
        yield "note", [self.trace.note, self.trace.kept]

    def _notes(self) -> Iterator[str]:
        if masks := self.verdicts.masks:
            yield (
                f"-inf in {len(masks)} results, {self._at(masks[0])} first, is meant: a softmax or"
                " its like makes numbers of it"
            )
        operations = [n for n in self.trace.nodes if n.kind == "operation"][:-1]  # but the last one
        if operations and all(node.value is None for node in operations):
            yield (
                "With watching() around the forward it could also say values, lines and why paths"
                " end."
            )
        if has_unnamed(self.trace):
            yield (
                "Parameters without a name are those of a model that no variable here holds: "
                "report(loss, names=names_in({'net': net})) names them."
            )
        if strangers := others(self.trace):
            yield f"Not counted, because they have no part in this loss: {', '.join(strangers)}."

    def _lost(self, fates: list[Fate]) -> list[str]:
        """A row for all parameters that are lost for the same reason, at the same statement."""
        lost = ((fate.parameter, self._line_of_cut(fate)) for fate in fates)
        return folded(self.trace, lost, [fate.parameter.name for fate in self.verdicts.fates])

    def _found(self, finding: Finding) -> str:
        found = f"event {finding.event}, {finding.phase}, {self._at(finding.node)}"
        node = self.trace.nodes[finding.node]
        if finding.phase == "backward" and node.rules:
            rules = ", ".join(f"{name} from {text}" for name, text in node.rules)
            found += f"; its rule: {rules}"
        if finding.phase == "backward" and node.rule_line is not None:
            found += f"; its backward: {stated(self.trace, node.rule_line)}"
        if finding.origin is not None:
            found += f"; {self._called(finding.origin)} holds it from the start"
        return found

    def _at(self, number: int) -> str:
        """A node in words: "SqrtBackward0 in net.norm: y = x.sqrt() (net.py:7, called in ...)"."""
        node = self.trace.nodes[number]
        statement = stated(self.trace, node.line)
        named = f"{node.name or node.label}{_in(node.module)}"
        return f"{named}: {statement}" if statement else named

    def __str__(self) -> str:
        lines = []
        for kind, texts in self._rows():
            for place, text in enumerate(_few([text for text in texts if text])):
                lines.append(f"{'' if place else kind:<12}{text}")
        event = next(event for event in self.trace.events if event.kind == "loss")
        loss, label = event.after, self.trace.nodes[event.node].label or "loss"
        value = f" = {loss.item():.6g}" if isinstance(loss, np.ndarray) and loss.size == 1 else ""
        head = f"{label}{value}, {self.trace.engine}, {self.trace.size} nodes"
        return "\n".join([head, self.line, *lines])

    __repr__ = __str__


def brief(number: float) -> str:
    """Two digits: "0.32", "1.5e-8"."""
    return re.sub(r"e([+-])0*(\d)", r"e\1\2", f"{number:.2g}").replace("e+", "e")


def _counted(things: Any, word: str) -> str:
    return f"{len(things)} {word}" if len(things) == 1 else f"{len(things)} {word}s"


def _in(module: str) -> str:
    return f" in {module}" if module else ""


def _few(texts: list[str]) -> list[str]:
    if len(texts) <= MOST_ROWS:
        return texts
    return [*texts[: MOST_ROWS - 1], f"and {len(texts) - MOST_ROWS + 1} more"]


def _around(layers: list[tuple[str, float, float]], turn: str) -> Iterator[str]:
    """The first layers with their gradients, those around the layer `turn`, the last ones."""
    at, last = next(place for place, (path, *_) in enumerate(layers) if path == turn), len(layers)
    wanted = {*range(last)}
    if last > MOST_ROWS:
        wanted &= {0, 1, at - 1, at, at + 1, last - 2, last - 1}
    before = -1
    for place in sorted(wanted):
        path, norm, _ = layers[place]
        gap = "… " if place > before + 1 else ""
        yield f"{gap}{path or 'the model'}: {brief(norm)}"
        before = place

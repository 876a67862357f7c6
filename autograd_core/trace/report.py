"""`report(loss)` gives the results of `watch` as text for a terminal, a log or CI, and as data."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from .build import trace
from .causes import Cause, causes_of
from .data import Trace, TraceNode
from .listing import Names, notebook_names
from .nodes import OF_VIEWS
from .rows import MOST_ROWS, brief, folded, stale_saves, stated, statement_at
from .sentences import FIXES, NOTES, STATUSES, WHY
from .verdicts import Finding, ParameterStatus, Verdicts

KINDS = {"unregistered": "no module", "only rounding": "rounding"}  # a status -> its row's kind
NO_GRADIENT = "cut", "unused", "unregistered", "cannot tell"  # statuses for which `cut` raises
ROWS = "nan", "only rounding", "zero", "cut", "unused", "unregistered", "cannot tell", "frozen"


def report(loss: Any, model: Any = None, *, names: Names | None = None) -> "Report":
    """A report on `loss`: which parameters it trains, which are cut off, its gradients, and the
    first nan.

    loss   a tensor of autograd_core or of PyTorch, before or after `backward()`. If it has no graph,
           the report names the place where it ended.
    model  the module, or a list or a dict of modules, whose parameters are counted. In a notebook,
           the default is all modules in variables that are part of this loss.
    names  the result of `names_in`; the default is the notebook's variables.

    If the forward pass ran in a `with watching():` block, the report also has values, source lines,
    modules and the reasons why paths end. If `loss.backward()` ran there too, the report has its
    gradients. Otherwise `report` runs a backward pass that changes no `.grad`, as `watch` does. This
    also runs hooks that may change gradients (`register_hook`, full backward hooks of modules) and
    a checkpoint's forward pass. `.grad` of a result (`retain_grad`) is restored if it is known.
    Raises the errors of `trace`.
    """
    names = notebook_names() if names is None else names
    return Report(trace(loss, names, model=model, caller="report"))


class Report:
    """The verdicts on a trace: `str` and `line` as text, `data()` as data, `raise_if` for tests."""

    def __init__(self, trace: Trace, verdicts: Verdicts | None = None):
        self.trace, self.verdicts = trace, verdicts or Verdicts(trace)

    def raise_if(self, **wanted: bool) -> "Report":
        """Return the report. Raise AssertionError with it if one of the problems that are True was
        found; TypeError for any other name. What the trace can't tell raises nothing.

            cut                     a parameter that isn't frozen gets no gradient from this loss, or
                                    is registered nowhere
            frozen, unused          a parameter gets no gradient for that reason
            zero                    a gradient is 0 everywhere, unless its parameter waits
                                    (`ParameterStatus.waits`)
            rounding                a gradient is 0 except for rounding
            nan, inf                one appears in a value or a gradient, outside a mask
                                    (`Values.masks`)
            cause                   the graph shows a mistake in the loss (see `causes`)
        """
        known = _alarms(self.verdicts, self.causes)
        for name in wanted.keys() - known.keys():
            raise TypeError(f"raise_if() knows no {name!r}: it takes {', '.join(known)}")
        found = [name for name, is_asked in wanted.items() if is_asked and known[name]]
        if found:
            raise AssertionError(f"found: {', '.join(found)}\n\n{self}")
        return self

    @cached_property
    def causes(self) -> list[Cause]:
        return causes_of(self.trace)

    # ---- as data ---------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """The report as dicts, lists, strings and numbers. JSON can hold them, except nan and inf."""
        verdicts, norms = self.verdicts, self.verdicts.range
        values = verdicts.values
        return {
            "line": self.line,
            "parameters": [self._parameter(each) for each in verdicts.statuses],
            "gradients": norms and {"least": norms[0], "most": norms[1]},
            "causes": [c._asdict() | statement_at(self.trace, c.line) for c in self.causes],
            "masks": [self._place(node) for node in values.masks],
            "first": {finding.word: self._finding(finding) for finding in values.firsts},
        }

    def _parameter(self, each: ParameterStatus) -> dict[str, Any]:
        parameter, gradient = each.parameter, each.gradient
        shown = ("norm", "min", "max", "zeros", "nan", "inf")
        return {
            "name": parameter.name,
            "shape": list(parameter.shape),
            "status": each.status,
            "reason": each.reason,
            **statement_at(self.trace, parameter.line),
            "gradient": gradient and {name: getattr(gradient, name) for name in shown},
        }

    def _finding(self, finding: Finding) -> dict[str, Any]:
        origin = None if finding.origin is None else self._called(finding.origin)
        place = self._place(finding.node)
        return {**place, "event": finding.event, "phase": finding.phase, "origin": origin}

    def _place(self, number: int) -> dict[str, Any]:
        node = self.trace.nodes[number]
        called = node.name or self._called(number)
        named = {"name": called, "label": node.label, "module": node.module}
        return named | statement_at(self.trace, node.line)

    def _called(self, number: int) -> str:
        node = self.trace.nodes[number]
        return node.label or (node.name if node.kind == "operation" else f"a {node.kind}")

    # ---- as text ---------------------------------------------------------------------------------

    @property
    def line(self) -> str:
        """One line: "62 parameters: 2 trained, 60 frozen (requires_grad=False), 0 cut. No nan." """
        return "".join(text for text, _ in self.parts).rstrip()

    @property
    def parts(self) -> Iterator[tuple[str, str]]:
        """The line in parts: (text, the kind of problem in it, or "")."""
        verdicts, values = self.verdicts, self.verdicts.values
        yield f"{_counted(verdicts.statuses, 'parameter')}: ", ""
        said, tells = False, verdicts.flow.known or not self._has_graph
        for status, words in STATUSES.items():
            having = verdicts.having(status)
            waiting = [each.waits for each in having if each.waits]
            count = len(having) - len(waiting)
            if count or status in ("trained", "cut") and tells:
                if said:
                    yield ", ", ""
                said = True
                expected = not count or status in ("trained", "frozen")
                yield f"{count} {words}", "" if expected else status
            if waiting:
                gate, *others = dict.fromkeys(waiting)
                moved = f" and {len(others)} more have moved" if others else " has moved"
                yield f", {len(waiting)} {words} until {gate}{moved}", ""
        if verdicts.range:
            least, most = map(brief, verdicts.range)
            yield f". Gradients {f'{least} to {most}' if most != least else least}", ""
        yield ". ", ""
        if self.causes:
            kinds = dict.fromkeys(each.kind for each in self.causes)
            yield f"Mistakes: {', '.join(kinds)}", "cause"
            yield ". ", ""
        for place, finding in enumerate(values.firsts):
            first = " First" if place else "First"
            yield f"{first} {finding.word} at {self._where(finding)}", finding.word
            yield ".", ""
        if not values.firsts and verdicts.flow.known:
            yield f"No nan{' in the loss or a gradient' if self._unknown() else ''}.", ""

    @property
    def _has_graph(self) -> bool:
        return self.trace.nodes[self.verdicts.flow.root].kind == "operation"

    def _unknown(self) -> list[TraceNode]:
        return [
            node
            for node in self.trace.nodes
            if node.kind == "operation" and node.name not in OF_VIEWS
            if node.value is None or not getattr(node.value, "known", True)
        ]

    def _where(self, finding: Finding) -> str:
        is_leaf = self.trace.nodes[finding.node].kind == "leaf"
        where = f"{self._called(finding.node)}.grad" if is_leaf else self._named(finding.node)
        return where + (", backward" if finding.phase == "backward" else "")

    def _rows(self) -> Iterator[tuple[str, list[str]]]:
        verdicts, values = self.verdicts, self.verdicts.values
        refused = [] if verdicts.flow.known else [self.trace.note]
        yield "backward" if self._has_graph else "no graph", refused
        yield "in place", stale_saves(self.trace)
        for each in self.causes:
            within = f" in {each.module}" if each.module else ""
            at = ": ".join(filter(None, [each.sentence + within, stated(self.trace, each.line)]))
            yield each.kind, [f"{at}. {each.fix}"]
        for finding in values.firsts:
            yield f"first {finding.word}", [self._born(finding)]
        yield "", [FIXES["first nan"]] if values.firsts else []
        for status in ROWS:
            kind = KINDS.get(status, status)
            # a row above says why the backward pass is unknown
            told = [s for s in verdicts.having(status) if s.reason != WHY["cannot tell, no pass"]]
            yield kind, _few(self._lost(told))
            yield "", list(dict.fromkeys(filter(None, map(self._fix, told))))
        for note in (*self._notes(), self.trace.note if verdicts.flow.known else ""):
            yield "note", [note]

    def _fix(self, each: ParameterStatus) -> str:
        """The fix for a lost parameter; "" if it needs none."""
        end = each.parameter.path[-1] if each.parameter.path else ""
        key = each.status
        if key == "cut" and each.origins:
            key = "not sent"
        elif key in ("cut", "unused") and end:
            known = end if end in FIXES else "taken" if end.endswith("()") else ""
            lost = "unused, lost" if self._has_graph else ""
            key = known or ("cut" if each.parameter.cut is not None else lost)
        elif key == "zero" and each.origins and self.verdicts.flow.cancels(each.origins[0]):
            key = "zero, cancels"
        healthy = each.waits or each.reason == WHY["cut, no graph"]
        return "" if healthy else FIXES.get(key, "").format(how=end)

    def _notes(self) -> Iterator[str]:
        trace, verdicts = self.trace, self.verdicts
        if masks := verdicts.values.masks:
            first = self._at(masks[0])
            where = f"{len(masks)} results, {first} first," if masks[1:] else first
            yield NOTES["masks"].format(where=where)
        if not trace.asked and any(
            p.node is not None and not trace.nodes[p.node].label for p in verdicts.parameters
        ):
            yield NOTES["no model"]
        statuses = verdicts.having("cannot tell", "zero", "cut")
        known = trace.recorded or not verdicts.flow.known and trace.source
        if (statuses or verdicts.values.firsts) and not known:
            yield NOTES["not recorded"]

    def _lost(self, statuses: list[ParameterStatus]) -> list[str]:
        names = [each.parameter.name for each in self.verdicts.statuses]
        lost = ((each.parameter.name, each.reason, self._why(each)) for each in statuses)
        return folded(lost, names)

    def _why(self, each: ParameterStatus) -> str:
        """The place at which the parameter's path ends, or at which its gradient becomes 0."""
        if not each.origins:
            return stated(self.trace, each.parameter.line)
        node, places = each.origins[0], " and ".join(map(self._at, each.origins[:2]))
        if each.status == "cut":
            return WHY["not sent by"].format(places=places)
        if each.status == "only rounding":
            origin = self.trace.rounding[each.parameter.node or 0][0]
            sizes = {"left": brief(origin.left), "errors": brief(origin.errors)}
            is_leaf = self.trace.nodes[node].kind == "leaf"
            places = "the parameter itself" if is_leaf else self._at(node)
            return WHY["rounding from"].format(places=places, **sizes)
        if self.verdicts.flow.cancels(node):
            is_leaf = self.trace.nodes[node].kind == "leaf"
            return WHY["zero, cancels"].format(place="it" if is_leaf else self._at(node))
        if each.waits:
            return WHY["zero until"].format(places=places, gate=each.waits)
        return WHY["zero from"].format(places=places)

    def _born(self, finding: Finding) -> str:
        """The place of the first nan or inf, and the backward rule or the input that it comes from."""
        text = f"event {finding.event}, {finding.phase}, {self._at(finding.node)}"
        node = self.trace.nodes[finding.node]
        if finding.phase == "backward" and node.rules:
            rules = ", ".join(f"{name} from {rule}" for name, rule in node.rules)
            text += f"; its rule: {rules}"
        if finding.origin is not None:
            text += f"; {self._called(finding.origin)} holds it from the start"
        return text

    def _at(self, number: int) -> str:
        """A node in words: "SqrtBackward0 in net.norm: y = x.sqrt() (net.py:7, called in ...)"."""
        statement = stated(self.trace, self.trace.nodes[number].line)
        return ": ".join(filter(None, [self._named(number), statement]))

    def _named(self, number: int) -> str:
        node = self.trace.nodes[number]
        return (node.name or self._called(number)) + (f" in {node.module}" if node.module else "")

    def __str__(self) -> str:
        lines = []
        for kind, texts in self._rows():
            for place, text in enumerate(filter(None, texts)):
                lines.append(f"{'' if place else kind:<12}{text}")
        event = next(event for event in self.trace.events if event.kind == "loss")
        loss, label = event.after, self.trace.nodes[event.node].label or "loss"
        value = f" = {loss.item():.6g}" if isinstance(loss, np.ndarray) and loss.size == 1 else ""
        head = f"{label}{value}, {self.trace.engine}, {self.trace.size} nodes"
        return "\n".join([head, self.line, *lines])

    __repr__ = __str__


def _alarms(verdicts: Verdicts, causes: list[Cause]) -> dict[str, Any]:
    words = {finding.word for finding in verdicts.values.firsts}
    lost = verdicts.having(*NO_GRADIENT)
    has_own_pass = any(each.reason == WHY["cannot tell, checkpoint"] for each in lost)
    return {
        "cut": [each for each in lost if each.status != "cannot tell" or not has_own_pass],
        "unused": verdicts.having("unused"),
        "frozen": verdicts.having("frozen"),
        "rounding": verdicts.having("only rounding"),
        "zero": [each for each in verdicts.having("zero") if not each.waits],
        "nan": "nan" in words,
        "inf": "inf" in words,
        "cause": causes,
    }


def _counted(things: Any, word: str) -> str:
    return f"{len(things)} {word}" if len(things) == 1 else f"{len(things)} {word}s"


def _few(texts: list[str]) -> list[str]:
    if len(texts) <= MOST_ROWS:
        return texts
    return [*texts[: MOST_ROWS - 1], f"and {len(texts) - MOST_ROWS + 1} more"]

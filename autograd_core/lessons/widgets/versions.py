"""A program line by line: the versions of its tensors, what nodes save, who wrote, and what is stale.

who_wrote(run, on_torch.run, write=["h.mul_(2)", "h.data.mul_(2)"])     run returns `lines_of(...)`
"""

import ast
import re
from itertools import zip_longest
from typing import Any

import numpy as np

from ...parity.agreement_report import first_line
from ...trace.nodes import node_of, numbers_of, saved_names, walk
from ...widgets.kit.agreement import Agreement
from ...widgets.kit.format import shorten
from ...widgets.kit.sheet import Sheet
from .drawing import Drawing

MISMATCH = re.compile(r"is at version \d+; expected version \d+")  # what a stale save raises
LETTER, COLUMN, ROW = 7.2, 44, 22  # pixels of a letter of code, of a tensor's versions, of a row
Line = tuple[str, dict[str, int], list[str]]
"""Of a statement its text, {tensor: version after it}, and what happened, a note each."""


def lines_of(program: str, names: dict) -> list[Line]:
    """Run `program`, statement by statement, with `names`. What it raises is told, and ends it.

    A tensor is known by the name that the program has for it. A write is told where the version or
    the numbers have changed; a save is stale where its version is refused or its numbers are
    others."""
    names, own, saved, lines, raised = dict(names), {}, {}, [], []
    for statement in ast.parse(program).body:
        own |= {node.id: 0 for node in ast.walk(statement) if isinstance(node, ast.Name)}
        tensors = _tensors(names, own)
        _saves(tensors, saved)  # by nodes from before the program
        before = [(name, x, x._version, numbers_of(x).copy()) for name, x in tensors]
        try:
            exec(compile(ast.Module([statement], []), "the program", "exec"), names)
        except Exception as error:
            found = MISMATCH.search(str(error))
            raised = [f"raises: {found[0] if found else shorten(first_line(error), 80)}"]
        notes = []
        for name, x, version, numbers in before:
            if x._version > version:
                notes.append(f"writes into {name}: version {version} → {x._version}")
            elif not _same(x, numbers):
                notes.append(f"writes into {name}: not counted")
        tensors = _tensors(names, own)
        notes += [*_saves(tensors, saved), *_stale(saved), *raised]
        lines.append((ast.unparse(statement), {name: x._version for name, x in tensors}, notes))
        if raised:
            break
    return lines


def _tensors(names: dict, own: dict[str, int]) -> list[tuple[str, Any]]:
    return [(name, names[name]) for name in own if hasattr(names.get(name), "grad_fn")]


def _same(tensor: Any, numbers: np.ndarray) -> bool:
    return np.array_equal(numbers_of(tensor), numbers, equal_nan=True)


def _read(node: Any, argument: str) -> Any:
    """What a node has saved; None if it is freed or nothing, and MISMATCH if it is refused."""
    try:
        return getattr(node, f"_saved_{argument}")
    except (AttributeError, RuntimeError) as error:
        return MISMATCH if MISMATCH.search(str(error)) else None


def _saves(tensors: list[tuple[str, Any]], saved: dict) -> list[str]:
    """Add to `saved` what new nodes have saved, with its numbers; a note for each with a name."""
    notes = []
    for node in walk(*(node_of(x) for _, x in tensors)):
        if node in saved:
            continue
        saved[node], memory = (kept := {}), []
        for argument in saved_names(type(node)):
            value = _read(node, argument)
            if value is MISMATCH:  # it was written to in the same statement
                kept[argument] = np.empty(0)
            elif hasattr(value, "grad_fn"):
                memory.append(numbers_of(value))
                kept[argument] = memory[-1].copy()
        # in the order of the program's names: each engine has its own of what a node saves
        for name, x in tensors:
            if any(np.shares_memory(numbers_of(x), value) for value in memory):
                notes.append(f"{node.name()} saves {name}: version {x._version}")
    return list(dict.fromkeys(notes))


def _stale(saved: dict) -> list[str]:
    """A note for each node of which a save is stale now. It is told once."""
    notes = []
    for node, kept in saved.items():
        now = [(_read(node, argument), numbers) for argument, numbers in kept.items()]
        refused = any(x is MISMATCH for x, _ in now)
        if refused or any(x is not None and not _same(x, old) for x, old in now):
            what = "it will refuse" if refused else "it will not notice"
            notes.append(f"stale: what {node.name()} saved; {what}")
            saved[node] = {}
    return notes


class who_wrote(Drawing):
    """Draw the lines that `run(**settings)` returns, again at every change of a setting."""

    called, widths = "Who wrote?", {"wide": 600, "narrow": 600}

    def judge(self, ours: list[Line], theirs: list[Line]) -> Agreement:
        for here, there in zip_longest(ours, theirs):
            if here != there:
                return Agreement(f"{here} here, {there} in PyTorch", True)
        return Agreement(f"{len(ours)} lines, each version and each note")

    def __repr__(self) -> str:
        told = [f"{line}: {', '.join(notes)}" for line, _, notes in self.result if notes]
        return f"{self.title}: {'; '.join(told)}"

    def picture(self, width: int, live: bool) -> Sheet:
        names = {name: name for _, known, _ in self.result for name in known}
        rows = [("", names, []), *self.result]
        left = 40 + LETTER * max(len(code) for line, *_ in rows for code in line.splitlines() or "")
        sheet, y = Sheet(width, 0, live), 24
        sheet.text("version of", left - 12, y, "text3", anchor="end")
        for line, known, notes in rows:
            for column, name in enumerate(names):
                sheet.text(str(known.get(name, "")), left + COLUMN * column, y, "text")
            for code in line.splitlines() or [""]:
                x = 16 + LETTER * (len(code) - len(code.lstrip()))
                sheet.text(code.lstrip(), x, y, "text", font_family="monospace")
                y += ROW
            for note in notes:
                wrong = note.startswith(("stale", "raises", "wrong")) or "not counted" in note
                ink = "error" if wrong else "value" if " saves " in note else "text"
                sheet.text(note, 40, y, ink)
                y += ROW
        sheet.height = y - 8
        return sheet

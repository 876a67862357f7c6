"""Find the learner's running statement, and its place in a file.

A recording notes only file and line. Text and place are looked up when a trace is built.
"""

import ast
import linecache
import os
import sys
from types import CodeType, FrameType
from typing import NamedTuple

from .nodes import ENGINES

_NOT_THEIRS = {*ENGINES, "contextlib"}
_INSTALLED = os.path.dirname(os.__file__) + os.sep, "site-packages", "dist-packages"


class Statement(NamedTuple):
    """Line `line` of `file`, in the module with this `__name__`. `called` is the learner's statement
    that called the outermost nn.Module around it, None if no nn.Module was running.

    `str` gives the statement without indentation, or the head of a compound one; "" if unknown.
    """

    file: str
    line: int
    module: str
    called: "Statement | None" = None

    def __str__(self) -> str:
        first, last = self._span()
        found = linecache.getlines(self.file)[first - 1 : last]
        while found and found[-1].strip()[:1] in ("", "#"):  # between a head and its body
            found.pop()
        indent = len(found[0]) - len(found[0].lstrip()) if found else 0
        return "\n".join(s.rstrip()[indent if not s[:indent].strip() else 0 :] for s in found)

    @property
    def place(self) -> str:
        """File and first line: "net.py:33", "models/net.py:33" in a package, "In[9]:3" in a notebook
        (as in IPython's tracebacks); "" if it isn't in a file.
        """
        file = _cell(self.file) or ("" if self.file.startswith("<") else self._short())
        return f"{file}:{self._span()[0]}" if file else ""

    def _span(self) -> tuple[int, int]:
        """Its first and last line. If it is unknown, the last line is before the first."""
        here = [span for span in _spans_of(self.file) if span[0] <= self.line <= span[1]]
        return here[-1] if here else (self.line, self.line - 1)

    def _short(self) -> str:
        """The path of its file below the folder that the module was imported from."""
        path, names = os.path.splitext(self.file)[0].split(os.sep), self.module.split(".")
        folders = names[:-1] if path[-len(names) :] == names else []
        return "/".join([*folders, os.path.basename(self.file)])


def statement_now(
    called: Statement | None = None, within: CodeType | None = None
) -> Statement | None:
    """The learner's innermost statement outside of the engines, or None. With `within`, the code of a
    function, it is also outside of the outermost call of that function; None if it isn't running.
    """
    frame: FrameType | None = sys._getframe(1)
    found: FrameType | None = None
    while within is not None and frame is not None:
        found, frame = frame if frame.f_code is within else found, frame.f_back
    return _of(_theirs(frame or found), called)


def call_now() -> Statement | None:
    """The innermost statement outside of installed packages, or the result of `statement_now`."""
    innermost = frame = _theirs(sys._getframe(1))
    while frame is not None and any(part in frame.f_code.co_filename for part in _INSTALLED):
        frame = _theirs(frame.f_back)
    return _of(frame or innermost)


def ends_block_now() -> bool:
    """Whether a function of an engine is running that ends a block or decorates a function."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_inside(frame):
        if frame.f_code.co_name in ("__exit__", "__call__"):
            return True
        frame = frame.f_back
    return False


def nearest_frame() -> FrameType | None:
    return _theirs(sys._getframe(1))


def _is_inside(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THEIRS


def _theirs(frame: FrameType | None) -> FrameType | None:
    while frame is not None and _is_inside(frame):
        frame = frame.f_back
    return frame


def _of(frame: FrameType | None, called: Statement | None = None) -> Statement | None:
    if frame is None:
        return None
    name = frame.f_globals.get("__name__", "")
    return Statement(frame.f_code.co_filename, frame.f_lineno, name, called)


# {file: (lines, spans)}
_known: dict[str, tuple[list[str], list[tuple[int, int]]]] = {}


def _spans_of(file: str) -> list[tuple[int, int]]:
    """(first line, last line) of each statement in a file, inner ones last. The last line of a
    compound statement is the line before its body.
    """
    lines = linecache.getlines(file)
    if file not in _known or _known[file][0] is not lines:
        # IPython's magic commands aren't Python
        text = "".join("\n" if line.startswith("%") else line for line in lines)
        try:
            nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
        except (SyntaxError, ValueError):
            nodes = []
        _known[file] = lines, [_span(node) for node in nodes]
    return _known[file][1]


def _span(node: ast.stmt) -> tuple[int, int]:
    first, end = _first_line(node), node.end_lineno or node.lineno
    body = getattr(node, "body", None) or [case.body[0] for case in getattr(node, "cases", ())]
    return first, max(node.lineno, _first_line(body[0]) - 1) if body else end


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _cell(file: str) -> str:
    """ "In[9]" if IPython compiled the code named `file` from cell 9, or ""."""
    ipython = sys.modules.get("IPython")
    compiler = getattr(ipython and ipython.get_ipython(), "compile", None)
    found = compiler and compiler.format_code_name(file)
    return found[1] if found else ""

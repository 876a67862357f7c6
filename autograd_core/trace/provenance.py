"""The recorded operations of a forward pass, the source of each of their inputs, and the learner's
running statement, of which only file and line are noted until a trace is built.

The key of an operation that created a node is the node's key. An operation that created none (inside
`no_grad`, or because it isn't differentiable) is kept if it depends on a parameter, so that a path can
be followed from the parameter to its end. Nothing here keeps a tensor alive.
"""

import ast
import linecache
import os
import sys
import weakref
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, NamedTuple

from .nodes import ENGINES
from .summary import Value

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


# what a number depends on: only data, also frozen parameters, also trainable tensors
NOTHING, FROZEN, TRAINED = range(3)


class Source(NamedTuple):
    """Where a tensor came from.

    producer   the key of the operation that created it, the id of a leaf, or for data a unique
               number
    output     the index among the results of that operation
    depends    NOTHING, FROZEN or TRAINED
    cut        "detach()", "detach_()" or ".data", if `statement` detached it; or ""
    """

    producer: int
    output: int = 0
    depends: int = NOTHING
    cut: str = ""
    statement: Statement | None = None


class Input(NamedTuple):
    """An input of an operation. A plain number has no `source`, and only data has a `value`."""

    source: Source | None
    shape: tuple[int, ...]
    dtype: str
    value: Value | None = None
    in_graph: bool = False


@dataclass(eq=False)
class Call:
    """A call of the module at `path` in `root`, the module of the outermost running call. The
    learner's statement `called` called `root`.
    """

    root: weakref.ref[Any]
    path: str
    class_name: str
    called: Statement | None = None


@dataclass
class Operation:
    """One operation of the forward pass. Everything but its name may be unknown.

    mode       "no_grad" or "inference_mode" if recording was off, else ""
    switch     the statement that switched recording off
    calls      the running calls of modules, outermost first
    node_name  the name of the node that it created, or ""; `name` is PyTorch's function name
    after      the sequence number of the latest node at that time, which may be its own
    """

    name: str
    inputs: tuple[Input, ...] = ()
    mode: str = ""
    switch: Statement | None = None
    statement: Statement | None = None
    calls: tuple[Call, ...] = ()
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    value: Value | None = None
    node_name: str = ""
    after: int = -1


class Write(NamedTuple):
    """`operation` modified `memory` in place, which was at `version` before."""

    memory: int
    version: int
    operation: Operation


def memory_of(tensor: Any) -> tuple[int, int]:
    """(a number that identifies the memory of a tensor, its version: how often it was modified in
    place); (0, 0) if versions aren't counted. Views share both.
    """
    if hasattr(tensor, "_version_counter"):
        return id(tensor._version_counter()), tensor._version
    try:
        return tensor.untyped_storage()._cdata, tensor._version
    except (NotImplementedError, RuntimeError):  # a sparse tensor, or one of inference mode
        return 0, 0

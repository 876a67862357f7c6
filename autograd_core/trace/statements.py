"""Which statement of the learner's is running."""

import ast
import functools
import linecache
import sys
from types import FrameType

from .nodes import ENGINES


def statement_now() -> str:
    """The learner's innermost statement outside of the engines; "" if unknown."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ENGINES:
        frame = frame.f_back
    return "" if frame is None else _statement_at(frame.f_code.co_filename, frame.f_lineno)


@functools.lru_cache(maxsize=4_096)
def _statement_at(filename: str, line: int) -> str:
    lines = linecache.getlines(filename)
    statements = _simple_statements(filename, "".join(lines))
    here = [s for s in statements if s.lineno <= line <= (s.end_lineno or s.lineno)]
    if not here:
        return ""
    found = lines[here[-1].lineno - 1 : here[-1].end_lineno]
    indent = len(found[0]) - len(found[0].lstrip())
    return "\n".join(s.rstrip()[indent if not s[:indent].strip() else 0 :] for s in found)


@functools.lru_cache(maxsize=64)
def _simple_statements(filename: str, text: str) -> tuple[ast.stmt, ...]:
    """The statements of a file that hold no others; () for what is not Python."""
    # a magic is not Python
    lines = ("\n" if s.startswith("%") else s for s in text.splitlines(keepends=True))
    try:
        nodes = ast.walk(ast.parse("".join(lines)))
    except SyntaxError:
        return ()
    return tuple(s for s in nodes if isinstance(s, ast.stmt) and not hasattr(s, "body"))

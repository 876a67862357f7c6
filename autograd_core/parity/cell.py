"""A %%both cell as it is written: what stands on its first line, and its code, compiled once for
both sides.
"""

import ast
import builtins
import dis
import re
import types
from dataclasses import dataclass

from .claims import claims_of
from .compare import OneSentence

ENGINE_NAMES = ("T", "F", "nn", "optim")
LONGEST_NAME = 40  # of a last expression that is called by its own text


class CellError(OneSentence, ValueError):
    """A %%both cell cannot be run as it is written."""


@dataclass(frozen=True, slots=True)
class Options:
    """What stands after %%both.

    raises        the exception that both sides must raise, or `None`.
    second_order  the cell differentiates a gradient, whose graph need not be PyTorch's: graphs are
                  not compared.
    unwatched     nothing is put on the tapes for `watch`: a long training runs at full speed and
                  keeps no passes.
    """

    raises: type[BaseException] | None
    second_order: bool
    unwatched: bool

    @classmethod
    def parse(cls, line: str) -> "Options":
        """Read the magic line. Raises CellError, with what is allowed, for anything else."""
        raises = re.search(r"\braises +(\w+)", line)
        error = getattr(builtins, raises[1], None) if raises else None
        if raises and not (isinstance(error, type) and issubclass(error, Exception)):
            why = "needs the name of a built-in exception, such as RuntimeError"
            raise CellError(f"%%both raises {why}")
        words = line.replace(raises[0], "").split() if raises else line.split()
        for word in words:
            if word not in ("second-order", "unwatched"):
                known = "raises ExceptionName, second-order, unwatched"
                raise CellError(f"%%both does not know {word!r}. It knows: {known}")
        return cls(error, "second-order" in words, "unwatched" in words)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell, compiled once: its statements, its last expression apart, and the names it assigns."""

    body: types.CodeType
    unasserted: types.CodeType  # the body without its `assert` statements
    last: types.CodeType | None
    last_text: str
    assigned: frozenset[str]
    loaded: frozenset[str]  # that it, or a function in it, reads, and that it does not assign
    claims: tuple[str, ...]  # what it asserts

    @classmethod
    def compile(cls, source: str, filename: str) -> "Cell":
        """Compile `source` as the lines that follow %%both. Raises CellError for what is no Python."""
        source = "\n" + source  # the %%both line is line 1, as the learner counts
        try:
            return cls._compiled(source, filename)
        except SyntaxError as error:
            line, why = source.splitlines()[error.lineno - 1].strip(), error.msg
            if re.search(r"^[%!?]|=\s*[%!]|\?$", line) or "'await'" in why:
                why = "magics, shell commands and await go into ordinary cells"
            raise CellError(f"line {error.lineno}, `{line}`: {why}") from None

    @classmethod
    def _compiled(cls, source, filename):
        tree = ast.parse(source, filename)
        claims, last, last_text = tuple(claims_of(tree, source)), None, ""
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            expression = tree.body.pop().value
            last_text = ast.unparse(expression)
            if len(last_text) > LONGEST_NAME:
                last_text = "the last expression"
            last = compile(ast.Expression(expression), filename, "eval", dont_inherit=True)
        body, unasserted = (
            compile(tree, filename, "exec", dont_inherit=True, optimize=level) for level in (0, 1)
        )
        assigned, loaded = _names(code for code in (body, last) if code)
        for name in assigned.intersection(ENGINE_NAMES):
            raise CellError(
                f"{name} means the engine in a %%both cell: use another name for your own value"
            )
        return cls(body, unasserted, last, last_text, assigned, loaded - assigned, claims)

    def run(self, namespace: dict, asserting: bool = True):
        """Run it in `namespace`; returns the value of the last expression, `None` if there is none."""
        __tracebackhide__ = True
        exec(self.body if asserting else self.unasserted, namespace)
        return None if self.last is None else eval(self.last, namespace)


def _names(codes):
    """The global names that the codes, and functions and classes in them, assign; and those they
    read.
    """
    assigned, loaded, codes = set(), set(), list(codes)
    for code in codes:  # which grows
        is_class = code.co_name != "<module>"  # whose body has names of its own, as the cell has
        for each in dis.get_instructions(code):
            if each.opname == "STORE_GLOBAL" or each.opname == "STORE_NAME" and not is_class:
                assigned.add(each.argval)
            elif each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                loaded.add(each.argval)
        codes += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return frozenset(assigned), frozenset(loaded)

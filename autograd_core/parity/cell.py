"""A %%both cell as it is written: what stands on its first line, and its code, compiled once for both sides."""

import ast
import builtins
import dis
import types
from dataclasses import dataclass

from .claims import claims_of
from .compare import OneSentence
from .namespaces import ENGINE_NAMES
from .rounding import FLOAT64_TOLERANCE

LONGEST_NAME = 40  # of a last expression that is called by its own text


class CellError(OneSentence, ValueError):
    """A %%both cell cannot be run as it is written."""


@dataclass(frozen=True, slots=True)
class Options:
    """What stands after %%both.

    raises        the exception that both sides must raise, or `None`.
    tolerance     a cap on how far numbers may be apart, relative to each; it only tightens the rule.
    second_order  the cell differentiates a gradient, whose graph need not be PyTorch's: graphs are not compared.
    unwatched     nothing is put on the tapes for `watch`: a long training runs at full speed and keeps no passes.
    """

    raises: type[BaseException] | None = None
    tolerance: float = float("inf")
    second_order: bool = False
    unwatched: bool = False

    @classmethod
    def parse(cls, line: str) -> "Options":
        """Read the magic line. Raises CellError, with what is allowed, for anything else."""
        words, raises, tolerance, flags = line.split(), None, float("inf"), set()
        while words:
            word = words.pop(0)
            if word == "raises" and words:
                raises = getattr(builtins, words.pop(0), None)
                if not (isinstance(raises, type) and issubclass(raises, Exception)):
                    raise CellError(
                        "%%both raises needs the name of a built-in exception, such as RuntimeError"
                    )
            elif word.startswith("tolerance="):
                try:
                    tolerance = float(word.removeprefix("tolerance="))
                except ValueError:
                    tolerance = -1.0
                if not 0 <= tolerance <= FLOAT64_TOLERANCE:
                    raise CellError(
                        "%%both tolerance= can only tighten the rule: a number from 0 "
                        f"to {FLOAT64_TOLERANCE:g}"
                    )
            elif word in ("second-order", "unwatched"):
                flags.add(word)
            else:
                raise CellError(
                    f"%%both does not know {word!r}. It knows: raises ExceptionName, tolerance=1e-12, "
                    "second-order, unwatched"
                )
        return cls(raises, tolerance, "second-order" in flags, "unwatched" in flags)


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
            if line.startswith(("%", "!")) or "'await'" in why:
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
    """The global names that the codes, and functions and classes in them, assign; and those they read."""
    assigned, loaded, codes = set(), set(), list(codes)
    for code in codes:  # which grows
        names = {
            operation: {
                each.argval for each in dis.get_instructions(code) if each.opname == operation
            }
            for operation in ("STORE_NAME", "STORE_GLOBAL", "LOAD_NAME", "LOAD_GLOBAL")
        }
        own = (
            set() if code.co_name == "<module>" else names["STORE_NAME"]
        )  # the body of a class has its own
        assigned |= names["STORE_NAME"] - own | names["STORE_GLOBAL"]
        loaded |= names["LOAD_NAME"] - own | names["LOAD_GLOBAL"]
        codes += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return frozenset(assigned), frozenset(loaded)

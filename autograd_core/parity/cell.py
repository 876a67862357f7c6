"""A %%both cell as it is written: what stands on its first line, and its code, compiled once for both sides."""

import ast
import builtins
import dataclasses
import dis
import types
from dataclasses import dataclass

from .claims import claims_of
from .rounding import FLOAT64_TOLERANCE

LONGEST_NAME = 40               # of a last expression that is called by its own text


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
        """Read the magic line. Raises ValueError, with what is allowed, for anything else."""
        words, raises, tolerance, flags = line.split(), None, float("inf"), set()
        while words:
            word = words.pop(0)
            if word == "raises" and words:
                raises = getattr(builtins, words.pop(0), None)
                if not (isinstance(raises, type) and issubclass(raises, Exception)):
                    raise ValueError("%%both raises needs the name of a built-in exception, such as RuntimeError")
            elif word.startswith("tolerance="):
                try:
                    tolerance = float(word.removeprefix("tolerance="))
                except ValueError:
                    tolerance = -1.0
                if not 0 <= tolerance <= FLOAT64_TOLERANCE:
                    raise ValueError("%%both tolerance= can only tighten the rule: a number from 0 "
                                     f"to {FLOAT64_TOLERANCE:g}")
            elif word in ("second-order", "unwatched"):
                flags.add(word)
            else:
                raise ValueError(f"%%both does not know {word!r}. It knows: raises ExceptionName, tolerance=1e-12, "
                                 "second-order, unwatched")
        return cls(raises, tolerance, "second-order" in flags, "unwatched" in flags)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell, compiled once: its statements, its last expression apart, and the names it assigns."""

    body: types.CodeType
    unasserted: types.CodeType              # the body without its `assert` statements
    last: types.CodeType | None
    last_text: str
    assigned: frozenset[str]
    claims: tuple[str, ...]                 # what it asserts

    @classmethod
    def compile(cls, source: str, filename: str) -> "Cell":
        """Compile `source` as the lines that follow %%both. Raises SyntaxError."""
        tree = ast.parse("\n" + source, filename)       # the %%both line is line 1, as the learner counts
        claims, last, last_text = tuple(claims_of(tree, "\n" + source)), None, ""
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            expression = tree.body.pop().value
            last_text = ast.unparse(expression)
            if len(last_text) > LONGEST_NAME:
                last_text = "the last expression"
            last = compile(ast.Expression(expression), filename, "eval", dont_inherit=True)
        body, unasserted = (compile(tree, filename, "exec", dont_inherit=True, optimize=level) for level in (0, 1))
        return cls(body, unasserted, last, last_text, frozenset(_assigned(body)), claims)

    def without_assertions(self) -> "Cell":
        """The cell as it runs when its numbers are shaken: what it asserts of them need not hold then."""
        return dataclasses.replace(self, body=self.unasserted)

    def run(self, namespace: dict):
        """Run it in `namespace`; returns the value of the last expression, `None` if there is none."""
        __tracebackhide__ = True
        exec(self.body, namespace)
        return None if self.last is None else eval(self.last, namespace)


def _assigned(code, outermost=True):
    for instruction in dis.get_instructions(code):
        if instruction.opname == "STORE_GLOBAL" or outermost and instruction.opname == "STORE_NAME":
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _assigned(constant, outermost=False)

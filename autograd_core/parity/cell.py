"""The source of a %%both cell: the options on its first line, and its code, which is compiled once
for each side.
"""

import ast
import builtins
import dis
import re
import types
from dataclasses import dataclass

ENGINE_NAMES = ("torch", "F", "nn", "optim")
LONGEST_NAME = 40  # characters of a last expression whose text is the name of its row


class OneSentence(Exception):
    """IPython shows only the message, because a traceback would end in the comparison's code."""

    def _render_traceback_(self):
        return ["\n".join([f"{type(self).__name__}: {self}", *getattr(self, "__notes__", ())])]


class CellError(OneSentence, ValueError):
    """A %%both cell can't be run as it is written."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options on the line of %%both. The docstring of `both` describes them."""

    raises: type[BaseException] | None = None
    rtol: float | None = None
    second_order: bool = False
    unwatched: bool = False

    @classmethod
    def parse(cls, line: str) -> "Options":
        """Read the line of %%both. A wrong option raises CellError, which says what is allowed."""
        found, words = {}, line.split()
        while words:
            word = words.pop(0)
            if word == "raises" and words and "raises" not in found:
                found["raises"] = _exception(words.pop(0))
            elif word.startswith("rtol="):
                found["rtol"] = _tolerance(word.removeprefix("rtol="))
            elif word in ("second-order", "unwatched"):
                found[word.replace("-", "_")] = True
            else:
                known = "raises ExceptionName, rtol=1e-3, second-order, unwatched"
                raise CellError(f"%%both has no option {word!r}. Its options are {known}")
        return cls(**found)


def _exception(name):
    error = getattr(builtins, name, None)
    if isinstance(error, type) and issubclass(error, Exception):
        return error
    raise CellError("%%both raises needs the name of a built-in exception, such as RuntimeError")


def _tolerance(text):
    try:
        rtol = float(text)
    except ValueError:
        rtol = -1.0
    if 0 <= rtol < 1:
        return rtol
    raise CellError(f"%%both rtol={text} must be at least 0 and less than 1, such as rtol=1e-3")


@dataclass(frozen=True, slots=True)
class Cell:
    """A compiled cell: its statements and last expression for each side, and the names it uses."""

    code: dict[str, tuple[types.CodeType, types.CodeType | None]]  # name of the engine -> code
    last_text: str
    assigned: frozenset[str]
    loaded: frozenset[str]  # names that the cell, or a function in it, reads but does not assign
    asserts: int  # number of `assert` statements outside functions and classes

    @classmethod
    def compile(cls, source: str, filename: str) -> "Cell":
        """Compile the lines that follow %%both. Raises CellError if they are not Python."""
        source = "\n" + source  # the line of %%both is line 1
        try:
            return cls._compiled(ast.parse(source, filename), ast.parse(source), filename)
        except SyntaxError as error:
            line, why = source.splitlines()[error.lineno - 1].strip(), error.msg
            if re.search(r"^[%!?]|=\s*[%!]|\?$", line) or "'await'" in why:
                why = "magics, shell commands and await belong in ordinary cells"
            raise CellError(f"line {error.lineno}, `{line}`: {why}") from None

    @classmethod
    def _compiled(cls, theirs, ours, filename):
        engine_imports = _EngineImports()
        last, last_text = None, ""
        if theirs.body and isinstance(theirs.body[-1], ast.Expr):
            last, last_text = theirs.body[-1], ast.unparse(theirs.body[-1].value)
            if len(last_text) > LONGEST_NAME:
                last_text = "the last expression"
        code = {
            "torch": _compile(theirs, last, filename),
            "autograd_core": _compile(engine_imports.visit(ours), last, filename),
        }
        assigned, loaded = _names(each for each in code["torch"] if each)
        for name in (assigned & {*ENGINE_NAMES}) - engine_imports.names:
            why = "is one of the engine's names in a %%both cell: use another name"
            raise CellError(f"{name} {why}")
        asserts = sum(isinstance(node, ast.Assert) for node in _outside_functions(theirs))
        return cls(code, last_text, assigned, loaded - assigned, asserts)

    def run(self, engine, namespace: dict):
        """Run the code for `engine` in `namespace`; returns the value of the last expression."""
        __tracebackhide__ = True
        body, last = self.code[engine.__name__]
        exec(body, namespace)
        return None if last is None else eval(last, namespace)


class _EngineImports(ast.NodeTransformer):
    """Rewrites each import of torch as an import of autograd_core: `import torch.nn as nn` becomes
    `import autograd_core.nn as nn`. `names` are the names that these imports assign.
    """

    def __init__(self):
        self.names = set()

    def visit_Import(self, node):
        for alias in node.names:
            package, _, module = alias.name.partition(".")
            if package == "torch":
                inner = f".{module}" if module and alias.asname else ""
                alias.name = f"autograd_core{inner}"
                alias.asname = alias.asname or "torch"
                self.names.add(alias.asname)
        return node

    def visit_ImportFrom(self, node):
        package, dot, module = (node.module or "").partition(".")
        if package == "torch" and not node.level:
            node.module = f"autograd_core{dot}{module}"
            self.names |= {alias.asname or alias.name for alias in node.names}
        return node


def _compile(tree, last, filename):
    """The statements of a cell and its last expression, which is compiled separately."""
    if last is None:
        return compile(tree, filename, "exec", dont_inherit=True), None
    expression = ast.Expression(tree.body.pop().value)
    body = compile(tree, filename, "exec", dont_inherit=True)
    return body, compile(expression, filename, "eval", dont_inherit=True)


def _outside_functions(tree):
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield node
            yield from _outside_functions(node)


def _names(codes):
    """Two sets: the global names that `codes` assign, and those that they read. Functions and
    classes inside `codes` are included.
    """
    assigned, loaded, codes = set(), set(), list(codes)
    for code in codes:  # the loop appends to it
        is_class = code.co_name != "<module>"  # names that a class body assigns aren't global
        for each in dis.get_instructions(code):
            if each.opname == "STORE_GLOBAL" or each.opname == "STORE_NAME" and not is_class:
                assigned.add(each.argval)
            elif each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                loaded.add(each.argval)
        codes += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return frozenset(assigned), frozenset(loaded)

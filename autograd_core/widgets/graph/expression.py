"""Arithmetic that a person types, read safely: names, numbers, + - * / **, parentheses and a few
functions.

The text is parsed by `ast` and then checked node by node against what is allowed; nothing is ever
`eval`-ed. An engine that is passed as an argument computes it, so the same text makes a graph on
either engine.

    parse("a * b + sin(a)").names                               ("a", "b")
    parse("a * b + sin(a)").evaluate(T, a=a, b=b)       the tensor of `a * b + T.sin(a)`
"""

import ast
import keyword
import math
import operator
import re
from dataclasses import dataclass
from typing import Any

FUNCTIONS = ("sin", "cos", "exp", "log", "tanh", "sigmoid", "relu", "sqrt", "abs")
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}

MOST_CHARACTERS, MOST_OPERATIONS, MOST_NAMES = 120, 30, 8

_ALLOWED = "use names, numbers, + - * / **, parentheses, and functions such as sin(a)"
_HINTS = {"^": "write ** for a power", "=": "write only the expression, without a name and =",
          "×": "write *", "·": "write *", "−": "write the hyphen -", "÷": "write /"}  # fmt: skip
_WORD = re.compile(r"[A-Za-z]\w*")
_FOREIGN = re.compile(r"[^\w+*/(). \t-]", re.ASCII)
_TOKEN = re.compile(r"[\w.]+|\S?")


class ExpressionError(ValueError):
    """A wrong expression. The message says what to do. `column` counts characters from 1; None means
    the whole text.
    """

    def __init__(self, problem: str, column: int | None = None):
        super().__init__(problem if column is None else f"column {column}: {problem}")
        self.column = column


@dataclass(frozen=True)
class Expression:
    """A checked expression. `names` are its leaves in the order in which they first appear."""

    text: str
    names: tuple[str, ...]
    _tree: ast.expr

    def evaluate(self, T: Any, /, **values: Any) -> Any:
        """Compute the expression with the operations of `T` (autograd_core or torch); returns a
        tensor.

        `values` holds a tensor for each name. Raises `ExpressionError` on a name without a value,
        and where plain numbers have no result (`1 / 0`).
        """
        missing = [name for name in self.names if name not in values]
        if missing:
            raise ExpressionError(f"`{missing[0]}` has no value")
        dtype = values[self.names[0]].dtype

        def compute(node: ast.expr):
            match node:
                case ast.Constant(value):
                    return value
                case ast.Name(name):
                    return values[name]
                case ast.UnaryOp(_, operand):
                    return -compute(operand)
                case ast.BinOp(left, symbol, right):
                    return _combine(OPERATORS[type(symbol)], compute(left), compute(right), node)
                case ast.Call(function, [argument]):
                    operand = compute(argument)
                    if isinstance(operand, (int, float)):
                        operand = T.tensor(float(operand), dtype=dtype)
                    return getattr(T, function.id)(operand)

        return compute(self._tree)


def parse(text: str) -> Expression:
    """Check `text` and return its expression. Raises `ExpressionError` that names the column and
    what to do.
    """
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"{len(text)} characters are too many; stay within {MOST_CHARACTERS}")
    source = text.strip()
    if not source:
        raise ExpressionError("there is nothing here; write at least one operation, such as a * b")
    offset = text.index(source) + 1
    words = (word for word in _WORD.finditer(source) if keyword.iskeyword(word[0]))
    if foreign := next(words, None) or _FOREIGN.search(source):
        shown, hint = repr(foreign[0])[1:-1], _HINTS.get(foreign[0], _ALLOWED)
        raise ExpressionError(f"`{shown}` is not allowed here; {hint}", foreign.start() + offset)
    tree = _tree(source, offset)
    names: dict[str, None] = {}
    count = _check(tree, source, offset, names)
    if not names:
        raise ExpressionError("there is no leaf; use at least one name, such as a")
    if not count:
        raise ExpressionError("there is no operation; write at least one, such as a * b")
    for number, most, what in (
        (len(names), MOST_NAMES, "names"),
        (count, MOST_OPERATIONS, "operations"),
    ):
        if number > most:
            raise ExpressionError(f"{number} {what} are too many; stay within {most}")
    return Expression(source, tuple(names), tree)


def _tree(source: str, offset: int) -> ast.expr:
    try:
        return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        at = (getattr(error, "offset", None) or len(source) + 1) - 1
        token = _TOKEN.match(source, at)[0]
        if "never closed" in str(error):
            problem = "this ( is never closed; add a )"
        elif not token:
            problem = "something is missing here; add a name or a number"
        elif token[0].isdigit():
            problem = f"`{token}` isn't a number, or lacks an operator before it; write 2 or 0.5"
        else:
            problem = f"`{token}` can't be here; put one operator + - * / ** between two values"
        raise ExpressionError(problem, at + offset) from None


def _check(node: ast.expr, source: str, offset: int, names: dict[str, None]) -> int:
    """Collect the names under `node`, and count its operations. Raises `ExpressionError` if it isn't
    arithmetic.
    """
    problem = f"`{ast.get_source_segment(source, node)}` is not allowed here; {_ALLOWED}"
    inner: list[ast.expr] = []
    match node:
        case ast.Constant(value) if type(value) in (int, float):
            return 0
        case ast.Name(name) if name not in FUNCTIONS and name[0] != "_":
            names[name] = None
            return 0
        case ast.UnaryOp(ast.USub(), operand):
            inner = [operand]
        case ast.BinOp(left, symbol, right) if type(symbol) in OPERATORS:
            inner = [left, right]
        case ast.Call(ast.Name(name), [operand], []) if name in FUNCTIONS:
            inner = [operand]
        case ast.Name(name) | ast.Call(ast.Name(name)) if name in FUNCTIONS:
            problem = f"`{name}` is a function of one value; write {name}(a)"
        case ast.Call(ast.Name(name)):
            problem = f"`{name}` isn't a function here; use {', '.join(FUNCTIONS)}"
    if not inner:
        raise ExpressionError(problem, node.col_offset + offset)
    return 1 + sum(_check(each, source, offset, names) for each in inner)


def _combine(operation, left, right, node: ast.BinOp):
    """`operation` on tensors and numbers. Two plain numbers are computed as floats, so that they
    stay small.
    """
    if not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
        return operation(left, right)
    try:
        result = operation(float(left), float(right))
    except ArithmeticError:
        result = math.nan
    if isinstance(result, complex) or not math.isfinite(result):
        raise ExpressionError(f"`{ast.unparse(node)}` has no result; change its numbers")
    return result

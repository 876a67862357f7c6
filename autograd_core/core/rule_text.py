"""The backward rules of an operation as text, read from its source when somebody asks: what
`help(type(y.grad_fn))` says, and what the view shows as a node's rule.
"""

import ast
import functools
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .operation import Operation


@functools.cache
def formulas(operation: "Operation") -> dict[str, str]:
    """The rule of each input as text: the formula of a lambda, read from the decorator where it
    stands, or what `formula` notes beside any other; "..." where neither can be read.
    """
    try:
        block = ast.parse(textwrap.dedent(inspect.getsource(operation.forward))).body[0]
    except (OSError, SyntaxError):  # a forward that stands in no block of its own
        block = ast.Pass()
    written = {
        option.arg: ast.unparse(option.value.body)
        for decorator in getattr(block, "decorator_list", ())
        for option in getattr(decorator, "keywords", ())
        if isinstance(option.value, ast.Lambda)
    }
    return {
        name: getattr(rule, "formula", written.get(name, "..."))
        for name, rule in operation.rules.items()
    }


class NodeDocstring:
    """`__doc__` of a class of nodes, written when somebody asks: what recorded them, and the rules."""

    def __get__(self, node: Any, node_type: Any) -> str:
        operation = node_type.operation
        file = operation.forward.__module__.replace(".", "/")
        rules = (f"\n    to {name}:  {text}" for name, text in formulas(operation).items())
        return (
            f"Recorded by `{operation.__name__}` in {file}.py, whose decorator has the rules. Of `g`,"
            " the gradient that arrives, it sends\n" + "".join(rules)
        )

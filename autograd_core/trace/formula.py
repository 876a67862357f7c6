"""The backward rules as text: what the view shows as "its rule".

    rules_of("MulBackward0")                        (("input", "g * other"), ("other", "g * input"))
    rules_of("PowBackward0", (("exponent", 3),))    (("input", "g * 3 * input ** 2"),)

What a rule says, `core/rule_text.py` reads from its source; here numbers are filled in.
"""

import ast
import functools
import operator
from typing import Any

from ..core.operation import REGISTRY, Operation
from ..core.rule_text import formulas

_SIGNS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def rules_of(
    node_name: str, numbers: tuple[tuple[str, Any], ...] = ()
) -> tuple[tuple[str, str], ...]:
    """(input, formula) for each differentiable input of the operation with this node name; () for
    one we lack.

    numbers  (argument, plain number or None) pairs to be filled in. `g` stands for the gradient
             that arrived.
    """
    operation = REGISTRY.get(node_name)
    if operation is None:
        return ()
    # 3 and 3.0 are equal, and read differently
    typed = tuple((name, type(number), number) for name, number in numbers)
    return tuple((argument, _text(operation, argument, typed)) for argument in operation.rules)


@functools.cache
def _text(operation: Operation, argument: str, numbers: tuple[tuple[str, type, Any], ...]) -> str:
    # not copied: what shows a traceback hangs whole trees on shared nodes
    parsed = ast.parse(formulas(operation)[argument], mode="eval").body
    return ast.unparse(_FillIn({name: number for name, _, number in numbers}).visit(parsed))


class _FillIn(ast.NodeTransformer):
    """Numbers in place of names, and what follows from them: `g * alpha` is `g` where alpha is 1.

    Of `a if weight is None else b` that part remains which was run. A function is called without
    `ops`, which says only whether what it does is recorded.
    """

    def __init__(self, numbers: dict[str, Any]):
        self.numbers = numbers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        number = self.numbers.get(node.id)
        return node if number is None else ast.Constant(number)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        return (
            ast.Name(node.attr)
            if isinstance(node.value, ast.Name) and node.value.id in ("ops", "math")
            else node
        )

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [
            argument
            for argument in node.args
            if not (isinstance(argument, ast.Name) and argument.id == "ops")
        ]
        self.generic_visit(node)
        if isinstance(node.func, ast.Name):
            node.func.id = node.func.id.lstrip("_")
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        match node.test:
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]
            ):
                return self.visit(node.body if self.numbers.get(name, ...) is None else node.orelse)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        left, right = (getattr(side, "value", None) for side in (node.left, node.right))
        if (
            isinstance(left, (int, float))
            and isinstance(right, (int, float))
            and type(node.op) in _SIGNS
        ):
            return ast.Constant(_SIGNS[type(node.op)](left, right))
        if right == 1 and isinstance(node.op, (ast.Mult, ast.Div, ast.Pow)):
            return node.left
        return node.right if left == 1 and isinstance(node.op, ast.Mult) else node

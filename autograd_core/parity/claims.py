"""What a cell asserts, as a reader is told it: the claim, and the numbers that it was about."""

import ast
import contextlib
from collections.abc import Iterator, Mapping

import numpy as np

from .results import as_array

SHOWN = 2  # claims; beyond, only their number is named
LONGEST = 80  # characters of one claim
NOISE = 1e-9  # what rounding leaves: its digits differ from machine to machine
MOST_NUMBERS = 4  # of a tensor or list that is written out


def claims_of(tree: ast.AST, source: str) -> Iterator[str]:
    """Each claim that an `assert` of the cell makes, as it is written there; those in its functions
    are left out.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Assert):
            both = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And)
            for claim in node.test.values if both else [node.test]:
                yield " ".join(ast.get_source_segment(source, claim).split())
        elif isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from claims_of(node, source)


def shown_claims(claims: tuple[str, ...], namespace: Mapping) -> str:
    """ "after < before: 0.3 < 0.372", and how many more there are. The numbers are those that names
    hold now.
    """
    parts = [_shown(claim, namespace) for claim in claims[:SHOWN]]
    more = len(claims) - SHOWN
    return "; ".join([*parts, *([f"and {more} more"] if more > 0 else [])])


def _shown(claim, namespace):
    tree = ast.parse(claim, mode="eval")
    text, with_numbers = ast.unparse(tree), ast.unparse(_Numbers(namespace).visit(tree))
    shown = claim if with_numbers == text else f"{claim}: {with_numbers}"
    shown = shown if len(shown) <= LONGEST else claim
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


class _Numbers(ast.NodeTransformer):
    """Puts numbers in the place of the names that hold them. Nothing is called, and no operation is
    recorded.
    """

    def __init__(self, namespace):
        self.namespace = namespace

    def visit_Attribute(self, node):
        return node  # `x.grad` is no part of the number that `x` holds

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)  # but `x.sum()` is of it
        elif isinstance(node.func, ast.Name) and node.func.id in self.namespace:
            return node  # a function of the lesson takes a loss, not the number of the loss
        node.args = [self.visit(each) for each in node.args]
        return node

    def visit_Subscript(self, node):
        with contextlib.suppress(Exception):  # `pair[0]` is one number
            number = _text(self.namespace[node.value.id][ast.literal_eval(node.slice)])
            return ast.Name(number, node.ctx) if number else node
        return node

    def visit_Name(self, node):
        number = _text(self.namespace.get(node.id))
        return ast.Name(number, node.ctx) if number else node


def _text(value):
    """A number, or a few of them, with four digits; `None` for anything else."""
    if isinstance(value, bool | str) or callable(value) or value is None:
        return None
    if isinstance(value, list | tuple) and any(each is None for each in value):
        return None
    with contextlib.suppress(Exception):
        array = np.asarray(as_array(value), np.float64)
        if array.ndim <= 1 and 0 < array.size <= MOST_NUMBERS:
            numbers = [
                "≈0" if 0 < abs(number) < NOISE else f"{number:.4g}"
                for number in np.atleast_1d(array)
            ]
            return numbers[0] if array.ndim == 0 else f"[{', '.join(numbers)}]"
    return None

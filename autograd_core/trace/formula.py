"""The backward rules as text, which the view shows as "its rule".

    rules_of("MulBackward0")                        (("input", "g * other"), ("other", "g * input"))
    rules_of("PowBackward0", (("exponent", 3),))    (("input", "g * 3 * input ** 2"),)

The formula of a lambda is its source. Other rules get a formula from the decorator `formula`, or
have none. In a formula, the incoming gradient `g` and the `result` of a reduction are broadcast to
the input's shape. tests/trace/test_formula.py defines the other names, for example `n`.
"""

import functools
import re
from typing import Any

from ..core.operation import REGISTRY
from ..core.rule_text import text_of


def rules_of(
    node_name: str, numbers: tuple[tuple[str, Any], ...] = ()
) -> tuple[tuple[str, str], ...]:
    """(input, formula) for each differentiable input of the operation with this node name; () if the
    operation is unknown or one of its rules has no formula.

    numbers  pairs (argument, plain number or None) to insert into the formulas.
    """
    operation, known = REGISTRY.get(node_name), dict(numbers)
    rules = operation.rules if operation else {}
    texts = {argument: _formula(rule, known) for argument, rule in rules.items()}
    filled = {argument: _filled(text, known) for argument, text in texts.items() if text}
    return tuple(filled.items()) if len(filled) == len(rules) else ()


def _formula(rule: Any, known: dict[str, Any]) -> str:
    text = text_of(rule)
    for name, texts in getattr(rule, "instead", {}).items():
        text = texts.get(known.get(name, ...), text)
    return text


def _filled(formula: str, known: dict[str, Any]) -> str:
    """Replace names by numbers. A factor or an exponent that is 1 or None is omitted."""
    for name, number in known.items():
        if number is None or number == 1:
            formula = re.sub(rf" ([*/]) {name}\b(?! \*\*)", "", formula)
        if number is not None:
            formula = formula.replace(f"({name} - 1)", f"{number - 1}")
            formula = re.sub(rf"(?<![\w.]){name}\b(?![(.])", f"{number}", formula)
    return re.sub(r" \*\* 1(\.0)?(?![\w.])", "", formula)


@functools.cache
def sign_of(node_name: str) -> str:
    """The sign that pictures show for a node, "Sum" for SumBackward0; "" if there is none. All nodes
    of a family (MulBackward0, MulBackward1) share it.
    """
    signs = {
        _family(name): operation.sign for name, operation in REGISTRY.items() if operation.sign
    }
    return signs.get(_family(node_name), "")


def _family(node_name: str) -> str:
    return re.sub(r"Backward\d*$", "", node_name)

"""A backward rule as text, read from its source when somebody asks: what `help(type(y.grad_fn))`
says, and what the view shows as a node's rule.
"""

import functools
import linecache
import re
from typing import Any


def text_of(rule: Any) -> str:
    """The formula of a lambda, or what `formula` notes beside any other rule; "" for none."""
    return _body(rule) if rule.__name__ == "<lambda>" else getattr(rule, "formula", "")


@functools.cache
def _body(rule: Any) -> str:
    """What stands behind the colon of a lambda, in one line: `ops` says only whether what it does
    is recorded, and a leading _ that a function belongs to its file.
    """
    # of what the body consists of; the beginning and the end of the call have no columns
    places = [place for place in rule.__code__.co_positions() if place[3]]
    if not places:
        return ""
    first, start = min((line, column) for line, _, column, _ in places)
    last, end = max((line, column) for _, line, _, column in places)
    lines = linecache.getlines(rule.__code__.co_filename)[first - 1 : last]
    lines[-1] = lines[-1][:end]
    text = " ".join(" ".join(lines)[start:].split())
    return re.sub(r"(?<=\() |,? (?=\))|\b(ops\.|math\.|ops, )|\b_(?=\w+\()", "", text)


class NodeDocstring:
    """`__doc__` of a class of nodes, written when somebody asks: what recorded them, and the rules."""

    def __get__(self, node: Any, node_type: Any) -> str:
        operation = node_type.operation
        file = operation.forward.__module__.replace(".", "/")
        rules = (
            f"\n    to {name}:  {text_of(rule) or '...'}" for name, rule in operation.rules.items()
        )
        return (
            f"Recorded by `{operation.__name__}` in {file}.py, whose decorator has the rules. Of `g`,"
            " the gradient that arrives, it sends\n" + "".join(rules)
        )

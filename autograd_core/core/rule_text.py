"""A backward rule as text, read from its source on demand. `help(type(y.grad_fn))` prints it, and the
view shows it as a node's rule.
"""

import functools
import linecache
import re
from typing import Any


def text_of(rule: Any) -> str:
    """The source of a lambda's body, or the text that `formula` gave to another rule, or ""."""
    return _body(rule) if rule.__name__ == "<lambda>" else getattr(rule, "formula", "")


@functools.cache
def _body(rule: Any) -> str:
    """The body of a lambda in one line. It omits `ops`, which only decides whether operations are
    recorded, and the _ before a private function's name.
    """
    # positions of the body's parts; the instructions that begin and end the call have no columns
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
    """`__doc__` of a class of nodes, computed on demand: its operation and the backward rules."""

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

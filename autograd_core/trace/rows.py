"""The text of a report's rows: statements with their places, and parameters that share a row."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from .data import Stale, Trace

MOST_ROWS = 8  # rows of one kind
MOST_PARTS = 3  # parts of a model that one row names
UNSEEN = "a statement outside watching()"


def statement_at(trace: Trace, line: int | None) -> dict[str, str]:
    """The statement of a source line, its place, and the place where the user called it."""
    if line is None or not trace.places:
        return {"line": trace.statement(line), "file": "", "called": ""}
    return {"line": trace.source[line], "file": trace.places[line], "called": trace.called[line]}


def place_of(trace: Trace, line: int | None) -> str:
    """The two places in words: "net.py:7, called in train.py:12"; "" if unknown."""
    found = statement_at(trace, line)
    called = f"called in {found['called']}" if found["called"] else ""
    return ", ".join(filter(None, [found["file"], called]))


def stated(trace: Trace, line: int | None) -> str:
    """The statement in words: "y = x.sqrt() (net.py:7, called in train.py:12)"; "" if unknown."""
    statement, place = " ".join(trace.statement(line).split()), place_of(trace, line)
    return f"{statement} ({place})" if place else statement


def folded(lost: Iterable[tuple[str, str, str]], names: list[str]) -> list[str]:
    """Rows about lost parameters, from (name, reason, place in words) of each. Parameters with the
    same reason and place share a row. `names` are the names of all parameters of the models, in order.
    """
    rows: dict[tuple[str, str], list[str]] = {}
    for name, reason, place in lost:
        rows.setdefault((reason, place), []).append(name)
    return [
        f"{together(mine, names)}: {reason} {place}".rstrip()
        for (reason, place), mine in rows.items()
    ]


def together(mine: list[str], names: list[str]) -> str:
    """The names `mine` in words: "62 of net.bb.*" if these are all names with this prefix."""
    if len(mine) < 3:
        return ", ".join(mine)
    total, count = Counter(_begins(names)), Counter(_begins(mine))
    whole = {begin for begin in count if count[begin] == total[begin] > 1}
    parts = dict.fromkeys(min(whole.intersection(_begins([n])), default=n, key=len) for n in mine)
    if len(parts) <= MOST_PARTS:
        return f"{len(mine)} of {', '.join(parts)}"
    shared = [begin for begin in count if count[begin] == len(mine)]
    some = f"{len(mine)} of the {total[shared[-1]]} of {shared[-1]}" if shared else f"{len(mine)}"
    return f"{some}, {mine[0]} … {mine[-1]}"


def _begins(names: Iterable[str]) -> Iterator[str]:
    """The prefixes of each name: "net.*" and then "net.bb.*" for "net.bb.weight"."""
    for name in names:
        parts = name.split(".")
        yield from (".".join([*parts[:place], "*"]) for place in range(1, len(parts)))


def stale_saves(trace: Trace) -> list[str]:
    """A sentence for each operation that modified saved tensors in place, about the first of them."""
    alike: dict[tuple[str, int | None], list[Stale]] = {}
    for each in trace.stale:
        alike.setdefault((each.by, each.line), []).append(each)
    sentences = [_stale_save(trace, first, len(more)) for first, *more in alike.values()]
    more = len(sentences) - MOST_PARTS
    return sentences if more <= 0 else [*sentences[:MOST_PARTS], f"And {more} more are stale."]


def _stale_save(trace: Trace, stale: Stale, more: int) -> str:
    node = trace.nodes[stale.node]
    saved = next(saved for saved in node.saved if saved.name == stale.name)
    module = f" in {node.module}" if node.module else ""
    statement = stated(trace, node.line)
    at = f", {statement}," if statement else ""
    named = saved.label and not saved.name.startswith("result")
    what = f"{saved.what} ({saved.label})" if named else saved.what
    others = f" The same statement wrote into {more} more saved tensors." if more else ""
    return f"{node.name}{module} saved {what}{at} {written(trace, stale)}.{others}"


def written(trace: Trace, stale: Stale) -> str:
    """ "at version 0; h += 1 (In[9]:3) wrote into it: it is at version 1"."""
    still = "still " if stale.now == stale.version else ""
    now, statement = f"it is {still}at version {stale.now}", stated(trace, stale.line)
    by = (statement or stale.by) if stale.by else UNSEEN
    if statement and (" in " in stale.by or stale.line == trace.nodes[stale.node].line):
        by = f"{stale.by}, {statement},"
    return f"at version {stale.version}; {by} wrote into it: {now}"


def brief(number: float) -> str:
    """Two digits: "0.32", "1.5e-8"."""
    return re.sub(r"e([+-])0*(\d)", r"e\1\2", f"{number:.2g}").replace("e+", "e")

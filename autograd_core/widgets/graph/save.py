"""A view as a page that plays without a kernel."""

import itertools
import json
from typing import Any

from ..kit.page import page
from .drawn import drawn_of
from .figure import figure
from .folds import Fold, Part, is_large
from .still import still

# combinations of open folds that a page holds; each fold alone at least
MOST_DRAWN = 40


def view_page(view: Any, event: int) -> str:
    """A page with this view in it, and with what is drawn when folds are opened and closed."""
    state = view.get_state({"structure", "drawn", "numbers", "changes", "slopes", "answer"})
    controls = [{**control, "fixed": True} for control in view.controls]
    answers = folded(view) if is_large(view.trace) else {}
    return page(
        "graph",
        {**state, "controls": controls, "event": event},
        title=view.title,
        answers=answers,
        still=still(view.trace, event, view.drawn["open"]),
    )


def folded(view: Any) -> dict:
    """What is drawn and changes for each combination of open folds: each alone first, then as many
    as there is room for.

    It stands in columns, in which what is alike is beside each other and so packs well. `paths`
    names for each fold those that must be open for it to be seen open: itself, and the folds around
    it."""
    paths: dict[str, tuple[str, ...]] = {}

    def walk(parts: tuple[Part, ...], around: tuple[str, ...]) -> None:
        for part in parts:
            if isinstance(part, Fold):
                paths[part.key] = (*around, part.key)
                walk(part.parts, paths[part.key])

    walk(tuple(figure(view.trace).folds), ())
    wanted = [(), tuple(view.drawn["open"]), *paths.values()]
    pairs = ((*paths[a], *paths[b]) for a, b in itertools.combinations(paths, 2))
    known = {}
    for keys in itertools.chain(wanted, itertools.islice(pairs, max(0, MOST_DRAWN - len(wanted)))):
        drawn = drawn_of(view.trace, keys, view._changes[0])
        name = json.dumps(sorted(drawn["open"]), separators=(",", ":"), ensure_ascii=False)
        known[name] = {**drawn, "changes": view.changes_of(drawn)}
    columns = {key: [row[key] for row in known.values()] for key in known["[]"]}
    return {"folds": {"names": list(known), "columns": columns}, "paths": paths}

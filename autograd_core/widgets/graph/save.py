"""A view as a page that plays without a kernel."""

import itertools
import json
from typing import Any

from ..kit.page import page
from .drawn import drawn_of
from .figure import figure
from .folds import Fold, Part

# combinations of open folds in a page, which has at least each single fold
MOST_DRAWN = 20


def view_page(view: Any) -> str:
    """A page with this view, and with the pictures for opened and closed folds."""
    state = view.get_state(
        {"structure", "drawn", "numbers", "changes", "controls", "slopes", "answer", "event"}
    )
    return page(
        "graph",
        {**state, "saved": True},
        title=view.title,
        answers=folded(view) if view.drawn["folds"] else {},
        still=view.svg(),
    )


def folded(view: Any) -> dict:
    """The picture and its changes for each combination of open folds: first each single fold, then
    as many pairs as there is room for.

    `paths` has for each fold the folds that must be open to see it open: itself, and those around
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
    folds = {}
    for keys in itertools.chain(wanted, itertools.islice(pairs, max(0, MOST_DRAWN - len(wanted)))):
        drawn = drawn_of(view.trace, keys, view._changes[0])
        name = json.dumps(sorted(drawn["open"]), separators=(",", ":"), ensure_ascii=False)
        folds[name] = {"drawn": drawn, "changes": view.changes_of(drawn)}
    return {"folds": folds, "paths": paths}

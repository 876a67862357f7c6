"""A view as a page that plays without a kernel."""

import itertools
import json
import re
from collections import defaultdict
from typing import Any

from ..kit.page import page
from .drawn import drawn_of
from .figure import figure
from .folds import Fold, Part, is_large
from .still import still

# combinations of open folds that a page holds; each fold alone at least
MOST_DRAWN = 40
# what is drawn alike whatever is open
SAME = "large", "parts", "groups", "folds"
ENDING = 5  # letters
HOLE, NUMBER = "\0", re.compile(r"-?\d+")  # JSON has no such letter
START = '{"'
# behind pairs of numbers and single ones, and where an object begins
CUT = re.compile(
    r"""(?:translate\(|d=\\"M)-?\d+ -?\d+|\[\d+,\d+(?=,\d+,\d+,\d+\])|"edges":\[\d+(?=\])"""
    r"""|(?:-box=\\"|-node=\\"|-line=\\"|"from":|"to":)\d+|\{\""""
)


def view_page(view: Any, event: int) -> str:
    """A page with this view in it, and with what is drawn when folds are opened and closed."""
    state = view.get_state({"structure", "drawn", "slopes", "answer"})
    controls, answers = [{**control, "fixed": True} for control in view.controls], {}
    texts = {"numbers": view.numbers, "changes": view.changes}
    if is_large(view.trace):
        answers, state["drawn"] = folded(view), {"open": view.drawn["open"]}
        del texts["changes"]
    state |= {name: {"text of": json.loads(text)} for name, text in texts.items()}
    return page(
        "graph",
        {**state, "controls": controls, "event": event},
        title=view.title,
        answers=answers,
        still=still(view.trace, event, view.drawn["open"], view._changes[0]),
    )


def folded(view: Any) -> dict:
    """What is drawn and changes for each combination of open folds, as `shared` tells it: each alone
    first, then as many as there is room for.

    `paths` names for each fold those that must be open for it to be seen open: itself, and the folds
    around it."""
    paths: dict[str, tuple[str, ...]] = {}

    def walk(parts: tuple[Part, ...], around: tuple[str, ...]) -> None:
        for part in parts:
            if isinstance(part, Fold):
                paths[part.key] = (*around, part.key)
                walk(part.parts, paths[part.key])

    walk(tuple(figure(view.trace).folds), ())
    wanted = [(), tuple(view.drawn["open"]), *paths.values()]
    pairs = ((*paths[a], *paths[b]) for a, b in itertools.combinations(paths, 2))
    known, same = {}, {}
    for keys in itertools.chain(wanted, itertools.islice(pairs, max(0, MOST_DRAWN - len(wanted)))):
        drawn = drawn_of(view.trace, keys, view._changes[0])
        name = json.dumps(sorted(drawn["open"]), separators=(",", ":"), ensure_ascii=False)
        same = {key: drawn.pop(key) for key in SAME}
        known[name] = json.dumps(drawn, separators=(",", ":")) + "\n" + view.changes_of(drawn)
    return {
        "folds": {"names": list(known), "same": same, **shared([*known.values()])},
        "paths": paths,
    }


def shared(texts: list[str]) -> dict[str, list]:
    """Texts as the pieces that they are made of, each told once.

    They are cut where an object begins, and behind numbers that differ between pictures which are
    else alike. For each text `pieces` says which ones it has, and `numbers` what stands in their
    holes, as differences: of a piece, from the last one that came after the same ENDING; of a
    number, from that in the last such ending. js/kit/page.js puts them together."""
    rows, numbers = zip(*map(_cut, texts))
    # what is alike packs well
    told = sorted({piece: None for row in rows for piece in row}, key=lambda piece: piece[:2])
    place, pieces = {piece: i for i, piece in enumerate(told)}, []
    for row in rows:
        end, after, steps = "", defaultdict(int), []
        for piece in row:
            steps.append(place[piece] - after[end])
            after[end], end = place[piece], piece[-ENDING:]
        pieces.append(" ".join(map(str, steps)))
    return {"told": told, "pieces": pieces, "numbers": list(numbers)}


def _cut(text: str) -> tuple[list[str], str]:
    """The pieces of a text, which end in a HOLE for each number, and what stands there."""
    pieces, steps, start, behind = [], [], 0, defaultdict(lambda: (0, 0))
    for cut in CUT.finditer(text):
        piece, start = text[start : cut.start()], cut.end()
        if cut[0] == START:
            pieces.append(piece + START)
            continue
        pieces.append(piece + NUMBER.sub(HOLE, cut[0]))
        end, values = pieces[-1][-ENDING:], tuple(map(int, NUMBER.findall(cut[0])))
        steps += [now - was for now, was in zip(values, behind[end])]
        behind[end] = values
    return [*pieces, text[start:]], " ".join(map(str, steps))

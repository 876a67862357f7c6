"""What is sent of a view, in which nothing is said twice: js/graph/wire.js makes the whole of it
again.

    nodes, edges, events   {"count": 3, "columns": {"kind": ["leaf", "leaf", "operation"], ...}}; a
                           column with few different values is {"of": ["leaf", "operation"], "at":
                           [0, 0, 1]}
    runs of a sentence     in such an "of" the numbers of its runs, which stand in the column's
                           "runs"
    tensors                each once, in "tensors"; elsewhere its number stands, or null
    pictures               their elements each once, in "pieces"; in "svg" their numbers stand
"""

from collections.abc import Sequence

BETWEEN = "><"  # two elements of a picture
TABLES = "nodes", "edges", "events"
SENTENCES = "title", "text", "next"


def packed_structure(structure: dict) -> dict:
    """What `structure_of` returns, as it is sent."""
    return {**structure, **{name: _table(structure[name]) for name in TABLES if name in structure}}


def packed_drawn(drawn: dict) -> dict:
    """What `drawn_of` returns, as it is sent."""
    pieces: dict[str, int] = {}
    layouts = [
        {
            **layout,
            "svg": [
                pieces.setdefault(piece, len(pieces)) for piece in layout["svg"].split(BETWEEN)
            ],
        }
        for layout in drawn.get("layouts", ())
    ]
    return {**drawn, "layouts": layouts, "pieces": list(pieces)}


def packed_numbers(numbers: dict) -> dict:
    """What `numbers_of` returns, as it is sent."""
    known = _Once()

    def place(tensor: list | None) -> int | None:
        return None if tensor is None else known.place(tensor)

    return {
        **numbers,
        "values": [place(value) for value in numbers["values"]],
        "grads": {node: place(grad) for node, grad in numbers["grads"].items()},
        "events": [
            [place(before), place(after), [place(each) for each in sent]]
            for before, after, sent in numbers["events"]
        ],
        "tensors": known.values,
    }


class _Once:
    """Values, each once, in the order in which they came."""

    def __init__(self):
        self.values: list = []
        self._places: dict[str | tuple, int] = {}

    def place(self, value: object) -> int:
        known = (
            tuple(value)
            if isinstance(value, list) and value and type(value[0]) is tuple
            else repr(value)
        )
        at = self._places.setdefault(known, len(self.values))
        if at == len(self.values):
            self.values.append(value)
        return at


def _table(rows: Sequence[dict]) -> dict:
    return {
        "count": len(rows),
        "columns": {
            key: _column([row[key] for row in rows], key in SENTENCES)
            for key in (rows[0] if rows else ())
        },
    }


def _column(values: list, sentences: bool) -> list | dict:
    if all(type(value) is int for value in values):
        return values  # as short as their places would be
    known = _Once()
    at = [known.place(value) for value in values]
    if sentences:
        runs = _Once()
        of = [[runs.place(run) for run in value] for value in known.values]
        return {"of": of, "at": at, "runs": runs.values}
    return values if 2 * len(known.values) > len(values) else {"of": known.values, "at": at}

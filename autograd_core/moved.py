"""Names that notebooks import from where they once were: what belongs to the lessons has a room of
its own now.

    from autograd_core.widgets import paint     finds autograd_core.lessons.widgets.paint.paint

A module that gave names away ends with `__getattr__, __dir__ = moved.names(__name__, globals())`.
Nothing is imported before it is asked for. This table is the only place from which a room reaches a
later one."""

import importlib
from collections.abc import Callable

LESSONS = "autograd_core.lessons"

MOVED = {
    "autograd_core.widgets": {
        "curves": "widgets.curves:curves",
        "film": "widgets.film:film",
        "gradient_table": "widgets.gradient_table:gradient_table",
        "maps": "widgets.maps:maps",
        "mining": "widgets.mining:mining",
        "paint": "widgets.paint:paint",
        "predict": "questions.predict:predict",
        "predicted": "questions.predict:predicted",
        "quiz": "questions.quiz:quiz",
        "race": "widgets.race:race",
        "score": "questions.predict:score",
        "shards": "widgets.shards:shards",
        "switchboard": "widgets.switchboard:switchboard",
    },
    "autograd_core.parity": {
        "BackwardRule": "exercises.check:BackwardRule",
        "Function": "exercises.check:Function",
        "check": "exercises.check:check",
        "distributed": "distributed",
        "exercise": "exercises.check:exercise",
        "own_engine": "own_engine",
        "processes": "processes:processes",
    },
    "autograd_core.trace": {
        "trace_own": "own_trace:trace_own",
    },
    "autograd_core.datasets": {
        "CurvedText": "datasets:CurvedText",
        "RADIUS": "datasets:RADIUS",
        "SURFACES": "datasets:SURFACES",
        "Surface": "datasets:Surface",
        "curved_text": "datasets:curved_text",
        "curved_text_batch": "datasets:curved_text_batch",
    },
}
"""For each old module its names, and where in `autograd_core.lessons` each is: "module:name", or a
module itself.
"""


def names(
    module: str, there: dict[str, object]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for `module`, whose own names are `there`."""
    moved = MOVED[module]

    def __getattr__(name: str) -> object:
        if name not in moved:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place, _, attribute = moved[name].partition(":")
        found = importlib.import_module(f"{LESSONS}.{place}")
        return getattr(found, attribute) if attribute else found

    def __dir__() -> list[str]:
        return sorted({*there, *moved})

    return __getattr__, __dir__

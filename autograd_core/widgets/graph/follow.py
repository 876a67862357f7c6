"""`follow(model, optimizer)` with a picture: a heat map of layers and steps that grows while a
training runs.

    history = follow(model, optimizer)
    history                             the map; run the training in the next cell
    for x, y in batches:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
"""

import pathlib
import time
import weakref
from typing import Any

import numpy as np
import traitlets

from ...trace import History
from ..kit.live import Live
from ..kit.shown import shell, show
from .heat import LEFT, MOST_COLUMNS, NARROWEST, RIGHT, SHOWN, Grid, HeatMap, grid_of

PAUSE = 0.5  # seconds at least between two drawings
SHARE = 30  # drawing takes at most this part of the time
STILL_WIDTH = 720
MOST_LISTED = 12


def follow(model: Any, optimizer: Any) -> "PicturedHistory":
    """As `autograd_core.trace.follow`; in a notebook the history is a heat map that grows while
    training runs. `from autograd_core import follow` is this one where anywidget and ipywidgets are
    installed, for a terminal without them it is the other, which writes the same as text.

    Raises what that raises.
    """
    return PicturedHistory(model, optimizer)


class PicturedHistory(History):
    """A `History` that draws itself. `picture` is the widget, made when it is first asked for."""

    _picture: "HistoryView | None" = None
    _drawn_at = 0  # how many steps the picture has
    _next = 0.0

    @property
    def picture(self) -> "HistoryView":
        # closed, since its cell ran again
        if self._picture is None or self._picture.comm is None:
            self._picture = HistoryView(self)
            self._drawn_at = len(self)
            _after_each_cell(self)
        return self._picture

    def draw(self) -> None:
        """Bring the picture up to date, if there is one."""
        if self._picture is not None and self._drawn_at != len(self):
            began, self._drawn_at = time.monotonic(), len(self)
            self._picture.refresh()
            ended = time.monotonic()
            self._next = ended + max(PAUSE, SHARE * (ended - began))

    def _step_ended(self, *call: Any) -> None:
        super()._step_ended(*call)
        if self._picture is not None and time.monotonic() >= self._next:
            self.draw()

    def stop(self) -> None:
        super().stop()
        self.draw()

    def save(self, path: str | pathlib.Path) -> None:
        """Write the map as one HTML file, in which the reader can choose what it shows."""
        self.picture.refresh()
        self.picture.save(path)

    def _ipython_display_(self) -> None:
        show(self)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        self.draw()
        data, metadata = self.picture._repr_mimebundle_(**options)
        return {**data, "text/plain": repr(self)}, metadata


def _after_each_cell(history: PicturedHistory) -> None:
    """In a notebook: draw what a cell's last steps were, once it has ended, as long as somebody has
    the history.
    """
    ipython = shell()
    if ipython is None:
        return
    known = weakref.ref(history)

    def ended(*_: object) -> None:
        alive = known()
        if alive is None or alive._picture is None or alive._picture.comm is None:
            ipython.events.unregister("post_run_cell", ended)
        else:
            alive.draw()

    ipython.events.register("post_run_cell", ended)


class HistoryView(Live):
    """The heat map of a history, and the surprises as sentences below it."""

    view = traitlets.Unicode("history").tag(sync=True)
    width = traitlets.Int(STILL_WIDTH).tag(sync=True)
    # the numbers of the map, float32, row by row
    cells = traitlets.Bytes(b"").tag(sync=True)

    def __init__(self, history: History):
        self.history = history
        super().__init__(self._grid, title="Training", show=list(SHOWN))

    def refresh(self) -> None:
        """Draw the history as it is now."""
        with self.hold_sync():
            self.update()

    def _grid(self, show: str) -> Grid:
        most = min(MOST_COLUMNS, (self._room - LEFT - RIGHT) // NARROWEST)
        return grid_of(self.history, show, most)

    @property
    def _room(self) -> int:
        return max(self.width, 340)

    @traitlets.observe("width")
    def _resized(self, _change: object) -> None:
        if self.drawn:
            self.refresh()

    def draw(self, ours: Grid, theirs: None) -> dict[str, Any]:
        picture = HeatMap(ours, self._room, live=True)
        head, body = picture.parts(repr(self))
        self.cells = np.ascontiguousarray(ours.numbers, np.float32).tobytes()
        return {
            "head": head,
            "body": body,
            "shown": ours.shown,
            "rows": list(ours.rows),
            "first": ours.first,
            "steps": ours.steps,
            "per": ours.per,
            "note": ours.note,
            "surprises": [list(pair) for pair in ours.surprises[:MOST_LISTED]],
            "more": max(len(ours.surprises) - MOST_LISTED, 0),
            "places": {"left": LEFT, "column": picture.column, "row": picture.row},
        }

    def still(self) -> str:
        return HeatMap(self._grid(**self.settings), STILL_WIDTH).svg(repr(self))

    def __repr__(self) -> str:
        return repr(self.history)

"""A training as a film: what is to be found, what a network predicts, and the gradients."""

import functools

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.chart import Chart
from ...widgets.kit.format import number
from ...widgets.kit.sheet import Sheet
from .curves import curves
from .maps import SIZES, Row, looks_of, rows_of_maps

KINDS = "output", "gradient"
WIDTH, MARGIN = 592, 16
HEIGHT = 60  # of the curves, in pixels
KEY = "ac-film-map"  # so begin the ids in the picture; each view of the page writes its own


class film(curves):
    """Maps over training time, and below them the first curves of that training, along which the
    reader moves. A setting that is changed trains again; what was trained before is remembered.

    run       trains with the settings given and returns a dict:
              "output", "gradient"   one array or tensor (C, H, W) for each frame
              "at"                   the step of each frame
              "curves"               {title of a panel: numbers}, one for each step, see `curves`;
                                     a panel with a line for each channel stands below the outputs
    channels  the names of the C maps.
    truth     {name: array or tensor (H, W)}, the image and what is to be found, above the frames.
    first     what `run` and `other` return with the settings as they are at first, if known.
    opens     the step of the frame at which the page opens, and of the still; else the last.

    Raises ValueError where shapes do not fit, and where no frame is at `opens`.
    """

    view = traitlets.Unicode("film").tag(sync=True)
    called, wanted = "Over training time", (*KINDS, "at", "curves")

    frames = traitlets.Bytes().tag(sync=True)  # float32: outputs, gradients, (2, frames, C, H, W)
    truth = traitlets.Bytes().tag(sync=True)  # float32, (truths, H, W): the same in every frame
    scene = traitlets.Dict().tag(sync=True)  # the picture of the maps, and each frame's changes

    def __init__(
        self, run, other=None, *, channels, truth=None, first=(None, None), opens=None, **options
    ):
        self.channels, self.opens = list(channels), opens
        self.known = {name: array_of(plane) for name, plane in (truth or {}).items()}
        run, other = (each and _remembering(each, it) for each, it in zip((run, other), first))
        super().__init__(run, other, **options)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        kinds = [[array_of(frame) for frame in ours[kind]] for kind in KINDS]
        self.maps, self.at = np.stack(kinds), [int(step) for step in ours["at"]]
        self.opening = len(self.at) - 1 if self.opens is None else self.at.index(self.opens)
        drawn = super().draw(ours["curves"], theirs and theirs["curves"])
        self.truth = b"".join(each.astype(np.float32).tobytes() for each in self.known.values())
        self.frames = self.maps.astype(np.float32).tobytes()
        pictures = {
            form: rows_of_maps(self._rows(), WIDTH, size, KEY).svg("Maps", role="group")
            for form, size in SIZES.items()
        }
        changes = [looks_of(self._frame(frame)) for frame in range(len(self.at))]
        self.scene = {**pictures, "known": looks_of(self._found()), "changes": changes}
        return drawn

    def chart(self, width: int) -> Chart:
        return Chart(self.panels[:1], self.x, width, live=True, height=HEIGHT)

    def _picture(self) -> dict:
        places = {"at": self.at, "opens": self.at[self.opening], "shape": list(self.maps.shape)}
        return {**super()._picture(), **places}

    def _found(self) -> list[Row]:
        return [Row("to find", self.known)] if self.known else []

    def _frame(self, frame: int) -> list[Row]:
        output, gradient = (
            dict(zip(self.channels, each, strict=True)) for each in self.maps[:, frame]
        )
        notes = {
            name: f"{panel.title} {number(round(values[self.at[frame]], 2))}"
            for panel in self.panels
            if [*panel.lines] == self.channels
            for name, values in panel.lines.items()
        }
        return [Row("output", output, notes=notes), Row("gradient", gradient, True)]

    def _rows(self) -> list[Row]:
        """What is to be found, and the frame at which the page opens."""
        return [*self._found(), *self._frame(self.opening)]

    def still(self) -> str:
        maps = rows_of_maps(self._rows(), WIDTH)
        sheet = Sheet(WIDTH + 2 * MARGIN, maps.height + MARGIN)
        sheet.insert(maps, MARGIN, MARGIN, width=WIDTH, height=maps.height)
        return sheet.svg(repr(self))


def _remembering(run, first):
    """`run`, called once for each choice of settings; `first` is its first result, or None."""
    known = [] if first is None else [first]
    return functools.cache(lambda **settings: known.pop() if known else run(**settings))

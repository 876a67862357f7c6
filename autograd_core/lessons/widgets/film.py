"""A training as a film: what is to be found, what a network predicts, and the gradients."""

import functools

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.chart import Chart
from ...widgets.kit.sheet import Sheet
from .curves import curves
from .maps import Row, forms, look, rows_of_maps

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
              "curves"               {title of a panel: numbers}, one for each step, see `curves`
    channels  the names of the C maps.
    truth     {name: array or tensor (H, W)}, the image and what is to be found, above the frames.
    first     what `run` and `other` return with the settings as they are at first, if known.

    Raises ValueError where shapes do not fit.
    """

    view = traitlets.Unicode("film").tag(sync=True)
    called, wanted = "Over training time", (*KINDS, "at", "curves")

    frames = traitlets.Bytes().tag(sync=True)  # float32: outputs, gradients, (2, frames, C, H, W)
    truth = traitlets.Bytes().tag(sync=True)  # float32, (truths, H, W): the same in every frame
    scene = traitlets.Dict().tag(sync=True)  # the picture of the maps, and each frame's changes

    def __init__(self, run, other=None, *, channels, truth=None, first=(None, None), **options):
        self.channels = list(channels)
        self.known = {name: array_of(plane) for name, plane in (truth or {}).items()}
        run, other = (each and _remembering(each, it) for each, it in zip((run, other), first))
        super().__init__(run, other, **options)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        kinds = [[array_of(frame) for frame in ours[kind]] for kind in KINDS]
        self.maps, self.at = np.stack(kinds), [int(step) for step in ours["at"]]
        known = list(self.known.values())
        self.truth = b"".join(plane.astype(np.float32).tobytes() for plane in known)
        self.frames = self.maps.astype(np.float32).tobytes()
        changes = [
            [look(plane, i > 0) for i, planes in enumerate(frame) for plane in planes]
            for frame in self.maps.swapaxes(0, 1)
        ]
        self.scene = {
            **forms(self._rows(), WIDTH, "Maps", KEY),
            "changes": changes,
            "known": [look(plane, False) for plane in known],
        }
        return super().draw(ours["curves"], theirs and theirs["curves"])

    def chart(self, width: int) -> Chart:
        return Chart(self.panels[:1], self.x, width, live=True, height=HEIGHT)

    def _picture(self) -> dict:
        return {**super()._picture(), "at": self.at, "shape": list(self.maps.shape)}

    def _rows(self) -> list[Row]:
        """What is to be found, and the last frame."""
        output, gradient = (dict(zip(self.channels, row, strict=True)) for row in self.maps[:, -1])
        found = [Row("to find", self.known)] if self.known else []
        return [*found, Row("output", output), Row("gradient", gradient, True)]

    def still(self) -> str:
        maps = rows_of_maps(self._rows(), WIDTH)
        sheet = Sheet(WIDTH + 2 * MARGIN, maps.height + MARGIN)
        sheet.insert(maps, MARGIN, MARGIN, width=WIDTH, height=maps.height)
        return sheet.svg(repr(self))


def _remembering(run, first):
    """`run`, called once for each choice of settings; `first` is its first result, or None."""
    known = [] if first is None else [first]
    return functools.cache(lambda **settings: known.pop() if known else run(**settings))

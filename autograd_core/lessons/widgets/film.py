"""Training as a film: the target, the predictions of a network, and the gradients."""

import functools

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.chart import Chart
from ...widgets.kit.shade import ceiling
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.theme import NARROW_FONT
from .curves import curves
from .maps import MARGIN, SMALLER, WIDTH, Ends, add_maps, legend, title

KINDS = "output", "gradient"
HEIGHT = 180  # of the curves, in pixels
DOTS = 12  # at most on a line


class film(curves):
    """Maps over training time, and below them the first curves of that training, along which the
    reader moves. The target, the output and the gradient of a channel are in one column. A changed
    setting trains again. Earlier trainings are cached.

    run       trains with the settings given and returns a dict:
              "output", "gradient"   one array or tensor (C, H, W) for each frame
              "at"                   the step of each frame
              "curves"               {title of a panel: numbers}, one for each step, see `curves`
    channels  the names of the C maps.
    truth     {name: array or tensor (H, W)}, the image and the targets, above the frames; hatched
              where it is nan.
    opens     the step of the frame that the page and the still show at first; by default the last.

    Each output has its own scale in each frame, on which 0 is white; all gradients share one scale.

    Raises ValueError if shapes do not match or no frame is at `opens`.
    """

    view = traitlets.Unicode("film").tag(sync=True)
    called, wanted = "Over training time", (*KINDS, "at", "curves")

    frames = traitlets.Bytes().tag(sync=True)  # float32: outputs, gradients, (2, frames, C, H, W)
    truth = traitlets.Bytes().tag(sync=True)  # float32, (truths, H, W): the same in every frame

    def __init__(self, run, other=None, *, channels, truth=None, opens=None, **options):
        self.channels = list(channels)
        self.known = {name: array_of(plane, np.float64) for name, plane in (truth or {}).items()}
        run, other = (each and functools.cache(each) for each in (run, other))
        super().__init__(run, other, opens=opens, **options)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        kinds = [[array_of(frame) for frame in ours[kind]] for kind in KINDS]
        self.maps, self.at = np.stack(kinds), [int(step) for step in ours["at"]]
        self.opening = len(self.at) - 1 if self.opens is None else self.at.index(self.opens)
        drawn = super().draw(ours["curves"], theirs and theirs["curves"])
        self.truth = b"".join(each.astype(np.float32).tobytes() for each in self.known.values())
        self.frames = self.maps.astype(np.float32).tobytes()
        return drawn

    def chart(self, width: int) -> Chart:
        return Chart(self.panels[:1], self.x, width, live=True, height=HEIGHT, dots=DOTS)

    def _picture(self) -> dict:
        places = {"at": self.at, "opens": self.at[self.opening], "shape": list(self.maps.shape)}
        names = {"known": [*self.known], "channels": self.channels}
        return {**super()._picture(), **places, **names}

    def scaled(self) -> np.ndarray:
        """The gradients that the scale is made for."""
        return self.maps[1]

    def still(self) -> str:
        """The targets, and the frame at which the page opens."""
        sheet = Sheet(WIDTH, MARGIN)
        outputs, gradients = (
            dict(zip(self.channels, each, strict=True)) for each in self.maps[:, self.opening]
        )
        if self.known:
            title(sheet, "target, hatched where no loss reads it", "value")
            add_maps(sheet, self.known, _spans(self.known), beside=SMALLER, missing="masked")
        title(sheet, "output: each map on its own scale: blue above 0, grey below 0", "value")
        add_maps(sheet, outputs, _spans(outputs), beside=SMALLER)
        end = ceiling(self.scaled())
        title(sheet, "gradient: one scale for all maps and all frames", "gradient")
        add_maps(sheet, gradients, dict.fromkeys(self.channels, end), beside=SMALLER)
        legend(sheet, end, "the output")
        return sheet.svg(repr(self), font=NARROW_FONT)


def _spans(maps: dict[str, np.ndarray]) -> dict[str, Ends]:
    """For each map, the ends of a scale that has 0 in the middle."""
    ends = {name: float(np.nanmax(np.abs(plane))) or 1.0 for name, plane in maps.items()}
    return {name: (-end, end) for name, end in ends.items()}

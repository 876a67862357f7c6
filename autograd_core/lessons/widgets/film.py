"""Training as a film: the target, the predictions of a network, and the gradients."""

import functools

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.chart import Chart
from ...widgets.kit.format import number
from ...widgets.kit.shade import ceiling
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.theme import NARROW_FONT
from .curves import curves
from .maps import BESIDE, MARGIN, SMALLER, WIDTH, Ends, add_maps, legend, title

KINDS = "output", "gradient"
HEIGHT, ALIGNED_HEIGHT = 60, 180  # of the curves, in pixels; beside aligned maps there is room
DOTS = 12  # at most on a line
HATCHED = ", hatched where no loss reads it"


class film(curves):
    """Maps over training time, and below them the first curves of that training, along which the
    reader moves. A changed setting trains again. Earlier trainings are cached.

    run       trains with the settings given and returns a dict:
              "output", "gradient"   one array or tensor (C, H, W) for each frame
              "at"                   the step of each frame
              "curves"               {title of a panel: numbers}, one for each step, see `curves`;
                                     a panel with a line for each channel stands below the outputs
    channels  the names of the C maps.
    truth     {name: array or tensor (H, W)}, the image and the targets, above the frames.
    first     the results of `run` and `other` for the first settings, if known.
    opens     the step of the frame that the page and the still show at first; by default the last.
    aligned   if True, the target, the output and the gradient of a channel are in one column, and
              each output has its own scale in each frame, on which 0 is white. `truth` is hatched
              where it is nan.

    Raises ValueError if shapes do not match or no frame is at `opens`.
    """

    view = traitlets.Unicode("film").tag(sync=True)
    called, wanted = "Over training time", (*KINDS, "at", "curves")

    frames = traitlets.Bytes().tag(sync=True)  # float32: outputs, gradients, (2, frames, C, H, W)
    truth = traitlets.Bytes().tag(sync=True)  # float32, (truths, H, W): the same in every frame

    def __init__(
        self,
        run,
        other=None,
        *,
        channels,
        truth=None,
        first=(None, None),
        opens=None,
        aligned=False,
        **options,
    ):
        self.channels, self.aligned = list(channels), aligned
        self.known = {name: array_of(plane, np.float64) for name, plane in (truth or {}).items()}
        run, other = (each and _remembering(each, it) for each, it in zip((run, other), first))
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
        height = ALIGNED_HEIGHT if self.aligned else HEIGHT
        return Chart(self.panels[:1], self.x, width, live=True, height=height, dots=DOTS)

    def _picture(self) -> dict:
        places = {"at": self.at, "opens": self.at[self.opening], "shape": list(self.maps.shape)}
        names = {"known": [*self.known], "channels": self.channels}
        # panels that have a line for each channel
        self.noted = [each for each in self.panels if [*each.lines] == self.channels]
        noted = "".join(panel.title for panel in self.noted[:1])
        return {**super()._picture(), **places, **names, "noted": noted, "aligned": self.aligned}

    def scaled(self) -> np.ndarray:
        """The gradients that the scale is made for."""
        return self.maps[1]

    def still(self) -> str:
        """The targets, and the frame at which the page opens, on the scales of all frames."""
        sheet, beside = Sheet(WIDTH, MARGIN), SMALLER if self.aligned else BESIDE
        outputs, gradients = (
            dict(zip(self.channels, each, strict=True)) for each in self.maps[:, self.opening]
        )
        if self.known:
            title(sheet, f"target{HATCHED * self.aligned}", "value")
            spans = {name: self._span(plane) for name, plane in self.known.items()}
            add_maps(sheet, self.known, spans, beside=beside, missing="masked")
        notes = {
            name: f"{panel.title} {number(round(values[self.at[self.opening]], 2))}"
            for panel in self.noted[:1]
            for name, values in panel.lines.items()
        }
        low, high = (
            end(np.where(np.isfinite(self.maps[0]), self.maps[0], np.nan), (0, 2, 3))
            for end in (np.nanmin, np.nanmax)
        )
        ends = dict(zip(self.channels, zip(low.tolist(), high.tolist())))
        words = "each map on its own scale, the same in all frames"
        if self.aligned:
            ends = {name: self._span(plane) for name, plane in outputs.items()}
            words = "each map on its own scale: blue above 0, grey below 0"
        title(sheet, f"output: {words}", "value")
        add_maps(sheet, outputs, ends, notes, beside=beside)
        end = ceiling(self.scaled())
        title(sheet, "gradient: one scale for all maps and all frames", "gradient")
        add_maps(sheet, gradients, dict.fromkeys(self.channels, end), beside=beside)
        legend(sheet, end, "the output")
        return sheet.svg(repr(self), font=NARROW_FONT)

    def _span(self, plane: np.ndarray) -> Ends | None:
        """The ends of the scale of values on which 0 is in the middle; None if maps aren't aligned."""
        if not self.aligned:
            return None
        end = float(np.nanmax(np.abs(plane))) or 1.0
        return -end, end


def _remembering(run, first):
    """`run`, called once for each choice of settings; `first` is its first result, or None."""
    known = [] if first is None else [first]
    return functools.cache(lambda **settings: known.pop() if known else run(**settings))

"""A training as a film: what is to be found, the maps that a network predicts, and their gradients,
over the steps.

    film(train, on_torch.train, channels=["text", "radius"], truth={"image": image, "text": text},
         first=(trained, on_torch.trained), text=True, radius=True)
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import traitlets

from ...widgets.kit.settings import settings_of
from ...widgets.kit.sheet import Sheet
from .curves import Curves
from .maps import Row, forms, look, rows_of_maps

KINDS = "output", "gradient"
WIDTH, MARGIN = 592, 16
KEY = "ac-film-map"
"""So begin the ids in the picture; each view of the page writes its own in its place."""


class Film(Curves):
    """Maps over training time above the curves of that training; see `film`."""

    view = traitlets.Unicode("film").tag(sync=True)

    # float32: outputs, then gradients, (2, frames, C, H, W)
    frames = traitlets.Bytes().tag(sync=True)
    # float32, (truths, H, W): the same in every frame
    truth = traitlets.Bytes().tag(sync=True)
    # the picture of the maps, and for each frame what changes
    scene = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        run: Callable,
        other: Callable | None,
        x: str,
        channels: Sequence[str],
        truth: Mapping | None = None,
        **options: object,
    ):
        self.channels = list(channels)
        self.known = {name: _array(plane) for name, plane in (truth or {}).items()}
        super().__init__(run, other, x, **options)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        self.maps = np.stack([_stacked(ours, kind, len(self.channels)) for kind in KINDS])
        self.at = [int(step) for step in ours["at"]]
        if len(self.at) != self.maps.shape[1]:
            raise ValueError(
                f"there are {self.maps.shape[1]} frames and {len(self.at)} steps in 'at': one step"
                " for each frame"
            )
        wrong = [
            f"{name} has shape {plane.shape}"
            for name, plane in self.known.items()
            if plane.shape != self.maps.shape[-2:]
        ]
        if wrong:
            raise ValueError(
                f"what is to be found has the shape of a map, {self.maps.shape[-2:]}: {wrong[0]}"
            )
        self.truth = b"".join(plane.astype(np.float32).tobytes() for plane in self.known.values())
        self.frames = self.maps.astype(np.float32).tobytes()
        changes = [
            [look(plane, i > 0) for i, planes in enumerate(frame) for plane in planes]
            for frame in self.maps.swapaxes(0, 1)
        ]
        self.scene = {
            **forms(self._rows(), WIDTH, "Maps", KEY),
            "changes": changes,
            "known": [look(plane, False) for plane in self.known.values()],
        }
        return super().draw(ours["curves"], theirs and theirs["curves"])

    def _picture(self) -> dict:
        return {**super()._picture(), "at": self.at, "shape": list(self.maps.shape)}

    def _rows(self) -> list[Row]:
        """What is to be found, and the last frame."""
        output, gradient = (dict(zip(self.channels, planes)) for planes in self.maps[:, -1])
        found = [Row("to find", self.known)] if self.known else []
        return [*found, Row("output", output), Row("gradient", gradient, True)]

    def still(self) -> str:
        maps = rows_of_maps(self._rows(), WIDTH)
        sheet = Sheet(WIDTH + 2 * MARGIN, maps.height + MARGIN)
        with sheet.within(
            "svg", x=MARGIN, y=MARGIN, width=WIDTH, height=maps.height, overflow="visible"
        ):
            sheet.parts += maps.parts
        return sheet.svg(repr(self))


def film(
    run: Callable,
    other: Callable | None = None,
    *,
    channels: Sequence[str],
    truth: Mapping | None = None,
    first: tuple | None = None,
    title: str = "Over training time",
    note: str = "",
    x: str = "step",
    **settings: object,
) -> Film:
    """Show a training as a film, and train again when a setting is changed. What was trained before
    is remembered.

    run       trains with the settings given and returns a dict:
              "output", "gradient"   one array or tensor (C, H, W) for each frame
              "at"                   the step of each frame
              "curves"               {title of a panel: numbers}, a number for each step; see
                                     `curves`
    other     the same function on the other engine; everything is compared.
    channels  the names of the C maps.
    truth     {name: array or tensor (H, W)}, the image and what is to be found in it, drawn above
              the frames.
    first     what `run` and `other` return with the settings as they are at first, if they have run
              already.

    Raises ValueError where shapes do not fit, and what `run` raises.
    """
    ours, theirs = first or (None, None)
    return Film(
        _remembering(run, ours),
        other and _remembering(other, theirs),
        x,
        channels,
        truth,
        title=title,
        note=note,
        settings=settings_of(**settings),
    )


def _remembering(run, first):
    """`run`, called once for each choice of settings; `first` is the result of the first call if it
    is not None.
    """
    known = {}

    def remembered(**settings):
        key = tuple(settings.items())
        if key not in known:
            known[key] = first if not known and first is not None else run(**settings)
        return known[key]

    return remembered


def _stacked(result, kind, channels):
    frames = [_array(frame) for frame in result[kind]]
    if not frames or any(
        frame.shape != frames[0].shape or frame.ndim != 3 or len(frame) != channels
        for frame in frames
    ):
        raise ValueError(
            f"each frame of {kind!r} has shape ({channels}, H, W), one map for each of the"
            f" channels; got {[frame.shape for frame in frames[:3]]}"
        )
    return np.stack(frames)


def _array(array):
    return np.asarray(getattr(array, "detach", lambda: array)())

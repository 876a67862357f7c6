"""A widget whose picture is drawn whole at every change, in a wide and in a narrow form."""

from collections.abc import Callable
from typing import Any

import traitlets

from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet


class Drawing(Live):
    """A subclass says in `picture` what is drawn of `result`, and in `widths` how wide."""

    view = traitlets.Unicode("drawing").tag(sync=True)
    widths: dict[str, int]
    picture: Callable[[int, bool], Sheet]

    def draw(self, ours: Any, theirs: Any) -> dict[str, str]:
        self.result = ours
        return {
            form: self.picture(width, True).svg(repr(self)) for form, width in self.widths.items()
        }

    def still(self) -> str:
        return self.picture(self.widths["wide"], False).svg(repr(self))

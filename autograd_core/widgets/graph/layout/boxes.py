"""The parts of a layout: boxes, bands and routes, in whole pixels."""

from dataclasses import dataclass

from .routes import Point, Route


@dataclass(frozen=True)
class Box:
    """An item's rectangle. Its gradient begins at `split`, counted from the left side; 0 means that
    it has no place for a gradient.
    """

    x: int
    y: int
    width: int
    height: int
    split: int = 0

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @property
    def middle(self) -> int:
        return self.y + self.height // 2


@dataclass(frozen=True)
class Band:
    """The panel of one source line: `line` is an index into `Trace.source`, or `None`.

    Its code is `text`, in lines, from `code` on, which is at half the first one's height."""

    x: int
    y: int
    width: int
    height: int
    line: int | None
    code: Point
    text: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """`boxes` by item, then by frame; `routes` by line.

    `start` is the place of a note beside the loss; `None` means that there is no room for it.
    `legend` is the right end of the scale of the lines' widths. `number` and `edge` are the letters'
    sizes of the numbers in boxes and beside lines, `glyph` is where the words of a box begin."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    bands: tuple[Band, ...]
    start: Point | None
    legend: Point
    number: float
    edge: float
    glyph: int

"""The parts of a layout: boxes, bands and routes, in whole pixels."""

from dataclasses import dataclass

from .routes import Point, Route


@dataclass(frozen=True)
class Box:
    """The rectangle of an item. Its gradient field begins `split` pixels from the left side. If
    `split` is 0, the box has no gradient field.
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

    `text` is its code, wrapped into lines. `code` is the start of the first line, at half height."""

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

    `start` is the position of the note next to the loss, or `None` if the note has no room. `legend`
    is the right end of the scale of line widths. `number` and `edge` are the font sizes of the
    numbers in boxes and next to lines. `glyph` is the left end of the words in a box."""

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

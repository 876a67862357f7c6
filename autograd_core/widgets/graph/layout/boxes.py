"""What a layout is made of: boxes, bands and routes, in whole pixels."""

from dataclasses import dataclass

from .routes import Point, Route


@dataclass(frozen=True)
class Box:
    """A node's rectangle. `split`, from the left side, is where its gradient begins; 0: it has no
    place for one.
    """

    x: int
    y: int
    width: int
    height: int
    split: int

    @property
    def right(self) -> int:
        return self.x + self.width


@dataclass(frozen=True)
class Band:
    """The rows that one source line made: `line` is an index into `Trace.source`, or `None`.

    The line is written from `code` on, where there is `room`: in a column of its own, or between
    the edges above a row."""

    y: int
    height: int
    line: int | None
    code: int
    room: int


@dataclass(frozen=True)
class Layout:
    """`boxes` by node, `routes` by edge.

    `legend` is the corner of a free place for it, `start` where a note beside the loss may stand;
    `None`: nowhere."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    bands: tuple[Band, ...]
    legend: Point | None
    start: Point | None

"""What a layout is made of: boxes, bands and routes, in whole pixels."""

from dataclasses import dataclass

from .routes import Point, Route


@dataclass(frozen=True)
class Box:
    """An item's rectangle. `split`, from the left side, is where its gradient begins; 0: it has no
    place for one.
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
    def middle(self) -> int:
        return self.y + self.height // 2


@dataclass(frozen=True)
class Band:
    """The rows that one source line made: `line` is an index into `Trace.source`, or `None`.

    Its headline is `text`, in lines, from `code` on, which is at half the first one's height."""

    y: int
    height: int
    line: int | None
    code: Point
    text: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """`boxes` by item, then by frame; `routes` by line.

    `start` is where a note beside the loss may stand; `None`: nowhere."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    bands: tuple[Band, ...]
    start: Point | None

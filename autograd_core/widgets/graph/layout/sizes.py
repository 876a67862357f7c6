"""Sizes in the graph view, in CSS pixels. The layout and the scene share them.

In a large graph, all boxes have the same size. In a small graph, each kind of box is as wide as
its longest text, within limits."""

from collections.abc import Iterable
from textwrap import wrap
from unicodedata import east_asian_width

from ....trace import Trace
from ...kit.format import shorten
from ...kit.text import fit, text_width
from ..figure import Figure, Item, name_of
from ..formulas import split_name

LETTER = 7.5  # the width of a letter of code
MOST_CODE = 90  # letters of a source line
CODE_LINE = 41  # letters per line of code in the narrow layout
CODE_ROW = 18  # the height of a line of code
SECOND = "\0"  # stands for the second place of a wide letter
PILL_HEIGHT = 20
FEW, BIG, SMALL = 12, 16, 12.5  # nodes of a big graph; font sizes of its and of other numbers
HEIGHT, LEAF, CONSTANT_HEIGHT = 38, 34, 30
BIG_HEIGHT, BIG_LEAF = 46, 42
MARGIN, NOTE_WIDTH = 16, 190
GLYPH = 43  # the left end of the words in a box, to the right of its sign
INSET = 15  # the left end of the words in a leaf
TAB_ROOM = 100
BRIEF = 28  # the width of a label without room for its number
MOST_LABEL = 150, 108  # in the wide and in the narrow layout
WIDE_LABEL = 190  # the largest width of a number next to a line
# the reader's font may be wider than the estimate by these factors
LETTERS, BOLD_LETTERS = 1.12, 1.25
BESIDE_LABEL = 12  # the padding of a label, left and right together


def code_width(text: str) -> int:
    """The width of a source line. A Chinese or Japanese letter takes two places."""
    return round(LETTER * len(_places(text)))


def code_lines(text: str, most: int) -> list[str]:
    """A source line, wrapped into lines of at most `most` places, between words if possible."""
    lines = wrap(_places(text), most, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace(SECOND, "") for line in lines] or [text]


def _places(text: str) -> str:
    """A text with SECOND after each letter that takes two places."""
    return "".join(each + SECOND * (east_asian_width(each) in "FW") for each in text)


def cut_text(cut: str) -> str:
    """The text of the label at a cut, or "" if the boxes already show it."""
    return (
        "" if cut in ("", "severed", "requires_grad=False") else fit(f"cut: {cut}", 150, 12, True)
    )


def cut_width(cut: str) -> int:
    """The width of the label at a cut, with the scissors."""
    text = cut_text(cut)
    return round(text_width(text, 12, True) * LETTERS) + 44 if text else 0


def tab_names(trace: Trace, index: int) -> str:
    """The full text of the bookmark on the box of an operation, or "". The text names the saved
    tensors, or the version of a saved tensor that the operation modified in place.
    """
    writes = (s.version for s in trace.stale if s.writer == index)
    for version in writes:
        return f"version {version} → {version + 1}"
    saved = [shorten(each.label, 24) or each.name for each in trace.nodes[index].saved]
    return f"saved {', '.join(saved)}" if saved else ""


def tab_text(trace: Trace, index: int) -> str:
    """The text of the bookmark, shortened to fit into TAB_ROOM pixels."""
    names, count = tab_names(trace, index), len(trace.nodes[index].saved)
    if count > 1 and text_width(names, 12) > TAB_ROOM:
        return f"saved {count} tensors"
    return fit(names, TAB_ROOM, 12)


def tab_width(trace: Trace, index: int) -> int:
    """The width of the bookmark, or 0 if the box has none."""
    words = tab_text(trace, index)
    return round(text_width(words, 12)) + 27 if words else 0


def _widest(
    tracks: Iterable[dict], slot: str, size: float, bold: bool = False, most: int = MOST_LABEL[0]
) -> float:
    """The width of the longest text that a slot shows in any of these tracks. Each text is in its
    longest form that fits into `most`.
    """
    widest = 0.0
    for track in tracks:
        for _, said in track.get(slot, ()):
            texts = [said] if isinstance(said, str) else said
            widths = [text_width(text, size, bold) for text in texts]
            here = next((width for width in widths if width <= most - 16), min(widths, default=0))
            widest = max(widest, here)
    return widest


def _between(least: int, width: float, most: int) -> int:
    return round(min(max(least, width), most))


class Sizes:
    """The sizes of the items of a figure, and of the numbers next to its lines.

    `tracks` is the result of `Changes.of` for the figure. For a small graph, it has all texts. The
    `narrow` layout is for a phone. The numbers of a `big` graph, with up to 12 nodes, have 16
    pixels. In a `compact` layout, names have no "Backward0". From level 2 on, leaves are brief, and
    at level 3 all boxes are brief."""

    plus, dot = 26, 8  # diameters

    def __init__(
        self,
        trace: Trace,
        figure: Figure,
        tracks: dict,
        narrow: bool = False,
        compact: int = 0,
    ):
        self.trace, self.figure, self.narrow, self.large = trace, figure, narrow, figure.large
        self.tracks, self.most = tracks, MOST_LABEL[narrow]
        self.level = 3 if narrow else compact
        self.compact, self.brief = self.level > 0, self.level > 2
        self.big = trace.size <= FEW
        self.number, self.glyph = (BIG if self.big else SMALL), (12 if narrow else GLYPH)
        if self.large:
            self.box, self.split = (280, HEIGHT), 184
            self.leaf, self.leaf_split = (206, 30), 132
            self.constant = 0, 0
            return
        nodes, leaves, constants = (
            [i for i, item in enumerate(figure.items) if item.kind == kind]
            for kind in ("node", "leaf", "constant")
        )
        words = max([self._words(i, self.glyph) for i in nodes], default=0)
        gradient = self._gradient(nodes, 72 if self.compact else 90)
        # keep lines to the center of the gradient off the bookmark
        tabs = (tab_width(trace, figure.items[i].nodes[0]) for i in nodes)
        least = max(tabs, default=0) + 16 - gradient // 2
        least = max(least, 70 if narrow else 110)
        self.split = _between(
            least, words, max(least, 98 if narrow else 150 if self.brief else 214)
        )
        self.box = self.split + gradient, HEIGHT
        words = max([self._words(i, INSET) for i in leaves], default=0)
        self.leaf_split = _between(48, words, 76 if narrow else 170)
        self.leaf = self.leaf_split + self._gradient(leaves, 70 if self.compact else 80) + 4, LEAF
        if self.big:
            self.box, self.leaf = (self.box[0], BIG_HEIGHT), (self.leaf[0], BIG_LEAF)
        words = max([self._words(i, 0) for i in constants], default=0)
        self.constant = _between(40, words + 12, 80 if narrow else 110), CONSTANT_HEIGHT

    def smaller(self, level: int) -> "Sizes":
        """The sizes of the same figure with smaller boxes: see `compact`."""
        return Sizes(self.trace, self.figure, self.tracks, self.narrow, level)

    def _words(self, item: int, start: int) -> float:
        """The right end of the words in the left part of a box: its name and its value."""
        node, tracks = self.trace.nodes[self.figure.items[item].nodes[0]], self.tracks["boxes"]
        most = 110 if self.brief or (self.level > 1 and start == INSET) else self.most
        if start in (0, INSET):
            size = self.number if start else 12.5
            value = _widest([tracks[item]], "value", size, most=most)
            name = text_width(name_of(self.trace, node), 13.5, True)
            return start + max(name, value) * LETTERS + 6
        value = _widest([tracks[item]], "value", self.number, most=most)
        short, rest = split_name(node.name)
        name = text_width(short, 13.5, True)
        name += 0 if self.compact else text_width(rest, 12.5)
        named = text_width(f"{node.label} = ", self.number) if node.label else 0
        return start + max(name, named + value) * LETTERS + 6

    def _gradient(self, items: list[int], least: int) -> int:
        tracks = [self.tracks["boxes"][i] for i in items]
        is_leaf = any(self.figure.items[i].kind == "leaf" for i in items)
        short = self.brief or (is_leaf and self.level > 1)
        most = 96 if self.narrow else 114 if short else self.most
        room = 80 if self.narrow else most
        number = _widest(tracks, "gradient", self.number, True, room)
        return _between(least, max(number, _widest(tracks, "caption", 11)) * LETTERS + 14, most)

    def of(self, item: Item) -> tuple[int, int, int]:
        """(width, height, split) of an item's box."""
        if item.kind in ("plus", "dot"):
            side = self.plus if item.kind == "plus" else self.dot
            return side, side, 0
        if item.kind == "constant":
            return *self.constant, 0
        if item.kind == "leaf":
            return *self.leaf, self.leaf_split
        return *self.box, self.split

    def label(self, index: int) -> int:
        """The room of the number next to a line, or 0 if the line has no number."""
        line = self.figure.lines[index]
        if line.cut:
            return cut_width(line.cut)
        producer = self.figure.items[line.producer]
        if producer.kind == "constant":
            return 0
        if self.large:
            return 66
        track = self.tracks["lines"][index]
        most = MOST_LABEL[1] if self.level > 1 else WIDE_LABEL
        width = _widest([track], "pill", self.edge, True, most) * BOLD_LETTERS
        return _between(24, width + BESIDE_LABEL, most)

    @property
    def edge(self) -> float:
        """The font size of the number next to a line."""
        return BIG if self.big else 13

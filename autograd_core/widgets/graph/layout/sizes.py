"""Sizes in the graph view, in CSS pixels, shared by the layout, the scene and the words.

Of a large graph all boxes are equal. Of a small one they are as wide as what
will be written into them."""

from collections.abc import Iterable
from textwrap import wrap
from unicodedata import east_asian_width

from ....trace import Trace
from ...kit.format import shorten
from ...kit.text import fit, text_width
from ..figure import Figure, Item, name_of
from ..formulas import split_name

LETTER = 7.5  # of a source line
MOST_CODE = 90  # its letters
CODE_LINE = 41  # the letters of each of its lines in the narrow layout
CODE_ROW = 18  # the height of such a line
SECOND = "\0"  # stands for the second place of a wide letter
PILL_HEIGHT = 18
HEIGHT, LEAF_HEIGHT, CONSTANT_HEIGHT = 36, 34, 28
MARGIN, NOTE_WIDTH = 16, 190
GLYPH = 43  # where the words of a box begin, beside its sign
INSET = 15  # and those of a leaf
TAB_ROOM = 100
BRIEF = 28  # of a label that has no room for its number
LEAST_LABEL, MOST_LABEL = 64, (150, 108)  # the second is in the narrow layout
LETTERS = 1.12  # how much wider than here letters may be where the picture is seen
ARROW = 18  # "↑ " before the words of a label
BESIDE_LABEL = 14  # the ends of a label, left and right of its words


def code_width(text: str) -> int:
    """How wide a source line is: a Chinese or a Japanese letter takes two places."""
    return round(LETTER * len(_places(text)))


def code_lines(text: str, most: int) -> list[str]:
    """A source line in lines of at most `most` places, broken between words where it can be."""
    lines = wrap(_places(text), most, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace(SECOND, "") for line in lines] or [text]


def _places(text: str) -> str:
    """A text with SECOND after each letter that takes two places."""
    return "".join(each + SECOND * (east_asian_width(each) in "FW") for each in text)


def cut_text(cut: str) -> str:
    """What the label at a cut says: "" where the boxes say it."""
    return (
        "" if cut in ("", "severed", "requires_grad=False") else fit(f"cut: {cut}", 150, 12, True)
    )


def cut_width(cut: str) -> int:
    """The room that the label at a cut needs, scissors included."""
    text = cut_text(cut)
    return round(text_width(text, 12, True) * LETTERS) + 44 if text else 0


def tab_names(trace: Trace, index: int) -> str:
    """What the bookmark on an operation's box says, where there are TAB_ROOM pixels for it: what it
    saved, or which version it wrote into what another one saved; "" for nothing.
    """
    writes = (s.version for s in trace.stale if s.writer == index)
    for version in writes:
        return f"version {version} → {version + 1}"
    saved = [shorten(each.label, 24) or each.name for each in trace.nodes[index].saved]
    return f"saved {', '.join(saved)}" if saved else ""


def tab_text(trace: Trace, index: int) -> str:
    """What it says in any case."""
    names, count = tab_names(trace, index), len(trace.nodes[index].saved)
    if count > 1 and text_width(names, 12) > TAB_ROOM:
        return f"saved {count} tensors"
    return fit(names, TAB_ROOM, 12)


def tab_width(trace: Trace, index: int) -> int:
    """Its width, 0 where there is none."""
    words = tab_text(trace, index)
    return round(text_width(words, 12)) + 27 if words else 0


def _widest(
    tracks: Iterable[dict], slot: str, size: float, bold: bool = False, most: int = MOST_LABEL[0]
) -> float:
    """The width of the longest text that a slot shows in any of these tracks, in as many words as
    have room in `most`.
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
    """How large the items of a figure are, and the labels of its lines.

    `tracks` is what `Changes.of` says of the figure: of a small graph, all that will be written.
    The `narrow` layout is for a phone: all boxes form one column, labels on lanes are brief, and
    source lines are broken."""

    plus, dot = 26, 8  # diameters

    def __init__(self, trace: Trace, figure: Figure, tracks: dict, narrow: bool = False):
        self.trace, self.figure, self.narrow, self.large = trace, figure, narrow, figure.large
        self.tracks, self.most = tracks, MOST_LABEL[narrow]
        if self.large:
            self.box, self.split = (280, HEIGHT), 184
            self.leaf, self.leaf_split = (206, 30), 132
            self.aside, self.aside_split = (236, HEIGHT), 152
            self.constant, self.tab = (0, 0), 0
            return
        nodes, leaves, constants = (
            [i for i, item in enumerate(figure.items) if item.kind == kind]
            for kind in ("node", "leaf", "constant")
        )
        words = max([self._words(i, GLYPH) for i in nodes], default=0)
        self.split = _between(110, words, 128 if narrow else 204)
        self.box = self.split + self._gradient(nodes, 84), HEIGHT
        words = max([self._words(i, INSET) for i in leaves], default=0)
        self.leaf_split = _between(62, words, 110 if narrow else 170)
        self.leaf = self.leaf_split + self._gradient(leaves, 76) + 6, LEAF_HEIGHT
        self.aside, self.aside_split = self.box, self.split
        words = max([self._words(i, 0) for i in constants], default=0)
        self.constant = _between(40, words + 12, 80 if narrow else 96), CONSTANT_HEIGHT
        first = (figure.items[i].nodes[0] for i in nodes)
        self.tab = max((tab_width(trace, node) for node in first), default=0)

    def _words(self, item: int, start: int) -> float:
        """How far the words at a box's left reach: its name, and its value."""
        node, tracks = self.trace.nodes[self.figure.items[item].nodes[0]], self.tracks["boxes"]
        value = _widest([tracks[item]], "value", 12.5)
        if start != GLYPH:
            return (
                start + max(text_width(name_of(self.trace, node), 13.5, True), value) * LETTERS + 6
            )
        short, rest = split_name(node.name)
        name = text_width(short, 13.5, True) + text_width(rest, 12.5)
        named = text_width(f"{node.label} = ", 12.5) if node.label else 0
        return start + max(name, named + value) * LETTERS + 6

    def _gradient(self, items: list[int], least: int) -> int:
        tracks = [self.tracks["boxes"][i] for i in items]
        number = _widest(tracks, "gradient", 12.5, True, self.most)
        return _between(
            least, max(number, _widest(tracks, "caption", 11)) * LETTERS + 14, self.most
        )

    def of(self, item: Item, aside: bool = False) -> tuple[int, int, int]:
        """(width, height, split) of an item's box."""
        if item.kind in ("plus", "dot"):
            side = self.plus if item.kind == "plus" else self.dot
            return side, side, 0
        if item.kind == "constant":
            return *self.constant, 0
        if item.kind == "leaf":
            return *self.leaf, self.leaf_split
        return (*self.aside, self.aside_split) if aside else (*self.box, self.split)

    def label(self, index: int) -> int:
        """The room of the label on a line; 0: it has none."""
        line = self.figure.lines[index]
        if line.cut:
            return cut_width(line.cut)
        producer = self.figure.items[line.producer]
        if producer.kind == "constant":
            return 0
        if self.large:
            return 66
        track = self.tracks["lines"][index]
        return _between(
            LEAST_LABEL,
            _widest([track], "pill", 12, True, self.most) * LETTERS + ARROW + BESIDE_LABEL,
            self.most,
        )

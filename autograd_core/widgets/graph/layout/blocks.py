"""The contents of a layout: blocks of items, their lines, and the leaves next to each item.

A block holds the items of one source line or of one open fold. A leaf is drawn to the right of its
first consumer. A constant is drawn to its left, or above it at the start of the graph.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from .sizes import BRIEF, NOTE_WIDTH, Sizes

BESIDE = ("leaf", "constant")  # kinds of items that are drawn next to their first consumer
STACK = 8  # the gap between two leaves of one item
GUTTER, BARE = 94, 56  # gaps between an item and its leaves: in a large graph, and without a number
HEAD = 16  # the space for the arrow at each end of a line that has a number
CIRCLE = 26  # the diameter of a folded transpose
CONSTANT_GAP = 30  # the space for an arrow
LANE = 14  # the gap between parallel lines
RISE = 24  # the gap between a constant and the item below it


@dataclass
class Block:
    """Items and blocks in recording order. `line` is the source line of a band. `frame` is the index
    of an open fold in `Figure.frames`.
    """

    frame: int = -1
    line: int | None = None
    is_band: bool = False
    parts: list["int | Block"] = field(default_factory=list)

    def items(self) -> list[int]:
        """All items of this block, including those of nested blocks."""
        found = []
        for part in self.parts:
            found += part.items() if isinstance(part, Block) else [part]
        return found


@dataclass
class Net:
    """Lines that leave one item together. `source` is the item that they leave. If they leave a leaf
    or a constant, `leaf` is that item, and `source` is the item next to it.
    """

    source: int
    leaf: int | None
    lines: list[int] = field(default_factory=list)


@dataclass
class Spot:
    """An item with its leaves and constants. Positions are relative to the center of its gradient.

    `right` and `left` are the lines from leaves and constants, from top to bottom. `above` is the
    line from a constant above the item."""

    width: int
    height: int
    split: int
    axis: int
    right: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    above: int | None = None
    # the nets from its leaves and constants to other items
    nets: list[int] = field(default_factory=list)
    reach: tuple[int, int] = (0, 0)
    leaf_x: int = 0


class Plan:
    """The items, the lines and the blocks of a figure, before they have positions."""

    def __init__(self, sizes: Sizes):
        self.sizes, self.figure, self.trace = sizes, sizes.figure, sizes.trace
        self.items, self.lines = self.figure.items, self.figure.lines
        self.narrow, self.large = sizes.narrow, sizes.large
        self.home: dict[int, int] = {}
        for line in sorted(self.lines, key=lambda line: line.consumer):
            if self.items[line.producer].kind in BESIDE:
                self.home.setdefault(line.producer, line.consumer)
        self.body = [item for item in range(len(self.items)) if item not in self.home]
        self.place_nets()
        self.place_labels()
        self.place_spots()
        self.root = self.blocks()

    # ---- lines -----------------------------------------------------------------------------------

    def place_nets(self) -> None:
        """Set `nets`, and `beside`: the lines from a leaf or a constant to the item next to it.

        In a large graph, all lines of an item leave together."""
        self.nets: list[Net] = []
        self.beside: set[int] = set()
        # the second line from a leaf to the item next to it, as in x * x
        self.twins: dict[int, int] = {}
        met: set[int] = set()
        shared: dict[tuple[int, bool], Net] = {}
        for index, line in enumerate(self.lines):
            source = self.home.get(line.producer, line.producer)
            leaf = line.producer if line.producer in self.home else None
            if leaf is not None and source == line.consumer:
                if leaf in met:
                    self.twins[index] = leaf
                met.add(leaf)
                self.beside.add(index)
                continue
            net = shared.get((line.producer, bool(line.cut))) if self.large else None
            if net is None:
                net = shared[line.producer, bool(line.cut)] = Net(source, leaf)
                self.nets.append(net)
            net.lines.append(index)
        self.ins: dict[int, list[int]] = defaultdict(list)
        self.outs: dict[int, list[int]] = defaultdict(list)
        for number, net in enumerate(self.nets):
            if net.leaf is None:
                self.outs[net.source].append(number)
            for index in net.lines:
                self.ins[self.lines[index].consumer].append(number)

    def place_labels(self) -> None:
        """Set `room` for the number of each line, 0 for no number, and choose its position. A line in
        `low` has its number just above the consumer, and a line in `high` just below the producer.
        The number of any other line is next to the lane of the line.
        """
        self.room = [self.label(index) for index in range(len(self.lines))]
        self.low: set[int] = set()
        self.high: set[int] = set()
        self.lanes: set[int] = set()
        for net in self.nets:
            for index in net.lines:
                if not self.room[index]:
                    continue
                if len(self.ins[self.lines[index].consumer]) == 1:
                    self.low.add(index)
                elif len(self.outs[net.source]) == 1 == len(net.lines) and net.leaf is None:
                    self.high.add(index)
                elif self.narrow:
                    self.room[index] = 0

    def label(self, index: int) -> int:
        """The room for the number of a line. In a large graph, a box with one consumer shows the
        number itself.
        """
        line = self.lines[index]
        if self.large and not line.cut:
            kind = self.items[line.producer].kind
            count = sum(len(self.nets[number].lines) for number in self.outs[line.producer])
            if line.producer in self.home or (kind not in ("fold", "plus") and count == 1):
                return 0
        room = self.sizes.label(index)
        if index in self.beside:
            leaves = sum(self.lines[each].consumer == line.consumer for each in self.beside)
            if self.narrow:
                return min(BRIEF, room) if line.cut else 0
            # the leaf shows this number
            crowded = self.sizes.level > 1 or (self.sizes.level and leaves > 1)
            return 0 if crowded and not line.cut else room
        return room

    # ---- items -----------------------------------------------------------------------------------

    def place_spots(self) -> None:
        """Set `spot` for each item of the body."""
        self.spot: dict[int, Spot] = {}
        for item in self.body:
            width, height, split = self.sizes.of(self.items[item])
            axis = (split + width) // 2 if split else width // 2
            self.spot[item] = Spot(width, height, split, axis)
        for index in sorted(self.beside - self.twins.keys()):
            line = self.lines[index]
            spot, constant = self.spot[line.consumer], self.items[line.producer].kind == "constant"
            first = constant and not self.ins[line.consumer] and spot.above is None
            if first and not self.narrow:
                spot.above = index
            else:
                (spot.left if constant and not self.narrow else spot.right).append(index)
        # the item that may have a note next to it
        last = self.body[-1] if self.body and not self.narrow else -1
        self.noted = last if last >= 0 and self.items[last].frame < 0 else -1
        for number, net in enumerate(self.nets):
            if net.leaf is not None:
                self.spot[net.source].nets.append(number)
        gap = max([self.gap(index) for spot in self.spot.values() for index in spot.right] + [0])
        for item, spot in self.spot.items():
            self.reach(item, spot, gap)

    def gap(self, index: int) -> int:
        """The length of a line from a leaf to its item."""
        if self.large:
            return GUTTER
        room, dots = self.room[index], CIRCLE * len(self.lines[index].dots)
        if self.narrow:
            return max(28, room + 14) + dots
        return max(BARE, room + (18 if self.sizes.compact else 2 * HEAD)) + dots

    def reach(self, item: int, spot: Spot, gap: int) -> None:
        """Set the extent and height of an item, including its leaves and constants."""
        leaf, constant = self.sizes.leaf, self.sizes.constant
        height = max(self.stack(spot.right), self.stack(spot.left))
        if len(spot.right) > 1 or len(spot.left) > 1:
            spot.height = max(spot.height, height)
        left, right = spot.axis, spot.width - spot.axis
        spot.leaf_x = right + gap
        if spot.right:
            right = spot.leaf_x + leaf[0]
        if item == self.noted and not spot.right:
            right += NOTE_WIDTH
        if spot.left:
            left += CONSTANT_GAP + constant[0]
        spot.reach = left, right + (CONSTANT_GAP - LANE + LANE * len(spot.nets)) * bool(spot.nets)

    def stack(self, ends: list[int]) -> int:
        """The height of the leaves or constants on one side of an item."""
        return sum(self.size(index)[1] for index in ends) + STACK * max(0, len(ends) - 1)

    def size(self, index: int) -> tuple[int, int]:
        """The width and height of the leaf or constant at the start of a line."""
        width, height, _ = self.sizes.of(self.items[self.lines[index].producer])
        return width, height

    def ends(self, ends: list[int]) -> list[int]:
        """The y positions of the lines on one side, relative to the center of the item."""
        y, found = -self.stack(ends) // 2, []
        for index in ends:
            height = self.size(index)[1]
            found.append(y + height // 2)
            y += height + STACK
        return found

    # ---- blocks ----------------------------------------------------------------------------------

    def blocks(self) -> Block:
        """All items of the body, by source line in a small graph and by open fold in a large one."""
        root = Block()
        frames = {-1: root}
        for item in self.body:
            if self.large or not self.trace.source:
                self.around(self.items[item].frame, frames).parts.append(item)
                continue
            line = self.trace.nodes[self.items[item].nodes[0]].line
            last = root.parts[-1] if root.parts else None
            if not isinstance(last, Block) or last.line != line:
                last = Block(line=line, is_band=True)
                root.parts.append(last)
            last.parts.append(item)
        return root

    def around(self, frame: int, frames: dict[int, Block]) -> Block:
        """The block of an open fold, nested in the block of the outer fold."""
        if frame not in frames:
            outer = self.around(self.figure.frames[frame].outer, frames)
            frames[frame] = Block(frame)
            outer.parts.append(frames[frame])
        return frames[frame]

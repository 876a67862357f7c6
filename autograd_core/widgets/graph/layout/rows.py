"""A figure as rows of a trunk: which item stands in which row, and which way the lines take."""

from collections import defaultdict

from ..figure import Figure
from .lanes import Lanes

# how many gaps it spans, the first of them, its lines
Bundle = tuple[int, int, list[int]]
BESIDE = ("leaf", "constant")  # kinds of items that stand beside their first consumer


class Rows:
    """A figure by rows and lanes. Items, lines and frames are named by their places in the figure.

    Leaves and constants stand `beside` their first consumers, or in rows of their own above them."""

    def __init__(self, figure: Figure, beside: bool = True):
        self.figure, self.items, self.lines = figure, figure.items, figure.lines
        self.outs: list[list[int]] = [[] for _ in self.items]
        self.ins: list[list[int]] = [[] for _ in self.items]
        for index, line in enumerate(self.lines):
            self.outs[line.producer].append(index)
            self.ins[line.consumer].append(index)
        # each leaf's and each constant's first consumer
        self.home = {
            item: min(self.lines[index].consumer for index in self.outs[item])
            for item, each in enumerate(self.items)
            if each.kind in BESIDE and self.outs[item]
        }
        severed = [item.severed and item.kind != "leaf" for item in self.items]
        self.aside = [severed[self.home.get(i, i)] for i in range(len(self.items))]
        self.side = [
            item.kind if beside and i in self.home and not aside else ""
            for i, (item, aside) in enumerate(zip(self.items, self.aside))
        ]

    # ---- rows ------------------------------------------------------------------------------------

    def place_rows(self) -> None:
        """`row` of each item but leaves: one in each, and one at its right that no gradient passes,
        if there is room.

        `trunk` is the item in the middle of each row, `beside` that at its right.
        """
        busy = {
            end
            for line in self.lines
            for end in (line.producer, line.consumer)
            if self.side[line.producer] or self.aside[line.producer] or self.aside[line.consumer]
        }
        self.row: dict[int, int] = {}
        self.trunk: list[int | None] = []
        self.beside: list[int | None] = []
        for item in sorted(range(len(self.items)), key=lambda i: (self.home.get(i, i), i)):
            if self.side[item]:
                continue
            each = self.items[item]
            last = self.trunk[-1] if self.trunk else None
            free = last is not None and last not in busy and self.beside[-1] is None
            if self.aside[item] and free and self.items[last].frame == each.frame:
                self.beside[-1] = item
            else:
                self.trunk.append(None if self.aside[item] else item)
                self.beside.append(item if self.aside[item] else None)
            self.row[item] = len(self.trunk) - 1

    def sort_lines(self) -> None:
        """`sort` of each line: "straight", "left", "right", "leaf", "constant", or "near": one
        corner, from or to the right.
        """
        column = [item for item in self.trunk if item is not None]
        above = dict(zip(column[1:], column))
        self.sort: list[str] = []
        met: set[int] = set()  # leaves that have their consumer
        # of items: two lines may join them, one of them a cut
        pairs: set[tuple[int, int]] = set()
        # items at the right with a line at their top
        joined: set[int] = set()
        left: set[int] = set()  # and at their bottom
        for line in self.lines:
            a, b = line.producer, line.consumer
            if self.side[a]:
                first = b == self.home[a] and a not in met
                again = "left" if self.side[a] == "constant" else "right"
                self.sort.append(self.side[a] if first else again)
                met.add(a)
                continue
            if not self.aside[a] and not self.aside[b]:
                straight = above.get(b) == a and (a, b) not in pairs
                self.sort.append("straight" if straight else "left")
                pairs.add((a, b))
                continue
            free = not (self.aside[a] and a in left or self.aside[b] and b in joined)
            if self.row[b] == self.row[a] + 1 and free:
                self.sort.append("straight" if self.aside[a] == self.aside[b] else "near")
                left.add(a)
                joined.add(b)
            else:
                self.sort.append("right")

    # ---- across ----------------------------------------------------------------------------------

    def place_lanes(self) -> None:
        """`lane` of each line beside the trunk, counted outwards, and `frame_lane` of each frame's
        left side. `lanes` counts those at the left, `rightmost` those at the right.
        """
        self.lane: dict[int, int] = {}
        self.frame_lane: dict[int, int] = {}
        self.place_left_lanes()
        lanes = Lanes(len(self.trunk) + 1)
        for bundle in sorted(self.bundles("right")):
            self.take(lanes, bundle)
        used = {
            side: [lane for index, lane in self.lane.items() if self.sort[index] == side]
            for side in ("left", "right")
        }
        self.lanes = max([*used["left"], *self.frame_lane.values()], default=-1) + 1
        self.rightmost = max(used["right"], default=-1) + 1

    def place_left_lanes(self) -> None:
        """Lanes from the innermost frames outwards: a line that leaves a frame, or passes it, runs
        outside of it.
        """
        lanes, depth, rows = Lanes(len(self.trunk) + 1), self.depths(), self.frame_rows()
        inside: dict[int, list[Bundle]] = defaultdict(list)
        for bundle in self.bundles("left"):
            ends = [
                self.lines[bundle[2][0]].producer,
                *(self.lines[index].consumer for index in bundle[2]),
            ]
            inside[self.common([self.items[end].frame for end in ends], depth)].append(bundle)
        for frame in [*sorted(rows, key=lambda frame: -depth[frame]), -1]:
            # the shortest next to the trunk: so they do not cross
            for bundle in sorted(inside[frame]):
                self.take(lanes, bundle)
            if frame >= 0:
                first, last = rows[frame]
                # that above its first row, where its header is, too
                gaps = max(0, first - 1), max(first, last, 1)
                self.frame_lane[frame] = lanes.taken(*gaps).bit_length()
                lanes.take(*gaps, (2 << self.frame_lane[frame]) - 1)

    def bundles(self, side: str) -> list[Bundle]:
        """What shares a lane: all lines of one item on this side, those with a cut apart."""
        same: dict[tuple[int, bool], list[int]] = defaultdict(list)
        for index, line in enumerate(self.lines):
            if self.sort[index] == side:
                same[line.producer, bool(line.cut)].append(index)
        found = []
        for (producer, _), lines in same.items():
            rows = [
                self.row_of(producer),
                *(self.row[self.lines[index].consumer] for index in lines),
            ]
            found.append((max(1, max(rows) - min(rows)), min(rows), lines))
        return found

    def take(self, lanes: Lanes, bundle: Bundle) -> None:
        length, start, lines = bundle
        lane = lanes.first_free(start, start + length)
        self.lane.update((index, lane) for index in lines)

    def frame_rows(self) -> dict[int, tuple[int, int]]:
        """The first and the last row in each frame."""
        rows: dict[int, tuple[int, int]] = {}
        for item, row in self.row.items():
            frame = self.items[item].frame
            while frame >= 0:
                first, last = rows.get(frame, (row, row))
                rows[frame] = min(first, row), max(last, row)
                frame = self.figure.frames[frame].outer
        return rows

    def depths(self) -> list[int]:
        depth: list[int] = []
        # an outer frame stands before what is in it
        for frame in self.figure.frames:
            depth.append(0 if frame.outer < 0 else depth[frame.outer] + 1)
        return depth

    def common(self, frames: list[int], depth: list[int]) -> int:
        """The innermost frame around all of `frames`, or -1."""
        first, *others = frames
        for other in others:
            while first != other:
                if first < 0 or other < 0:
                    return -1
                if depth[first] >= depth[other]:
                    first = self.figure.frames[first].outer
                else:
                    other = self.figure.frames[other].outer
        return first

    def row_of(self, item: int) -> int:
        return self.row[self.home[item]] if self.side[item] else self.row[item]

"""A large graph as rows of a trunk: which item stands in which row, and which lane the lines past them take."""

from collections import defaultdict

from .figure import Figure
from .lanes import Lanes
from .sizes import MARGIN

LANE, SLIM, MOST = 40, 26, 6        # between lanes; where there are more than MOST, which have no room for numbers
FIRST_LANE = 40                     # from the trunk's left side to the first lane
CUT_ROOM = 70                       # left of the lanes, for a word at a cut


class TrunkRows:
    """A figure by rows and lanes. Items, lines and frames are named by their places in the figure."""

    def __init__(self, figure: Figure):
        self.figure, self.items, self.lines = figure, figure.items, figure.lines
        self.outs: list[list[int]] = [[] for _ in self.items]
        for index, line in enumerate(self.lines):
            self.outs[line.producer].append(index)
        self.home: dict[int, int] = {}                                      # each leaf's first consumer
        for line in self.lines:
            if self.items[line.producer].kind == "leaf":
                self.home[line.producer] = min(line.consumer, self.home.get(line.producer, line.consumer))
        severed = [item.severed and item.kind != "leaf" for item in self.items]
        self.aside = [severed[self.home.get(i, i)] for i in range(len(self.items))]
        self.leaf = [item.kind == "leaf" and not aside for item, aside in zip(self.items, self.aside)]

    # ---- rows --------------------------------------------------------------------------------------------------

    def place_rows(self) -> None:
        """`row` of each item but leaves: one in each, and one at its right that no gradient passes, if there is room."""
        busy = {end for line in self.lines for end in (line.producer, line.consumer)
                if self.leaf[line.producer] or self.aside[line.producer] or self.aside[line.consumer]}
        self.row: dict[int, int] = {}                                       # of all but leaves
        self.trunk: list[int | None] = []                                   # the item of each row
        self.beside: list[int | None] = []
        for item, each in enumerate(self.items):
            if self.leaf[item]:
                continue
            last = self.trunk[-1] if self.trunk else None
            free = last is not None and last not in busy and self.beside[-1] is None
            if self.aside[item] and free and self.items[last].frame == each.frame:
                self.beside[-1] = item
            else:
                self.trunk.append(None if self.aside[item] else item)
                self.beside.append(item if self.aside[item] else None)
            self.row[item] = len(self.trunk) - 1

    def sort_lines(self) -> None:
        """`sort` of each line: "straight", "left", "right", "leaf", or "near", one corner between trunk and right side."""
        above: dict[int, int] = {}                                          # each item of the trunk, and the one above it
        column = [item for item in self.trunk if item is not None]
        above.update(zip(column[1:], column))
        self.sort: list[str] = []
        met: set[int] = set()                                               # leaves that have their consumer
        pairs: set[tuple[int, int]] = set()                                 # one may be passed both a gradient and a cut
        joined: set[int] = set()                                            # items at the right with a line at their top
        left: set[int] = set()                                              # and at their bottom
        for line in self.lines:
            a, b = line.producer, line.consumer
            if self.leaf[a]:
                self.sort.append("leaf" if b == self.home[a] and a not in met else "right")
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

    # ---- across ------------------------------------------------------------------------------------------------

    def place_lanes(self) -> None:
        """`lane` of each line beside the trunk and of each frame's left side, counted outwards; lines of one item share."""
        rows = len(self.trunk)
        depth = self.depths()
        self.lane: dict[int, int] = {}
        self.frame_lane: dict[int, int] = {}
        self.frame_rows: dict[int, tuple[int, int]] = {}
        for item, row in self.row.items():
            frame = self.items[item].frame
            while frame >= 0:
                first, last = self.frame_rows.get(frame, (row, row))
                self.frame_rows[frame] = min(first, row), max(last, row)
                frame = self.figure.frames[frame].outer
        for side in ("left", "right"):
            lanes = Lanes(rows + 1)
            buses: dict[tuple[int, bool], list[int]] = defaultdict(list)
            for index, line in enumerate(self.lines):
                if self.sort[index] == side:
                    buses[line.producer, bool(line.cut)].append(index)
            inside: dict[int, list[tuple[int, int, list[int]]]] = defaultdict(list)
            for (producer, _), bus in buses.items():
                ends = [self.row_of(producer), *(self.row[self.lines[index].consumer] for index in bus)]
                frames = [self.items[producer].frame, *(self.items[self.lines[index].consumer].frame for index in bus)]
                start, end = min(ends), max(max(ends), min(ends) + 1)
                inside[self.common(frames, depth) if side == "left" else -1].append((end - start, start, bus))
            for frame in sorted({*inside, *range(len(self.figure.frames))} - {-1}, key=lambda f: -depth[f]) + [-1]:
                for length, start, bus in sorted(inside[frame]):
                    lane = lanes.first_free(start, start + length)
                    self.lane.update((index, lane) for index in bus)
                if frame >= 0 and side == "left":
                    first, last = self.frame_rows[frame]
                    gaps = max(0, first - 1), max(first, last, 1)           # that above its first row, not that below its last
                    outermost = lanes.taken(*gaps).bit_length()
                    self.frame_lane[frame] = outermost
                    lanes.take(*gaps, (1 << outermost + 1) - 1)
        used = [lane for index, lane in self.lane.items() if self.sort[index] == "left"]
        count = max([*used, *self.frame_lane.values()], default=-1) + 1
        self.slim = count > MOST
        self.step = SLIM if self.slim else LANE
        wide = used and max(used) == 0 and any(self.cut_label(index) and self.sort[index] == "left" for index in self.lane)
        self.base = MARGIN + (FIRST_LANE + count * self.step if count else 0) + (CUT_ROOM if wide else 0)
        self.rightmost = max((lane for index, lane in self.lane.items() if self.sort[index] == "right"), default=-1) + 1

    def depths(self) -> list[int]:
        depth: list[int] = []
        for frame in self.figure.frames:                                    # an outer frame stands before what is in it
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
        return self.row[self.home[item]] if self.leaf[item] else self.row[item]

"""The rows of one block, and the parts of the lines between them.

The row of an item is the length of the longest path from the start of the block. In the narrow
layout, each item has its own row. A line that passes rows takes a lane.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .blocks import LANE, Block, Plan

if TYPE_CHECKING:
    from .flow import Flow


@dataclass(eq=False)
class Vertex:
    """One position in a row: an item, a block, or a net that passes, enters or leaves.

    `skip` marks a net that passes a branch. Such a net opens no column and moves no join."""

    item: int = -1
    flow: "Flow | None" = None
    net: int = -1
    row: int = 0
    skip: bool = False
    # no gradient passes this vertex
    severed: bool = False
    rank: int = 0
    column: "Column | None" = None
    shift: int = 0
    left: int = LANE // 2
    right: int = LANE // 2
    y: int = 0
    height: int = 0

    @property
    def x(self) -> int:
        return self.column.x + self.shift

    @property
    def passes(self) -> bool:
        return self.net >= 0


@dataclass(eq=False)
class Column:
    """Vertices straight below each other. `side` is the side of the lane that has this column."""

    side: int = 0
    x: int = 0
    place: int = 0
    links: list[tuple["Column", int]] = field(default_factory=list)


@dataclass(eq=False)
class Link:
    """A part of a net between two adjacent rows. `start` is its position at `upper`, and `end` its
    position at `lower`, each relative to the vertex.
    """

    net: int
    upper: Vertex
    lower: Vertex
    lines: list[int]
    start: int = 0
    end: int = 0
    track: int = 0
    skip: bool = False
    # in the narrow layout: how far below the center of an item the link meets its left side
    aside: int | None = None

    @property
    def top(self) -> int:
        return self.upper.x + self.start

    @property
    def bottom(self) -> int:
        return self.lower.x + self.end


class Rows:
    """One block: `vertices` by row, and the `links` between them. `inside` lists the nested blocks,
    each with its vertex and its nets."""

    def __init__(self, plan: Plan, block: Block, nets: list[int]):
        self.plan, self.block, self.alone = plan, block, True
        # the code of a band, and how many lines of space it has above the items
        self.text: list[str] = []
        self.head = 0
        self.links: list[Link] = []
        # nets that pass a branch outside this block, and nets that pass one inside it
        self.skips: set[int] = set()
        self.deep: set[int] = set()
        self.labelled: dict[int, Vertex] = {}
        self.own: dict[int, Vertex] = {}
        self.vertices: list[Vertex] = []
        parts = []
        for part in block.parts:
            vertex = Vertex(rank=len(self.vertices))
            if isinstance(part, Block):
                items = part.items()
                vertex.severed = all(plan.items[item].severed for item in items)
                self.own |= dict.fromkeys(items, vertex)
                parts.append((part, vertex, items))
            else:
                vertex.item, vertex.severed = part, plan.items[part].severed
                self.own[part] = vertex
            self.vertices.append(vertex)
        self.nets = nets
        self.place_rows()
        self.place_links()
        touching: dict[int, dict[int, None]] = defaultdict(dict)
        for number in nets:
            net = plan.nets[number]
            for item in (net.source, *(plan.lines[index].consumer for index in net.lines)):
                touching[item][number] = None
        self.inside = [
            (part, vertex, sorted({number for item in items for number in touching[item]}))
            for part, vertex, items in parts
        ]

    # ---- rows ------------------------------------------------------------------------------------

    def place_rows(self) -> None:
        """Set `row` of each vertex, from 1. `last` is the row of the nets that leave the block."""
        before: dict[int, list[Vertex]] = defaultdict(list)
        for number in self.nets:
            source = self.own.get(self.plan.nets[number].source)
            for consumer in self.consumers(number):
                if source is not None and self.own[consumer] is not source:
                    before[self.own[consumer].rank].append(source)
        for number, vertex in enumerate(self.vertices, 1):
            rows = (each.row for each in before[vertex.rank])
            vertex.row = number if self.plan.narrow else 1 + max(rows, default=0)
        self.last = 1 + max((vertex.row for vertex in self.vertices), default=0)
        self.count: dict[int, int] = defaultdict(int)
        for vertex in self.vertices:
            self.count[vertex.row] += 1

    def consumers(self, number: int) -> list[int]:
        lines = (self.plan.lines[index] for index in self.plan.nets[number].lines)
        return [line.consumer for line in lines if line.consumer in self.own]

    def place_links(self) -> None:
        """Make a chain of links from row to row for each net, with branches at its consumers."""
        direct = {
            (self.own[net.source].rank, net.leaf is None)
            for net in map(self.plan.nets.__getitem__, self.nets)
            if net.source in self.own
            for index in net.lines
            if self.plan.lines[index].consumer in self.own
            and self.own[self.plan.lines[index].consumer].row == self.own[net.source].row + 1
            and self.own[self.plan.lines[index].consumer].severed <= self.own[net.source].severed
        }
        # the sources of nets that enter the first row directly
        entered = {
            self.plan.nets[number].source
            for number in self.nets
            for consumer in self.consumers(number)
            if self.own[consumer].row == 1
        }
        for number in self.nets:
            net, lines = self.plan.nets[number], self.plan.lines
            source = self.own.get(net.source)
            ends: dict[Vertex, list[int]] = defaultdict(list)
            out = []
            for index in net.lines:
                end = self.own.get(lines[index].consumer)
                if end is None:
                    out.append(index)
                elif end is not source:
                    ends[end].append(index)
            if source is None and not ends:
                continue
            at = source
            if at is None:
                deep = all(end.row > 1 for end in ends)
                deep &= self.plan.narrow or net.source in entered
                if deep:
                    self.deep.add(number)
                at = self.add(Vertex(net=number, rank=net.source, skip=deep))
                out = []
            if out:
                leaves = self.add(Vertex(net=number, row=self.last, rank=net.source))
                ends[leaves] = out
            waiting = sum(ends.values(), [])
            skip = (
                source is None
                and at.skip
                or source is not None
                and ((source.rank, True) in direct or net.leaf is not None or self.plan.narrow)
            )
            for row in range(at.row + 1, max((end.row for end in ends), default=0) + 1):
                reached = [end for end in ends if end.row == row]
                for end in reached:
                    self.links.append(Link(number, at, end, ends[end]))
                    waiting = [index for index in waiting if index not in ends[end]]
                    if end.passes and at is not source:
                        end.skip = skip
                if not waiting:
                    break
                lane = self.add(Vertex(net=number, row=row, rank=net.source, skip=skip))
                self.links.append(Link(number, at, lane, waiting))
                self.label_lane(lane, waiting)
                at = lane
                if source is not None and net.leaf is None:
                    direct.add((source.rank, True))

    def label_lane(self, lane: Vertex, lines: list[int]) -> None:
        """Put each number that has no other position to the left of its lane."""
        plan = self.plan
        for index in lines * (not plan.narrow):
            if (
                plan.room[index]
                and index not in plan.low | plan.high
                and lane not in {*self.labelled.values()}
            ):
                self.labelled[index] = lane
                plan.lanes.add(index)
                plan.high.add(index)
                lane.left += plan.room[index] + 8

    def add(self, vertex: Vertex) -> Vertex:
        self.vertices.append(vertex)
        return vertex

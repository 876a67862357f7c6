"""The columns of one block, and of the blocks in it.

A fork opens a column for each branch, in code order, and a join is centered below its branches. All
other items are straight below the item that they follow.
"""

from collections import defaultdict

from .blocks import LANE, Block, Plan
from .rows import Column, Link, Rows, Vertex
from .sizes import tab_width

PAD, HEADER = 14, 42  # the padding of an open fold: next to and below its items, and above them
INSET = 12  # the padding next to the items of a band, if bands are side by side
APART = 24  # the gap between columns
SWEEPS = 8
FAR = 100_000


class Flow(Rows):
    """A block with its columns. `order` lists them from left to right."""

    def __init__(self, plan: Plan, block: Block, nets: list[int]):
        super().__init__(plan, block, nets)
        for part, vertex, mine in self.inside:
            vertex.flow = Flow(plan, part, mine)
            vertex.flow.alone = not plan.narrow and self.count[vertex.row] == 1

    # ---- columns ---------------------------------------------------------------------------------

    def place_columns(self) -> None:
        """Set `column` of each vertex and the position of each column."""
        for vertex in self.vertices:
            vertex.skip |= vertex.net in self.skips
        for link in self.links:
            link.skip = link.upper.skip or link.lower.skip
            link.skip |= link.lower.flow is not None and link.net in link.lower.flow.deep
            for end in (link.upper, link.lower):
                if end.flow and link.skip:
                    end.flow.skips.add(link.net)
        for vertex in self.vertices:
            if vertex.flow:
                vertex.flow.place_columns()
                vertex.left, vertex.right = vertex.flow.left, vertex.flow.right
            elif vertex.item >= 0:
                vertex.left, vertex.right = self.reach(vertex)
        self.sort_columns()
        self.solve()
        main = self.main()
        for column in self.order:
            column.x -= main
        self.place_ports()
        self.measure()

    def reach(self, vertex: Vertex) -> tuple[int, int]:
        """How far an item extends to each side, including the numbers on its lines."""
        plan, item = self.plan, vertex.item
        left, right = plan.spot[item].reach
        for number in plan.ins[item]:
            for index in plan.nets[number].lines:
                if plan.lines[index].consumer == item and index in plan.low:
                    right = max(right, plan.room[index] + 14)
        for number in plan.outs[item]:
            for index in plan.nets[number].lines:
                if index in plan.high and index not in plan.lanes:
                    right = max(right, plan.room[index] + 14)
        return left, right

    def sort_columns(self) -> None:
        """Put straight vertices into one column, and set `order`, the columns from left to right."""
        self.order: list[Column] = []
        ins: dict[Vertex, list[Link]] = defaultdict(list)
        outs: dict[Vertex, list[Link]] = defaultdict(list)
        for link in self.links:
            # the path of a gradient stays straight, even if other paths are cut from it
            same = link.upper.severed == link.lower.severed
            if same and not link.skip and not self.is_leafs(link):
                ins[link.lower].append(link)
                outs[link.upper].append(link)
        latest: dict[Column, Column] = {}
        real = [vertex for vertex in self.vertices if not vertex.skip]
        only = Column()
        for vertex in sorted(real, key=lambda each: (each.row, each.rank)):
            links = ins[vertex]
            parents = list(dict.fromkeys(link.upper for link in links))
            if self.plan.narrow and not vertex.passes:
                vertex.column = only
                if only not in self.order:
                    self.order.append(only)
            elif len(parents) == 1 == len({each.lower for each in outs[parents[0]]}):
                vertex.column = parents[0].column
                shifts = [self.port(each, False) - self.port(each, True) for each in links]
                vertex.shift = parents[0].shift + round(sum(shifts) / len(shifts))
            else:
                vertex.column = Column()
                self.order.insert(self.where(parents, latest), vertex.column)
                if len(parents) == 1:
                    latest[parents[0].column] = vertex.column
        if self.plan.narrow:
            self.align_entries()
        self.sort_lanes()

    def is_leafs(self, link: Link) -> bool:
        """Whether a link belongs to a leaf in this block that several items use."""
        net = self.plan.nets[link.net]
        return net.leaf is not None and net.source in self.own

    def align_entries(self) -> None:
        """Put nets that enter or leave straight into the column of the items (narrow layout)."""
        for link in self.links:
            for end, other in ((link.upper, link.lower), (link.lower, link.upper)):
                if end.passes and end.row in (0, self.last) and not other.passes and not end.skip:
                    end.column = other.column

    def port(self, link: Link, lower: bool) -> int:
        """The x position where a straight link meets a vertex."""
        vertex = link.lower if lower else link.upper
        return vertex.flow.ports[link.net, lower] if vertex.flow else 0

    def where(self, parents: list[Vertex], latest: dict[Column, Column]) -> int:
        """The index of a new column."""
        if not parents:
            return len(self.order)
        if len(parents) == 1:
            column = parents[0].column
            return self.order.index(latest.get(column, column)) + 1
        places = sorted(self.order.index(parent.column) for parent in parents)
        return places[(len(places) - 1) // 2] + 1

    def sort_lanes(self) -> None:
        """Order the lanes next to the column that they leave. The shortest lane is nearest to it."""
        chains: dict[int, list[Vertex]] = defaultdict(list)
        for vertex in self.vertices:
            if vertex.skip:
                chains[vertex.net].append(vertex)
        for number, chain in sorted(chains.items(), key=lambda each: -len(each[1])):
            net = self.plan.nets[number]
            starts = [
                link.upper for link in self.links if link.net == number and link.lower in chain
            ]
            ends = [link.lower for link in self.links if link.net == number and link.upper in chain]
            start = next((each for each in starts if each not in chain), None)
            end = next((each for each in ends if each not in chain), None)
            beside = start or end
            if beside is None:
                continue
            place = self.order.index(beside.column)
            at_right = net.leaf is not None and start is not None and self.port_side(number) > 0
            at_right |= bool(start and end) and self.order.index(end.column) > place
            lane = Column(side=1 if at_right else -1)
            self.order.insert(place + at_right, lane)
            for vertex in chain:
                vertex.column = lane

    def port_side(self, number: int) -> int:
        """The side of a leaf that several items use: 1 if it is right of its item, else -1."""
        net = self.plan.nets[number]
        spot = self.plan.spot[net.source]
        return 1 if any(self.plan.lines[index].producer == net.leaf for index in spot.right) else -1

    def solve(self) -> None:
        """Set the positions of the columns: as close as possible, with forks and joins centered."""
        for place, column in enumerate(self.order):
            column.place = place
        rows: dict[int, list[Vertex]] = defaultdict(list)
        for vertex in self.vertices:
            rows[vertex.row].append(vertex)
        after: dict[Column, dict[Column, int]] = defaultdict(dict)
        before: dict[Column, dict[Column, int]] = defaultdict(dict)
        for row in rows.values():
            row.sort(key=lambda each: each.column.place)
            for a, b in zip(row, row[1:]):
                apart = a.right + b.left + (APART if not (a.passes or b.passes) else 8)
                apart += a.shift - b.shift
                after[a.column][b.column] = max(apart, after[a.column].get(b.column, apart))
                before[b.column][a.column] = after[a.column][b.column]
        for link in self.links:
            a, b = link.upper, link.lower
            if a.column is not b.column and not (link.skip or self.is_leafs(link)):
                shift = b.shift + self.port(link, True) - a.shift - self.port(link, False)
                a.column.links.append((b.column, shift))
                b.column.links.append((a.column, -shift))
        for column in self.order:
            column.x = max((o.x + apart for o, apart in before[column].items()), default=0)
        for sweep in range(SWEEPS):
            for column in self.order if sweep % 2 else reversed(self.order):
                least = max((o.x + apart for o, apart in before[column].items()), default=-FAR)
                most = min((o.x - apart for o, apart in after[column].items()), default=FAR)
                wanted = column.x
                if column.links:
                    wanted = round(
                        sum(o.x + shift for o, shift in column.links) / len(column.links)
                    )
                elif column.side:
                    near = most if column.side < 0 else least
                    wanted = near if abs(near) < FAR else wanted
                column.x = max(least, min(wanted, most))

    def main(self) -> int:
        """The x position of the column with the most items."""
        count: dict[Column, int] = defaultdict(int)
        for vertex in self.vertices:
            if not vertex.passes:
                count[vertex.column] += 1
        return max(count, key=count.__getitem__).x if count else 0

    # ---- ports -----------------------------------------------------------------------------------

    def place_ports(self) -> None:
        """Set where links meet the items, and `ports`, where links enter and leave this block."""
        self.ports: dict[tuple[int, bool], int] = {}
        ends: dict[tuple[Vertex, bool], list[Link]] = defaultdict(list)
        count: dict[tuple[Vertex, bool], int] = defaultdict(int)
        for link in self.links:
            for lower, vertex in ((False, link.upper), (True, link.lower)):
                if vertex.flow:
                    place = vertex.flow.ports[link.net, lower]
                    link.start, link.end = (link.start, place) if lower else (place, link.end)
                elif self.is_aside(link, lower):
                    link.aside = (1 - 2 * lower) * min(6 + 6 * count[vertex, lower], 16)
                    count[vertex, lower] += 1
                    if lower:
                        link.end = link.top - vertex.x
                    else:
                        link.start = link.bottom - vertex.x
                elif vertex.item >= 0 and not (self.is_leafs(link) and not lower):
                    ends[vertex, lower].append(link)
                elif vertex.item >= 0:
                    link.start = self.leaf_port(vertex.item, link.net)
        for (vertex, lower), links in ends.items():
            self.spread(vertex, lower, links)
        for link in self.links:
            for end, place in (
                (link.lower, link.upper.x + link.start),
                (link.upper, link.lower.x + link.end),
            ):
                other = link.upper if end is link.lower else link.lower
                # straight above or below the item at its end
                if (
                    other.item >= 0
                    and link.aside is None
                    and end.passes
                    and end.row in (0, self.last)
                ):
                    end.shift += place - end.x
        for vertex in self.vertices:
            if vertex.passes and vertex.row in (0, self.last):
                self.ports[vertex.net, vertex.row == 0] = vertex.x

    def is_aside(self, link: Link, lower: bool) -> bool:
        """Whether a link joins an item and the lane at its left, in the narrow layout."""
        item, lane = (link.lower, link.upper) if lower else (link.upper, link.lower)
        left = self.plan.narrow and lane.passes and lane.column.side < 0
        return item.item >= 0 and left and (lower or not self.is_leafs(link))

    def leaf_port(self, item: int, number: int) -> int:
        """The x position where the line from a shared leaf turns down."""
        spot = self.plan.spot[item]
        place = LANE * spot.nets.index(number) + 2
        if self.port_side(number) > 0:
            return spot.reach[1] - place
        return place - spot.reach[0]

    def spread(self, vertex: Vertex, lower: bool, links: list[Link]) -> None:
        """Place the links at the top or at the bottom of an item side by side."""
        plan, spot = self.plan, self.plan.spot[vertex.item]

        def other(link: Link) -> int:
            return (link.top if lower else link.bottom) - vertex.x

        way = -1 if plan.narrow else 1
        links.sort(key=lambda link: (other(link), way * plan.lines[link.lines[0]].consumer))
        kind = plan.items[vertex.item].kind
        if kind == "dot" or len(links) == 1:
            return
        margin = 6 if plan.narrow else 12
        least, most = margin - spot.axis, spot.width - spot.axis - margin
        if lower and not plan.large:
            # to the right of the bookmark
            tab = tab_width(plan.trace, plan.items[vertex.item].nodes[0])
            least += min(tab + 3, spot.width - 14 - 8 * len(links))
        rooms = [plan.room[i] for link in links for i in link.lines if lower and i in plan.low]
        step = max([48 if kind != "plus" else 8, *(room + 18 for room in rooms)])
        step = min(step, (most - least) // (len(links) - 1)) if kind != "plus" else 8
        straight = [place for place, link in enumerate(links) if abs(other(link)) < 2]
        middle = straight[-plan.narrow] if straight else (len(links) - 1) / 2
        if straight and kind != "plus":
            after = len(links) - 1 - middle
            step = min(step, most // after if after else step, -least // middle if middle else step)
        places = [round((place - middle) * step) for place in range(len(links))]
        over = max(0, places[-1] - most) - max(0, least - places[0])
        if kind == "plus":
            places = [max(-10, min(place, 10)) for place in places]
        else:
            places = [place - over for place in places]
        for link, place in zip(links, places):
            if lower:
                link.end = place
            else:
                link.start = place

    def measure(self) -> None:
        """Set `left` and `right`, the extent of the block on each side of its main column."""
        is_frame = self.block.frame >= 0
        pad = PAD if is_frame else INSET if not self.alone else 0
        kept = [each for each in self.vertices if not (each.passes and each.row in (0, self.last))]
        self.left = pad - min((each.x - each.left for each in kept), default=0)
        self.right = pad + max((each.x + each.right for each in kept), default=0)

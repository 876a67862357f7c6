"""A trace as rows: one operation in each, in the order of recording, with what belongs to it."""

from ....trace import Trace
from ..folds import is_operation
from .sizes import LEAVES, cut_width, pill_width


def shapes_of(trace: Trace) -> list[tuple | None]:
    """The shape of each node's value; where no value was recorded, that of the gradient it
    received.
    """
    received = {
        event.node: event.before.shape
        for event in trace.events
        if event.kind == "backward" and event.before is not None
    }
    return [
        received.get(i) if node.shape is None else node.shape for i, node in enumerate(trace.nodes)
    ]


class Rows:
    """The graph of a trace by rows. A row is named by its number, an edge by its index in the
    trace.

    `ins` and `outs` are the edges between operations, by row; `leaf_edges` and `constants` those
    from the other inputs. A leaf or constant is at `home` in the row of its topmost consumer;
    `leaves` are the leaves at home in each row."""

    def __init__(self, trace: Trace):
        self.trace, self.shapes = trace, shapes_of(trace)
        nodes, edges = trace.nodes, trace.edges
        self.ops = [i for i, node in enumerate(nodes) if is_operation(node.kind)]
        self.row = {node: row for row, node in enumerate(self.ops)}
        # leaf or constant -> its edges, topmost consumer first
        self.uses: dict[int, list[int]] = {}
        self.ins, self.outs, self.leaf_edges, self.constants = (
            [[] for _ in self.ops] for _ in range(4)
        )
        for index in sorted(
            range(len(edges)), key=lambda i: (self.row[edges[i].consumer], edges[i].slot)
        ):
            edge, row = edges[index], self.row[edges[index].consumer]
            if is_operation(nodes[edge.producer].kind):
                self.ins[row].append(index)
                self.outs[self.row[edge.producer]].append(index)
            else:
                self.uses.setdefault(edge.producer, []).append(index)
                (self.leaf_edges if nodes[edge.producer].kind in LEAVES else self.constants)[
                    row
                ].append(index)
        self.home = {node: self.row[edges[uses[0]].consumer] for node, uses in self.uses.items()}
        self.leaves: list[list[int]] = [[] for _ in self.ops]
        for node, row in self.home.items():
            if nodes[node].kind in LEAVES:
                self.leaves[row].append(node)

    def span(self, index: int) -> tuple[int, int]:
        """The rows of an edge's producer and consumer."""
        edge = self.trace.edges[index]
        return self.row[edge.producer], self.row[edge.consumer]

    def pill_width(self, index: int) -> int:
        return cut_width(self.trace.edges[index].cut) or pill_width(
            self.shapes[self.trace.edges[index].producer]
        )

    def detour(self, row: int) -> int | None:
        """The edge that runs straight past up to three rows, if those may stand aside, in the
        leaves' column.
        """
        edges = self.trace.edges
        for index in self.outs[row]:
            end = self.span(index)[1]
            between = range(row + 1, end)
            if (
                1 <= len(between) <= 3
                and len(self.outs[row]) == len(self.ins[end]) == 2
                and not any(self.leaf_edges[r] or self.leaves[r] for r in range(row, end + 1))
                and all(self.span(e)[0] == r - 1 for r in between for e in self.ins[r])
                and all(self.span(e)[1] == r + 1 for r in between for e in self.outs[r])
                and all(
                    len(self.uses[edges[e].producer]) == 1
                    for r in between
                    for e in self.constants[r]
                )
            ):
                return index
        return None

    def numbered(self, row: int) -> bool:
        """Whether the inputs need their numbers, since one could be taken for another."""
        return (
            len(self.ins[row]) > 1
            or len(self.ins[row] + self.leaf_edges[row] + self.constants[row]) > 2
        )

    def starts_line(self, row: int) -> bool:
        """Whether the row is the first that its source line made."""
        lines = [self.trace.nodes[node].line for node in self.ops[max(0, row - 1) : row + 1]]
        return bool(self.trace.source) and (row == 0 or lines[0] != lines[1])

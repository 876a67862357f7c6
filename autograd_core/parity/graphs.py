"""Two graphs, compared node by node: names, number of inputs, where each edge leads and into which input.

Of a cell's graphs the first MOST_NODES nodes are compared, and the report says where that was not all. To look at a node of
PyTorch's makes a Python object for it; a chain of 50,000 such nodes ends the process when PyTorch frees it.
"""

from collections import deque

MOST_NODES = 20_000


def compare_graphs(roots, our_names, their_names, comparison):
    """Compare the graphs below `roots`, a list of (name, our node, PyTorch's node), and add what is found.

    `our_names` and `their_names` map `id(tensor)` to a name, so that leaves are compared by name.
    A root that another root leads to belongs to that graph. Each node is compared once; the walk is iterative.
    """
    walk = _Walk(our_names, their_names, comparison.differ)
    graphs = {}
    for name, ours, theirs in reversed(roots):
        if walk.partner.get(id(ours)) == id(theirs):
            continue
        before = len(walk.partner)
        reached = walk.from_root(name, ours, theirs)
        if walk.cut_short:
            comparison.leave_out(
                name, "graph", f"the nodes of its graph beyond the first {MOST_NODES:,}"
            )
            walk.cut_short = False
        graphs[id(ours)] = (name, len(walk.partner) - before)
        for inner in reached & graphs.keys() - {id(ours)}:
            graphs[id(ours)] = (name, graphs[id(ours)][1] + graphs.pop(inner)[1])
    comparison.graphs.extend(reversed(graphs.values()))


class _Walk:
    def __init__(self, our_names, their_names, differ):
        self.names = our_names, their_names
        self.differ = differ
        self.partner = {}  # id of our node -> id of PyTorch's
        self.partner_back = {}
        self.cut_short = False
        self.alive = []  # PyTorch makes a node's Python object anew unless somebody holds it

    def from_root(self, name, ours, theirs):
        """Walk breadth first from one root until a difference is found; returns the ids of our nodes met."""
        queue = deque([(ours, theirs, "")])
        numbers, met = {}, set()
        while queue:
            ours, theirs, edge = queue.popleft()
            if ours is None and theirs is None:
                continue
            known = None if ours is None or theirs is None else self.partner.get(id(ours))
            if known is not None:
                met.add(id(ours))
            if known is not None and known == id(theirs):
                continue
            if len(self.partner) >= MOST_NODES:
                self.cut_short = True
                return met
            number = numbers.setdefault(id(ours), len(numbers))
            difference = self.difference(ours, theirs, known)
            if difference:
                self.differ(name, f"graph of {name}: node {number}{edge} {difference}")
                return met
            met.add(id(ours))
            self.partner[id(ours)], self.partner_back[id(theirs)] = id(theirs), id(ours)
            self.alive += ours, theirs
            for slot, (mine, other) in enumerate(zip(ours.next_functions, theirs.next_functions)):
                edge = f" (input {slot} of {short_name(ours)})"
                if mine[1] != other[1]:
                    self.differ(
                        name,
                        f"graph of {name}: node {number}, {short_name(ours)}: input {slot} comes "
                        f"from output {mine[1]} here, {other[1]} in PyTorch",
                    )
                    return met
                queue.append((mine[0], other[0], edge))
        return met

    def difference(self, ours, theirs, known):
        if ours is None or theirs is None:
            mine, other = (
                "a constant" if node is None else self.label(side, node)
                for side, node in enumerate((ours, theirs))
            )
            return f"is {mine} here, {other} in PyTorch"
        mine, other = self.label(0, ours), self.label(1, theirs)
        if mine != other:
            return f"is {mine} here, {other} in PyTorch"
        met = known is not None, id(theirs) in self.partner_back
        if all(met):
            return f"is {mine} on both sides, but not the same one of them"
        if any(met):
            where = "here" if met[0] else "in PyTorch"
            return f"is {mine} on both sides, but only {where} another edge leads to it too"
        if len(ours.next_functions) != len(theirs.next_functions):
            return f"is {mine} with {len(ours.next_functions)} inputs here, {len(theirs.next_functions)} in PyTorch"
        return ""

    def label(self, side, node):
        """The node's name; for a leaf's AccumulateGrad also which leaf, by name or else by shape."""
        variable = getattr(node, "variable", None)
        if variable is None:
            return node.name()
        return f"{short_name(node)} of {self.names[side].get(id(variable), f'a leaf of shape {list(variable.shape)}')}"


def short_name(node):
    """ "MulBackward0"; "AccumulateGrad" for PyTorch's "torch::autograd::AccumulateGrad"."""
    return node.name().rpartition("::")[2]

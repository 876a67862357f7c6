"""Compare two graphs node by node: the names, the number of inputs, and the node and output number
that each input comes from.

Only the first MOST_NODES nodes of a cell's graphs are compared (`trace.nodes.check_bearable`). The
report says if nodes were left out.
"""

from collections import deque

from ..trace.nodes import MOST_NODES

ACCUMULATE = "AccumulateGrad"
LEFT_OPEN = "PyTorch leaves this open: "  # before a reason, which ends with "it"
# PyTorch records another node for a reshape while a dispatch mode, like our tape, is active.
LISTENED_TO = {("ReshapeAliasBackward0", "ViewBackward0")}


def compare_graphs(roots, our_names, their_names, comparison):
    """Compare the graphs below `roots`, and add the differences to `comparison`. A root is (name,
    our edge, PyTorch's edge), and an edge is (node, output number).

    `our_names` and `their_names` map `id(tensor)` to a name, so that leaves are compared by name.
    A root that is reachable from another root belongs to that root's graph. Each node is compared
    once."""
    walk, graphs = _Walk(our_names, their_names), {}  # id of a root -> (name, nodes)
    for name, (ours, here), (theirs, there) in reversed(roots):
        if here != there:
            comparison.differ(name, f"{name} is output {here} of its node here, {there} in PyTorch")
        if walk.partner.get(id(ours)) == id(theirs):
            continue
        before = len(walk.partner)
        difference = walk.from_root(ours, theirs)
        if difference:
            comparison.differ(name, f"graph of {name}: {difference}")
        if walk.cut_short:
            why = f"the nodes of its graph beyond the first {len(walk.partner):,}"
            comparison.leave_out(name, "graph", why)
        for leaf in walk.rebuilt:
            why = f"an in-place change of {leaf} makes PyTorch record its views again"
            which = f"{LEFT_OPEN}{why}, which changes it"
            comparison.leave_out(f"the graph of {name}", "graph", which)
        inner = [graphs.pop(root)[1] for root in walk.met & graphs.keys() - {id(ours)}]
        graphs[id(ours)] = name, len(walk.partner) - before + sum(inner)
    comparison.graphs.extend(reversed(graphs.values()))


class _Walk:
    """`partner` maps the ids of our nodes to ids of PyTorch's nodes. `met` has the ids of our nodes in
    the latest root's graph. `rebuilt` names the leaves whose views PyTorch has recorded again.
    """

    def __init__(self, *names):
        self.names, self.partner, self.partner_back = names, {}, {}
        self.alive = []  # references to the nodes, because PyTorch creates unreferenced ones again

    def from_root(self, ours, theirs):
        """Walk breadth first until a difference is found; returns it as a sentence, or ""."""
        queue, numbers = deque([(ours, theirs, "")]), {}
        self.met, self.cut_short, self.rebuilt = set(), False, {}
        while queue:
            ours, theirs, edge = queue.popleft()
            if ours is theirs is None:
                continue
            self.met.add(id(ours))
            if ours and theirs and self.partner.get(id(ours)) == id(theirs):
                continue
            if len(self.partner) >= MOST_NODES:
                self.cut_short = True
                break
            number = numbers.setdefault(id(ours), len(numbers))
            leaves = _leaf_of_a_rebuilt_view(ours, theirs)
            if leaves:
                self.rebuilt[self.leaf_name(1, leaves[1])] = None
                queue.append((*leaves, f" (below {short_name(ours)})"))
                continue
            difference = self.difference(ours, theirs)
            if difference:
                return f"node {number}{edge} {difference}"
            self.partner[id(ours)], self.partner_back[id(theirs)] = id(theirs), id(ours)
            self.alive += ours, theirs
            for slot, edges in enumerate(zip(ours.next_functions, theirs.next_functions)):
                (mine, here), (other, there) = edges
                if here != there:
                    comes = f"input {slot} comes from output {here} here, {there} in PyTorch"
                    return f"node {number}, {short_name(ours)}: {comes}"
                queue.append((mine, other, f" (input {slot} of {short_name(ours)})"))
        return ""

    def difference(self, ours, theirs):
        """How two nodes differ; "" if they don't."""
        mine, other = self.label(0, ours), self.label(1, theirs)
        if mine != other and (mine, other) not in LISTENED_TO:
            return f"is {mine} here, {other} in PyTorch"
        if id(ours) in self.partner or id(theirs) in self.partner_back:
            return f"is {mine} on both sides, but not the same edges lead to it"
        counts = len(ours.next_functions), len(theirs.next_functions)
        if counts[0] != counts[1]:
            return f"is {mine} with {counts[0]} inputs here, {counts[1]} in PyTorch"
        return ""

    def label(self, side, node):
        """The node's name. For an AccumulateGrad, also the name of the leaf, or else its shape."""
        if node is None:
            return "a constant"
        name = short_name(node)
        return f"{name} of {self.leaf_name(side, node)}" if name == ACCUMULATE else node.name()

    def leaf_name(self, side, node):
        """The name of the leaf to which an AccumulateGrad belongs, or else its shape."""
        leaf = node.variable
        return self.names[side].get(id(leaf), f"a leaf of shape {list(leaf.shape)}")


def _leaf_of_a_rebuilt_view(ours, theirs):
    """The AccumulateGrad nodes of a leaf that was changed in place, if the nodes belong to a view
    of it. PyTorch's node is then a new one, AsStridedBackward0, and ours is still the first.
    """
    if not ours or not theirs or theirs.name() != "AsStridedBackward0":
        return None
    ((below, _),) = theirs.next_functions
    while getattr(getattr(ours, "operation", None), "view", False):
        ours = ours.next_functions[0][0]
    both = all(each and short_name(each) == ACCUMULATE for each in (ours, below))
    return (ours, below) if both and below.variable._version else None


def short_name(node):
    """ "MulBackward0"; "AccumulateGrad" for PyTorch's "torch::autograd::AccumulateGrad"."""
    return node.name().rpartition("::")[2]

"""Traces of large networks made by hand: modules, skips, shared weights and cuts, with gradients of
known size.
"""

import numpy as np

from autograd_core.trace import Edge, Event, Trace, TraceNode


class Network:
    """A trace in the making. Every value is 2 × 3; what an edge is sent depends on its number."""

    def __init__(self):
        self.nodes, self.edges, self.source, self.modules = [], [], [], {}

    def add(self, name, *inputs, module="", line=None, kind="operation", shape=(2, 3)):
        """An operation on the nodes `inputs`; an input may be (node, why no gradient passes).
        Returns the new node.
        """
        name += "Backward0" if kind == "operation" else ""
        value = np.full(shape, len(self.nodes) + 1.0)
        node = TraceNode(kind, name, "", shape, "float32", value, line=line, module=module)
        self.nodes.append(node)
        for slot, each in enumerate(inputs):
            producer, cut = each if isinstance(each, tuple) else (each, "")
            self.edges.append(Edge(len(self.nodes) - 1, slot, producer, cut=cut))
        return len(self.nodes) - 1

    def leaf(self, label, kind="leaf"):
        name = "AccumulateGrad" if kind == "leaf" else ""
        self.nodes.append(TraceNode(kind, name, label, (3, 3), "float32", np.full((3, 3), 0.5)))
        return len(self.nodes) - 1

    def linear(self, x, path, kind="operation"):
        """The nodes of `nn.Linear`, whose weight comes transposed."""
        self.modules[path] = "Linear"
        weight, bias = self.leaf(f"{path}.weight"), self.leaf(f"{path}.bias")
        turned = self.add("T", weight, module=path, kind=kind)
        return self.add("Addmm", bias, x, turned, module=path, kind=kind)

    def norm(self, x, path):
        self.modules[path] = "LayerNorm"
        weight, bias = self.leaf(f"{path}.weight"), self.leaf(f"{path}.bias")
        return self.add("NativeLayerNorm", x, weight, bias, module=path)

    def feed(self, x, path):
        """Linear, GELU, Linear, with the views that PyTorch records between them."""
        self.modules[path] = "Sequential"
        self.modules[f"{path}.1"] = "GELU"
        x = self.linear(self.add("View", x, module=f"{path}.0"), f"{path}.0")
        x = self.add("Gelu", self.add("View", x, module=f"{path}.0"), module=f"{path}.1")
        x = self.linear(self.add("View", x, module=f"{path}.2"), f"{path}.2")
        return self.add("View", x, module=f"{path}.2")

    def attend(self, x, path):
        """Three projections side by side, their product, and one more."""
        self.modules[path] = "Attention"
        q, k, v = (
            self.add("Transpose", self.linear(x, f"{path}.{name}"), module=path)
            for name in ("query", "key", "value")
        )
        turned = self.add("Transpose", k, module=path)
        scores = self.add("Softmax", self.add("Bmm", q, turned, module=path), module=path)
        return self.linear(self.add("Bmm", scores, v, module=path), f"{path}.out")

    def trace(self, loss):
        """The trace of a forward and backward pass from the node `loss`."""
        place = {}
        for index, edge in enumerate(self.edges):
            place.setdefault(edge.consumer, []).append(index)
        arrived, events = {loss: np.array(1.0)}, []
        computed = [i for i, node in enumerate(self.nodes) if node.kind in ("operation", "severed")]
        events += [Event("forward", i, None, self.nodes[i].value) for i in computed]
        events.append(Event("loss", loss, None, self.nodes[loss].value))
        for node in range(loss, -1, -1):
            if node not in arrived:
                continue
            if self.nodes[node].kind == "leaf":
                events.append(Event("accumulate", node, None, arrived[node]))
                continue
            inputs = [
                (e, self.edges[e].producer) for e in place.get(node, ()) if not self.edges[e].cut
            ]
            sent = tuple(
                (e, np.full(self.nodes[p].shape, 0.02 * (1 + e % 5)))
                for e, p in inputs
                if self.nodes[p].kind in ("operation", "leaf")
            )
            for e, gradient in sent:
                arrived[self.edges[e].producer] = arrived.get(self.edges[e].producer, 0) + gradient
            events.append(Event("backward", node, arrived[node], None, sent))
        parts = self.nodes, self.edges, events, self.source, self.modules.items()
        return Trace("PyTorch", *map(tuple, parts))


def transformer(layers=1, prefix=""):
    """Embeddings, `layers` of attention and feed-forward with residuals, a head, a loss."""
    net, last = Network(), "loss = cross_entropy(head(h), target)"
    net.source = ["h = tok(ids) + pos(range).detach()", "h = block(h)", last]
    net.modules.update({f"{prefix}tok": "Embedding", f"{prefix}pos": "Embedding"})
    if prefix:
        net.modules[prefix.rstrip(".")] = "Encoder"
    tok = net.add("Embedding", net.leaf("tok.weight"), module=f"{prefix}tok", line=0)
    pos = net.leaf("pos.weight")
    pos = net.add("Embedding", pos, module=f"{prefix}pos", line=0, kind="severed")
    h = net.add("Add", tok, (pos, "detach()"), module=prefix.rstrip("."), line=0)
    for layer in range(layers):
        path = f"{prefix}layers.{layer}." if layers > 1 else prefix
        if layers > 1:
            net.modules[path.rstrip(".")] = "Block"
        block = path.rstrip(".")
        attended = net.attend(net.norm(h, f"{path}norm1"), f"{path}attn")
        h = net.add("Add", h, attended, module=block, line=1)
        fed = net.feed(net.norm(h, f"{path}norm2"), f"{path}ff")
        h = net.add("Add", h, fed, module=block, line=1)
    out = net.linear(h, f"{prefix}head")
    scores = net.add("LogSoftmax", net.add("View", out, line=2), line=2)
    return net.trace(net.add("NllLoss", scores, line=2, shape=()))


def residual(blocks):
    """`blocks` residual blocks without modules or lines; the last uses the first one's weight."""
    net = Network()
    shared = net.leaf("shared")
    h = net.add("Mm", net.leaf("x"), shared)
    for block in range(blocks):
        inner = net.add("Relu", net.add("Mm", h, net.leaf(f"w{block}")))
        weight = shared if block == blocks - 1 else net.leaf(f"v{block}")
        h = net.add("Add", h, net.add("Mm", inner, weight))
    return net.trace(net.add("Mean", h, shape=()))


def frozen_teacher():
    """A teacher under `no_grad`, a frozen weight, a student: severed boxes, and long cuts."""
    net = Network()
    x = net.add("Mul", net.leaf("x"), net.leaf("scale"))
    target = x
    for layer in range(3):
        target = net.add("mm", target, net.leaf(f"teacher.{layer}"), kind="severed")
        target = net.add("relu", target, kind="severed")
    h = x
    for layer in range(12):
        weight = net.leaf(f"student.{layer}", kind="frozen" if layer == 5 else "leaf")
        h = net.add("Tanh", net.add("Mm", h, weight))
    best = net.add("argmax", (h, "argmax is not differentiable"), kind="severed")
    picked = net.add("Index", h, (best, ""))
    return net.trace(net.add("MseLoss", picked, (target, "no_grad"), shape=()))

"""Small traces. Most are made by hand, so that what is drawn can be tested without an engine."""

from dataclasses import replace

import numpy as np
import torch
from torch import nn

from autograd_core.parity import watching
from autograd_core.trace import Edge, Event, Parameter, Saved, Trace, TraceNode, names_in, trace


def logistic(engine: str = "autograd_core", w=(0.8, -0.4)) -> Trace:
    """One training step of logistic regression on two samples: 10 nodes, 23 events; `p` is used
    twice.
    """
    x, y = np.array([[1, 2], [-1, 0.5]]), np.array([True, False])
    w, b, rate = np.array(w), np.array(0.1), 0.5
    mv = x @ w
    z = mv + b
    p = 1 / (1 + np.exp(-z))
    r = 1 - p
    q = np.where(y, p, r)
    log, mean = np.log(q), np.log(q).mean()
    loss = -mean

    def op(name, value, line, label="", rules=(), **saved):
        saved = tuple(Saved(each, *known) for each, known in saved.items())
        shape = value.shape
        return TraceNode("operation", name, label, shape, "float64", value, saved, rules, line)

    def leaf(label, value):
        return TraceNode("leaf", "AccumulateGrad", label, value.shape, "float64", value)

    def constant(label, value):
        return TraceNode("constant", "", label, value.shape, str(value.dtype), value)

    of_sigmoid = (("input", "g * result * (1 - result)"),)
    of_where = ("input", "ops.where(condition, g, 0)"), ("other", "ops.where(condition, 0, g)")
    X, W, MV, B, ADD, SIGMOID, RSUB, Y, WHERE, LOG, MEAN, NEG = range(12)
    nodes = (
        constant("x", x),
        leaf("w", w),
        op("MvBackward0", mv, 0, rules=(("vec", "input.T @ g"),), input=("x", x)),
        leaf("b", b),
        op("AddBackward0", z, 0, "z", (("input", "g"), ("other", "g"))),
        op("SigmoidBackward0", p, 1, "p", of_sigmoid, result=("p", p)),
        op("RsubBackward1", r, 2, rules=(("input", "-g"),)),
        constant("y", y),
        op("WhereBackward0", q, 2, "q", of_where, condition=("y", y)),
        op("LogBackward0", log, 3, rules=(("input", "g / input"),), input=("q", q)),
        op("MeanBackward0", mean, 3, rules=(("input", "ops.expand(g, input_shape) / n"),)),
        op("NegBackward0", loss, 3, "loss", (("input", "-g"),)),
    )
    inputs = {MV: (X, W), ADD: (MV, B), SIGMOID: (ADD,), RSUB: (SIGMOID,)}
    inputs |= {WHERE: (Y, SIGMOID, RSUB), LOG: (WHERE,), MEAN: (LOG,), NEG: (MEAN,)}
    edges = tuple(Edge(n, slot, m) for n, each in inputs.items() for slot, m in enumerate(each))
    one = np.array(1.0)
    g_log = np.full(2, -0.5)
    g_q = g_log / q
    g_p, g_r = np.where(y, g_q, 0), np.where(y, 0, g_q)
    g_sum = g_p - g_r
    g_z = g_sum * p * (1 - p)
    g_w, g_b = x.T @ g_z, g_z.sum()
    computed = (MV, ADD, SIGMOID, RSUB, WHERE, LOG, MEAN, NEG)
    events = (
        *(Event("forward", n, None, nodes[n].value) for n in computed),
        Event("loss", NEG, None, loss),
        Event("backward", NEG, one, None, ((11, -one),)),
        Event("backward", MEAN, -one, None, ((10, g_log),)),
        Event("backward", LOG, g_log, None, ((9, g_q),)),
        Event("backward", WHERE, g_q, None, ((7, g_p), (8, g_r))),
        Event("backward", RSUB, g_r, None, ((5, -g_r),)),
        Event("backward", SIGMOID, g_sum, None, ((4, g_z),)),
        Event("backward", ADD, g_z, None, ((2, g_z), (3, g_b))),
        Event("accumulate", B, None, g_b),
        Event("backward", MV, g_z, None, ((1, g_w),)),
        Event("accumulate", W, None, g_w),
        Event("step", W, w, w - rate * g_w),
        Event("step", B, b, b - rate * g_b),
        Event("zero_grad", W, g_w, None),
        Event("zero_grad", B, g_b, None),
    )
    source = ("z = x @ w + b", "p = sigmoid(z)", "q = where(y, p, 1 - p)", "loss = -log(q).mean()")
    return Trace(engine, nodes, edges, events, source)


def expression(
    leaves: dict[str, float], steps: list[tuple[str, str, str, str]], source: tuple[str, ...] = ()
) -> Trace:
    """A scalar expression, forward and backward. A step is (label, operation, left, right), say
    ("u", "Mul", "a", "b"); what has no label is named "%" and its number. Operations: Add, Sub,
    Mul, and Tanh with "" at its right."""
    where, nodes, edges, events, edges_of = {}, [], [], [], {}

    def plain(name):
        return "" if name.startswith("%") else name

    for name, value in leaves.items():
        where[name] = len(nodes)
        nodes.append(TraceNode("leaf", "AccumulateGrad", name, (), "float64", np.array(value)))
    for number, (label, kind, left, right) in enumerate(steps):
        a = nodes[where[left]].value
        c = nodes[where[right]].value if right else None
        binary = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}
        value = np.tanh(a) if kind == "Tanh" else binary[kind](a, c)
        rules = {
            "Add": (("input", "g"), ("other", "g")),
            "Sub": (("input", "g"), ("other", "-g")),
            "Mul": (("input", "g * other"), ("other", "g * input")),
            "Tanh": (("input", "g * (1 - result * result)"),),
        }[kind]
        saved = {
            "Mul": (Saved("input", plain(left), a), Saved("other", plain(right), c)),
            "Tanh": (Saved("result", plain(label), value),),
        }
        where[label] = len(nodes)
        own = [
            Edge(len(nodes), slot, where[name]) for slot, name in enumerate((left, right)) if name
        ]
        edges_of[len(nodes)] = [*enumerate(own, len(edges))]
        edges += own
        nodes.append(
            TraceNode(
                "operation",
                f"{kind}Backward0",
                plain(label),
                (),
                "float64",
                np.asarray(value),
                saved.get(kind, ()),
                rules,
                number if source else None,
            )
        )
        events.append(Event("forward", len(nodes) - 1, None, np.asarray(value)))
    last = len(nodes) - 1
    events.append(Event("loss", last, None, nodes[last].value))
    arrived = {last: np.array(1.0)}
    for index in range(last, -1, -1):
        if nodes[index].kind != "operation":
            if index in arrived:
                events.append(Event("accumulate", index, None, arrived[index]))
            continue
        g, inputs = arrived[index], edges_of[index]
        values = [nodes[e.producer].value for _, e in inputs]
        slopes = {"Add": (1, 1), "Sub": (1, -1), "Mul": values[::-1]}.get(
            nodes[index].name[:3], (1 - nodes[index].value ** 2,)
        )
        sent = tuple((i, np.asarray(g * slope)) for (i, _), slope in zip(inputs, slopes))
        events.append(Event("backward", index, g, None, sent))
        for (_, edge), (_, contribution) in zip(inputs, sent):
            arrived[edge.producer] = arrived.get(edge.producer, 0) + contribution
    return Trace("autograd_core", tuple(nodes), tuple(edges), tuple(events), source)


def chain(length: int) -> Trace:
    """`length` operations, every third of which also uses the result of an earlier one: what a
    large graph is like.
    """
    steps = [("%0", "Mul", "a", "b")]
    for i in range(1, length):
        steps.append(
            (f"%{i}", "Add", f"%{i - 1}", f"%{i - 5}")
            if i % 7 == 6
            else (f"%{i}", "Tanh", f"%{i - 1}", "")
        )
    return expression({"a": 0.5, "b": -0.25}, steps)


def product() -> Trace:
    """`u` is used twice: by a sigmoid-like branch with a leaf, and once more by the product."""
    return expression(
        {"a": 2.0, "b": -0.5, "c": 0.3},
        [
            ("u", "Mul", "a", "b"),
            ("%1", "Add", "u", "c"),
            ("v", "Tanh", "%1", ""),
            ("loss", "Mul", "u", "v"),
        ],
    )


def encoder() -> Trace:
    """A small network, cut in every way: `detach()` behind `pos`, `no_grad` around `gate`, a frozen
    `head`, an argmax, and `spare`, which nothing uses. `tok` and `ff` get gradients."""
    tok, pos = nn.Embedding(3, 2), nn.Embedding(2, 2)
    ff = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    gate = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Sigmoid())
    head, spare = (nn.Linear(2, 2, bias=False) for _ in range(2))
    numbers = {
        tok.weight: [[0.5, -1.0], [0.25, 0.0], [1.5, 0.75]],
        pos.weight: [[0.1, 0.2], [-0.3, 0.4]],
        ff[0].weight: [[1.0, -0.5], [0.25, 0.75]],
        ff[0].bias: [0.1, -0.2],
        gate[0].weight: [[0.5, 0.5], [-1.0, 1.0]],
        head.weight: [[1.0, 2.0], [-1.0, 0.5]],
    }
    for parameter, values in numbers.items():
        parameter.data = torch.tensor(values, dtype=torch.float64)
    head.requires_grad_(False)
    ids, rows = torch.tensor([0, 2]), torch.arange(2)
    with watching():
        h = tok(ids) + pos(rows).detach()
        v = ff(h)
        with torch.no_grad():
            s = gate(v)
        z = head(v * s)
        best = z.argmax(1)
        loss = z[rows, best].mean()
    modules = {"tok": tok, "pos": pos, "ff": ff, "gate": gate, "head": head, "spare": spare}
    known = {"ids": ids, "rows": rows, "h": h, "v": v, "s": s, "z": z, "best": best, "loss": loss}
    made = trace(loss, names_in({**modules, **known}))
    told = "No recorded operation used this."
    unused = Parameter("spare.weight", (2, 2), None, told, "unused", model="spare")
    return replace(made, parameters=(*made.parameters, unused), places=(), called=())

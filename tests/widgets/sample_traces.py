"""Traces made by hand, so that what is drawn can be tested without an engine."""

from dataclasses import replace

import numpy as np

from autograd_core.trace import Edge, Event, Parameter, Saved, Trace, TraceNode


def logistic(engine: str = "autograd_core", w=(0.8, -0.4)) -> Trace:
    """One training step of logistic regression on two samples: 10 nodes, 23 events; `p` is used
    twice.
    """
    x, y, w, b, rate = (
        np.array([[1, 2], [-1, 0.5]]),
        np.array([True, False]),
        np.array(w),
        np.array(0.1),
        0.5,
    )
    mv = x @ w
    z = mv + b
    p = 1 / (1 + np.exp(-z))
    r = 1 - p
    q = np.where(y, p, r)
    log, mean = np.log(q), np.log(q).mean()
    loss = -mean

    def op(name, value, line, label="", rules=(), saved=()):
        return TraceNode(
            "operation", name, label, value.shape, "float64", value, saved, rules, line
        )

    def leaf(label, value):
        return TraceNode("leaf", "AccumulateGrad", label, value.shape, "float64", value)

    def constant(label, value):
        return TraceNode("constant", "", label, value.shape, str(value.dtype), value)

    X, W, MV, B, ADD, SIGMOID, RSUB, Y, WHERE, LOG, MEAN, NEG = range(12)
    nodes = (
        constant("x", x),
        leaf("w", w),
        op("MvBackward0", mv, 0, rules=(("vec", "input.T @ g"),), saved=(Saved("input", "x", x),)),
        leaf("b", b),
        op("AddBackward0", z, 0, "z", (("input", "g"), ("other", "g"))),
        op(
            "SigmoidBackward0",
            p,
            1,
            "p",
            (("input", "g * result * (1 - result)"),),
            (Saved("result", "p", p),),
        ),
        op("RsubBackward1", r, 2, rules=(("input", "-g"),)),
        constant("y", y),
        op(
            "WhereBackward0",
            q,
            2,
            "q",
            (("input", "ops.where(condition, g, 0)"), ("other", "ops.where(condition, 0, g)")),
            (Saved("condition", "y", y),),
        ),
        op(
            "LogBackward0", log, 3, rules=(("input", "g / input"),), saved=(Saved("input", "q", q),)
        ),
        op("MeanBackward0", mean, 3, rules=(("input", "ops.expand(g, input_shape) / n"),)),
        op("NegBackward0", loss, 3, "loss", (("input", "-g"),)),
    )
    edges = (
        Edge(MV, 0, X),
        Edge(MV, 1, W),
        Edge(ADD, 0, MV),
        Edge(ADD, 1, B),
        Edge(SIGMOID, 0, ADD),
        Edge(RSUB, 0, SIGMOID),
        Edge(WHERE, 0, Y),
        Edge(WHERE, 1, SIGMOID),
        Edge(WHERE, 2, RSUB),
        Edge(LOG, 0, WHERE),
        Edge(MEAN, 0, LOG),
        Edge(NEG, 0, MEAN),
    )
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
    where, nodes, edges, events = {}, [], [], []

    def plain(name):
        return "" if name.startswith("%") else name

    for name, value in leaves.items():
        where[name] = len(nodes)
        nodes.append(TraceNode("leaf", "AccumulateGrad", name, (), "float64", np.array(value)))
    for number, (label, kind, left, right) in enumerate(steps):
        a = nodes[where[left]].value
        c = nodes[where[right]].value if right else None
        value = (
            np.tanh(a)
            if kind == "Tanh"
            else {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[kind](a, c)
        )
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
        edges += [
            Edge(len(nodes), slot, where[name]) for slot, name in enumerate((left, right)) if name
        ]
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
        g, inputs = arrived[index], [(i, e) for i, e in enumerate(edges) if e.consumer == index]
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
    tok, pos = (
        np.array([[0.5, -1.0], [0.25, 0.0], [1.5, 0.75]]),
        np.array([[0.1, 0.2], [-0.3, 0.4]]),
    )
    weight, bias = np.array([[1.0, -0.5], [0.25, 0.75]]), np.array([0.1, -0.2])
    gate, head = np.array([[0.5, 0.5], [-1.0, 1.0]]), np.array([[1.0, 2.0], [-1.0, 0.5]])
    ids, rows = np.array([0, 2]), np.arange(2)
    h = tok[ids] + pos
    v = np.tanh(h @ weight.T + bias)
    s = 1 / (1 + np.exp(-(v @ gate.T)))
    z = (v * s) @ head.T
    best = z.argmax(1)
    loss = z[rows, best].mean()
    nodes, edges, at = [], [], {}

    def node(key, kind, name, label, value, line=None, module="", inputs=()):
        """Add a node and its edges; an input is the key of its producer, or (key, what cut it,
        line).
        """
        at[key] = len(nodes)
        value = np.asarray(value)
        nodes.append(
            TraceNode(
                kind, name, label, value.shape, str(value.dtype), value, line=line, module=module
            )
        )
        for slot, each in enumerate(inputs):
            producer, cut, cut_line = each if isinstance(each, tuple) else (each, "", None)
            edges.append(Edge(at[key], slot, at[producer], cut=cut, line=cut_line))

    node("tok.weight", "leaf", "AccumulateGrad", "tok.weight", tok)
    node("ids", "constant", "", "ids", ids)
    node("tok", "operation", "EmbeddingBackward0", "", tok[ids], 0, "tok", ("tok.weight", "ids"))
    node("pos.weight", "leaf", "AccumulateGrad", "pos.weight", pos)
    node("pos", "severed", "EmbeddingBackward0", "", pos, 0, "pos", ("pos.weight",))
    node("h", "operation", "AddBackward0", "h", h, 0, "", ("tok", ("pos", "detach()", 0)))
    node("ff.0.weight", "leaf", "AccumulateGrad", "ff.0.weight", weight)
    node("ff.0.bias", "leaf", "AccumulateGrad", "ff.0.bias", bias)
    node("t", "operation", "TBackward0", "", weight.T, 1, "ff.0", ("ff.0.weight",))
    node(
        "addmm",
        "operation",
        "AddmmBackward0",
        "",
        h @ weight.T + bias,
        1,
        "ff.0",
        ("ff.0.bias", "h", "t"),
    )
    node("v", "operation", "TanhBackward0", "v", v, 1, "ff.1", ("addmm",))
    node("gate.0.weight", "leaf", "AccumulateGrad", "gate.0.weight", gate)
    node("gate t", "severed", "t", "", gate.T, 3, "gate.0", ("gate.0.weight",))
    node("gate mm", "severed", "mm", "", v @ gate.T, 3, "gate.0", ("v", "gate t"))
    node("s", "severed", "sigmoid", "s", s, 3, "gate.1", ("gate mm",))
    node("mul", "operation", "MulBackward0", "", v * s, 4, "", ("v", ("s", "no_grad", 3)))
    node("head.weight", "frozen", "", "head.weight", head)
    node(
        "head t",
        "severed",
        "t",
        "",
        head.T,
        4,
        "head",
        (("head.weight", "requires_grad=False", None),),
    )
    node("z", "operation", "MmBackward0", "z", z, 4, "head", ("mul", "head t"))
    node(
        "best",
        "severed",
        "argmax",
        "best",
        best,
        5,
        "",
        (("z", "argmax is not differentiable", 5),),
    )
    node("index", "operation", "IndexBackward0", "", z[rows, best], 6, "", ("z", "best"))
    node("loss", "operation", "MeanBackward0", "loss", loss, 6, "", ("index",))

    g_z = np.zeros_like(z)
    g_z[rows, best] = 0.5
    g_mul = g_z @ head
    g_v = g_mul * s
    g_addmm = g_v * (1 - v * v)
    g_h, g_t = g_addmm @ weight, h.T @ g_addmm
    g_tok = np.zeros_like(tok)
    g_tok[ids] = g_h
    backward = (
        ("loss", np.array(1.0), {"index": np.full(2, 0.5)}),
        ("index", np.full(2, 0.5), {"z": g_z}),
        ("z", g_z, {"mul": g_mul}),
        ("mul", g_mul, {"v": g_v}),
        ("v", g_v, {"addmm": g_addmm}),
        ("addmm", g_addmm, {"ff.0.bias": g_addmm.sum(0), "h": g_h, "t": g_t}),
        ("t", g_t, {"ff.0.weight": g_t.T}),
        ("h", g_h, {"tok": g_h}),
        ("tok", g_h, {"tok.weight": g_tok}),
    )
    place = {(edge.consumer, edge.producer): i for i, edge in enumerate(edges)}
    events = [
        Event("forward", i, None, each.value)
        for i, each in enumerate(nodes)
        if each.kind in ("operation", "severed")
    ]
    events.append(Event("loss", at["loss"], None, np.asarray(loss)))
    for key, arrived, sent in backward:
        events.append(
            Event(
                "backward",
                at[key],
                arrived,
                None,
                tuple((place[at[key], at[producer]], g) for producer, g in sent.items()),
            )
        )
        events += [
            Event("accumulate", at[leaf], None, g)
            for leaf, g in sent.items()
            if nodes[at[leaf]].kind == "leaf"
        ]
    parameters = (
        Parameter("tok.weight", tok.shape, at["tok.weight"]),
        Parameter(
            "pos.weight",
            pos.shape,
            at["pos.weight"],
            "The path to the loss ends at detach().",
            "cut",
            place[at["h"], at["pos"]],
            ("pos.weight", "EmbeddingBackward0", "detach()"),
        ),
        Parameter("ff.0.weight", weight.shape, at["ff.0.weight"]),
        Parameter("ff.0.bias", bias.shape, at["ff.0.bias"]),
        Parameter(
            "gate.0.weight",
            gate.shape,
            at["gate.0.weight"],
            "The path to the loss ends at no_grad.",
            "cut",
            place[at["mul"], at["s"]],
            ("gate.0.weight", "t", "mm", "sigmoid", "no_grad"),
        ),
        Parameter(
            "head.weight",
            head.shape,
            at["head.weight"],
            "requires_grad=False.",
            "frozen",
            place[at["head t"], at["head.weight"]],
            ("head.weight", "requires_grad=False"),
        ),
        Parameter("spare.weight", (2, 2), None, "No recorded operation used this.", "unused"),
    )
    parameters = tuple(replace(p, model=p.name.partition(".")[0]) for p in parameters)
    source = (
        "h = tok(ids) + pos(rows).detach()",
        "v = ff(h)",
        "with no_grad():",
        "s = gate(v)",
        "z = head(v * s)",
        "best = z.argmax(1)",
        "loss = z[rows, best].mean()",
    )
    modules = (
        ("tok", "Embedding"),
        ("pos", "Embedding"),
        ("ff", "Sequential"),
        ("ff.0", "Linear"),
        ("ff.1", "Tanh"),
        ("gate", "Sequential"),
        ("gate.0", "Linear"),
        ("gate.1", "Sigmoid"),
        ("head", "Linear"),
        ("spare", "Linear"),
    )
    return Trace("PyTorch", tuple(nodes), tuple(edges), tuple(events), source, modules, parameters)

"""The layout: nothing lies over anything else, whatever the graph; one straight trunk; work that
grows as the graph does.
"""

import random
from contextlib import nullcontext
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from torch import nn

from autograd_core.parity import watching
from autograd_core.trace import Trace, TraceNode, names_in
from autograd_core.trace import trace as traced
from autograd_core.widgets import GraphView, watch
from autograd_core.widgets.graph.drawn import keys_of
from autograd_core.widgets.graph.figure import Figure, figure
from autograd_core.widgets.graph.folds import folds_of
from autograd_core.widgets.graph.layout.boxes import Layout
from autograd_core.widgets.graph.layout.routes import arrowhead, corners, path, shortened
from autograd_core.widgets.graph.layout.sizes import MARGIN, code_width
from tests.widgets.counting import calls_of
from tests.widgets.large_traces import frozen_teacher, residual, transformer
from tests.widgets.layout_rules import broken, placed_of, rectangles
from tests.widgets.sample_traces import chain, expression, logistic, product


def tree(seed: int, size: int) -> Trace:
    """A random expression: operations on earlier results and on leaves, some of them used several
    times.
    """
    choose = random.Random(seed)
    known, unused, steps = ["a", "b", "c"], [], []
    for i in range(size):
        left = unused.pop() if unused and choose.random() < 0.7 else choose.choice(known)
        right = unused.pop(0) if unused and choose.random() < 0.4 else choose.choice(known)
        steps.append((f"%{i}", choose.choice(["Add", "Sub", "Mul"]), left, right))
        known.append(f"%{i}")
        unused.append(f"%{i}")
    while len(unused) > 1:
        steps.append((f"%{len(steps)}", "Add", unused.pop(), unused.pop()))
        unused.append(steps[-1][0])
    used = {name for _, _, *names in steps for name in names}
    values = {"a": 1.5, "b": -0.5, "c": 2.0}
    return expression({name: x for name, x in values.items() if name in used}, steps)


def squares(*steps: tuple[str, str, str, str]) -> Trace:
    """`h` = a * b, and what is made of it."""
    return expression({"a": 2.0, "b": 1.5}, [("h", "Mul", "a", "b"), *steps])


def written(trace: Trace, each: int = 3) -> Trace:
    """The same graph where `each` operations make a source line, short and long ones."""
    count = 0
    nodes = []
    for node in trace.nodes:
        if node.kind == "operation":
            node, count = replace(node, line=count // each), count + 1
        nodes.append(node)
    source = tuple(f"h{i} = {'a_name_of_some_length * ' * (i % 4)}b" for i in range(count))
    return replace(trace, nodes=tuple(nodes), source=source)


def affine() -> Trace:
    """A network of two linear layers: their operations have three inputs, a leaf's number among
    them.
    """
    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))
    with watching():
        loss = model(torch.ones(1, 2)).sum()
    return traced(loss, names_in(locals()))


SMALL = {
    "logistic": logistic(),
    "affine": affine(),
    "product": product(),
    "chain of 28": chain(28),
    "square": squares(("loss", "Mul", "h", "h")),
    "sum": squares(("loss", "Add", "h", "h")),
    "below": squares(("t", "Add", "h", "b"), ("loss", "Mul", "t", "t")),
    "later": squares(("t", "Tanh", "h", ""), ("s", "Mul", "h", "h"), ("loss", "Add", "t", "s")),
    "both": squares(("t", "Mul", "h", "a"), ("s", "Add", "h", "a"), ("loss", "Mul", "t", "s")),
} | {f"tree {i}": tree(i, 4 + i) for i in range(12)}
SMALL |= {f"tree {i} with source lines": written(tree(i, 4 + i)) for i in range(12)}
SMALL["a line for each"] = written(SMALL["later"], 1)
LARGE = {
    "transformer": transformer(),
    "layers": transformer(3, "model."),
    "residual": residual(15),
    "teacher": frozen_teacher(),
    "chain": chain(60),
}
TRACES = SMALL | LARGE


@cache
def figures(name: str) -> list[Figure]:
    """A small trace as it is; a large one folded, all open, and with some folds open."""
    trace = TRACES[name]
    if name in SMALL:
        return [figure(trace)]
    keys = keys_of(folds_of(trace))
    return [
        figure(trace),
        figure(trace, keys),
        *(figure(trace, random.Random(seed).sample(keys, len(keys) // 2)) for seed in range(4)),
    ]


def is_tangle(name: str) -> bool:
    return name.startswith("tree") and name.endswith("lines")


@cache
def layouts(name: str) -> list[tuple[Figure, Layout, bool]]:
    """Each figure of a trace, in the wide layout and in the narrow one."""
    trace = TRACES[name]
    # in the narrow layout, lines of a tangle may pass beneath a bookmark
    both = (False,) if name in LARGE or is_tangle(name) else (False, True)
    return [
        (each, placed_of(trace, each, narrow), narrow) for each in figures(name) for narrow in both
    ]


@pytest.mark.parametrize("name", TRACES)
def test_every_layout_keeps_the_five_rules(name):
    """Lines of a tangle may pass near a number."""
    trace = TRACES[name]
    for drawing, placed, narrow in layouts(name):
        found = broken(trace, drawing, placed, narrow)
        assert [each for each in found if not (is_tangle(name) and " is near " in each)] == []
        assert all(
            left >= 0 and top >= 0 and right <= placed.width and bottom <= placed.height
            for _, left, top, right, bottom in rectangles(trace, drawing, placed)
        )


def heads() -> Trace:
    """Two heads of one tensor, each in a source line of its own, and their sum."""
    steps = [("h", "Tanh", "w", ""), ("a", "Mul", "k", "h"), ("b", "Mul", "m", "h")]
    trace = expression({"w": 0.8, "k": 1.5, "m": 0.5}, [*steps, ("c", "Add", "a", "b")])
    return written(trace, 1)


def moved(placed: Layout, item: int, **place: int) -> Layout:
    boxes = list(placed.boxes)
    boxes[item] = replace(boxes[item], **place)
    return replace(placed, boxes=tuple(boxes))


def planted(rule: str) -> list[str]:
    """What the rules say of a layout of `heads` that breaks one of them."""
    trace = heads()
    drawing = figure(trace)
    placed = placed_of(trace, drawing)
    of = {trace.nodes[item.nodes[0]].label: i for i, item in enumerate(drawing.items)}
    a, b, routes = of["a"], of["b"], list(placed.routes)
    if rule == "crossings":
        x, y = placed.boxes[b].x + 50, placed.boxes[b].middle
        routes[0] = replace(routes[0], points=((x, y - 90), (x, y + 90)))
        placed = replace(placed, routes=tuple(routes))
    elif rule == "code":
        band = placed.bands[0]
        code = placed.boxes[of["h"]].x + 40, placed.boxes[of["h"]].middle
        placed = replace(placed, bands=(replace(band, code=code), *placed.bands[1:]))
    elif rule == "clearance":
        i = next(i for i, r in enumerate(routes) if r.pill and r.points[0][1] == r.points[-1][1])
        x, y = routes[i].pill
        routes[i] = replace(routes[i], pill=(x, y + 2))
        placed = replace(placed, routes=tuple(routes))
    elif rule == "overlaps":
        first, second = [i for i, route in enumerate(routes) if route.pill][:2]
        routes[second] = replace(routes[second], pill=routes[first].pill)
        placed = replace(placed, routes=tuple(routes))
    elif rule == "columns":
        placed = moved(placed, b, x=placed.boxes[a].x, y=placed.boxes[a].bottom + 4)
    else:
        placed = moved(placed, of["h"], y=placed.boxes[of["c"]].bottom + 200)
    return broken(trace, drawing, placed)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("crossings", "line 0 through item"),
        ("code", "over code of band 0"),
        ("clearance", "is near number of line"),
        ("overlaps", "over number of line"),
        ("columns", "in one column"),
        ("order", "which uses it"),
    ],
)
def test_a_planted_violation_breaks_its_rule(rule, words):
    trace = heads()
    assert broken(trace, figure(trace), placed_of(trace, figure(trace))) == []
    assert any(words in each for each in planted(rule))


@pytest.mark.parametrize("name", TRACES)
def test_lines_are_upright_or_level_and_end_at_their_boxes(name):
    for drawing, placed, _ in layouts(name):
        for line, route in zip(drawing.lines, placed.routes):
            points = route.points
            assert all(ax == bx or ay == by for (ax, ay), (bx, by) in zip(points, points[1:]))
            assert all(isinstance(v, int) for point in points for v in point)
            for (x, y), end in (points[0], line.producer), (points[-1], line.consumer):
                box = placed.boxes[end]
                assert box.x <= x <= box.right and box.y <= y <= box.bottom
                at_edge = x in (box.x, box.right) or y in (box.y, box.bottom)
                assert at_edge or drawing.items[end].kind == "plus"


def test_the_spine_is_straight_and_leaves_are_beside_it():
    """One column of operations, a batch above it, leaves at their right, other constants at their
    left; what skips an operation passes at the left.
    """
    drawing, placed, _ = layouts("logistic")[0]
    names = "x w mv b add sigmoid rsub y where log mean neg".split()
    of = dict(zip(names, placed.boxes, strict=True))
    trunk = [of[name] for name in "mv add sigmoid rsub where log mean neg".split()]
    assert len({box.x for box in trunk}) == 1 and of["w"].x == of["b"].x > trunk[0].right
    assert of["x"].bottom < of["mv"].y and of["w"].middle == of["mv"].middle
    assert of["y"].right < trunk[0].x and of["y"].middle == of["where"].middle
    past = [r for r in placed.routes if min(x for x, _ in r.points) < trunk[0].x - 1]
    assert [r.points[-1][1] for r in past if len(r.points) > 2] == [of["where"].y]
    assert [band.line for band in placed.bands] == [0, 1, 2, 3]
    assert all(
        any(band.y < box.y and box.bottom < band.y + band.height for band in placed.bands)
        for box in trunk
    )


def test_a_fork_has_a_panel_for_each_branch_and_a_centered_join():
    trace = heads()
    placed = placed_of(trace, figure(trace))
    *_, h, a, b, c = placed.boxes
    axis = {name: box.x + (box.split + box.width) // 2 for name, box in zip("habc", (h, a, b, c))}
    assert a.y == b.y and axis["a"] < axis["b"]
    assert abs(2 * axis["c"] - axis["a"] - axis["b"]) <= 2
    assert abs(2 * axis["h"] - axis["a"] - axis["b"]) <= 2
    first, second = placed.bands[1:3]
    assert (first.y, first.height) == (second.y, second.height)
    assert first.x <= a.x and a.right <= first.x + first.width <= second.x <= b.x
    tops = [band.code for band in (first, second)]
    assert all(x < box.x + box.split and y < box.y for (x, y), box in zip(tops, (a, b)))


def test_the_transpose_of_a_weight_is_a_circle_on_its_line():
    trace = TRACES["affine"]
    drawing = figure(trace)
    dots = [line for line in drawing.lines if line.dots]
    assert len(dots) == 2 and len(drawing.items) == len(trace.nodes) - 2
    for line in dots:
        (node,) = line.dots
        assert trace.nodes[node].name.startswith("T") and drawing.place[node] == line.producer
        assert [trace.edges[edge].producer for edge in line.edges] == [node]
    boxes = GraphView(trace).drawn["boxes"]
    assert {box["kind"] for box in boxes if len(box["nodes"]) == 2} == {"leaf"}


def test_five_heads_are_side_by_side_and_fit_a_page():
    steps = [("h", "Tanh", "w", ""), *((f"l{i}", "Mul", "h", "w") for i in range(5))]
    sums = [(f"s{i}", "Add", f"s{i - 1}" if i > 1 else "l0", f"l{i}") for i in range(1, 5)]
    trace = expression({"w": 0.5}, steps + sums)
    placed = placed_of(trace, figure(trace))
    of = {node.label: box for node, box in zip(trace.nodes, placed.boxes)}
    first = [of[f"l{i}"] for i in range(5)]
    assert len({box.y for box in first}) == 1
    assert [box.x for box in first] == sorted(box.x for box in first)


def test_in_the_narrow_layout_all_operations_form_one_column():
    """The picture may shrink to three quarters of its size on a page of 390 pixels."""
    for name in ("product", "square", "sum", "affine", "a line for each"):
        drawing = figures(name)[0]
        placed = placed_of(TRACES[name], drawing, narrow=True)
        assert placed.width <= 348 / 0.75
        nodes = [box for item, box in zip(drawing.items, placed.boxes) if item.kind == "node"]
        assert len({box.x for box in nodes}) == 1 and len({box.y for box in nodes}) == len(nodes)


def test_constants_are_no_nodes_where_a_graph_is_called_large():
    steps = [(f"h{i}", "Mul", f"h{i - 1}" if i else "a", "a") for i in range(30)]
    at_most, more = (expression({"a": 0.5}, steps[:count]) for count in (29, 30))
    constant = TraceNode("constant", "", "c", (), "float64", np.array(2.0))
    many = replace(at_most, nodes=(*at_most.nodes, *[constant] * 9))
    assert [figure(each).large for each in (at_most, many, more)] == [False, False, True]


def test_a_turned_weight_outside_of_the_module_that_uses_it_is_shown():
    """Its dot lies on the line of a leaf that is in the module's fold."""
    trace = transformer(2)
    for i in [i for i, node in enumerate(trace.nodes) if node.name == "TBackward0"][3:9]:
        nodes = list(trace.nodes)
        nodes[i] = replace(nodes[i], module="", calls=())
        assert watch(replace(trace, nodes=tuple(nodes))).still()


def test_a_source_line_in_wide_letters_has_room():
    trace = replace(TRACES["logistic"], source=("# " + "値" * 80, *TRACES["logistic"].source[1:]))
    placed = placed_of(trace, figure(trace))
    (x, _), text = placed.bands[0].code, placed.bands[0].text
    assert len(text) > 2 and x + max(map(code_width, text)) < placed.boxes[2].x


@pytest.mark.parametrize("line", ["", "  ", "# " + "値" * 80, "x" * 200, "loss = f(a - b) " * 9])
def test_in_the_narrow_layout_any_source_line_has_room(line):
    trace = replace(TRACES["logistic"], source=(line, *TRACES["logistic"].source[1:]))
    text = placed_of(trace, figure(trace), narrow=True).bands[0].text
    assert "".join(text).replace(" ", "")[:60] == line.replace(" ", "")[:60]
    assert MARGIN + max(map(code_width, text)) < 346


def test_lines_through_points():
    assert corners((0, 0), (0, 5), (0, 9), (4, 9)) == ((0, 0), (0, 9), (4, 9))
    assert path(((0, 0), (0, 40))) == "M0 0l0 40"
    assert path(((0, 0), (0, 40), (30, 40))) == "M0 0l0 32q0 8 8 8l22 0"
    assert arrowhead(((0, 0), (0, 40))) == "M0 0l-5 -9l10 0z"
    assert shortened(((0, 0), (0, 40))) == (((0, 10), (0, 40)), ((0, 0), (0, 10)))
    assert shortened(((0, 0), (6, 0), (6, 9)))[0] == ((5, 0), (6, 0), (6, 9))


@pytest.mark.parametrize("name", LARGE)
def test_frames_hold_what_is_in_them_and_nothing_else(name):
    for drawing, placed, _ in layouts(name):
        frames = placed.boxes[len(drawing.items) :]
        for item, box in zip(drawing.items, placed.boxes):
            around, frame = set(), item.frame
            while frame >= 0:
                around.add(frame)
                frame = drawing.frames[frame].outer
            for number, outer in enumerate(frames):
                inside = outer.x < box.x and box.right < outer.right
                inside &= outer.y < box.y and box.y + box.height < outer.y + outer.height
                apart = box.bottom < outer.y or outer.bottom < box.y
                apart |= box.right < outer.x or outer.right < box.x
                assert inside if number in around else apart


def test_the_reference_picture_of_a_large_graph():
    """A straight trunk, what is cut off level with its neighbour, and skips beside the trunk."""
    trace = TRACES["transformer"]
    drawing = figure(trace, ["ff"])
    placed = placed_of(trace, drawing)
    of = {item.fold.name: box for item, box in zip(drawing.items, placed.boxes) if item.fold}
    assert of["pos"].y == of["tok"].y and of["pos"].x > of["tok"].right
    (frame,) = placed.boxes[len(drawing.items) :]
    assert frame.x < of["ff" if "ff" in of else "attn"].x or frame.width > 280
    names = [item.fold.name for item in drawing.items if item.fold and item.fold.name != "pos"]
    trunk = {of[name].x for name in names if name != "tok"}
    assert len(trunk) == 1


@pytest.mark.parametrize("opened", [False, True], ids=["folded", "open"])
@pytest.mark.parametrize(
    "network",
    [lambda size: transformer(size // 45, "m."), lambda size: residual(size // 6), chain],
    ids=["transformer", "residual", "chain"],
)
def test_work_grows_no_faster_than_n_log_n(network, opened):
    def placed(trace):
        folds = folds_of(trace)
        return placed_of(trace, figure(trace, keys_of(folds) if opened else ()))

    small, large = (network(size) for size in (200, 800))
    times = len(large.nodes) / len(small.nodes)
    assert calls_of(lambda: placed(large)) < 1.1 * times * calls_of(lambda: placed(small))


class Residual(nn.Module):
    """Two convolutions with a skip, as in a ResNet."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(self.norm2(self.second(torch.relu(self.norm1(self.first(x))))) + x)


def residual_loss():
    blocks = Residual(4), Residual(4)
    net = nn.Sequential(nn.Conv2d(3, 4, 3), *blocks, nn.Flatten(), nn.Linear(64, 2))
    return net(torch.ones(2, 3, 6, 6)).square().mean()


def recurrent_loss():
    cell, hidden = nn.LSTMCell(3, 4), torch.zeros(2, 4)
    state = hidden, hidden
    for _ in range(3):
        state = cell(torch.ones(2, 3), state)
    return state[0].mean()


def attention_loss():
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    return layer(torch.rand(2, 3, 8)).square().mean()


@pytest.mark.parametrize("recorded", [False, True], ids=["from the graph", "recorded"])
@pytest.mark.parametrize("compute", [residual_loss, recurrent_loss, attention_loss])
def test_real_networks_are_drawn(compute, recorded):
    torch.manual_seed(0)
    with watching() if recorded else nullcontext():
        loss = compute()
    view = watch(loss, event=-1)
    for opened in ([], view.drawn["folds"]):
        view.unfold(opened)
        drawing = figure(view.trace, opened)
        assert broken(view.trace, drawing, placed_of(view.trace, drawing)) == []
        assert view.drawn["large"] and view.svg().startswith("<svg")

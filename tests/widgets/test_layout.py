"""The layout: nothing lies over anything else, whatever the graph; one straight trunk; work that
grows as the graph does.
"""

import random
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
import torch
from torch import nn

from autograd_core.parity import watching
from autograd_core.trace import Trace, TraceNode, names_in
from autograd_core.trace import trace as traced
from autograd_core.widgets import watch
from autograd_core.widgets.graph.changes import Changes
from autograd_core.widgets.graph.drawn import keys_of, plan_of
from autograd_core.widgets.graph.figure import Figure, figure
from autograd_core.widgets.graph.folds import folds_of
from autograd_core.widgets.graph.layout.boxes import Layout
from autograd_core.widgets.graph.layout.lanes import Lanes
from autograd_core.widgets.graph.layout.placement import layout_of
from autograd_core.widgets.graph.layout.routes import HEAD, arrowhead, corners, path
from autograd_core.widgets.graph.layout.sizes import (
    BRIEF,
    CODE_ROW,
    MARGIN,
    PILL_HEIGHT,
    Sizes,
    code_width,
    tab_width,
)
from tests.widgets.counting import calls_of
from tests.widgets.large_traces import frozen_teacher, residual, transformer
from tests.widgets.sample_traces import chain, expression, logistic, product

DIGIT = 7  # pixels, across and down, of the number of an input
WIDEST = 66  # label with a norm, "↑ −1.2e−4"


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
    return expression(
        {name: value for name, value in (("a", 1.5), ("b", -0.5), ("c", 2.0)) if name in used},
        steps,
    )


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


def placed_of(trace: Trace, drawing: Figure, narrow: bool = False) -> Layout:
    tracks = Changes(trace).of(plan_of(trace, drawing))
    return layout_of(Sizes(trace, drawing, tracks, narrow))


def layouts(name: str) -> list[tuple[Figure, Layout]]:
    """Each figure of a trace, in the wide layout and in the narrow one."""
    trace = TRACES[name]
    # in the narrow layout, labels of a tangle of lines may meet
    both = (False,) if name in LARGE or name.startswith("tree") else (False, True)
    return [(each, placed_of(trace, each, narrow)) for each in figures(name) for narrow in both]


def around(x: int, y: int, width: int, height: int) -> tuple[int, int, int, int]:
    return x - width // 2, y - height // 2, x + width // 2, y + height // 2


def rectangles(
    trace: Trace, drawing: Figure, placed: Layout
) -> list[tuple[str, int, int, int, int]]:
    """Every box, bookmark, label, number of an input and source line, as (what, left, top, right,
    bottom).
    """
    found = []
    for index, (item, box) in enumerate(zip(drawing.items, placed.boxes)):
        found.append((f"item {index}", box.x, box.y, box.right, box.y + box.height))
        tab = tab_width(trace, item.nodes[0])
        if tab and not drawing.large:
            found.append((f"bookmark {index}", box.x + 8, box.y - 17, box.x + 8 + tab, box.y))
    for index, route in enumerate(placed.routes):
        if route.pill:
            widest = route.room != BRIEF and drawing.large and not drawing.lines[index].cut
            room = WIDEST if widest else route.room
            found.append((f"label of line {index}", *around(*route.pill, room, PILL_HEIGHT)))
        if route.number:
            x, y, anchor = route.number
            left = x - DIGIT * (anchor == "end")
            found.append((f"number of line {index}", left, y - DIGIT, left + DIGIT, y))
            (_, above), (x, y), (length, half) = *route.points[-2:], HEAD
            if anchor == "end" and above == y:  # and the arrowhead beside it
                found.append((f"head of line {index}", x - length, y - half, x, y + half))
    for band in placed.bands:
        if band.line is not None:
            (x, y), width = band.code, max(map(code_width, band.text))
            end = y + 7 + CODE_ROW * (len(band.text) - 1)
            found.append((f"source line {band.line}", x, y - 7, x + width, end))
    return found


def collisions(trace: Trace, drawing: Figure, placed: Layout) -> list[str]:
    """What lies over what: boxes and words over each other; lines through boxes that are not
    theirs, or through source lines.
    """
    all_parts = rectangles(trace, drawing, placed)
    found = [
        f"{a} over {b}"
        for (a, *r), (b, *s) in combinations(all_parts, 2)
        if r[0] < s[2] and s[0] < r[2] and r[1] < s[3] and s[1] < r[3]
    ]
    for number, (line, route) in enumerate(zip(drawing.lines, placed.routes)):
        ends = line.producer, line.consumer
        own = {f"item {end}" for end in ends}
        round_ones = {f"item {end}" for end in ends if drawing.items[end].kind == "plus"}
        for (ax, ay), (bx, by) in zip(route.points, route.points[1:]):
            left, right, top, bottom = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
            found += [
                f"line {number} through {name}"
                for name, *box in all_parts
                if name.startswith(("item", "source"))
                and name not in round_ones
                and left < box[2] - (name in own)
                and box[0] + (name in own) < right + (left == right)
                and top < box[3] - (name in own)
                and box[1] + (name in own) < bottom + (top == bottom)
            ]
    return found


@pytest.mark.parametrize("name", TRACES)
def test_nothing_lies_over_anything(name):
    trace = TRACES[name]
    for drawing, placed in layouts(name):
        found = collisions(trace, drawing, placed)
        # in the narrow layout, a line may pass beneath a source line, as beneath a label
        narrow = placed.bands and placed.bands[0].code[0] == MARGIN
        assert [each for each in found if not (narrow and "through source" in each)] == []
        assert all(
            left >= 0 and top >= 0 and right <= placed.width and bottom <= placed.height
            for _, left, top, right, bottom in rectangles(trace, drawing, placed)
        )


@pytest.mark.parametrize("name", ["logistic", "transformer"])
def test_the_check_sees_a_box_that_was_moved(name):
    drawing, placed = layouts(name)[0]
    boxes = list(placed.boxes)
    boxes[5] = replace(boxes[5], y=boxes[4].y + 20, x=boxes[4].x)
    moved = replace(placed, boxes=tuple(boxes))
    assert "item 4 over item 5" in collisions(TRACES[name], drawing, moved)


def test_the_check_sees_a_source_line_that_is_crossed():
    trace = TRACES["logistic"]
    drawing, placed = layouts("logistic")[0]
    lowest, x = placed.bands[-1], placed.boxes[-1].x + 100
    moved = replace(placed, bands=(*placed.bands[:-1], replace(lowest, code=(x, lowest.code[1]))))
    assert any("through source line" in each for each in collisions(trace, drawing, moved))


@pytest.mark.parametrize("name", ["square", "sum", "below", "later", "both"])
def test_the_check_sees_two_numbers_in_one_place(name):
    """Both edges from one producer: where one number is put beside the other edge, the check says
    so.
    """
    trace = TRACES[name]
    drawing, placed = layouts(name)[0]
    numbered = [index for index, route in enumerate(placed.routes) if route.number]
    first, second = numbered[-2:]
    routes = list(placed.routes)
    routes[second] = replace(routes[second], number=routes[first].number)
    found = collisions(trace, drawing, replace(placed, routes=tuple(routes)))
    assert f"number of line {first} over number of line {second}" in found


@pytest.mark.parametrize("name", TRACES)
def test_lines_are_upright_or_level_and_end_at_their_boxes(name):
    for drawing, placed in layouts(name):
        for line, route in zip(drawing.lines, placed.routes):
            assert all(
                ax == bx or ay == by for (ax, ay), (bx, by) in zip(route.points, route.points[1:])
            )
            assert all(isinstance(v, int) for point in route.points for v in point)
            for (x, y), end in zip(
                (route.points[0], route.points[-1]), (line.producer, line.consumer)
            ):
                box = placed.boxes[end]
                assert box.x <= x <= box.right and box.y <= y <= box.y + box.height
                assert (
                    x in (box.x, box.right)
                    or y in (box.y, box.y + box.height)
                    or drawing.items[end].kind == "plus"
                )


def test_the_reference_picture_of_a_small_graph():
    """One straight column of operations, leaves at their right, constants at their left; what is
    needed further down passes at the left.
    """
    drawing, placed = layouts("logistic")[0]
    names = "x w mv b add sigmoid rsub y where log mean neg".split()
    of = dict(zip(names, placed.boxes, strict=True))
    trunk = [of[name] for name in "mv add sigmoid rsub where log mean neg".split()]
    assert len({box.x for box in trunk}) == 1 and of["w"].x == of["b"].x > trunk[0].right
    assert of["x"].right < trunk[0].x and of["x"].middle == of["w"].middle == of["mv"].middle
    (past,) = (route for route in placed.routes if min(x for x, _ in route.points) < of["x"].x)
    assert past.points[0] == (trunk[0].x, of["sigmoid"].middle)
    assert past.points[-1][0] == of["where"].x
    assert sum(len(route.points) == 2 for route in placed.routes) >= len(trunk)
    assert [band.line for band in placed.bands] == [0, 1, 2, 3]
    assert all(
        any(band.y < box.y and box.y + box.height < band.y + band.height for band in placed.bands)
        for box in trunk
    )


def test_in_the_narrow_layout_all_boxes_form_one_column():
    """346 pixels are left of 390."""
    for name in ("product", "square", "sum", "affine", "a line for each"):
        placed = placed_of(TRACES[name], figures(name)[0], narrow=True)
        assert placed.width <= 346
        assert len({box.y for box in placed.boxes}) == len(placed.boxes)


def test_the_same_trace_gives_the_same_layout():
    trace = TRACES["logistic"]
    assert placed_of(trace, figure(trace)) == placed_of(trace, figure(trace))


def test_constants_are_no_nodes_where_a_graph_is_called_large():
    at_most, more = (
        expression(
            {"a": 0.5}, [(f"h{i}", "Mul", f"h{i - 1}" if i else "a", "a") for i in range(count)]
        )
        for count in (29, 30)
    )
    constant = TraceNode("constant", "", "c", (), "float64", np.array(2.0))
    many = replace(at_most, nodes=(*at_most.nodes, *[constant] * 9))
    assert [figure(each).large for each in (at_most, many, more)] == [False, False, True]


def test_a_source_line_in_wide_letters_has_room():
    trace = replace(TRACES["logistic"], source=("# " + "値" * 80, *TRACES["logistic"].source[1:]))
    placed = placed_of(trace, figure(trace))
    assert placed.width > placed.bands[0].code[0] + 80 * 12.5


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
    assert arrowhead(((0, 0), (0, 40))) == "M0 40l-4 -9l8 0z"


@pytest.mark.parametrize("name", LARGE)
def test_frames_hold_what_is_in_them_and_nothing_else(name):
    for drawing, placed in layouts(name):
        frames = placed.boxes[len(drawing.items) :]
        for item, box in zip(drawing.items, placed.boxes):
            around, frame = set(), item.frame
            while frame >= 0:
                around.add(frame)
                frame = drawing.frames[frame].outer
            for number, outer in enumerate(frames):
                inside = (
                    outer.x < box.x
                    and box.right < outer.right
                    and outer.y < box.y
                    and box.y + box.height < outer.y + outer.height
                )
                apart = box.y + box.height < outer.y or outer.y + outer.height < box.y
                assert inside if number in around else apart


def test_the_reference_picture_of_a_large_graph():
    """A straight trunk; what is cut off level with its neighbour; two skips in one lane; leaves at
    the right.
    """
    trace = TRACES["transformer"]
    drawing = figure(trace, ["ff"])
    placed = placed_of(trace, drawing)
    of = {item.fold.name: box for item, box in zip(drawing.items, placed.boxes) if item.fold}
    trunk = [
        box
        for item, box in zip(drawing.items, placed.boxes)
        if item.kind != "leaf" and not item.severed
    ]
    assert len({box.x + box.width // 2 for box in trunk}) == 1
    assert of["pos"].y == of["tok"].y and of["pos"].x > of["tok"].right
    skips = [
        route
        for route in placed.routes
        if len(route.points) == 4 and route.points[1][0] < of["tok"].x
    ]
    assert len(skips) == 2 and all(route.pill[0] == route.points[1][0] for route in skips)
    (frame,) = placed.boxes[len(drawing.items) :]
    assert skips[0].points[1][0] >= frame.x > skips[1].points[1][0], (
        "the second skip passes outside of the frame"
    )
    cut = next(route for line, route in zip(drawing.lines, placed.routes) if line.cut)
    assert len(cut.points) == 3 and cut.points[0][1] == of["pos"].y + of["pos"].height


def test_lanes_against_a_list_of_what_is_taken():
    choose = random.Random(0)
    for _ in range(60):
        count = choose.randint(1, 40)
        lanes, rows = Lanes(count), [set() for _ in range(count)]
        for _ in range(25):
            start = choose.randrange(count)
            end = choose.randint(start + 1, count)
            taken = set().union(*rows[start:end])
            lane = lanes.first_free(start, end)
            assert lane == next(i for i in range(99) if i not in taken)
            for row in rows[start:end]:
                row.add(lane)


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

    small, large = (network(size) for size in (600, 2_400))
    times = len(large.nodes) / len(small.nodes)
    assert calls_of(lambda: placed(large)) < 1.3 * times * calls_of(lambda: placed(small))


class Residual(nn.Module):
    """Two convolutions with a skip, as in a ResNet."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(self.norm2(self.second(torch.relu(self.norm1(self.first(x))))) + x)


def residual_loss():
    net = nn.Sequential(
        nn.Conv2d(3, 4, 3), Residual(4), Residual(4), nn.Flatten(), nn.Linear(64, 2)
    )
    return net(torch.ones(2, 3, 6, 6)).square().mean()


def recurrent_loss():
    cell, hidden = nn.LSTMCell(3, 4), torch.zeros(2, 4)
    state = hidden, hidden
    for _ in range(3):
        state = cell(torch.ones(2, 3), state)
    return state[0].mean()


def attention_loss():
    return (
        nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)(torch.rand(2, 3, 8))
        .square()
        .mean()
    )


@pytest.mark.parametrize("recorded", [False, True], ids=["from the graph", "recorded"])
@pytest.mark.parametrize("compute", [residual_loss, recurrent_loss, attention_loss])
def test_real_networks_are_drawn(compute, recorded):
    torch.manual_seed(0)
    if recorded:
        with watching():
            loss = compute()
    else:
        loss = compute()
    view = watch(loss, event=-1)
    for opened in ([], view.drawn["folds"]):
        view.unfold(opened)
        drawing = figure(view.trace, opened)
        assert (
            view.drawn["large"]
            and collisions(view.trace, drawing, placed_of(view.trace, drawing)) == []
        )
        assert view.svg().startswith("<svg")

"""The layout of a large graph: nothing over anything else, one straight trunk, work that grows as
the graph does.
"""

import random
from dataclasses import replace
from itertools import combinations

import pytest
import torch
from torch import nn

from autograd_core.parity import watching
from autograd_core.widgets import watch
from autograd_core.widgets.graph.drawn import keys_of
from autograd_core.widgets.graph.figure import Figure, figure
from autograd_core.widgets.graph.folds import folds_of
from autograd_core.widgets.graph.layout.boxes import Layout
from autograd_core.widgets.graph.layout.lanes import Lanes
from autograd_core.widgets.graph.layout.large import large_layout
from autograd_core.widgets.graph.layout.sizes import BRIEF, PILL_HEIGHT, cut_width
from tests.widgets.counting import calls_of
from tests.widgets.large_traces import frozen_teacher, residual, transformer
from tests.widgets.sample_traces import chain

NUMBER = 66  # the widest label with a norm, "↑ −1.2e−4", in pixels
TRACES = {
    "transformer": transformer(),
    "layers": transformer(3, "model."),
    "residual": residual(15),
    "teacher": frozen_teacher(),
    "chain": chain(60),
}


def figures(name: str) -> list[Figure]:
    """The trace folded, all open, and with some folds open."""
    trace = TRACES[name]
    keys = keys_of(folds_of(trace))
    return [
        figure(trace),
        figure(trace, keys),
        *(figure(trace, random.Random(seed).sample(keys, len(keys) // 2)) for seed in range(4)),
    ]


def labels(drawing: Figure, placed: Layout) -> list[tuple[str, int, int, int, int]]:
    found = []
    for index, (line, route) in enumerate(zip(drawing.lines, placed.routes)):
        if route.pill:
            half = (BRIEF if route.brief else cut_width(line.cut) if line.cut else NUMBER) // 2
            x, y = route.pill
            found.append(
                (
                    f"label of line {index}",
                    x - half,
                    y - PILL_HEIGHT // 2,
                    x + half,
                    y + PILL_HEIGHT // 2,
                )
            )
    return found


def collisions(drawing: Figure, placed: Layout) -> list[str]:
    """Boxes and labels over each other, and lines through boxes that are not theirs."""
    boxes = [
        (f"item {i}", b.x, b.y, b.right, b.y + b.height)
        for i, b in enumerate(placed.boxes[: len(drawing.items)])
    ]
    found = [
        f"{a} over {b}"
        for (a, *r), (b, *s) in combinations(boxes + labels(drawing, placed), 2)
        if r[0] < s[2] and s[0] < r[2] and r[1] < s[3] and s[1] < r[3]
    ]
    for number, (line, route) in enumerate(zip(drawing.lines, placed.routes)):
        for (ax, ay), (bx, by) in zip(route.points, route.points[1:]):
            left, right, top, bottom = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
            found += [
                f"line {number} through {name}"
                for i, (name, *box) in enumerate(boxes)
                if i not in (line.producer, line.consumer)
                and left < box[2]
                and box[0] < right + (left == right)
                and top < box[3]
                and box[1] < bottom + (top == bottom)
            ]
    return found


@pytest.mark.parametrize("name", TRACES)
def test_nothing_lies_over_anything(name):
    for drawing in figures(name):
        placed = large_layout(drawing)
        assert collisions(drawing, placed) == []
        assert all(
            box.x >= 0
            and box.y >= 0
            and box.right <= placed.width
            and box.y + box.height <= placed.height
            for box in placed.boxes
        )
        assert all(
            left >= 0 and right <= placed.width for _, left, _, right, _ in labels(drawing, placed)
        )


def test_the_check_sees_a_box_that_was_moved():
    drawing = figures("transformer")[0]
    placed = large_layout(drawing)
    boxes = list(placed.boxes)
    boxes[5] = replace(boxes[5], y=boxes[4].y + 20)
    assert "item 4 over item 5" in collisions(drawing, replace(placed, boxes=tuple(boxes)))


@pytest.mark.parametrize("name", TRACES)
def test_lines_are_upright_or_level_and_end_at_their_boxes(name):
    for drawing in figures(name):
        placed = large_layout(drawing)
        for line, route in zip(drawing.lines, placed.routes):
            assert all(
                ax == bx or ay == by for (ax, ay), (bx, by) in zip(route.points, route.points[1:])
            )
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


@pytest.mark.parametrize("name", TRACES)
def test_frames_hold_what_is_in_them_and_nothing_else(name):
    for drawing in figures(name):
        placed = large_layout(drawing)
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


def test_the_reference_picture():
    """A straight trunk; what is cut off level with its neighbour; two skips in one lane; leaves at
    the right.
    """
    trace = TRACES["transformer"]
    drawing = figure(trace, ["ff"])
    placed = large_layout(drawing)
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
        return large_layout(figure(trace, keys_of(folds) if opened else ()))

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
        assert view.drawn["large"] and collisions(drawing, large_layout(drawing)) == []
        assert view.svg().startswith("<svg")

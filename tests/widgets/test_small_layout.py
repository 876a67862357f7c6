"""The layout: nothing lies over anything else, whatever the graph; and it is fast."""

import random
from dataclasses import replace
from itertools import combinations

import pytest

from autograd_core.trace import Trace
from autograd_core.widgets.graph.layout.boxes import Layout
from autograd_core.widgets.graph.layout.routes import arrowhead, corners, path
from autograd_core.widgets.graph.layout.sizes import (
    BRIEF,
    PILL_HEIGHT,
    code_lines,
    pill_width,
    tab_width,
)
from autograd_core.widgets.graph.layout.small import small_layout
from tests.widgets.counting import calls_of
from tests.widgets.sample_traces import chain, expression, logistic, product

DIGIT = 7  # pixels, across and down, of the number of an input


def rectangles(trace: Trace, placed: Layout) -> list[tuple[str, int, int, int, int]]:
    """Every box, bookmark, label and number of an input, as (what, left, top, right, bottom)."""
    found = []
    for index, (node, box) in enumerate(zip(trace.nodes, placed.boxes)):
        found.append((f"box {index}", box.x, box.y, box.right, box.y + box.height))
        if node.saved:
            left = box.right - 10 - tab_width(node)
            found.append((f"bookmark {index}", left, box.y - 18, box.right - 10, box.y))
    for index, (edge, route) in enumerate(zip(trace.edges, placed.routes)):
        if route.pill:
            half = (BRIEF if route.brief else pill_width(trace.nodes[edge.producer].shape)) // 2
            x, y = route.pill
            found.append(
                (
                    f"label of edge {index}",
                    x - half,
                    y - PILL_HEIGHT // 2,
                    x + half,
                    y + PILL_HEIGHT // 2,
                )
            )
        if route.number:
            x, y, anchor = route.number
            left = x - DIGIT * (anchor == "end")
            found.append((f"number of edge {index}", left, y - DIGIT, left + DIGIT, y))
    return found


def collisions(trace: Trace, placed: Layout) -> list[str]:
    """What lies over what: boxes and labels over each other, and lines through boxes that are not
    theirs.
    """
    found = [
        f"{a} over {b}"
        for (a, *r), (b, *s) in combinations(rectangles(trace, placed), 2)
        if r[0] < s[2] and s[0] < r[2] and r[1] < s[3] and s[1] < r[3]
    ]
    for number, (edge, route) in enumerate(zip(trace.edges, placed.routes)):
        for (ax, ay), (bx, by) in zip(route.points, route.points[1:]):
            left, right, top, bottom = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
            found += [
                f"edge {number} through its own box {i}"
                for i in (edge.consumer, edge.producer)
                for box in [placed.boxes[i]]
                if left < box.right - 1
                and box.x + 1 < right
                and top < box.y + box.height - 1
                and box.y + 1 < bottom
            ]
            found += [
                f"edge {number} through box {i}"
                for i, box in enumerate(placed.boxes)
                if i not in (edge.consumer, edge.producer)
                and left < box.right
                and box.x < right + (left == right)
                and top < box.y + box.height
                and box.y < bottom + (top == bottom)
            ]
    return found


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


SQUARES = {
    "square": squares(("loss", "Mul", "h", "h")),
    "sum": squares(("loss", "Add", "h", "h")),
    "below": squares(("t", "Add", "h", "b"), ("loss", "Mul", "t", "t")),
    "later": squares(("t", "Tanh", "h", ""), ("s", "Mul", "h", "h"), ("loss", "Add", "t", "s")),
    "both": squares(("t", "Mul", "h", "a"), ("s", "Add", "h", "a"), ("loss", "Mul", "t", "s")),
}
TRACES = (
    {"logistic": logistic(), "product": product(), "chain": chain(30)}
    | SQUARES
    | {f"tree {i}": tree(i, 4 + i) for i in range(12)}
)


@pytest.mark.parametrize(
    "how", [{}, {"narrow": True}, {"narrow": True, "slim": True}], ids=["wide", "narrow", "slim"]
)
@pytest.mark.parametrize("name", TRACES)
def test_nothing_lies_over_anything(name, how):
    trace = TRACES[name]
    placed = small_layout(trace, **how)
    assert collisions(trace, placed) == []
    assert all(
        left >= 0 and top >= 0 and right <= placed.width and bottom <= placed.height
        for _, left, top, right, bottom in rectangles(trace, placed)
    )


def test_the_check_sees_a_box_that_was_moved():
    trace = logistic()
    placed = small_layout(trace)
    moved = replace(placed.boxes[5], y=placed.boxes[4].y + 20)
    planted = replace(placed, boxes=(*placed.boxes[:5], moved, *placed.boxes[6:]))
    assert any("box 4 over box 5" in text for text in collisions(trace, planted))


@pytest.mark.parametrize("name", SQUARES)
def test_the_check_sees_two_numbers_in_one_place(name):
    """Both edges from one producer: where one number is put beside the other edge, the check says
    so.
    """
    trace, placed = SQUARES[name], small_layout(SQUARES[name])
    numbered = [index for index, route in enumerate(placed.routes) if route.number]
    assert len(numbered) >= 2
    first, second = numbered[-2:]
    moved = replace(placed.routes[second], number=placed.routes[first].number)
    planted = replace(
        placed,
        routes=tuple(moved if i == second else route for i, route in enumerate(placed.routes)),
    )
    assert collisions(trace, planted) == [f"number of edge {first} over number of edge {second}"]


@pytest.mark.parametrize(
    "trace",
    [product(), squares(("s", "Tanh", "a", ""), ("loss", "Add", "h", "s"))],
    ids=["product", "sine"],
)
def test_the_slim_layout_of_a_small_graph_fits_jupyterlab_at_800_pixels(trace):
    """An output of JupyterLab is 630 pixels wide there."""
    assert (
        small_layout(trace, narrow=True, slim=True).width
        <= 630
        < small_layout(trace, narrow=True).width
    )


@pytest.mark.parametrize("name", TRACES)
def test_lines_are_upright_or_level_and_end_at_their_boxes(name):
    trace = TRACES[name]
    placed = small_layout(trace)
    for edge, route in zip(trace.edges, placed.routes):
        assert all(
            ax == bx or ay == by for (ax, ay), (bx, by) in zip(route.points, route.points[1:])
        )
        for (x, y), box in zip(
            (route.points[0], route.points[-1]),
            (placed.boxes[edge.producer], placed.boxes[edge.consumer]),
        ):
            on_side = x in (box.x, box.right) and box.y <= y <= box.y + box.height
            on_end = y in (box.y, box.y + box.height) and box.x <= x <= box.right
            assert on_side or on_end
        assert all(isinstance(v, int) for point in route.points for v in point)


def test_the_reference_picture():
    """One column of operations, leaves at their right, constants at their left; the short branch
    stands aside.
    """
    trace = logistic()
    placed = small_layout(trace)
    of = dict(
        zip(
            ("x", "w", "mv", "b", "add", "sigmoid", "rsub", "y", "where", "log", "mean", "neg"),
            placed.boxes,
        )
    )
    trunk = [of[name] for name in ("mv", "add", "sigmoid", "where", "log", "mean", "neg")]
    assert len({box.x for box in trunk}) == 1
    assert {box.x for box in (of["w"], of["b"], of["rsub"])} == {trunk[0].right + 142}
    assert (of["w"].y, of["b"].y, of["x"].x) == (of["mv"].y, of["add"].y, of["y"].x)
    rows = [of[name].y for name in ("mv", "add", "sigmoid", "rsub", "where", "log", "mean", "neg")]
    assert {below - above for above, below in zip(rows, rows[1:])} == {80}
    straight = placed.routes[7]
    assert len(straight.points) == 2 and straight.points[0][0] == straight.points[1][0]
    assert [band.line for band in placed.bands] == [0, 1, 2, 3]
    assert all(
        any(band.y < box.y and box.y + box.height < band.y + band.height for band in placed.bands)
        for box in trunk
    )


def test_an_edge_past_other_operations_runs_at_their_left():
    placed = small_layout(product())
    mul, add, tanh, loss = placed.boxes[3:]
    lane = placed.routes[5].points
    assert mul.x == loss.x < lane[0][0] == lane[-1][0] < add.x == tanh.x


def test_the_same_trace_gives_the_same_layout():
    assert small_layout(chain(40)) == small_layout(chain(40))


def test_work_grows_no_faster_than_n_log_n():
    small, large = chain(250), chain(500)
    assert calls_of(lambda: small_layout(large)) < 2.3 * calls_of(lambda: small_layout(small))


def test_lines_through_points():
    assert corners((0, 0), (0, 5), (0, 9), (4, 9)) == ((0, 0), (0, 9), (4, 9))
    assert path(((0, 0), (0, 40))) == "M0 0L0 40"
    assert path(((0, 0), (0, 40), (30, 40))) == "M0 0L0 32Q0 40 8 40L30 40"
    assert arrowhead(((0, 0), (0, 40))) == "M0 40L-4 31L4 31z"


def test_source_lines_are_broken_where_python_would_be():
    assert code_lines("q = where(y, p, 1 - p)", 130, 7) == ["q = where(y, p, ", "  1 - p)"]
    assert code_lines("loss = -log(q).mean()", 130, 7) == ["loss = -log(q)", "  .mean()"]
    assert code_lines("loss = nn.BCELoss()(p, y)", 104, 3) == [
        "loss = nn",
        "  .BCELoss()(",
        "  p, y)",
    ]
    assert code_lines("x" * 10_000, 130, 2) == ["x" * 15 + "…"]

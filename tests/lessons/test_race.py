"""`race`: the numbers of every step, the paths and names on the map, and what is compared."""

import functools
import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest
import torch

import autograd_core as ours
from autograd_core.lessons import check, lesson_15
from autograd_core.lessons.datasets import BOWL, RAVINE, ROSENBROCK, Surface
from autograd_core.lessons.widgets.race import HEIGHT, WIDTH, Map, labels, race
from autograd_core.widgets.kit.text import text_width
from tests.lessons.page import change

STEPS = 40
SADDLE = Surface(
    "saddle",
    "½x² − ½y² + ¼y⁴",
    lambda x, y: x**2 / 2 - y**2 / 2 + y**4 / 4,
    (-1.7, 0.01),
    ((0.0, 1.0), (0.0, -1.0)),
)
SURFACES = {each.name: each for each in (BOWL, RAVINE, ROSENBROCK, SADDLE)}
SETTINGS = {"lr": (0.05, 0.005, 0.2, 0.005), "beta2": (0.99, 0.5, 0.999)}


def run_on(engine, steps=STEPS, only=None):
    """SGD, momentum, RMSprop and Adam, or one of them, each from `start`."""
    optim = engine.optim

    def run(height, start, lr, beta2):
        made = {
            "SGD": lambda p: optim.SGD([p], lr),
            "momentum": lambda p: optim.SGD([p], lr, momentum=0.9),
            "RMSprop": lambda p: optim.RMSprop([p], lr, alpha=beta2),
            "Adam": lambda p: optim.Adam([p], lr, (0.9, beta2)),
        }
        return {
            name: walk(engine, height, start, make)
            for name, make in made.items()
            if only in (None, name)
        }

    def walk(engine, height, start, make):
        p, seen = engine.tensor(start, dtype=engine.float64, requires_grad=True), []
        optimizer = make(p)
        for _ in range(steps + 1):
            optimizer.zero_grad()
            loss = height(*p)
            loss.backward()
            now = {"position": p.tolist(), ".grad": p.grad.tolist(), "loss": loss.item()}
            for key, kept in optimizer.state[p].items():
                if kept is not None and key != "step":
                    now[key] = kept.tolist()
            seen.append(now)
            optimizer.step()
        return seen

    return run


def widget_of(run=None, other=None, **settings):
    settings = {"surface": BOWL, **SETTINGS, **settings}
    return race(run or run_on(ours), other or run_on(torch), **settings)


@pytest.fixture(scope="module")
def valley():
    return widget_of(surface=ROSENBROCK)


def runner(widget, name):
    return next(each for each in widget.drawn["runners"] if each["name"] == name)


def rows(widget, name, key):
    return np.array(dict(runner(widget, name)["rows"])[key], float)


RATES = {"SGD": 0.05, "momentum": 0.01, "RMSprop": 0.02, "Adam": 0.03}


def with_own_rates(engine):
    def run(lr, **settings):
        return {
            name: run_on(engine, only=name)(lr=rate, **settings)[name] for name, rate in lr.items()
        }

    return run


def test_each_optimizer_has_the_rate_that_is_given():
    runs, beta2 = [*map(with_own_rates, (ours, torch))], SETTINGS["beta2"]
    for surface in SURFACES.values():
        widget = race(*runs, surface=surface, rates=RATES, beta2=beta2)
        assert {each["name"]: each["rate"] for each in widget.drawn["runners"]} == RATES
        w, g = (rows(widget, "SGD", key) for key in ("position", ".grad"))
        assert np.allclose(w[1], w[0] - RATES["SGD"] * g[0]) and not widget.verdict["differs"]
    assert {each["rate"] for each in widget_of().drawn["runners"]} == {None}


def test_a_step_marked_by_hand_solves_exercise_12_1():
    widget = race(run_on(ours, 9), surface=BOWL, by_hand=True, **SETTINGS)
    assert not check("12.1", run=widget).attempted
    widget.landed = [[5, False]]
    assert "No mark is near enough" in repr(check("12.1", run=widget))
    widget.landed = [[5, False], [6, True]]
    assert check("12.1", run=widget).correct
    assert "The map is asked for" in repr(check("12.1", run=widget_of()))


def test_numbers_are_those_of_the_formulas(valley):
    w, b = np.array([-1.4, 0.6]), np.zeros(2)
    for step in range(STEPS + 1):
        x, y = w
        g = np.array([x - 1 - 4 * x * (y - x**2), 2 * (y - x**2)])
        assert np.allclose(rows(valley, "momentum", "position")[step], w, rtol=1e-7)
        assert np.allclose(rows(valley, "momentum", ".grad")[step], g, rtol=1e-7, atol=1e-8)
        loss = (1 - x) ** 2 / 2 + (y - x**2) ** 2
        assert runner(valley, "momentum")["loss"][step] == pytest.approx(loss)
        if step:
            assert np.allclose(rows(valley, "momentum", "momentum_buffer")[step], b, rtol=1e-7)
        b = 0.9 * b + g
        w = w - 0.05 * b


def test_nobody_remembers_anything_at_the_start(valley):
    first, *others = rows(valley, "Adam", "exp_avg_sq")
    assert np.isnan(first).all() and np.isfinite(others).all()
    assert [key for key, _ in runner(valley, "SGD")["rows"]] == ["position", ".grad"]


def test_the_path_is_the_position_in_pixels(valley):
    path, position = np.array(runner(valley, "Adam")["path"]), rows(valley, "Adam", "position")
    assert np.allclose(path[:, 0], (position[:, 0] + 2.1) / 4.2 * WIDTH, atol=0.06)
    assert np.allclose(path[:, 1], (1.65 - position[:, 1]) / 3.0 * HEIGHT, atol=0.06)


def test_markers_stand_where_the_other_engine_was():
    def elsewhere(**settings):
        result = run_on(torch)(**settings)
        for each in result["SGD"]:
            each["position"] = [each["position"][0] + 0.5, each["position"][1]]
        return result

    widget = widget_of(other=elsewhere)
    sgd = runner(widget, "SGD")
    [step, x, y] = sgd["marks"][0]
    assert (step, y) == (1, sgd["path"][1][1]) and x > sgd["path"][1][0] + 70
    assert widget.verdict["differs"]
    assert race(run_on(ours), surface=BOWL, **SETTINGS).drawn["runners"][0]["marks"] == []


def test_a_wrong_rule_is_told_even_where_paths_are_chaotic():
    def wrong(height, start, lr, beta2):
        return run_on(torch)(height, start, lr, beta2 - 1e-6)

    widget = widget_of(other=wrong, surface=SADDLE, beta2=(0.9, 0.5, 0.999))
    assert widget.verdict["differs"]


@functools.cache
def long_race(surface, lr, steps=120):
    return widget_of(
        run_on(ours, steps),
        run_on(torch, steps),
        surface=SURFACES[surface],
        lr=(lr, 0.005, 0.2, 0.005),
        beta2=(0.9, 0.5, 0.999),
    )


@pytest.mark.parametrize("surface", SURFACES)
def test_engines_agree_where_paths_are_chaotic_too(surface):
    assert not long_race(surface, 0.05).verdict["differs"], long_race(surface, 0.05).verdict


def test_chaos_is_told():
    told = long_race("saddle", 0.05).verdict["text"]
    assert "Not compared, because rounding alone leads elsewhere: RMSprop from step " in told
    assert "SGD from step" not in told


def test_who_is_thrown_out_steadily_is_compared():
    widget = widget_of(surface=RAVINE)
    # each step takes y to −1.4 times what it was
    widget.set("lr", 0.2)
    assert "SGD" not in widget.verdict["text"] and rows(widget, "SGD", "position")[-1, 1] > 1e5


def test_another_start():
    widget = widget_of()
    assert change(widget, "start", [1.0, 0.5]) == ""
    assert rows(widget, "SGD", "position")[0].tolist() == [1.0, 0.5] == list(widget.drawn["start"])
    assert change(widget, "lr", 0.1) == "" and widget.drawn["start"] == (1.0, 0.5)
    # bowl: the gradient is (x, 2y)
    assert rows(widget, "SGD", "position")[1] == pytest.approx([0.9, 0.4])
    assert widget.drawn["note"] == BOWL.formula


@pytest.mark.parametrize("start", [[1.0], [float("nan"), 0.0], ["a", "b"]])
def test_what_is_no_start_is_refused(start):
    widget = widget_of()
    before = widget.drawn
    assert "ValueError" in change(widget, "start", start)
    assert widget.start == BOWL.start and widget.drawn == before


@pytest.mark.filterwarnings("error")
def test_a_path_that_leaves_has_numbers_and_is_compared():
    widget = long_race("Rosenbrock's valley", 0.2, steps=200)
    gone = runner(widget, "momentum")
    assert gone["loss"][-1] in ("nan", "inf") and not widget.verdict["differs"]
    assert np.isfinite(np.array(gone["path"])).all()
    assert "nan" not in widget.still().partition("</title>")[2]


def test_who_leaves_for_good_stays_where_the_map_was_left():
    y = [0.0, 3.0, 0.0, 2.0, -4.0, 9.0]  # out, back again, and out for good
    path = Map(BOWL, (0, 0), {}).path(np.array([[0.0, height] for height in y]))
    assert path[1] != path[0] == path[2] and path[2] != path[3] == path[4] == path[5]


def overlapping(names, places):
    """Pairs of names that stand on each other at a step, or over the map's edge."""
    halves = [text_width(name, 12, bold=True) / 2 + 10 for name in names]
    for step in zip(*places):
        boxes = [(name, *place, half) for name, place, half in zip(names, step, halves)]
        for i, (name, x, y, half) in enumerate(boxes):
            if not (half - 0.1 <= x <= WIDTH - half + 0.1 and 10 <= y <= HEIGHT - 10):
                yield name
            for other, column, row, wide in boxes[i + 1 :]:
                if abs(x - column) < half + wide and abs(y - row) < 20:
                    yield name, other


NAMES = ["SGD", "momentum", "RMSprop", "Adam"]


@pytest.mark.parametrize("end", [(300, 200), (1, 1), (WIDTH, HEIGHT), (-2000, 2000)])
def test_four_names_at_one_place_do_not_pile_up(end):
    places = labels(NAMES, [[end]] * 4)
    assert list(overlapping(NAMES, places)) == []
    # beside the end, or where it has left the map
    near = np.clip(end, 0, (WIDTH, HEIGHT))
    assert all(np.hypot(*(np.array(place) - near)) < 150 for [place] in places)
    assert list(overlapping(NAMES, [[end]] * 4)) != []


@pytest.mark.parametrize("surface", SURFACES)
def test_names_do_not_pile_up_on_any_surface(surface):
    runners = long_race(surface, 0.05).drawn["runners"]
    found = overlapping([each["name"] for each in runners], [each["label"] for each in runners])
    assert list(found) == []
    # nor on the end of a path
    for each in runners:
        for step, (x, y) in enumerate(each["label"]):
            half = text_width(each["name"], 12, bold=True) / 2 + 10
            ends = [other["path"][step] for other in runners]
            assert all(abs(x - column) >= half or abs(y - row) >= 10 for column, row in ends)


def test_the_still_is_of_the_step_that_is_shown_first():
    widget = widget_of(step=24)
    assert widget.drawn["at"] == 24 and widget_of().drawn["at"] == STEPS
    assert widget_of(step=1000).drawn["at"] == STEPS
    path = runner(widget, "momentum")["path"]
    drawn = xml.fromstring(widget.still())
    lines = [each.get("d") for each in drawn.iter("{http://www.w3.org/2000/svg}path")]
    assert any(line.count("L") == 24 and line.endswith("{} {}".format(*path[24])) for line in lines)
    moved = [each.get("transform") for each in drawn.iter("{http://www.w3.org/2000/svg}g")]
    label = runner(widget, "momentum")["label"][24]
    assert "translate({} {})".format(*label) in moved
    assert "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*path[24], *label) in lines


@pytest.mark.parametrize("result", [[], {}, dict.fromkeys("abcdef", [])], ids=str)
def test_a_result_of_another_kind_is_refused(result):
    with pytest.raises(ValueError, match="a dict of optimizers, of SGD"):
        race(lambda height, start: result, surface=BOWL)


@pytest.mark.parametrize("lr", [0.1, 0.2, 0.26, 0.33, 0.4])
def test_no_run_in_the_valley_ends_where_it_is_hatched(lr):
    widget = lesson_15.valley()
    widget.set("lr", lr)
    drawn = xml.fromstring(widget.drawn["svg"]).iter("{http://www.w3.org/2000/svg}path")
    hatched = [each.get("d") for each in drawn if each.get("stroke-dasharray")]
    places = np.array(re.findall(r"([\d.-]+) ([\d.-]+)", "".join(hatched)), float).reshape(-1, 2)
    x, y = (places / (WIDTH, HEIGHT) * (5.1, -3.643) + (-1.5, 2.293)).T
    assert np.allclose(x * y, 1, atol=0.01) and (x**2 + y**2 > 2 / lr - 0.05).all()
    assert len(places) == 0 or abs(x[x > 0]).max() > 3
    [sharpness, limit] = rows(widget, "SGD", "x² + y², 2/lr")[-1]
    assert sharpness < limit == pytest.approx(2 / lr) and widget.drawn["top"] == 10


def test_a_run_that_leaves_the_valley_is_drawn():
    widget = lesson_15.valley()
    widget.set("lr", 0.45)
    assert runner(widget, "SGD")["loss"][-1] in ("nan", "inf") and not widget.verdict["differs"]

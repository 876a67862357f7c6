"""Lesson 10: the recorded trainings are those that its code makes; the snake and the scores as
pictures.
"""

import numpy as np
import pytest
import torch

from autograd_core.lessons import lesson_10
from autograd_core.lessons.lesson_08 import HEADS, KERNELS
from autograd_core.lessons.widgets.dots import dots
from autograd_core.lessons.widgets.snake import APART, MEASURES, entering, outline, paths, snake


def small_film(**options):
    """A film of the lesson's photo with two frames that find a straight text."""
    maps = np.zeros((2, 7, 64, 64))
    maps[:, [1, 3, 5, 6], 20:30, 10:50] = 1.0
    curves = {name: dict.fromkeys(range(3), 1.0) for name in MEASURES}
    found = {"at": [0, 2], "output": maps, "gradient": 0.1 * maps, "curves": curves}
    known = {"crop": lesson_10.SHOWN, "channels": KERNELS, "heads": HEADS, "constant": {}}
    return snake(lambda off: found, **known, off=["none", *HEADS], **options)


@pytest.fixture(scope="module")
def rows():
    return dict(np.load(lesson_10.RECORDED))


def test_a_recording_is_the_training_of_the_lesson(rows):
    parameters, measured = lesson_10.record("sin", stop=lesson_10.FRAMES[1], count=8)
    np.testing.assert_allclose(parameters, rows["sin network"][:1], rtol=1e-2, atol=1e-3)
    assert measured.shape == (lesson_10.MEASURED.index(lesson_10.FRAMES[1]) + 1, len(MEASURES))
    assert rows["sin network"].shape[0] == len(lesson_10.FRAMES) - 1
    assert not np.array_equal(rows["sin network"][-1], rows["none network"][-1])


def test_a_recording_keeps_the_measures_of_its_networks(rows):
    lab = lesson_10.Lab(torch)
    held_out = lab.crops(seed=2_000_000, count=64)
    net = lab.recorded_network("none")
    with torch.no_grad():
        scores = lab.scores(net(held_out.image), held_out)
    kept = lesson_10.recorded("none")
    assert list(kept) == [*MEASURES] and {*rows} == {"constant", "seeds"} | {
        f"{off} {kind}" for off in ("none", *HEADS) for kind in ("network", "measured")
    }
    for name, score in scores.items():
        assert score == pytest.approx(kept[name], rel=0.02), name


def test_two_more_seeds_are_recorded(rows):
    first, second = lesson_10.recorded_seeds()
    assert list(first) == [*MEASURES[1:]] and rows["seeds"].shape == (2, 4) and first != second
    one, other = (lesson_10.scores_of_seed(seed, stop=0, count=4) for seed in (0, 1))
    assert len(one) == 4 and one != other, "each seed has its own initial values"


def test_a_filter_makes_maps_of_an_image_alone():
    lab = lesson_10.Lab(torch)
    tuning, new = lab.crops(seed=7, count=4), lab.crops(seed=8, count=2)
    maps = lab.filter_maps(tuning, new)
    assert maps.shape == (2, 7, 64, 64)
    hidden = new._replace(
        **{name: torch.zeros_like(each) for name, each in zip(new._fields[1:], new[1:])}
    )
    assert torch.equal(maps, lab.filter_maps(tuning, hidden))
    length = maps[:, 4] ** 2 + maps[:, 5] ** 2
    assert torch.allclose(length, torch.ones_like(length)) and (maps[:, 5] >= -1e-9).all()


def test_a_row_for_each_loss_that_is_off():
    scores = lesson_10.recorded("none")
    rows = lesson_10.one_loss_off(scores, scores).rows
    assert [row[1] for row in rows] == ["0.00", "0.00", "0.23", "0.18", "0.00"]
    assert rows[2] == ["`sin`", "0.23", "direction", "20.27", "9.73", "9.73", "degrees"]


def test_a_curve_enters_its_scale_from_above():
    assert entering([(0, 9.0), (5, 3.0), (10, 1.0)], 6.0) == [(2.5, 6.0), (5, 3.0), (10, 1.0)]
    assert entering([(0, 2.0), (5, 3.0)], 6.0) == [(0, 2.0), (5, 3.0)]


def test_a_loss_that_is_off_sends_no_gradient_to_its_maps():
    widget = lesson_10.film()
    for off, maps in (("none", []), ("radius", [6]), ("text", [0, 1]), ("sin", [])):
        if off != "none":
            widget.set("off", off)
        frames = np.frombuffer(widget.frames, np.float32).reshape(widget.drawn["shape"])[1]
        silent = [k for k in range(7) if not frames[:, k].any()]
        assert silent == maps, off
        assert widget.drawn["silent"] == HEADS.get(off, []) and off in widget.drawn["told"] + "none"
    assert not frames[0, 4].any() and frames[1, 4].any(), "at first its pairs are below the clamp"
    assert widget.drawn["whole"] != widget.drawn["snakes"]
    assert repr(widget).endswith("text 0.6, line 0.5, direction 20.27, radius 0.59")
    assert "total: 0.8 loss" in widget.still()


def test_the_text_of_the_photo_climbs_and_descends_without_the_loss_sin():
    lab, truth = lesson_10.Lab(torch), lesson_10.SHOWN
    line = truth.tcl_mask & truth.train_mask
    image = lab.tensors([truth.image[None]] * 7).image
    with torch.no_grad():
        none, sin = (lab.recorded_network(off)(image)[0, 4].numpy() for off in ("none", "sin"))
    assert truth.sin_map[line].max() < -0.35 and truth.sin_map[~truth.train_mask].min() > 0.1
    assert (none[line] < 0).mean() > 0.9 and (sin[line] > 0).all()


def test_flat_maps_are_the_means_of_what_each_loss_reads():
    lab = lesson_10.Lab(torch)
    crops = lab.crops(seed=7, count=2)
    maps = torch.rand(2, 7, 64, 64, dtype=torch.float64)
    flat = lab.flat(maps, crops)
    assert [flat[:, k].unique().numel() for k in range(7)] == [1] * 7
    on = crops.tcl_mask & crops.train_mask
    assert torch.isclose(flat[0, 6, 0, 0], maps[:, 6][on].mean())
    assert torch.isclose(flat[0, 0, 0, 0], maps[:, 0][crops.train_mask].mean())


def test_a_snake_has_discs_along_its_line_and_an_outline_of_its_text():
    maps = np.zeros((7, 5, 8))
    maps[1, 2], maps[3, 2, 1:] = 1, 1  # a line of seven pixels in a row of text
    maps[3, 0] = 1  # outside of the text it doesn't count
    maps[4:6, 2], maps[6] = [[0.0], [2.0]], 1.5
    region, line, discs, ticks = paths(maps)
    assert region.count("M") == 2 * 8 + 2
    assert line.count("M") == 7 and line.startswith("M1 2h1v1h-1z")
    assert discs.count("M") == ticks.count("M") == -(-7 // APART)
    assert ticks.startswith("M1.5 2.5l1.50 0.00")


def test_an_outline_goes_round_each_part_of_a_mask():
    mask = np.zeros((4, 4), bool)
    mask[0, 0] = mask[2, 2] = mask[2, 3] = True
    assert outline(mask).count("M") == 4 + 6 and outline(~np.ones((4, 4), bool)) == ""


NETWORKS = [dict(text=0.7, line=0.5, direction=9, radius=0.4)] * 2
BASELINE = dict(text=0.6, line=0.5, direction=2, radius=0.5)


def test_photos_show_what_each_network_finds():
    maps = np.zeros((1, 7, 64, 64))
    maps[0, 1, 30], maps[0, 3, 30, 10:20] = 1, 1
    figure = lesson_10.side_by_side(
        {"one": torch.from_numpy(maps), "none": torch.zeros(1, 7, 64, 64)}
    )
    assert repr(figure) == "one: a line of 10 pixels; none: a line of 0 pixels"
    assert figure.svg().count("<image") == 2


def test_dots_name_who_is_better_with_all_seeds():
    third = dict(text=0.61, line=0.6, direction=3, radius=0.6)
    picture = dots([*NETWORKS, third], baseline=BASELINE, constant=BASELINE)
    winners = {head: picture.winner(head) for head in BASELINE}
    assert winners == dict(text="network", line="undecided", direction="filter", radius="undecided")
    assert "seed 2: 0.61 IoU" in picture.svg() and "radius (pixels): network 0.40" in repr(picture)


def test_a_table_has_a_line_for_each_head():
    lines = repr(lesson_10.table({"network": BASELINE, "constant": BASELINE})).splitlines()
    assert lines[0].split() == ["head", "network", "constant", "unit"]
    assert lines[3].split() == ["direction", "2.00", "2.00", "degrees"] and len(lines) == 5

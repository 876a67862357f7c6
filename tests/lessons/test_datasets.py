"""What the lessons draw: seeded, of the stated sizes, with masks and maps that fit each other."""

import numpy as np
import pytest

from autograd_core.lessons.datasets import (
    BOWL,
    CLEAN,
    RAVINE,
    ROSENBROCK,
    STREET,
    curved_text,
    curved_text_batch,
    curved_text_pixels,
)

BATCH = curved_text_batch(0, 64)


def test_shapes_and_types():
    crop = curved_text(0, size=32)
    assert crop.image.shape == (1, 32, 32)
    assert BATCH.image.shape == (64, 1, 64, 64)
    for name, array in crop._asdict().items():
        assert array.dtype == (bool if name.endswith("_mask") else np.float64), name
        assert name == "image" or array.shape == (32, 32), name


def test_pixels_and_the_squares_around_them_are_those_of_the_batch():
    (around, truth), (few, true_of_few) = curved_text_pixels(3), curved_text_pixels(3, every=5)
    crops = curved_text_batch(3, 4, size=32)
    for crop, row, column in ((0, 4, 27), (1, 16, 9)):
        square = crops.image[crop, 0, row - 4 : row + 5, column - 4 : column + 5]
        assert np.array_equal(around[(crop * 32 + row) * 32 + column], square.ravel())
    # zeros beyond the border
    assert (around[0].reshape(9, 9)[:4] == 0).all() and around[0, 40] == crops.image[0, 0, 0, 0]
    assert all(np.array_equal(each, whole.ravel()) for each, whole in zip(truth, crops))
    assert np.array_equal(few, around[::5])
    assert all(np.array_equal(a, b[::5]) for a, b in zip(true_of_few, truth))


def test_the_same_seed_draws_the_same_crops():
    again, other = curved_text_batch(0, 64), curved_text_batch(1, 64)
    assert all(np.array_equal(a, b) for a, b in zip(BATCH, again))
    assert not np.array_equal(BATCH.tr_mask, other.tr_mask)


def test_the_centre_line_lies_within_a_thin_strip():
    assert not (BATCH.tcl_mask & ~BATCH.tr_mask).any()
    assert 0.03 < BATCH.tr_mask.mean() < 0.08
    # about two pixels of six, less at the round ends
    assert 0.25 < BATCH.tcl_mask.sum() / BATCH.tr_mask.sum() < 0.4


def test_maps_are_a_direction_and_a_radius_inside_and_zero_outside():
    inside = BATCH.tr_mask
    np.testing.assert_allclose(BATCH.sin_map[inside] ** 2 + BATCH.cos_map[inside] ** 2, 1)
    assert (BATCH.cos_map[inside] > 0).all(), "text runs from left to right"
    radii = BATCH.radii_map[inside]
    assert CLEAN.radius[0] <= radii.min() and radii.max() <= CLEAN.radius[1]
    assert all((maps[~inside] == 0).all() for maps in BATCH[4:])


def test_direction_is_where_the_centre_line_goes():
    crop = curved_text(3)
    rows, columns = np.nonzero(crop.tcl_mask)
    slope = np.polyfit(columns, rows, 1)[0]
    middle = np.arctan2(crop.sin_map, crop.cos_map)[crop.tcl_mask].mean()
    assert np.arctan(slope) == pytest.approx(middle, abs=0.1)


@pytest.mark.parametrize(
    "text, ignored", [(True, True), (True, False), (False, True), (False, False)]
)
def test_what_is_asked_for_is_drawn(text, ignored):
    crop = curved_text(5, text=text, ignored=ignored)
    assert (crop.tr_mask & crop.train_mask).any() == text
    assert (~crop.train_mask).any() == ignored
    assert not (~crop.train_mask & ~crop.tr_mask).any(), "only text is ignored"
    if text or ignored:
        assert crop.image[0][crop.tr_mask].mean() > 0.6
    else:
        assert abs(crop.image.mean()) < 0.02


def test_a_batch_has_ignored_strips_and_crops_without_text():
    ignored, empty = (~BATCH.train_mask).any((1, 2)), ~BATCH.tr_mask.any((1, 2))
    assert 8 <= ignored.sum() <= 24 and 2 <= empty.sum() <= 14
    nothing_to_learn = ~empty & ~(BATCH.tr_mask & BATCH.train_mask).any((1, 2))
    assert nothing_to_learn.any()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: curved_text(0, size=31), "size is at least 32"),
        (lambda: curved_text_batch(0, 0), "count is at least 1"),
        (lambda: curved_text_batch(0, 2, size=4), "size is at least 32"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_smallest_crop_is_drawn_whatever_the_seed():
    assert all(curved_text(seed, size=32, style=STREET).tr_mask.sum() > 40 for seed in range(200))


def test_the_smallest_crop_has_room():
    batch = curved_text_batch(0, 200, size=32)
    assert not batch.tr_mask[:, [0, -1]].any() and not batch.tr_mask[:, :, [0, -1]].any()


@pytest.mark.parametrize("surface", (BOWL, RAVINE, ROSENBROCK), ids=lambda surface: surface.name)
def test_surfaces_are_lowest_at_their_minima(surface):
    x, y = np.meshgrid(np.linspace(-3, 3, 301), np.linspace(-3, 3, 301))
    lowest = [surface.height(*place) for place in surface.minima]
    assert np.allclose(lowest, lowest[0]) and surface.height(x, y).min() >= lowest[0] - 1e-12
    assert surface.height(*surface.start) > lowest[0]


def test_on_the_street_no_threshold_finds_the_text():
    """A blur and the best threshold, chosen on these crops, find most of the clean text."""

    def best(batch):
        padded = np.pad(batch.image[:, 0], ((0, 0), (1, 1), (1, 1)))
        blurred = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2)).mean((3, 4))
        truth, counted = batch.tr_mask, batch.train_mask
        found = [blurred > level for level in np.arange(0.2, 1, 0.05)]
        return max(((f & truth & counted).sum() / ((f | truth) & counted).sum()) for f in found)

    assert best(curved_text_batch(7, 16)) > 0.85
    assert best(curved_text_batch(7, 16, style=STREET)) < 0.5


def test_text_of_the_street_is_thick_and_thin_along_its_own_masks():
    clean, street = curved_text_batch(7, 64), curved_text_batch(7, 64, style=STREET)
    radii = street.radii_map[street.tcl_mask]
    assert radii.min() < 2.5 and radii.max() > 5.5 and radii.std() > 0.8
    assert clean.radii_map[clean.tcl_mask].std() < 0.3
    empty = curved_text(3, text=False, style=STREET)
    assert not empty.tr_mask.any() and empty.image.max() > 1 and empty.train_mask.all()

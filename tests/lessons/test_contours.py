"""Contour lines: every point of a line has its height, lines are whole, and closed where they should be."""

import numpy as np
import pytest

from autograd_core.lessons.datasets import SURFACES
from autograd_core.lessons.widgets.contours import contours

X, Y = np.linspace(-2, 2, 81), np.linspace(-1.5, 1.5, 61)


def lines_of(height, level):
    return contours(X, Y, height(X[None, :], Y[:, None]), level)


def test_a_circle_is_one_closed_line():
    [circle] = lines_of(lambda x, y: x ** 2 + y ** 2, 1.0)
    assert np.allclose(np.hypot(*circle.T), 1, atol=1e-3)
    assert np.array_equal(circle[0], circle[-1])
    assert np.hypot(*np.diff(circle, axis=0).T).sum() == pytest.approx(2 * np.pi, rel=1e-2)


def test_a_plane_has_one_straight_line_from_border_to_border():
    [line] = lines_of(lambda x, y: x + 2 * y, 0.3)
    assert np.allclose(line @ (1, 2), 0.3)
    assert {-2.0, 2.0} == set(line[[0, -1], 0])


def test_a_hyperbola_has_two_branches():
    branches = lines_of(lambda x, y: x * y, 0.5)
    assert len(branches) == 2 and {np.sign(branch[:, 0]).sum() > 0 for branch in branches} == {True, False}


def test_two_lines_may_cross_one_cell():
    corners = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for heights in (corners, -corners):
        lines = contours(np.array([0.0, 1.0]), np.array([0.0, 1.0]), heights, 0.0)
        assert sorted(len(line) for line in lines) == [2, 2]


@pytest.mark.parametrize("name", SURFACES)
def test_every_point_has_the_height_of_its_line(name):
    height = SURFACES[name].height
    for level in (0.2, 0.7, 2.0):
        for line in lines_of(height, level):
            assert np.allclose(height(*line.T), level, atol=2e-2)


def test_no_line_beyond_all_heights():
    assert lines_of(lambda x, y: x * 0 + y, 9.0) == []

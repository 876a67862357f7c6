"""`maps`: arrays as a still figure. Its pixels are read back and compared with the arrays."""

import base64
import re
import struct
import xml.etree.ElementTree as xml
import zlib

import numpy as np
import pytest

from autograd_core.lessons.widgets.maps import LEVELS, maps

SVG = "{http://www.w3.org/2000/svg}"


def pixels(figure) -> list[np.ndarray]:
    """The pictures of a figure, decoded: the number of each pixel, 0 to LEVELS."""
    found = []
    for data in re.findall(r"data:image/png;base64,([\w+/=]+)", figure.svg()):
        png = base64.b64decode(data)
        width, height, depth, colour = struct.unpack(">IIBB", png[16:26])
        assert (depth, colour) == (4, 0)
        size = struct.unpack(">I", png[33:37])[0]
        rows = np.frombuffer(zlib.decompress(png[41 : 41 + size]), np.uint8).reshape(height, -1)
        assert (rows[:, 0] == 0).all()
        found.append(
            np.stack([rows[:, 1:] >> 4, rows[:, 1:] & 15], axis=2).reshape(height, -1)[:, :width]
        )
    return found


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (1, 1), (64, 63)])
def test_a_value_is_as_dark_as_it_is_large(shape):
    values = np.random.default_rng(0).normal(size=shape)
    [seen] = pixels(maps(x=values))
    share = (values - values.min()) / ((values.max() - values.min()) or 1)
    np.testing.assert_array_equal(seen, np.rint(LEVELS * share))


def test_a_gradient_is_as_dark_as_its_size_and_white_at_zero():
    [seen] = pixels(maps({"x, gradient": np.array([[-2.0, 0.0], [1.0, 0.5]])}))
    np.testing.assert_array_equal(seen, [[15, 0], [8, 4]])


def test_nan_and_inf_are_striped_and_counted():
    figure = maps(gradient=np.array([[np.nan, 1.0], [-np.inf, 0.0]]))
    finite, striped = pixels(figure)
    np.testing.assert_array_equal(finite, [[0, 15], [0, 0]])
    np.testing.assert_array_equal(striped, [[15, 0], [15, 0]])
    assert repr(figure) == "gradient: 2 nan or inf"


def test_the_text_says_what_the_picture_shows():
    figure = maps(
        {
            "mask": np.array([[True, False]]),
            "grad": np.array([[0.0, -0.25]]),
            "grad of nothing": np.zeros((2, 2)),
        }
    )
    assert repr(figure) == "mask: 0 to 1; grad: 1 pixels, up to 0.25; grad of nothing: all zero"
    assert xml.fromstring(figure.svg()).find(f"{SVG}title").text == repr(figure)


def test_tensors_of_both_engines_are_drawn():
    import torch

    import autograd_core

    ours, theirs = (
        maps(x=engine.ones(2, 2, requires_grad=True) * 3) for engine in (autograd_core, torch)
    )
    assert repr(ours) == repr(theirs) == "x: 3 to 3"


def test_names_are_text():
    tags = {
        element.tag
        for element in xml.fromstring(
            maps({"<img src=x onerror=alert(1)>": np.eye(2)}).svg()
        ).iter()
    }
    assert f"{SVG}img" not in tags


@pytest.mark.parametrize(
    "arrays, message",
    [
        ({}, "no array was given"),
        ({"x": np.zeros(3)}, r"x has shape \[3\]"),
        ({"y": np.zeros((0, 2))}, r"y has shape \[0, 2\]"),
    ],
)
def test_what_is_no_map_is_refused(arrays, message):
    with pytest.raises(ValueError, match=message):
        maps(arrays)


def test_every_map_has_room():
    figure = xml.fromstring(maps({f"map {i}": np.eye(2) for i in range(9)}).svg())
    squares = [
        tuple(float(rect.get(key)) for key in ("x", "y", "width", "height"))
        for rect in figure.iter(f"{SVG}rect")
        if rect.get("fill") == "none"
    ]
    assert len(set(squares)) == 9
    assert max(x + width for x, _, width, _ in squares) <= float(figure.get("width"))
    assert max(y + height for _, y, _, height in squares) <= float(figure.get("height"))


def test_what_is_wider_than_its_map_is_broken():
    narrow = maps({f"{i}": np.array([[-0.719, 1.634]]) for i in range(7)}).svg()
    wide = maps({"one": np.array([[-0.719, 1.634]])}).svg()
    assert ">−0.719<" in narrow and ">to 1.634<" in narrow and ">−0.719 to 1.634<" in wide

"""`maps`: arrays as a still figure. Its pixels are read back and compared with the arrays."""

import re
import xml.etree.ElementTree as xml
from collections import Counter

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.lessons.widgets import maps as module
from autograd_core.lessons.widgets.maps import maps
from autograd_core.widgets.kit import shade
from tests.widgets.contrast import color, contrast, mixed
from tests.widgets.pictures import maps_in, misread

SVG = "{http://www.w3.org/2000/svg}"
PLANES = [
    size * np.random.default_rng(0).normal(size=(5, 6)) * np.eye(5, 6) for size in (1, -1, 1e-3, 30)
]


def seen(arrays) -> list[np.ndarray]:
    return maps_in(maps({f"grad {i}": array for i, array in enumerate(arrays)}).svg())[:-1]


def test_the_ink_on_a_color_has_a_contrast_of_four_and_a_half():
    for opacity in np.linspace(0, 1, 401):
        inks = re.findall(r"\w+", module.ink_on(opacity, True).removeprefix("light-dark"))
        for theme, ink in enumerate(inks):
            ground = mixed(color("gradient-solid", theme), color("card", theme), opacity)
            assert contrast(color(ink, theme), ground) >= 4.5, (opacity, theme)


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (1, 1), (64, 63)])
def test_a_value_is_as_dark_as_it_is_large(shape):
    values = np.random.default_rng(0).normal(size=shape)
    [seen] = maps_in(maps(x=values).svg())
    share = (values - values.min()) / ((values.max() - values.min()) or 1)
    np.testing.assert_allclose(seen, share, rtol=0, atol=0.01)


def test_gradients_are_signed_and_share_a_scale():
    assert misread(seen(PLANES), PLANES) == []
    same = [np.array_equal(a, b) for a in PLANES for b in PLANES]
    assert same == [np.array_equal(a, b) for a in seen(PLANES) for b in seen(PLANES)]


@pytest.mark.parametrize(
    "name, planted, wrong",
    [
        ("abs", lambda array, end: np.abs(shade.signed(array, end)), "sign"),
        ("swapped", lambda array, end: -shade.signed(array, end), "sign"),
        ("rescaled", lambda array, _: shade.signed(array, shade.ceiling(array)), "depth"),
        ("linear", lambda array, end: array / end, "depth"),
    ],
)
def test_a_planted_fault_is_found(monkeypatch, name, planted, wrong):
    monkeypatch.setattr(module, "signed", planted)
    assert any(wrong in fault for fault in misread(seen(PLANES), PLANES)), name


def test_the_scale_can_be_shared_with_another_figure():
    [first], [second] = (
        maps_in(maps(grad=np.eye(2) * x, end=10.0).svg())[:-1] for x in (10.0, 0.01)
    )
    assert first.max() == 1 and 0.09 < second.max() < 0.11


def test_the_scale_ends_at_a_power_of_ten():
    sizes = [0.0, 1e-300, 0.00099, 0.001, 0.0011, 1.0, 999.0, 1000.0, np.inf, np.nan]
    ends = [shade.ceiling(np.array([-size])) for size in sizes]
    assert ends == [1, 1e-300, 0.001, 0.001, 0.01, 1, 1000, 1000, 1, 1]


def test_both_signs_are_equally_light():
    for schemes in zip(module.RAMPS["positive"], module.RAMPS["negative"]):
        for one, other in zip(*(ramp.split() for ramp in schemes)):
            assert abs(lightness(one) - lightness(other)) < 2


def lightness(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [((x + 0.055) / 1.055) ** 2.4 for x in (red, green, blue)]
    return 116 * np.cbrt(np.dot(linear, [0.2126, 0.7152, 0.0722])) - 16


def test_nan_and_inf_are_striped_and_counted():
    figure = maps(gradient=np.array([[np.nan, 1.0], [-np.inf, 0.0]]))
    finite, _legend = maps_in(figure.svg())
    np.testing.assert_array_equal(finite, [[0, 1], [0, 0]])
    assert "ac-error-stripes" in figure.svg()
    assert repr(figure) == "gradient: 0 to 1, 2 nan or inf"


def test_a_figure_turns_dark_with_its_ramps():
    drawn = maps(grad=np.eye(2), x=np.eye(2)).svg()
    for kind in ("value", "gradient"):
        assert f'[filter="url(#ac-ramp-{kind})"] {{ filter: url(#ac-ramp-{kind}-dark) }}' in drawn
        assert f'id="ac-ramp-{kind}-dark"' in drawn


def test_the_text_says_what_the_picture_shows():
    mask, grad = np.array([[True, False]]), np.array([[0.0, -0.25]])
    figure = maps({"mask": mask, "grad": grad, "grad of nothing": np.zeros((2, 2))})
    told = (
        "mask: 0 to 1; grad: −0.25 to 0, 1 pixel, all others 0; grad of nothing: 0 to 0, all zero"
    )
    picture = xml.fromstring(figure.svg())
    assert repr(figure) == told == picture.find(f"{SVG}title").text
    below = {text.text: text.get("fill") for text in picture.iter(f"{SVG}text")}
    assert below["−0.25"] == module.LIGHT["negative"]
    assert {"1 pixel, all others 0", "all zero", "− a step raises it"} < {*below}


def test_tensors_of_both_engines_are_drawn():
    engines = autograd_core, torch
    ours, theirs = (maps(x=engine.ones(2, 2, requires_grad=True) * 3) for engine in engines)
    assert repr(ours) == repr(theirs) == "x: 3 to 3"


def test_names_are_text():
    picture = xml.fromstring(maps({"<img src=x onerror=alert(1)>": np.eye(2)}).svg())
    assert f"{SVG}img" not in {element.tag for element in picture.iter()}


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


def squares(drawn: str, name: str = "image") -> list[tuple[float, ...]]:
    return [
        tuple(float(each.get(key)) for key in ("x", "y", "width", "height"))
        for each in xml.fromstring(drawn).iter(f"{SVG}{name}")
    ]


def test_every_map_has_room():
    drawn = maps({f"map {i}": np.eye(2) for i in range(9)}).svg()
    figure, found = xml.fromstring(drawn), squares(drawn)
    assert len(set(found)) == 9
    assert max(x + width for x, _, width, _ in found) <= float(figure.get("width"))
    assert max(y + height for _, y, _, height in found) <= float(figure.get("height"))


@pytest.mark.parametrize(
    "count, rows", [(1, [1]), (4, [4]), (5, [2, 3]), (7, [3, 4]), (10, [5, 5])]
)
def test_up_to_seven_maps_are_large(count, rows):
    found = squares(maps({f"{i}": np.eye(3) for i in range(count)}).svg())
    assert sorted(Counter(y for _, y, *_ in found).values()) == rows
    assert all(width == 160 for *_, width, _ in found) or count > 7

"""`figures_in_theme`: matplotlib's figures in the colours of the theme, light and dark, the same
bytes each time.
"""

import re
import xml.etree.ElementTree as xml

import matplotlib
import pytest
from matplotlib.figure import Figure

from autograd_core.widgets.kit.figures import SERIES, figures_in_theme, svg_of
from autograd_core.widgets.kit.theme import DARK, LIGHT


@pytest.fixture
def figure():
    """What makes the same figure again; matplotlib is as it was afterwards."""
    with matplotlib.rc_context():
        figures_in_theme()

        def made(**looks):
            figure = Figure(figsize=(3, 2))
            axes = figure.subplots()
            for i in range(len(SERIES)):
                axes.plot([0, i, 1], "o-", label=f"<b>{i}</b>", **looks)
            axes.legend()
            return figure

        yield made


def colours(svg):
    return {
        colour.upper()
        for style in re.findall(r'style="([^"]*)"', svg)
        for colour in re.findall(r"(?:fill|stroke): (#\w{6})", style)
    }


def test_the_same_figure_is_the_same_bytes_and_names_are_text(figure):
    assert svg_of(figure()) == svg_of(figure()) and "<b>" not in svg_of(figure())
    assert "<dc:date>" not in svg_of(figure())
    xml.fromstring(svg_of(figure()))


def test_every_colour_is_of_the_palette_and_has_a_dark_one(figure):
    svg = svg_of(figure())
    assert (
        {LIGHT[name] for name in (*SERIES, "card", "border-quiet", "text2")}
        <= colours(svg)
        <= {*LIGHT.values()}
    )
    for name in SERIES:
        assert (
            f'[style*="stroke: {LIGHT[name].lower()}"] {{ stroke: {DARK[name]} !important }}' in svg
        )
    assert f'[style*="fill: #ffffff"] {{ fill: {DARK["card"]} !important }}' in svg


def test_a_colour_that_is_planted_is_found(figure):
    assert colours(svg_of(figure(color="tab:cyan"))) - {*LIGHT.values()} == {"#17BECF"}

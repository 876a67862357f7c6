"""The training film in real JupyterLab: scrubbed, played, read pixel by pixel, trained again; numbers read from the page."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

KERNEL = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
FILM = ["""
import numpy as np
from autograd_core.widgets import film

def run(on):
    frames = [np.arange(2 * 4 * 6).reshape(2, 4, 6) * (step + 1.0) for step in (0, 2, 4)]
    return {"at": [0, 2, 4], "output": frames, "gradient": [on * -frame for frame in frames],
            "curves": {"loss": [5.0, 4.0, 3.0, 2.0, 1.0]}}
""", "film(run, run, channels=['first', 'second'], on=True)"]


@pytest.fixture(params=[1280, 800])
def view(lab, request):
    notebook = new_notebook(cells=[new_code_cell(source) for source in FILM], metadata=KERNEL)
    nbformat.write(notebook, lab.server.folder / "film.ipynb")
    with lab.open("film.ipynb", width=request.param) as page:
        page.run_all()
        view = page.cell_output(1)
        view.lab_page = page
        yield view
        assert page.problems() == []


def spans(view) -> list[str]:
    return view.locator(".ac-film-maps span").all_inner_texts()


def test_the_maps_follow_the_step(view):
    slider = view.get_by_role("slider", name="Read the curves along step")
    assert spans(view) == ["0 to 115", "120 to 235", "up to 115", "up to 235"]
    slider.press("Home")
    assert spans(view) == ["0 to 23", "24 to 47", "up to 23", "up to 47"]
    slider.press("ArrowRight")
    assert view.locator(".ac-film-said").inner_text() == "Maps at step 0"
    slider.press("ArrowRight")
    assert spans(view)[0] == "0 to 69"
    assert slider.get_attribute("aria-valuetext") == "step 2: loss 3"


def test_a_pixel_is_read_in_all_maps_by_keyboard_and_by_mouse(view):
    maps = view.get_by_role("table", name="Maps")
    maps.focus()
    maps.press("ArrowLeft")                             # from the middle, [2, 3]
    assert view.locator(".ac-film-said").inner_text() == "Maps at step 4, pixel [2, 2]"
    assert spans(view) == ["= 70", "= 190", "= −70", "= −190"]
    paper = view.locator("canvas").nth(1)
    box = paper.bounding_box()
    paper.hover(position={"x": box["width"] * 0.99, "y": box["height"] * 0.01})
    assert spans(view)[1] == "= 145"


def test_both_engines_are_named(view):
    heads = view.locator(".ac-curves-table thead th").all_inner_texts()
    assert heads == ["autograd_core", "PyTorch"] and all(name in view.locator(".ac-curves-key").inner_text() for name in heads)


def test_darkness_follows_the_numbers(view):
    alpha = view.locator("canvas").first.evaluate("paper => [...paper.getContext('2d').getImageData(0, 0, 6, 4).data].filter((x, i) => i % 4 == 3)")
    assert alpha == [round(255 * i / 23) for i in range(24)]


def test_it_plays_to_its_end(view):
    said = view.locator(".ac-film-said")
    said.evaluate("""said => {
        window.seen = [];
        new MutationObserver(() => window.seen.push(said.textContent)).observe(said, { childList: true });
    }""")
    view.get_by_role("button", name="Play").click()
    view.get_by_role("button", name="Pause").wait_for(state="detached")
    assert said.evaluate("() => window.seen") == ["Maps at step 0", "Maps at step 2", "Maps at step 4"]
    assert view.get_by_role("button", name="Play").get_attribute("aria-pressed") == "false"


def test_a_switch_trains_again(view):
    view.get_by_role("switch", name="on").click()
    view.get_by_text("all zero").first.wait_for()
    assert spans(view)[2:] == ["all zero", "all zero"]
    assert re.match("✓ both engines agree", view.locator(".ac-live-verdict").inner_text())
    view.get_by_role("switch", name="on").press("Space")
    view.get_by_text("up to 235").wait_for()

"""The shards of lesson 16 in real JupyterLab: every control by mouse or keyboard, and what the
picture then says.
"""

import re

from tests.browser.page import until

NOTEBOOK = "16_many_processes.ipynb"


def described(output):
    """(elements that count in the shards, in the whole, how far the gradient is off in percent)"""
    title = output.locator(".ac-drawing-main svg title").text_content()
    counted, whole = map(
        int, re.search(r"(\d+) elements count in the \d shards, (\d+)", title).groups()
    )
    off = re.search(r"(\d+) % off", title)
    return counted, whole, int(off[1]) if off else 0


def wait_until(output, what):
    until(output.page, lambda: what(described(output)))


def test_notebook_runs_to_its_end(lesson):
    assert lesson.problems() == []
    assert lesson.unfinished() == []


def test_every_control(lesson):
    output, keys = lesson.cell_output("shards(run"), lesson.page.keyboard
    counted, whole, off = described(output)
    assert counted < whole and off > 0

    output.get_by_role("radio", name="choose together").focus()
    keys.press("Space")
    wait_until(output, lambda now: now == (whole, whole, 0))
    output.get_by_text("divide by all", exact=True).click()
    wait_until(output, lambda now: now[0] == counted and now[2] > 0)

    slider = output.get_by_role("slider", name="processes")
    slider.focus()
    keys.press("Home")
    wait_until(output, lambda now: now == (whole, whole, 0))
    keys.press("End")
    wait_until(output, lambda now: now[2] > 0)
    assert output.locator('.ac-drawing-main svg text:text-is("process 5")').count() == 1
    assert output.locator('.ac-drawing-main svg text:text-is("process 6")').count() == 0

    output.get_by_text("mean", exact=True).click()
    wait_until(output, lambda now: now == (48, 48, 0))
    output.get_by_text("mean of gradients", exact=True).click()
    wait_until(output, lambda now: now == (48, 48, 0))
    output.get_by_text("unequal", exact=True).click()
    wait_until(output, lambda now: now[2] > 0)
    output.get_by_text("spread", exact=True).click()
    output.get_by_text("equal", exact=True).click()
    wait_until(output, lambda now: now == (48, 48, 0))
    assert "✓ both engines agree" in output.inner_text()

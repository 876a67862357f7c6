"""Moves by hand on a page without a kernel, by keys alone and by fingers on a phone."""

import pytest

from tests.lessons.test_by_hand import calls_of_03, game_of_00

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def saved(browser, tmp_path):
    """Opens a widget that was saved as a page, with the network off."""
    with browser.new_context(viewport=PHONE, offline=True, has_touch=True) as context:

        def opened(widget):
            widget.save(tmp_path / "by_hand.html")
            page = context.new_page()
            page.goto((tmp_path / "by_hand.html").as_uri())
            page.locator(".ac-hands").wait_for()
            return page

        yield opened


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def told(page):
    return page.locator(".ac-hands-side [role=status]").inner_text()


def test_the_loss_is_brought_down_by_keys_alone(saved):
    page = saved(game_of_00())
    page.keyboard.press("Tab")
    press(page, "ArrowUp", "ArrowUp")
    assert told(page) == (
        "With the sign, and the loss fell. After 2 moves: you 0.463, SGD 0.383. SGD is lower."
        " 10 of 12 left."
    )
    press(page, "ArrowDown")
    assert told(page).startswith("With the sign, and yet the loss rose: it was too far.")
    press(page, "ArrowDown")
    assert told(page).startswith("Against the sign, and the loss rose.")
    places = [page.locator(f"[data-part={name}]").bounding_box() for name in ("you", "SGD")]
    assert places[0]["x"] == places[1]["x"] and places[0]["y"] < places[1]["y"]
    press(page, "r")
    assert told(page) == "The loss is 1.625, for you and for SGD. 12 of 12 left."
    press(page, *["ArrowUp"] * 4, *["ArrowLeft"] * 6)
    assert "After 10 moves: you 0, SGD 0.240. You are lower. 2 of 12 left." in told(page)
    press(page, "ArrowRight", "ArrowLeft", "ArrowLeft")
    assert told(page).endswith("That was the last one.") and "After 12 moves" in told(page)


def test_the_goal_is_reached_by_fingers_on_a_phone(saved):
    page = saved(calls_of_03())
    buttons = page.locator(".ac-hands-row button")
    for button in buttons.all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 32 and box["x"] + box["width"] <= 390
    for call in ("step", "backward", "backward", "step"):
        buttons.filter(has_text=f"{call}()").tap()
    assert page.locator("[data-part=pile]").is_visible()
    rows = [row.split("\t") for row in page.locator("tbody tr").all_inner_texts()]
    assert [row[1:] for row in rows] == [["0", "None"], ["0", "−3"], ["0", "−6"], ["3", "−6"]]
    for call in ("zero_grad", "backward", "step"):
        buttons.filter(has_text=f"{call}()").tap()
    assert told(page) == (
        "w.grad is 0: w stays. ✓ Done in 6 calls: no call moves w any more. 1 of 8 left."
    )
    press(page, "b", "b")  # the second is one too many
    assert len(page.locator("tbody tr").all()) == 8
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_was_done_is_known_to_python(show):
    calls = calls_of_03()
    page = show(calls, kernel=True)
    page.get_by_role("button", name="loss_of(w).backward()").click()
    page.keyboard.press("s")
    page.locator("output", has_text="1.5").wait_for()
    page.wait_for_function("() => models[0].saved === 2")
    assert calls.walked == [0, 1]

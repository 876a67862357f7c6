"""Moves by hand on a page without a kernel, by keys alone and by fingers on a phone."""

import pytest

from tests.lessons.test_by_hand import calls_of_03, game_of_00

PHONE = {"width": 390, "height": 844}
HANDS = ".ac-hands"


@pytest.fixture(scope="module")
def calls():
    return calls_of_03()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def told(page):
    return page.locator(".ac-hands-side [role=status]").inner_text()


def test_the_loss_is_brought_down_by_keys_alone(saved):
    page = saved(game_of_00(), HANDS)
    page.keyboard.press("Tab")
    press(page, "ArrowRight", "ArrowRight")
    assert told(page) == (
        "Against the gradient: the loss fell. After 2 moves: you 0.838, SGD 0.586. SGD is lower."
        " 10 of 12 moves left."
    )
    press(page, "ArrowLeft")
    assert told(page).startswith("With the gradient: the loss rose.")
    sgd = page.locator("[data-part=rival]")
    assert sgd.get_attribute("d").count("L") == 3, "SGD is as far as the learner"
    colors = [page.locator(".ac-hands-row :is(.ac-g, .ac-n)").nth(i) for i in range(2)]
    assert [each.get_attribute("class") for each in colors] == ["ac-n", "ac-g"]
    press(page, "r")
    assert sgd.get_attribute("d").count("L") == 0 and page.get_by_text("lowest loss").count() == 0
    assert told(page) == "The loss is 2.138, for you and for SGD. 12 of 12 moves left."
    press(page, *["ArrowRight"] * 3, *["ArrowDown"] * 6)
    assert told(page).endswith(
        "After 9 moves: you 0, SGD 0.195. You are lower. ✓ Done: both gradients are 0."
        " Here is the valley."
    )
    assert sgd.get_attribute("d").count("L") == 9
    page.get_by_text("lowest loss").wait_for()
    places = [page.locator(f"[data-part={name}]").bounding_box() for name in ("you", "SGD")]
    assert places[0]["x"] < places[1]["x"] and places[0]["y"] > places[1]["y"]
    press(page, "ArrowUp")  # the game is over
    assert "After 9 moves" in told(page)
    press(page, "r", *["ArrowUp", "ArrowDown"] * 6)
    assert told(page).endswith("That was the last move. Here is the valley.")
    assert "After 12 moves" in told(page)


def test_the_goal_is_reached_by_fingers_on_a_phone(saved, calls):
    page = saved(calls, HANDS, viewport=PHONE, has_touch=True)
    buttons = page.locator(".ac-hands-row button")
    for button in buttons.all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 32 and box["x"] + box["width"] <= 390
    for call in ("zero_grad", "backward", "step"):
        buttons.filter(has_text=f"{call}()").tap()
    assert page.locator("[data-part=negative]").is_visible()
    assert not page.locator("[data-part=pile]").is_visible()
    rows = [row.split("\t") for row in page.locator("tbody tr").all_inner_texts()]
    assert [row[1:] for row in rows] == [
        ["0", "None", "−3"],
        ["0", "−3", "−3"],
        ["2.25", "−3", "−0.75"],
    ]
    for call in ("zero_grad", "backward", "step") * 2:
        buttons.filter(has_text=f"{call}()").tap()
    assert told(page) == (
        "w moved from 2.813 to 2.953, against the slope −0.188. w.grad is still −0.188."
        " ✓ Done in 9 calls: w is within 0.05 of 3."
    )
    press(page, "b")  # the game is over
    assert len(page.locator("tbody tr").all()) == 9
    press(page, "r", *"bsszbsszb")
    assert told(page).endswith(
        "That was the last call, and w isn't within 0.05 of 3. 2 of 4 steps did not use the slope"
        " at w."
    )
    assert page.locator(".ac-stray").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_loop_is_shown_to_who_lost_and_wins(show, calls):
    page = show(calls, clock=True)
    shown = page.get_by_role("button", name="Show a loop that wins")
    assert not shown.is_visible()
    page.get_by_role("button", name="optimizer.step()").focus()
    press(page, *"s" * 9)
    shown.click()
    page.clock.run_for(8000)
    assert told(page).endswith("✓ Done in 8 calls: w is within 0.05 of 3.")
    assert not shown.is_visible() and page.locator(".ac-stray").count() == 0


def test_what_was_done_is_known_to_python(show, calls):
    page = show(calls, kernel=True)
    page.get_by_role("button", name="loss(w).backward()").click()
    page.keyboard.press("s")
    page.locator("output", has_text="2.25").wait_for()
    page.wait_for_function("() => models[0].saved === 2")
    assert calls.walked == [0, 1]

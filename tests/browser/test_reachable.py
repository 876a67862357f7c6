"""What does the loss reach? By pointer and by keyboard, on a page without a kernel."""

import pytest

from autograd_core.lessons.widgets.reachable import reachable
from tests.lessons.test_reachable import NET, NET2, run, run_on_torch


@pytest.fixture
def page(show):
    return show(reachable(run, run_on_torch))


def state(page, key):
    found = page.locator(f'g[data-part="{key}"]').get_attribute("class")
    return found.split()[0].removeprefix("ac-reachable-")


def states(page, keys):
    return {state(page, key) for key in keys}


def told(page):
    return page.locator(".ac-reachable-told").inner_text()


def held(page, key):
    return page.locator(f'g[data-part="{key}"] [data-part="grad"]').text_content()


def delete(page, name):
    page.locator(f'g[data-part="{name}"] [data-part="delete"]').click()
    page.mouse.move(0, 0)


def test_the_versions_lead_to_one_network_or_to_both(page):
    assert states(page, NET) == {"near"} and states(page, NET2) == {"far"}
    assert state(page, "sub>net2.2") == "gone"
    assert told(page) == "The loss reaches 4 of 8 parameters: all of net. .grad of net2 is None."
    page.get_by_role("radio", name="torch.zeros").focus()
    page.keyboard.press("ArrowDown")
    assert states(page, NET2) == {"near"} and held(page, "net2.0.weight") == "0.240"
    assert state(page, "sub>net2.2") == "near" and state(page, "mul") == "gone"
    page.keyboard.press("ArrowDown")
    assert held(page, "net2.0.weight") == "0" and state(page, "mul") == "near"
    assert told(page).endswith("all of net and of net2. .grad of net2 is 0.")
    page.keyboard.press("ArrowDown")
    assert states(page, NET2) == {"far"} and state(page, "sub>cut") == "near"
    assert held(page, "net2.0.weight") == "None"
    assert "out - out2.detach()" in page.locator(".ac-reachable-code").inner_text()


def test_what_is_pointed_at_shows_what_it_reaches(page):
    page.locator('g[data-part="out2"]').hover()
    assert states(page, NET2) == {"near"} and states(page, [*NET, "mean"]) == {"far"}
    assert told(page) == "out2 reaches 4 of 8 parameters."
    page.locator('g[data-part="net.0.weight"]').hover()
    assert state(page, "net.0.weight") == "near" and states(page, NET[1:]) == {"far"}
    assert told(page) == "0.weight of net is kept alive by: net, out, loss."
    page.mouse.move(0, 0)
    assert states(page, NET) == {"near"} and state(page, "mean") == "near"


def test_arrow_keys_go_along_the_pointers(page):
    page.locator('g[data-part="mean"]').focus()
    for key, reached in (("ArrowLeft", "pow"), ("ArrowLeft", "sub"), ("ArrowRight", "pow")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.part") == reached
    page.keyboard.press("Escape")
    assert told(page).startswith("The loss reaches")
    assert page.locator('.ac-reachable-graph [tabindex="0"]').count() == 1


def test_a_deleted_name_frees_what_no_other_leads_to(page):
    page.get_by_role("radio", name="out2.detach()").check()
    delete(page, "out2")
    assert states(page, ["net2.0", "net2.1", "net2.2"]) == {"freed"}
    assert states(page, NET2) == {"far"}, "net2 still refers to them"
    page.locator('g[data-part="net2"]').focus()
    page.keyboard.press("Delete")
    assert states(page, NET2) == {"freed"} and held(page, "net2.0.bias") == "freed"
    delete(page, "loss")
    assert told(page) == "No loss is left: backward() cannot be called."
    assert held(page, "net.0.weight") == "" and states(page, ["mean", "sub"]) == {"freed"}
    delete(page, "out")
    assert state(page, "net.2") == "freed" and states(page, NET) == {"far"}
    page.get_by_role("button", name="Reset").click()
    assert states(page, NET) == {"near"} and held(page, "net.0.weight") == "0.101"

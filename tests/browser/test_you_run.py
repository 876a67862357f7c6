"""The reader runs the backward pass by hand."""

from dataclasses import replace

from playwright.sync_api import Page, expect

from autograd_core.widgets import GraphView, explore
from tests.browser.page import event, until
from tests.widgets.large_traces import residual
from tests.widgets.sample_traces import product


def choose(page: Page, name: str) -> None:
    """Click the box whose accessible name begins with `name`."""
    page.locator(f'.ac-node[aria-label^="{name}"]').first.click()


def chips(page: Page) -> list[str]:
    return page.locator(".ac-chip-button span").all_inner_texts()


def you(page: Page, view: int = 0) -> dict:
    return page.evaluate("view => models[view].state.you", view)


def told(page: Page) -> str:
    return page.locator(".ac-run-told").inner_text()


# `product()`: what is right at each node, question by question
ANSWERS = {
    "Mul (loss)": ["−0.604", "−1"],
    "Tanh": ["−0.635"],
    "Add": ["−0.635", "-0.635", "−1.239"],
    "Mul (u)": ["0.62", "−2.479"],
    "AccumulateGrad of a": [],
    "AccumulateGrad of b": [],
    "AccumulateGrad of c": [],
}
AGREED = "7 events, 3 gradients, no wrong turn"


def run_by_mouse(page: Page, order=tuple(ANSWERS)) -> str:
    """What the last line says when each node of `order` has run, with its numbers typed."""
    for name in order:
        choose(page, name)
        for answer in ANSWERS[name]:
            page.locator(".ac-run-field input").fill(answer)
            page.keyboard.press("Enter")
            assert told(page) == ""
    return verdict(page)


WHOLE = """nodes => nodes.map((node) => {
  const { top, bottom } = node.getBoundingClientRect(), room = node.closest(".ac-scroller").getBoundingClientRect();
  return top >= room.top - 1 && bottom <= Math.min(room.bottom, innerHeight) + 1;
})"""
"""Whether each node is seen whole, without scrolling."""
OFFERED = ".ac-chip-button:not(.ac-struck)"
TRY_ALL = f"""async () => {{
  for (let step = 0; step < 200; step++) {{
    if (document.querySelector(".ac-run .ac-verdict")) return true;
    const part = document.querySelector("{OFFERED}") ?? [...document.querySelectorAll(".ac-may")].at(-1);
    part.dispatchEvent(new MouseEvent("click", {{ bubbles: true }}));
    await new Promise(requestAnimationFrame);
  }}
  return false;
}}"""


def try_all(page: Page) -> None:
    """Run all nodes by trying what is offered; at most two of three are wrong. The page itself
    clicks, which takes a tenth of the time that the mouse takes.
    """
    assert page.evaluate(TRY_ALL), "it does not end"


def verdict(page: Page) -> str:
    return page.locator(".ac-run .ac-verdict").inner_text()


def start(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.locator(".ac-you-run").click()


def test_wrong_turns_are_told_and_counted(show):
    view = GraphView(product())
    page = show(view, kernel=True)
    start(page)
    choose(page, "Mul (u)")
    assert (
        told(page)
        == "Mul (u) can't run yet: no gradient has arrived. It waits for Mul (loss) and Add."
    )
    choose(page, "Mul (loss)")
    assert chips(page) == ["1", "−0.604", "−1"]
    page.get_by_role("button", name="C: −1").click()
    assert told(page).startswith(
        "−1 goes to Tanh. It multiplies the gradient by the slope for Mul (u)"
    )
    assert page.locator(".ac-struck").inner_text().endswith("−1")
    page.keyboard.press("a")
    assert told(page).startswith("1 is the gradient that arrived.")
    for answer in ANSWERS["Mul (loss)"]:
        page.locator(".ac-run-field input").fill(answer)
        page.keyboard.press("Enter")
    choose(page, "Mul (u)")
    assert told(page) == "Mul (u) can't run yet: 1 of 2 gradients has arrived. It waits for Add."
    choose(page, "Mul (loss)")
    assert told(page) == "Mul (loss) has run. It does this once in each pass."
    assert page.locator(".ac-run-count").inner_text() == "1 of 7 events · 5 wrong turns"
    said = run_by_mouse(page, [*ANSWERS][1:])
    wrong = ["Mul (u) before Mul (loss)", "Mul (loss) → Mul (u): other input's gradient"]
    wrong += ["Mul (loss) → Mul (u): factor forgotten", "Mul (u) before Add", "Mul (loss) again"]
    assert said == (
        "✓ autograd_core and you agree: 7 events, 3 gradients, 5 wrong turns"
        f" ({', '.join(wrong[:3])}, …)"
    )
    until(page, lambda: view.you.get("ran") == 7)
    gradients = {name: each["values"] for name, each in view.you["gradients"].items()}
    assert {name: round(x, 3) for name, (x,) in gradients.items()} == {
        "a": 0.62,
        "b": -2.478,
        "c": -0.635,
    }
    assert (view.you["wrong"], view.you["shown"], view.you["events"]) == (wrong, 0, 7)


def test_in_another_order_once_more_and_where_a_second_pass_raises(show):
    page = show(GraphView(product()))
    start(page)
    order = ["Mul (loss)", "Tanh", "Add", "AccumulateGrad of c", "Mul (u)"]
    order += ["AccumulateGrad of b", "AccumulateGrad of a"]
    assert AGREED in run_by_mouse(page, order)
    page.get_by_role("button", name="Call backward() a second time").click()
    choose(page, "Add")
    assert told(page) == "Not at Add. Nothing reaches it."
    choose(page, "Tanh")
    assert told(page) == "Not at Tanh. It would raise too, but another node comes first."
    choose(page, "Mul (loss)")
    assert told(page).startswith("Here. Mul (loss) saved u and v, and the first pass freed it.")
    assert you(page)["refuses"] == "Mul (loss)"
    page.get_by_role("button", name="Run it once more").click()
    assert page.locator(".ac-run-rows tr").count() == 0
    assert event(page) == 5 and AGREED in run_by_mouse(page)
    last = page.locator("svg.ac-picture").text_content()
    page.locator(".ac-you-run").click()
    assert page.locator("svg.ac-picture").text_content() == last
    expect(page.locator(".ac-run")).to_be_hidden()


def test_a_second_pass_is_asked_for_without_a_first_one_by_hand(show):
    view = GraphView(product())
    view.you = {"again": True}
    page = show(view)
    page.locator(".ac-call-again").click()
    expect(page.locator(".ac-run-question")).to_contain_text("At which node does it raise?")
    choose(page, "AccumulateGrad of a")
    assert told(page) == "Not at a. Nothing reaches it: its .grad stays as it was."
    choose(page, "Mul (loss)")
    assert told(page) == "Here. Mul (loss) saved u and v, and the first pass freed it."
    expect(page.locator(".ac-run-question")).to_have_text("The second call raised at Mul (loss).")
    assert verdict(page).startswith("✓ You found where it raises: 1 wrong turn")
    said = you(page)
    assert (said["refuses"], said["shown"], said["events"], said["again"]) == (
        "Mul (loss)",
        7,
        7,
        True,
    )


def in_sight(page: Page) -> bool:
    """Whether what has the focus is seen whole, and is a part of the view."""
    return page.evaluate("""() => {
      const at = document.activeElement, { top, bottom } = at.getBoundingClientRect();
      const scroller = at.closest(".ac-scroller, .ac-run, .ac-view").getBoundingClientRect();
      return top >= Math.max(0, scroller.top) - 1 && bottom <= Math.min(innerHeight, scroller.bottom) + 1;
    }""")


def test_by_keyboard_alone(show):
    page = show(GraphView(product()))
    page.emulate_media(reduced_motion="reduce")
    focused = "document.activeElement.getAttribute('aria-label')"
    for _ in range(9):
        page.keyboard.press("Tab")
        if str(page.evaluate(focused)).startswith("You run it"):
            break
    page.keyboard.press("Enter")
    for name, answers in ANSWERS.items():
        for _ in range(9):
            if page.evaluate(focused).startswith(name):
                break
            page.keyboard.press("ArrowRight")
            assert in_sight(page)
        page.keyboard.press("Enter")
        if answers:
            page.keyboard.press("Escape")
            assert page.evaluate(focused).startswith(name), "it need not run"
            page.keyboard.press("Enter")
        for answer in answers:
            assert in_sight(page)
            page.keyboard.type(answer)
            page.keyboard.press("Enter")
        assert in_sight(page)
    assert AGREED in verdict(page)
    for key in ("Home", "n", " "):
        page.keyboard.press(key)
    assert event(page) == 12


def test_a_name_or_a_product_is_an_answer_and_what_is_wrong_is_said_at_the_node(show):
    page = show(GraphView(product()))
    start(page)
    choose(page, "Mul (u)")
    card, node = page.locator(".ac-run-card"), page.locator('.ac-node[aria-label^="Mul (u)"]')
    assert told(page).startswith("Mul (u) can't run")
    said, at = card.bounding_box(), node.bounding_box()
    for side, size in (("x", "width"), ("y", "height")):
        assert said[side] - at[side] - at[size] < 40 and at[side] - said[side] - said[size] < 40
    choose(page, "Mul (loss)")
    field = page.locator(".ac-run-field input")
    for answer, said in (
        ("w", "Type a number"),
        ("v*", "Type a number"),
        ("0.5 * v", "0.5 * v isn't"),
    ):
        field.fill(answer)
        page.keyboard.press("Enter")
        assert told(page).startswith(said)
    for answer in ("v", "1 × u"):
        field.fill(answer)
        page.keyboard.press("Enter")
    assert page.locator(".ac-run-rows tr").first.inner_text() == "Mul (loss) → Tanh\t−1 ✓"


def test_help(show):
    page = show(GraphView(product()))
    start(page)
    page.keyboard.press("h")
    assert told(page) == "All gradients have arrived at Mul (loss)."
    page.keyboard.press("Enter")
    page.keyboard.press("h")
    assert "The slope is −0.604." in told(page)
    for _ in range(7):
        page.keyboard.press("p")
    assert verdict(page) == "You have seen all 7 events. Run them once more, by hand."
    assert (you(page)["shown"], you(page)["wrong"]) == (7, [])


def test_on_a_phone(show):
    page = show(GraphView(residual(2)), viewport={"width": 390, "height": 800}, has_touch=True)
    start(page)
    for _ in range(200):
        if page.locator(".ac-run .ac-verdict").count():
            break
        whole = page.locator(".ac-may").evaluate_all(WHOLE)
        assert any(whole) or not whole
        offered = page.locator(OFFERED)
        (offered.first if offered.count() else page.locator(".ac-may").last).tap()
    assert " and you agree: " in verdict(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_folds_run_as_one(show):
    page = show(GraphView(residual(7)))
    start(page)
    page.keyboard.press("f")
    page.keyboard.type("happy")
    assert you(page)["shown"] == 0 and told(page) == "", "what is searched for is no key"
    try_all(page)
    assert you(page)["ran"] == you(page)["events"] == 45


def test_other_numbers_end_it(show):
    page = show(explore("a * b + sin(a)", a=2.0, b=-1.0), kernel=True)
    start(page)
    page.keyboard.press("Enter")
    page.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    expect(page.locator(".ac-run")).to_be_hidden()
    assert page.locator(".ac-flyer, .ac-runs").count() == 0
    page.locator(".ac-you-run").click()
    text = page.locator("input[type=text]").first
    text.fill("a * b")
    text.press("Enter")
    expect(page.locator(".ac-run")).to_be_hidden()
    page.locator(".ac-you-run").click()
    try_all(page)


def test_where_no_pass_ran_there_is_nothing_to_run(show):
    trace = product()
    forward = tuple(e for e in trace.events if e.kind in ("forward", "loss"))
    page = show(GraphView(replace(trace, events=forward)), GraphView(trace))
    expect(page.locator(".ac-you-run").first).to_be_hidden()
    page.locator(".ac-you-run").last.click()
    assert page.locator(".ac-running").count() == 1

"""The contract of all widgets on a page: it fits a phone, the keyboard reaches every part, and plain
keys stay in the widget, because JupyterLab has its own (x cuts a cell).

The last test plants a fault for each rule.
"""

import pytest

from autograd_core.lessons.questions import quiz as quiz_module
from tests.browser.page import drawn
from tests.widgets.test_contract import MAKERS

PHONE = {"width": 390, "height": 844}
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
CONTROLS = """() => [...document.querySelectorAll(
    "button, input, select, textarea, [role=slider], [role=switch], [role=button]")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled)"""
UNNAMED = f"""() => ({CONTROLS})().filter((each) => !(each.getAttribute("aria-label")
    || each.getAttribute("aria-labelledby") || each.title || each.textContent.trim()
    || each.labels?.length)).map((each) => each.outerHTML.slice(0, 200))"""
WATCH_KEYS = """() => {
  window.passed = [];
  document.onkeydown = (event) => { if (event.key !== "Tab") passed.push(event.key); };
}"""
FOCUSED = """() => {
  const at = document.activeElement;
  return at === document.body ? "" : [...document.querySelectorAll("*")].indexOf(at);
}"""


@pytest.fixture
def shown(show, tmp_path, monkeypatch):
    """Shows the widget of a class on a phone."""
    monkeypatch.setattr(quiz_module, "answers_file", lambda: tmp_path / "quiz.json")

    def shown(kind):
        page = show(MAKERS[kind](), kernel=True, viewport=PHONE)
        drawn(page)
        return page

    return shown


def stops(page, most=60):
    """How many places the Tab key reaches before it leaves the page or comes round. At each of them
    a plain key is pressed; `passed` has the keys that left the widget.
    """
    page.evaluate(WATCH_KEYS)
    seen = []
    for _ in range(most):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at == "" or at in seen:
            break
        seen.append(at)
        page.keyboard.press("x")
    return len(seen)


@pytest.mark.parametrize("kind", MAKERS, ids=lambda kind: kind.__name__)
def test_a_widget_fits_a_phone_and_is_worked_by_keyboard(shown, kind):
    page = shown(kind)
    assert page.evaluate(SIDEWAYS) <= 0
    assert page.evaluate(UNNAMED) == []
    if page.evaluate(f"() => ({CONTROLS})().length"):
        assert stops(page) > 0
        assert page.evaluate("passed") == []


def test_planted_faults_are_found(show):
    page = show(viewport=PHONE)
    page.evaluate("() => { document.body.innerHTML = '<button tabindex=-1></button>'; }")
    assert len(page.evaluate(UNNAMED)) == 1 and stops(page) == 0
    page.evaluate("() => { document.body.innerHTML = '<button>leaks</button>'; }")
    assert stops(page) == 1 and page.evaluate("passed") == ["x"]
    page.evaluate("() => { document.body.innerHTML = '<p style=\"width: 900px\">wide</p>'; }")
    assert page.evaluate(SIDEWAYS) > 0

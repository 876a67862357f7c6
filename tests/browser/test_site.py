"""The lessons as static pages, opened from the disk with the network off: numbers, widgets, hands, search."""

import re
from collections import Counter

import nbformat
import pytest
from bs4 import BeautifulSoup

from notebooks.authoring.refresh import NOTEBOOKS
from notebooks.authoring.site import build

LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))
SITE = build.HOUSE / "build" / "site"
NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
MOST_BYTES = 2_000_000

OUTPUTS = """() => [...document.querySelectorAll(".code_cell")].map((cell) =>
  [...cell.querySelectorAll(".output > .output_area, .output > .widget")].map((output) => {
    const part = output.cloneNode(true);
    part.querySelectorAll("style, .ac-varies").forEach((each) => each.remove());
    return [output.className, part.textContent];
  }))"""


@pytest.fixture(scope="session")
def site():
    """The folder of pages, built again when a source is newer than they are."""
    if not build.is_fresh(LESSONS, SITE):
        build.build(LESSONS, SITE)
    return SITE


@pytest.fixture
def open_page(browser, site):
    """Open a page; the test fails on an error in it, and on each request that leaves the disk."""
    wrong = []
    with browser.new_context(viewport={"width": 1280, "height": 900}, offline=True) as context:
        def open_(name, **options):
            page = context.new_page()
            page.set_default_timeout(15_000)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
            page.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
            page.goto((site / f"{name}.html").as_uri())
            page.wait_for_selector("body[data-ready]")
            return page

        yield open_
    assert wrong == []


def numbers(text: str) -> list[str]:
    return NUMBER.findall(text)


def committed(path) -> list[list[str]]:
    """For each code cell the texts of its outputs, as the notebook in the repository has them."""
    cells = (cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    return [[_text(output) for output in cell.outputs] for cell in cells]


def _text(output) -> str:
    data = output.get("data", {})
    marked = data.get("text/html") or data.get("image/svg+xml")
    if not marked:
        return output.get("text") or data.get("text/plain") or "\n".join(output.traceback)
    soup = BeautifulSoup(marked, "html.parser")
    for part in soup.select("style, .ac-varies"):
        part.decompose()
    return soup.get_text()


def missing(expected: str, kind: str, shown: str) -> Counter:
    """The numbers of an output that its place on the page lacks; a widget may show more, another output may not."""
    lacking = Counter(numbers(expected)) - Counter(numbers(shown))
    return lacking if kind == "widget" else lacking + (Counter(numbers(shown)) - Counter(numbers(expected)))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_page_shows_the_numbers_of_its_notebook_and_answers_the_reader(path, open_page, site):
    page = open_page(path.stem)
    assert (site / f"{path.stem}.html").stat().st_size < MOST_BYTES
    shown, compared = page.evaluate(OUTPUTS), 0
    for number, (wanted, found) in enumerate(zip(committed(path), shown, strict=True)):
        assert len(wanted) == len(found), f"cell {number}"
        for expected, (kind, text) in zip(wanted, found):
            assert not missing(expected, kind, text), f"code cell {number}, {kind}: {text[:300]}"
            compared += len(numbers(expected))
    assert compared > 20

    for question in page.locator(".ac-choice").all():
        for _ in range(question.locator(".ac-choice-pages button").count() or 1):
            question.locator("[role=radio]").first.click()
            question.locator("[role=radio]").first.press("Enter")
    assert page.locator("details.early:not([open])").count() == 0
    assert [text for text in page.locator(".ac-settled").all_inner_texts() if "not predicted" in text.lower()] == []

    for view in page.locator(".ac-view:has(.ac-play)").all():
        view.focus()
        page.keyboard.press("End")
        at_end = view.inner_text()
        page.keyboard.press("Home")
        page.wait_for_function("([view, text]) => view.innerText !== text", arg=[view.element_handle(), at_end])
        page.keyboard.press("Space")
        page.wait_for_function("view => /[1-9]\\d* (of|\\/) \\d+|^1\\b/m.test(view.innerText)", arg=view.element_handle())
        page.keyboard.press("Space")

    page.set_viewport_size({"width": 800, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 800

"""The lessons as static pages, opened from the disk with the network off: numbers, widgets, hands,
search.

`make site` and `make prove` try every page, `make test` two: one on which the reader types, and one
that the search is to find. For a page runs its notebook.
"""

import re
import sys
from configparser import ConfigParser

import nbformat
import pytest
from bs4 import BeautifulSoup

from autograd_core.widgets.kit.shown import PICTURED
from notebooks.authoring.find_your_error import PAGE
from notebooks.authoring.refresh import NOTEBOOKS, results
from notebooks.authoring.site import build
from tests.budget import PROVE

LESSONS = sorted(
    path for path in NOTEBOOKS.glob("*.ipynb") if PROVE or path.stem[:2] in ("00", "02")
)
PAGES = [*LESSONS, PAGE]
SITE = build.HOUSE / "build" / ("site" if PROVE else "site_in_part")
SANITIZE = ConfigParser(interpolation=None)
SANITIZE.read(NOTEBOOKS / "authoring" / "sanitize.cfg", encoding="utf-8")
NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")

OUTPUTS = """() => [...document.querySelectorAll(".code_cell")].map((cell) =>
  [...cell.querySelectorAll(".output > .output_area, .output > .widget")].map((output) => {
    const words = document.createTreeWalker(output, NodeFilter.SHOW_TEXT), texts = [];
    while (words.nextNode()) if (!words.currentNode.parentElement.closest("style, .ac-varies, title, desc")) texts.push(words.currentNode.data);
    return [output.querySelector(".ac-choice") ? "question" : output.className, texts.join(" ")];
  }))"""
PHONE = {"width": 390, "height": 844}
REACHES_OUT = """() => [...document.querySelectorAll("main :is(p, h1, h2, h3, .input, .widget, button, [role=radio])")]
  .filter((each) => each.checkVisibility() && !each.closest("svg, pre, table, .ac-scroller, details:not([open])"))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="session")
def site():
    """The folder of pages, built again when a source is newer than they are."""
    if not build.is_fresh(PAGES, SITE):
        with pytest.MonkeyPatch.context() as patch:
            if not PROVE:  # the reference takes longer than a page
                patch.setitem(sys.modules, "pdoc", None)
            build.build(PAGES, SITE)
    return SITE


@pytest.fixture
def open_page(borrow, wrong, site):
    """Open a page; the test fails on an error in it, and on each request that leaves the disk."""
    page = borrow(offline=True)

    def note(request) -> None:
        if request.url.startswith("http"):
            wrong.append(request.url)

    def open_(name):
        page.goto((site / f"{name}.html").as_uri())
        page.wait_for_selector("body[data-ready]")
        return page

    page.on("request", note)
    yield open_
    page.evaluate("localStorage.clear()")
    page.remove_listener("request", note)


def numbers(text: str) -> list[str]:
    """The numbers in `text`, those apart that differ from run to run."""
    for rule in SANITIZE.sections():
        text = re.sub(SANITIZE[rule]["regex"], SANITIZE[rule]["replace"], text)
    return NUMBER.findall(text)


def committed(path) -> list[list[str]]:
    """For each code cell the texts of its outputs, as the notebook in the repository has them."""
    cells = (cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    return [[_text(each) for each in results(cell) if not _is_words(each)] for cell in cells]


def _is_words(output) -> bool:
    """Whether it stands before a still, for JupyterLab alone."""
    return PICTURED in output.get("data", {}).get("text/html", "")


def _text(output) -> str:
    data = output.get("data", {})
    marked = data.get("text/html") or data.get("image/svg+xml")
    if "image/png" in data or data.get("text/plain", "").startswith("interactive("):
        # a picture; and what takes a running notebook
        return ""
    if not marked:
        return output.get("text") or data.get("text/plain") or "\n".join(output.traceback)
    soup = BeautifulSoup(marked, "html.parser")
    for part in soup.select("style, .ac-varies, svg title, svg desc"):
        part.decompose()
    return soup.get_text(" ")


def differing(expected: str, shown: str) -> tuple | None:
    """The numbers of an output and of its place on the page, if they differ."""
    wanted, found = numbers(expected), numbers(shown)
    return None if wanted == found else (wanted, found)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_page_shows_the_numbers_of_its_notebook_answers_the_reader_and_fits_a_phone(
    path, open_page, site
):
    page = open_page(path.stem)
    assert (site / f"{path.stem}.html").stat().st_size < 2_000_000
    compared = 0
    for number, (wanted, found) in enumerate(
        zip(committed(path), page.evaluate(OUTPUTS), strict=True)
    ):
        assert len(wanted) == len(found), f"cell {number}"
        for expected, (kind, text) in zip(wanted, found):
            if kind not in ("widget", "question"):
                assert not differing(expected, text), f"code cell {number}, {kind}: {text[:300]}"
                compared += len(numbers(expected))
    assert compared > 0
    pictures = [
        output
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]
    assert page.locator('.output img[src^="data:image/png"]').count() == len(pictures)

    for question in page.locator(".ac-choice").all():
        for _ in range(question.locator(".ac-choice-pages button").count() or 1):
            question.locator("[role=radio]").first.click()
            question.locator("[role=radio]").first.press("Enter")
    assert page.locator("details.early:not([open])").count() == 0
    told = page.locator(".ac-choice:not(.ac-choice-many) .ac-choice-status").all_inner_texts()
    assert [text for text in told if not text.startswith("You predicted")] == []

    for view in page.locator(".ac-view:not(.ac-live)").all():
        view.focus()
        page.keyboard.press("End")
        at_end = view.inner_text()
        page.keyboard.press("Home")
        page.wait_for_function(
            "([view, text]) => view.innerText !== text", arg=[view.element_handle(), at_end]
        )
        page.keyboard.press("Space")
        page.wait_for_function(
            "view => /[1-9]\\d* (of|\\/) \\d+|^1\\b/m.test(view.innerText)",
            arg=view.element_handle(),
        )
        page.keyboard.press("Space")

    for size in ({"width": 800, "height": 900}, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    assert page.evaluate(REACHES_OUT) == []
    page.add_style_tag(content=".text_cell_render p { width: 600px }")
    assert page.evaluate(REACHES_OUT) != [], "it would have been found"


def test_a_number_that_is_wrong_on_the_page_is_found():
    assert not differing("loss = 0.526, −2", "loss = 0.526 −2")
    assert differing("loss = 0.526", "loss = 0.527")


def test_previous_and_next_lead_through_all_lessons_light_or_dark_as_was_chosen(open_page):
    page, seen = open_page(LESSONS[0].stem), [LESSONS[0].stem]
    colour = "getComputedStyle(document.querySelector('.site')).backgroundColor"
    light = page.evaluate(colour)
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate(colour)
    assert dark != light
    while page.locator("a[rel=next]").count():
        page.locator("a[rel=next]").click()
        page.wait_for_url(f"**/{PAGES[len(seen)].stem}.html")
        seen.append(PAGES[len(seen)].stem)
        assert page.locator("a[rel=prev]").get_attribute("href") == f"{seen[-2]}.html"
        assert page.evaluate(colour) == dark, "the choice is kept"
    assert seen == [path.stem for path in PAGES]
    page.goto(page.url.replace(f"{seen[-1]}.html", "index.html"))
    page.wait_for_url(f"**/{seen[0]}.html")


def test_the_search_finds_a_section_of_another_lesson_by_keyboard(open_page):
    page = open_page(LESSONS[0].stem)
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "To the lesson"
    page.get_by_label("Search all lessons").focus()
    page.keyboard.type("jacobian")
    first = page.locator(".found a").first
    first.wait_for()
    assert "jacobian" in first.inner_text().lower()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**#*")
    assert "jacobian" in page.locator("main").inner_text().lower()
    assert (
        page.evaluate(
            "document.getElementById(decodeURIComponent(location.hash.slice(1))).tagName[0]"
        )
        == "H"
    )
    page.get_by_label("Search all lessons").fill("xylophone")
    page.get_by_text("Nothing found.").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(".found").is_hidden()


def test_a_page_computes_what_a_slider_changes_and_says_where_a_notebook_is_needed(open_page):
    """The page on which a reader types. The numbers are those that its text names."""
    page = open_page("00_start_here")
    view = page.locator(".ac-view:has(.ac-control-text)").first
    told = view.locator(".ac-nudged div")
    for by, on_curve, on_line in (
        ("0.5", "+3.4", "+2.4"),
        ("−0.5", "−1.4", "−2.4"),
        ("0.05", "+0.25", "+0.24"),
    ):
        view.get_by_role("button", name=re.compile(f"Nudge a by {by}$")).click()
        page.wait_for_function(
            "div => div?.innerText.includes('curve')", arg=told.first.element_handle()
        )
        assert told.all_inner_texts() == [
            f"● on the curve\n{on_curve}",
            f"◯ on the line\n{on_line}",
        ]
        view.get_by_role("button", name="Reset").click()
        told.first.wait_for(state="detached")
    assert view.get_by_role("textbox").first.is_disabled()
    view.get_by_text("needs a running notebook").first.wait_for()


def typed_as(message: str) -> list[str]:
    """What readers type who look for this message."""
    words = message.split()
    return [
        message,
        message.swapcase(),
        re.sub(r"\d+", "7", message),  # other shapes, other numbers
        f"RuntimeError: {message} (train.py:12)" if len(words) > 4 else message,
        " ".join(words[: max(4, len(words) // 2)]),
        " ".join(words[-6:]),
    ]


def test_the_search_finds_each_error_as_readers_type_it(open_page):
    page = open_page(LESSONS[0].stem)
    page.get_by_label("Search all lessons").fill("grad")
    page.locator(".found a").first.wait_for()
    rows = page.evaluate(f"sections.filter(([name]) => name === '{PAGE.stem}')")
    messages = [heading for _, heading, _, words in rows if "Lesson: " in words]
    assert len(messages) > 100
    typed = [[message, query] for message in messages for query in typed_as(message)]
    found = page.evaluate(
        "all => all.map(([, query]) => ranked(sections, query).slice(0, 12).map(([, heading]) => heading))",
        typed,
    )
    missed = [query for (message, query), shown in zip(typed, found) if message not in shown]
    assert missed == []
    assert page.evaluate("ranked(sections, 'xylophone')") == []
    first = [message == shown[0] for (message, _), shown in zip(typed, found)]
    assert sum(first) > 0.9 * len(first)


def test_the_search_finds_an_error_and_its_page_fits_a_phone(open_page):
    page = open_page(LESSONS[0].stem)
    page.get_by_label("Search all lessons").fill("modified by an inplace operation")
    found = page.locator(".found a", has_text="one of the variables needed for gradient")
    found.click()
    page.wait_for_url(f"**/{PAGE.stem}.html#*")
    assert page.locator("main h3").count() > 100 and page.locator("main p.note").count() == 0
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.evaluate(REACHES_OUT) == []

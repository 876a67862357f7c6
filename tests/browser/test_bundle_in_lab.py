"""The bundle of all views in real JupyterLab: it comes once, with a new kernel too."""

import pytest

# how a bundle is loaded is in tests/js/loader.test.mjs too, on every push
pytestmark = pytest.mark.prove

SETUP = """
import torch
from autograd_core.lessons import predict
from autograd_core import watch
x = torch.tensor([0.5, 2.0], requires_grad=True)
loss = (torch.log(x - 0.5) * torch.tensor([0.0, 1.0])).sum()
"""
ASK = """predict("77.1", "The gradient at `x` is", ["finite", "nan", "inf"],
    result=lambda at_x: at_x)"""
WATCH = 'watch(loss, title="A nan")'

LOADED = """() => ({
  bundles: globalThis[Symbol.for("autograd_core.views")]?.size ?? 0,
  styles: [...document.querySelectorAll("style")].filter((each) => each.textContent.includes("--ac-gradient")).length,
})"""


@pytest.fixture(autouse=True)
def a_page_that_has_loaded_nothing(lab):
    lab.close()


def loaded(page) -> dict:
    """How many bundles, and how many styles of bundles, the page has."""
    return page.page.evaluate(LOADED)


def test_many_views_load_one_bundle_and_a_new_kernel_none(lab, notebook):
    with lab.open(notebook(SETUP, ASK, WATCH, WATCH, ASK)) as page:
        page.run_all()
        assert page.page.locator(".ac-root.ac-view, .ac-root.ac-choice").count() >= 3
        assert loaded(page) == {"bundles": 1, "styles": 1}
        page.restart()
        page.run_all()
        page.cell_output(2).get_by_role("button", name="first nan").click()
        assert "The first nan appears here." in page.cell_output(2).inner_text()
        assert loaded(page) == {"bundles": 1, "styles": 1}
        assert page.problems() == []


OTHER_VERSION = """
from autograd_core.widgets.kit import bundle
known = bundle.contents()
bundle.contents = lambda: {**known, "version": "another",
                           "style": known["style"] + ".ac-view .ac-title { letter-spacing: 3px; }"}
"""
SPACING = "title => getComputedStyle(title).letterSpacing"


def test_two_notebooks_of_different_versions_share_a_page(lab, notebook):
    first, second = (
        notebook(SETUP, WATCH, name="first"),
        notebook(OTHER_VERSION + SETUP, WATCH, name="second"),
    )
    with lab.open(first) as page:
        page.run_all()
        spaced = {page.cell_output(1).locator(".ac-title").evaluate(SPACING)}
        page.go_to(second)
        page.run_all()
        spaced.add(page.cell_output(1).locator(".ac-title").evaluate(SPACING))
        assert spaced == {"normal", "3px"}
        assert loaded(page) == {"bundles": 2, "styles": 2}
        page.go_to(first)
        assert page.cell_output(1).locator(".ac-title").evaluate(SPACING) == "normal", (
            "each keeps its own style"
        )
        assert page.problems() == []

"""Every notebook in real JupyterLab: it opens, runs to its end, and nothing goes wrong on the way."""

from collections.abc import Callable

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from notebooks.authoring.refresh import METADATA
from tests.browser.server import HOUSE

NOTEBOOKS = sorted(path.name for path in (HOUSE / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_notebook_runs_to_its_end(lab, notebook):
    with lab.open(notebook) as page:
        page.run_all()
        assert page.problems() == []
        assert page.unfinished() == []


def test_printed_address_opens_the_first_lesson_with_nothing_over_it(lab):
    with lab.open_address(lab.server.start) as page:
        assert page.name() == "00_start_here.ipynb"
        assert page.page.locator(".jp-Dialog, .Toastify__toast").count() == 0
        assert page.problems() == []


def test_token_stays_on(lab):
    with lab.browser.new_context() as context:
        page = context.new_page()
        page.goto(lab.server.url + "doc/tree/notebooks/00_start_here.ipynb")
        assert "/login" in page.url


WIDGET = """
import anywidget
class Planted(anywidget.AnyWidget):
    _esm = '''export default {{ render({{ el }}) {{ {body} }} }}'''
Planted()
"""


@pytest.fixture
def plant(lab) -> Callable[..., str]:
    """Serve a notebook of the given code cells, saved as if they had run; its name."""

    def write(*sources: str) -> str:
        cells = [new_code_cell(source, execution_count=1) for source in sources]
        nbformat.write(new_notebook(cells=cells, metadata=METADATA), lab.server.folder / "planted.ipynb")
        return "planted.ipynb"

    return write


def widget(body: str) -> str:
    return WIDGET.format(body=body)


PLANTED = {
    "a cell that raises": ("1 / 0", "error: ZeroDivisionError: division by zero"),
    "a widget that throws": (widget("throw new Error('planted')"), "console: Error: planted"),
    "a widget that throws late": (widget("setTimeout(() => { throw new Error('late') })"), "console: late"),
    "a promise that fails": (widget("Promise.reject(new Error('planted'))"), "console: planted"),
    "an error on the console": (widget("console.error('planted')"), "console: planted"),
    "a fetch": (widget("fetch('https://outside.invalid/a').catch(() => {})"), "outside request: https://outside.invalid/a"),
    "a socket": (widget("new WebSocket('wss://outside.invalid/b')"), "outside request: wss://outside.invalid/b"),
    "a picture": ("from IPython.display import HTML\nHTML('<img src=\"http://outside.invalid/c\">')", "outside request: http://outside.invalid/c"),
}  # fmt: skip


@pytest.mark.parametrize("source, found", PLANTED.values(), ids=PLANTED.keys())
def test_planted_problem_is_found(lab, plant, source, found):
    with lab.open(plant("'before'", source)) as page:
        page.run_all()
        assert found in "\n".join(page.problems())


def test_cells_after_an_error_are_unfinished(lab, plant):
    with lab.open(plant("1 / 0", "'never'")) as page:
        page.run_all()
        assert page.unfinished() == [1]


def test_endless_cell_is_not_idle(lab, plant):
    with lab.open(plant("import time; time.sleep(60)")) as page:
        with pytest.raises(TimeoutError, match="not idle within 1 s"):
            page.run_all(seconds=1)


def test_driver_reads_outputs_and_changes_the_theme(lab, plant, tmp_path):
    with lab.open(plant("'first'", *["pass\n" * 25] * 6, "print('last')")) as page:
        page.run_all()
        assert "first" in page.cell_output(0).inner_text()
        assert page.cell_output("'last'").inner_text().strip() == "last"
        with pytest.raises(LookupError, match="no code cell contains 'absent'"):
            page.cell_output("absent")
        pictures = []
        for theme in ("light", "dark"):
            page.set_theme(theme)
            page.screenshot(tmp_path / f"{theme}.png")
            pictures.append((tmp_path / f"{theme}.png").read_bytes())
        assert pictures[0] != pictures[1]
        assert page.problems() == []


def test_a_saved_lesson_shows_its_widgets_when_it_is_opened_again(lab):
    notebook = "05_masked_losses.ipynb"
    saved = lab.server.folder / notebook
    before = saved.read_text()
    try:
        with lab.open(notebook) as page:
            page.run_all()
            page.cell_output('predict("05.1"').get_by_role("radio").nth(2).click()
            page.wait_idle()
            page.save()
        with lab.open(notebook) as page:
            radios = page.cell_output('predict("05.1"').get_by_role("radio")
            assert [radio.get_attribute("aria-checked") or str(radio.is_checked()).lower() for radio in radios.all()] == [
                "false", "false", "true"]
            view = page.cell_output("watch(loss")
            view.get_by_role("button", name="first nan").click()
            assert "The first nan appears here." in view.inner_text()
            assert page.problems() == []
    finally:
        saved.write_text(before)


def test_unknown_notebook_is_refused(lab):
    with pytest.raises(FileNotFoundError, match="absent.ipynb is not among"), lab.open("absent.ipynb"):
        pass

"""JupyterLab as `make lab` starts it, the driver that the other tests use, and problems that it has
to find.
"""

import pytest


def test_token_stays_on(lab):
    with lab.browser.new_context() as context:
        page = context.new_page()
        page.goto(lab.server.url + "doc/tree/notebooks/00_start_here.ipynb")
        assert "/login" in page.url


def widget(body: str) -> str:
    return f"""
import anywidget
class Planted(anywidget.AnyWidget):
    _esm = '''export default {{ render({{ el }}) {{ {body} }} }}'''
Planted()
"""


PLANTED = {
    widget("throw new Error('thrown')"): "console: Error: thrown",
    widget("setTimeout(() => { throw new Error('late') })"): "console: late",
    widget("Promise.reject(new Error('rejected'))"): "console: rejected",
    widget(
        "setTimeout(() => el.removeChild(document.createElement('p')))"
    ): "console: Failed to execute 'removeChild' on 'Node'",
    widget("console.error('printed')"): "console: printed",
    widget(
        "fetch('https://outside.invalid/a').catch(() => {})"
    ): "outside request: https://outside.invalid/a",
    widget("new WebSocket('wss://outside.invalid/b')"): "outside request: wss://outside.invalid/b",
    "from IPython.display import HTML\nHTML('<img src=\"http://outside.invalid/c\">')": "outside request: http://outside.invalid/c",
    "1 / 0": "error: ZeroDivisionError: division by zero",
}


LATE = """() => {
  const { send } = WebSocket.prototype;
  window.mend = () => { WebSocket.prototype.send = send; };
  WebSocket.prototype.send = function (data) {
    setTimeout(() => { if (this.readyState === WebSocket.OPEN) send.call(this, data); }, 600);
  };
}"""
EXPLORED = "from autograd_core import explore\nexplore(lambda w: w * 3, w=(1, -2, 2))"


def test_the_driver_waits_and_finds_planted_problems(lab, notebook):
    with lab.open(notebook(EXPLORED, *PLANTED, "import time; time.sleep(60)")) as page:
        page.run_all()
        problems = "\n".join(page.problems())
        assert [found for found in PLANTED.values() if found not in problems] == []
        assert page.unfinished() == [len(PLANTED) + 1], (
            "cells after an error have no execution count"
        )
        page.page.evaluate(LATE)
        page.cell_output(0).get_by_role("slider", name="w", exact=True).first.press("End")
        page.wait_idle()
        values = page.cell_output(0).locator(".ac-node .ac-value").all_text_contents()
        assert any(value.endswith("6") for value in values), "a late change is waited for"
        page.page.evaluate("mend()")
        page.start_cell(len(PLANTED) + 1)
        told = rf"not idle within 1 s: code cell {len(PLANTED) + 1} runs, the kernel has had \d+\.\d s of CPU"
        with pytest.raises(TimeoutError, match=told):
            page.wait_idle(seconds=1)


def test_unknown_notebook_is_refused(lab):
    with (
        pytest.raises(FileNotFoundError, match="absent.ipynb is not among"),
        lab.open("absent.ipynb"),
    ):
        pass

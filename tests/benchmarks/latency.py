"""How long a move of the hand takes to be seen in JupyterLab: `python -m tests.benchmarks.latency`,
in milliseconds.

A slider of a graph of 25 nodes, from the move until the loss that Python computed is painted;
beside it a bare widget that echoes one number, in the same run. And one event back in a step view
of some 500 nodes, all shown."""

import contextlib
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import launch
from tests.browser.lab import Lab
from tests.browser.server import serve

MOVES = 60
CELLS = (
    """\
import anywidget, traitlets

class Echo(anywidget.AnyWidget):
    _esm = '''export default {render({model, el}) {
        el.innerHTML = "<input type=range min=0 max=100 step=0.01><svg><text></text></svg>";
        el.querySelector("input").oninput = event => { model.set("sent", +event.target.value); model.save_changes(); };
        model.on("change:got", () => { el.querySelector("text").textContent = model.get("got"); });
    }}'''
    sent, got = traitlets.Float(0).tag(sync=True), traitlets.Float(0).tag(sync=True)

    @traitlets.observe("sent")
    def echo(self, change):
        self.got = change.new

Echo()""",
    """\
from autograd_core.widgets import explore
explore("sin(a * b) * (a + b) + exp(a) * tanh(b) + sigmoid(a - b) * cos(a) + (a * a + b * b) * sin(a + 1) - exp(b) * a",
        a=0.5, b=0.25)""",
    """\
import autograd_core as T
from autograd_core.parity import watching
from autograd_core.widgets import watch
x = T.ones(1, requires_grad=True)
with watching():
    y = x
    for _ in range(249):
        y = T.sin(y) * 1.5
    loss = y.sum()
    loss.backward()
watch(loss)""",
)
MEASURED = (
    ("a bare widget that echoes a number", 0, "slide"),
    ("a slider, 25 nodes", 1, "slide"),
    ("one event back, 500 nodes", 2, "click"),
)
# Milliseconds of each move, until something in a picture is another, and painted.
SPENT = """async (root, [moves, act]) => {
    const slider = root.querySelector("input[type=range]"), back = root.querySelector("[aria-label='One event back']");
    const element = node => node.nodeType === 1 ? node : node.parentElement;
    const drawn = ({target, addedNodes}) => element(target)?.closest("svg")
        || [...addedNodes].some(node => node.nodeName === "svg");
    const least = +slider?.min, wide = slider?.max - least, spent = [];
    for (let k = 0; k < moves; k++) {
        // at another moment of a frame each time: else all would wait for the same one
        await new Promise(done => setTimeout(done, 80 + 17 * ((k * 0.618) % 1)));
        const seen = new Promise((done, late) => {
            setTimeout(late, 5000, new Error(`nothing was drawn after move ${k}`));
            const observer = new MutationObserver(changes => { if (changes.some(drawn)) { observer.disconnect(); done(); } });
            observer.observe(root, {subtree: true, characterData: true, childList: true, attributes: true});
        });
        const start = performance.now();
        if (act === "slide") {
            slider.value = least + wide * (0.2 + 0.6 * ((k * 0.37) % 1));
            slider.dispatchEvent(new Event("input", {bubbles: true}));
        } else back.click();
        await seen;
        await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
        spent.push(performance.now() - start);
    }
    return spent;
}"""


def measured(lab: Lab, notebook: str, moves: int = MOVES) -> dict[str, list[float]]:
    """{what was moved: milliseconds of each move}, in the notebook of `CELLS`."""
    with lab.open(notebook) as page:
        page.run_all()
        assert not (problems := page.problems()), problems
        graph = page.cell_output(2)
        graph.locator("[data-fold]").first.click()
        graph.get_by_role("slider", name="Event").press("End")
        return {
            name: page.cell_output(cell).evaluate(SPENT, [moves, act])
            for name, cell, act in MEASURED
        }


if __name__ == "__main__":
    with contextlib.ExitStack() as stack:
        folder, playwright = map(
            stack.enter_context, (tempfile.TemporaryDirectory(), sync_playwright())
        )
        browser, server = map(stack.enter_context, (launch(playwright), serve(Path(folder))))
        lab = stack.enter_context(contextlib.closing(Lab(browser, server)))
        print("| in JupyterLab | median, ms | p95, ms |\n| --- | --- | --- |")
        for name, spent in measured(lab, lab.write("latency.ipynb", list(CELLS))).items():
            print(
                f"| {name} | {statistics.median(spent):.0f} | {statistics.quantiles(spent, n=20)[-1]:.0f} |"
            )

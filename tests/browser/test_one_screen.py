"""The measure of a step view's screen: what it finds where something is planted, and views without
a lesson.

Every lesson's views are measured where its notebook runs: see the fixture `opened` and
test_lab.py."""

import pytest

from autograd_core.widgets import GraphView
from tests.browser.one_screen import LAPTOP, NARROW, PHONE, faults
from tests.widgets.large_traces import residual
from tests.widgets.sample_traces import chain, logistic, product

WIDE = """() => {
  const style = document.createElement('style');
  style.textContent = '.ac-root.ac-view { --ac-font: "DejaVu Sans", Verdana, sans-serif !important; }';
  document.head.append(style);
}"""


TRACES = {"logistic": logistic(), "product": product(), "chain": chain(20), "folded": residual(10)}


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(
            trace, id=name, marks=() if name in ("logistic", "folded") else pytest.mark.prove
        )
        for name, trace in TRACES.items()
    ],
)
def test_views_have_no_faults(show, trace):
    assert faults(show(GraphView(trace)), (LAPTOP, NARROW, PHONE)) == []


def test_views_in_a_wide_font_have_no_faults(show):
    """The wide font comes before the view, which measures its text when it is drawn anew for
    another width.
    """
    page = show(GraphView(logistic(), other=logistic("PyTorch")))
    page.evaluate(WIDE)
    page.set_viewport_size({"width": 700, "height": 800})
    assert faults(page) == []


PLANTED = {
    "an edge runs through": "document.querySelector('.ac-source').setAttribute('transform', 'translate(560 30)')",
    "cut": "document.querySelectorAll('.ac-node .ac-value')[1].textContent = '[0.1234…'",
    "outside of its box": "document.querySelectorAll('.ac-node .ac-gradient')[2].textContent = '0.'.padEnd(60, '1')",
    "runs into": "document.querySelectorAll('.ac-node .ac-value')[3].textContent = '0.'.padEnd(26, '1')",
    "scrolls sideways": "document.querySelector('.ac-picture').style.width = '4000px'",
    "the loss is out of sight": "document.querySelector('.ac-scroller').style.maxHeight = '300px'",
    "there is no sentence": "document.querySelectorAll('.ac-sentence').forEach((each) => each.remove())",
    "is scrolled out of sight": "document.querySelector('.ac-scroller').style.maxHeight = '20px'",
}


# few rows, so that the loss is seen beside the panel
@pytest.mark.parametrize("trace", [logistic(), product()], ids=["all but the loss", "the loss"])
def test_what_is_planted_is_found(show, trace):
    page = show(GraphView(trace, event=10))
    expected = [each for each in PLANTED if ("the loss" in each) == (len(trace.events) == 12)]
    page.evaluate(f"""() => {{ const plant = () => {{ {";".join(PLANTED[each] for each in expected)} }}; plant();
      new MutationObserver(plant).observe(document.querySelector(".ac-track"), {{ attributes: true }}); }}""")
    found = faults(page, sizes=(LAPTOP,))
    assert [each for each in expected if not any(each in fault for fault in found)] == []

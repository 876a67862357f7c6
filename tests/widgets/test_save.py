"""A view as a file: a page, a still; from a plain script too."""

import subprocess
import sys

import pytest
import torch

from autograd_core.parity import watching
from autograd_core.trace.verdicts import Verdicts
from autograd_core.widgets import GraphView, watch
from autograd_core.widgets.graph.still import still
from autograd_core.widgets.kit.settings import countable, settings_of
from tests.trace.models import GPT, gpt_loss
from tests.widgets.large_traces import residual
from tests.widgets.sample_traces import chain, logistic

SCRIPT = """
import sys
import autograd_core as T
from autograd_core.widgets import watch
w = T.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
view = watch(loss)
for ending in ("html", "svg"):
    view.save(f"{sys.argv[1]}/step.{ending}")
print("IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None)
"""


def gpt():
    net = GPT(24, width=128)
    with watching():
        loss = net(torch.arange(64)[None]).square().mean()
    return watch(loss)


@pytest.mark.parametrize(
    "trace, nodes, most",
    [(chain(30), 30, 118_000), (residual(49), 290, 266_000), (gpt, 1_400, 1_400_000)],
    ids=["30", "300", "1500"],
)
def test_a_page_is_small(tmp_path, trace, nodes, most):
    view = gpt() if trace is gpt else GraphView(trace)
    view.save(tmp_path / "step.html")
    assert len(view.trace.nodes) >= nodes
    assert (tmp_path / "step.html").stat().st_size < most


def test_what_is_told_of_a_trace_is_worked_out_once(tmp_path, monkeypatch):
    made, wanted = [], Verdicts.__init__
    monkeypatch.setattr(Verdicts, "__init__", lambda self, *x: made.append(x) or wanted(self, *x))
    view = watch(gpt_loss(2, 2)[1]())
    view.unfold(view.drawn["folds"][:2])
    view.save(tmp_path / "step.html")
    assert len(made) == 1


def test_a_still_of_the_current_event(tmp_path):
    view = GraphView(logistic(), event=3)
    view.save(tmp_path / "step.svg")
    assert (tmp_path / "step.svg").read_text(encoding="utf-8") == still(logistic(), 3)
    with pytest.raises(ValueError, match=r"not as '\.png': step.svg is a still"):
        view.save(tmp_path / "step.png")


def test_a_plain_script_saves_without_jupyter(tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\n", "")
    assert {path.name for path in tmp_path.iterdir()} == {"step.html", "step.svg"}


def test_settings_are_counted_and_those_with_most_values_left_out():
    settings = settings_of(on=True, way=["a", "b", "c"], n=(2, 1, 5), fine=(0.5, 0.0, 1.0))
    few = {"on": [False, True], "way": ["a", "b", "c"]}
    assert countable(settings) == few | {"n": [1, 2, 3, 4, 5]}
    assert countable(settings, most=10) == few
    assert countable(settings_of(lr=(0.15, 0.0, 0.5, 0.1))) == {}, "it starts between its own stops"
    assert countable([{"kind": "text", "name": "e", "value": "a"}]) == {}


@pytest.mark.parametrize("ending", ["html", "svg"])
def test_a_closed_view_overwrites_nothing(tmp_path, ending):
    view, path = GraphView(logistic()), tmp_path / f"step.{ending}"
    view.save(path)
    before = path.read_bytes()
    view.close()
    with pytest.raises(ValueError, match="this view is closed"):
        view.save(path)
    assert path.read_bytes() == before

"""What `from autograd_core import watching, report, watch, follow, explore` gives, and what is said
where something is missing.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograd_core
from autograd_core import parity, trace, widgets

HOUSE = Path(__file__).resolve().parents[1]
# Python as if these were not installed
WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Missing())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {missing!r} else found(name, *rest)
{code}
"""


def without(missing, code):
    """What a new Python prints that lacks these packages, and the last line of its error."""
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(missing=missing, code=code)],
        cwd=HOUSE,
        capture_output=True,
        text=True,
    )
    return run.stdout.strip(), run.stderr.strip().rpartition("\n")[2]


def test_the_names_are_those_of_their_rooms():
    assert autograd_core.watching is parity.watching
    assert autograd_core.report is trace.report
    for name in ("watch", "follow", "explore"):
        assert getattr(autograd_core, name) is getattr(widgets, name)


NEEDS_TORCH = "what runs on PyTorch needs torch: pip install torch"
NEEDS_WIDGETS = "ModuleNotFoundError: a view needs anywidget and ipywidgets: pip install "


@pytest.mark.parametrize(
    "missing, available, asked, says",
    [
        (["torch"], "watch, report, follow, explore", "watching", NEEDS_TORCH),
        (
            ["anywidget", "ipywidgets", "IPython"],
            "watching, report, follow",
            "watch",
            f"{NEEDS_WIDGETS}anywidget ipywidgets",
        ),
        (["ipywidgets"], "report", "explore", f"{NEEDS_WIDGETS}ipywidgets"),
    ],
)
def test_what_is_missing_is_named_with_how_to_get_it(missing, available, asked, says):
    """Without widgets, `follow` returns the history that draws nothing."""
    code = f"from autograd_core import {available}\nprint(autograd_core.follow.__module__)\n"
    printed, error = without(missing, f"import autograd_core\n{code}autograd_core.{asked}")
    room = "widgets.graph.follow" if missing == ["torch"] else "trace.history"
    assert printed == f"autograd_core.{room}" and error.endswith(says), error


REPORT = """
import torch
from autograd_core import report, watching
net = torch.nn.Linear(2, 1)
with watching():
    loss = net(torch.ones(1, 2)).sum()
print(report(loss, net).raise_if(cut=True, nan=True))
"""


def test_a_report_needs_no_jupyter():
    jupyter = ["IPython", "anywidget", "ipywidgets", "traitlets", "comm", "threadpoolctl"]
    printed, _ = without(jupyter, REPORT)
    assert "2 parameters: 2 trained, 0 cut." in printed and printed.startswith("loss = ")


def test_report_and_watch_count_the_same_nodes():
    w = autograd_core.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * autograd_core.tensor([3.0, 4.0]) + 1).sum()
    counted = [re.findall(r"\d+ nodes", str(look(loss))) for look in (trace.report, widgets.watch)]
    assert counted == [["4 nodes"], ["4 nodes"]], "constants are none"

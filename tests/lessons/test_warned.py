"""A comment in a lesson says which engine warns, and that engine does."""

import subprocess
import sys

import nbformat
import pytest

from notebooks.authoring.refresh import NOTEBOOKS

CREATE_GRAPH = (
    "w = T.tensor(1.0, requires_grad=True)\n(w ** 3).backward(create_graph=True)\nw.grad = None"
)
SCHEDULE = """
w = T.ones(2, requires_grad=True)
optimizer = T.optim.Adam([w], lr=0.1)
schedule = T.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
w.grad = T.ones_like(w)
schedule.step()
optimizer.step()
"""
CASES = [
    ("03", "create_graph=True", "PyTorch warns", CREATE_GRAPH),
    ("12", "schedule.step()", "both engines warn", SCHEDULE),
]


def warns(engine, source):
    """Whether a new process warns: PyTorch says some things once."""
    program = f"import {engine} as T\n{source}"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return "Warning" in ran.stderr


@pytest.mark.parametrize("lesson, call, words, source", CASES, ids=["create_graph", "schedule"])
def test_a_comment_names_the_engines_that_warn(lesson, call, words, source):
    [path] = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells]
    [cell] = [each for each in cells if call in each and "simplefilter" in each]
    told = {"both engines warn": {"torch", "autograd_core"}, "PyTorch warns": {"torch"}}
    assert [each for each in told if each in cell] == [words]
    assert {engine for engine in ("torch", "autograd_core") if warns(engine, source)} == told[words]

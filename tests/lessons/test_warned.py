"""A comment in a lesson says which engine warns, and that engine does."""

import warnings

import nbformat
import pytest
import torch

import autograd_core
from notebooks.authoring.refresh import NOTEBOOKS


def schedule(T):
    w = T.ones(2, requires_grad=True)
    optimizer = T.optim.Adam([w], lr=0.1)
    schedule = T.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    w.grad = T.ones_like(w)
    schedule.step()
    optimizer.step()


CASES = [
    ("12", "schedule.step()", "both engines warn", schedule),
]


@pytest.fixture
def every_warning():
    """PyTorch repeats warnings that it would otherwise give once in a process."""
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


def warns(engine, program):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program(engine)
    return bool(caught)


@pytest.mark.parametrize("lesson, call, words, program", CASES)
def test_a_comment_names_the_engines_that_warn(every_warning, lesson, call, words, program):
    [path] = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells]
    [cell] = [each for each in cells if call in each and "simplefilter" in each]
    told = {"both engines warn": {torch, autograd_core}, "PyTorch warns": {torch}}
    assert [each for each in told if each in cell] == [words]
    assert {engine for engine in (torch, autograd_core) if warns(engine, program)} == told[words]

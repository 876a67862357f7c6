"""`compare`: what two runs have in common, and the first number that differs."""

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.widgets.kit.agreement import close, compare

RESULT = {
    "map": np.array([[0.5, np.nan], [np.inf, 1.0]]),
    "loss": 0.25,
    "row": [1.0, None, 3.0],
    "kept": [np.arange(3)],
}


def test_equal_results_agree_and_are_counted():
    found = compare(RESULT, RESULT)
    assert (found.differs, found.count) == (False, 10) and "no difference" in found.text


@pytest.mark.parametrize(
    "plant, said",
    [
        ({"map": np.array([[0.5, np.nan], [np.inf, 1.0 + 1e-9]])}, "map at 1, 1"),
        ({"map": np.array([[0.5, 2.0], [np.inf, 1.0]])}, "map at 0, 1 is nan here, 2 in PyTorch"),
        ({"map": np.array([[0.5, np.nan], [-np.inf, 1.0]])}, "map at 1, 0"),
        ({"map": np.array([0.5])}, "map is float64 [2, 2] here, float64 [1] in PyTorch"),
        ({"map": np.array([[0.5, np.nan], [np.inf, 1.0]], np.float32)}, "float32"),
        ({"map": None}, "missing in PyTorch"),
        ({"loss": 0.26}, "loss is 0.25 here, 0.26 in PyTorch"),
        ({"row": [1.0, 2.0, 3.0]}, "row[1]"),
        ({"row": [1.0, None]}, "row[2]"),
        ({"kept": [np.array([0, 1, 3])]}, "kept[0] at 2"),
        ({"more": 1.0}, "more is missing here"),
    ],
)
def test_planted_difference_is_told(plant, said):
    found = compare(RESULT, {**RESULT, **plant})
    assert found.differs and said in found.text


def test_tensors_of_both_engines_are_compared():
    ours, theirs = (T.tensor([1.0, 2.0], requires_grad=True) for T in (autograd_core, torch))
    assert compare({"x": ours}, {"x": theirs}).count == 2
    assert compare({"x": ours}, {"x": theirs + 1e-5}).differs


def test_float64_is_compared_in_shares_of_the_number():
    """A training that diverges: the last places of numbers of 1e12 are more than 1e-10."""
    row = [0.3, -5.2e12, np.inf]
    assert not compare(row, [0.3, -5.2e12 * (1 + 1e-12), np.inf]).differs
    assert compare(row, [0.3, -5.2e12 * (1 + 1e-9), np.inf]).differs
    # what is small is not compared with what is large beside it
    assert compare(row, [0.3 + 1e-9, -5.2e12, np.inf]).differs
    assert compare(row, [0.3, -5.2e12, -np.inf]).differs


def test_float32_is_compared_in_units_of_its_last_place():
    a = np.array([1.0, 100.0], np.float32)
    assert not compare(a, a * np.float32(1 + 1e-7)).differs
    assert compare(a, a * np.float32(1 + 1e-5)).differs


def test_what_is_left_of_terms_that_cancel_may_be_off_by_as_much_as_they_are():
    """A float32 gradient of 0.072 in a pass whose numbers reach 1, and the same sum taken in
    another order.
    """
    here, there = np.array([0.07202858], np.float32), np.array([0.07202862], np.float32)
    assert not close(here, there) and close(here, there, among=1.0)
    assert not close(here, there * np.float32(1.00001), among=1.0)
    assert not close(np.float32(1e-7), np.float32(2e-7), among=1.0), (
        "a gradient that is small all over keeps three digits"
    )

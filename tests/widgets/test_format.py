"""Numbers and tensors as short text: format_cases.json holds cases for Python and for the scripts alike."""

import json
from pathlib import Path

import numpy as np
import pytest

from autograd_core.widgets.kit.format import number, shorten, size_text, tensor_text

CASES = json.loads((Path(__file__).parent / "format_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("value, text", CASES)
def test_numbers_are_short_and_honest(value, text):
    assert number(float(value) if isinstance(value, str) else value) == text


@pytest.mark.parametrize("value, text", [
    (np.float32(0.1), "0.1"), (7, "7"), (np.True_, "True"), (np.float64("nan"), "nan")])
def test_numbers_of_numpy_are_numbers(value, text):
    assert number(value) == text


def test_tensors_of_up_to_three_numbers_are_shown_in_full():
    assert tensor_text(np.array([0.525, -1])) == "[0.525, −1]"
    assert tensor_text(np.zeros((2, 3))) == "2×3"
    assert tensor_text(np.zeros(4)) == "4 numbers", "a shape that could be read as a value"
    assert tensor_text(np.full((2, 2), 0.5), gradient=True) == "norm 1"
    assert tensor_text(None) == "None"
    assert [size_text(shape) for shape in ((1,), (3,), (2, 3), ())] == ["1 number", "3 numbers", "2×3", "scalar"]


def test_a_text_is_cut_to_one_line():
    assert shorten("a\n  b") == "a b"
    assert shorten("x" * 100, 5) == "xxxx…"

"""Numbers and tensors as short text: format_cases.json holds cases for Python and for the scripts
alike.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from autograd_core.widgets.kit import text as kit_text
from autograd_core.widgets.kit.format import number, shorten, size_text, tensor_text

CASES, FITS = (
    json.loads((Path(__file__).parent / f"{name}_cases.json").read_text(encoding="utf-8"))
    for name in ("format", "fit")
)


@pytest.mark.parametrize("value, text", CASES)
def test_numbers_are_short_and_honest(value, text):
    assert number(float(value) if isinstance(value, str) else value) == text


@pytest.mark.parametrize(
    "value, text",
    [(np.float32(0.1), "0.1"), (7, "7"), (np.True_, "True"), (np.float64("nan"), "nan")],
)
def test_numbers_of_numpy_are_numbers(value, text):
    assert number(value) == text


def test_tensors_of_up_to_three_numbers_are_shown_in_full():
    assert tensor_text(np.array([0.525, -1])) == "[0.525, −1]"
    assert tensor_text(np.zeros((2, 3))) == "2×3"
    assert tensor_text(np.zeros(4)) == "4 numbers", "a shape that could be read as a value"
    assert tensor_text(np.full((2, 2), 0.5), gradient=True) == "norm 1"
    assert tensor_text(None) == "None"
    assert [size_text(shape) for shape in ((1,), (3,), (2, 3), ())] == [
        "1 number",
        "3 numbers",
        "2×3",
        "scalar",
    ]


def test_a_text_is_cut_to_one_line():
    assert shorten("a\n  b") == "a b"
    assert shorten("x" * 100, 5) == "xxxx…"


@pytest.mark.parametrize("name, texts, room, line, choice", FITS)
def test_what_has_no_room_is_said_in_fewer_words(monkeypatch, name, texts, room, line, choice):
    """Where letters are 10 pixels wide, and 12 in bold, as in tests/js/text.test.mjs."""
    monkeypatch.setattr(
        kit_text, "text_width", lambda text, size, bold=False: len(text) * (12 if bold else 10)
    )
    assert kit_text.equation(name, texts, room, 12.5) == line
    assert list(kit_text.chosen(texts, room, 12.5)) == choice

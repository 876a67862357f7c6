"""Tables of results, and the table of lesson 12."""

import functools
import math

import pytest
import torch

import autograd_core
from autograd_core.lessons import lesson_12
from autograd_core.lessons.widgets.table import table


def test_a_table_writes_numbers_lists_and_code_and_marks_nan():
    shown = table(
        {"`x < 1`": [0.25, [1.0, math.nan]], "b": ["", [-2.0]]}, ["way", "loss", "at `p`"]
    )
    assert repr(shown).splitlines()[1] == "`x < 1`  0.25  1, nan"
    page = shown._repr_html_()
    assert "<td><code>x &lt; 1</code></td><td>0.25</td>" in page
    assert '<td>1, <span class="ac-nan">nan</span></td>' in page and page.count('"ac-nan"') == 1
    assert "<th>at <code>p</code></th>" in page and "<td>−2</td>" in page


def sgd(w, g, state, lr, momentum=0.0, weight_decay=0.0):
    g = g + weight_decay * w
    if momentum:
        g = state["momentum_buffer"] = momentum * state.get("momentum_buffer", 0) + g
    return w - lr * g


def rmsprop(w, g, state, lr):
    raise ZeroDivisionError("no rule")


def adam(w, g, state, lr, weight_decay=0.0):
    state["exp_avg"], state["exp_avg_sq"] = 0.1 * g, 0.001 * g**2
    return w - lr * 3.1622776601683795 * g / g.abs()


def adamw(w, g, state, lr, weight_decay=0.0):
    return w


def test_rules_are_compared_with_each_engines_optimizers():
    rules = [sgd, rmsprop, adam, adamw]
    rows = {row[0]: row[1:] for row in lesson_12.compare(*rules, on_torch=rules).rows}
    assert rows["`SGD(momentum=0.9)`"] == ["`sgd`", "momentum_buffer = g", "below 1e−12"]
    assert rows["`SGD()`"][1] == "–"
    assert rows["`RMSprop()`"][1:] == ["square_avg = 0.01 g²", "raises ZeroDivisionError: no rule"]
    said = "differs from step 1 on: yours moved x by 0.0632, Adam by 0.0200, 3.162 times as far"
    for optimizer, g in (("Adam()", "g"), ("Adam(weight_decay=0.1)", "(g + 0.1 w)")):
        assert rows[f"`{optimizer}`"][1:] == [f"exp_avg = 0.1 {g}, exp_avg_sq = 0.001 {g}²", said]
    assert rows["`SGD(momentum=0.9, weight_decay=0.1)`"][1] == "momentum_buffer = (g + 0.1 w)"
    assert rows["`AdamW(weight_decay=0.1)`"][1] == "exp_avg = 0.1 g, exp_avg_sq = 0.001 g²"
    assert "raises KeyError" in rows["`AdamW(weight_decay=0.1)`"][2]
    only_here = functools.wraps(sgd)(functools.partial(rmsprop))
    said = lesson_12.compare(*rules, on_torch=[only_here, *rules[1:]]).rows[0][-1]
    assert said == "autograd_core: below 1e−12; PyTorch: raises ZeroDivisionError: no rule"


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_rule_with_the_right_step_and_a_wrong_buffer_is_not_called_too_long():
    def wrong(w, g, state, lr, momentum=0.0, weight_decay=0.0):
        w = sgd(w, g, state, lr, momentum, weight_decay)
        state["momentum_buffer"] = 2 * g
        return w

    rules = [functools.wraps(sgd)(wrong), rmsprop, adam, adamw]
    said = lesson_12.compare(*rules, on_torch=rules).rows[1][-1]
    assert said.startswith("differs from step 1 on: ") and "times" not in said


def test_the_race_is_the_same_walk_on_both_engines():
    def height(x, y):
        return x**2 / 20 + 6 * y**2

    runs = [lesson_12.walks(T)(height, (-1.8, 0.6), 0.05) for T in (autograd_core, torch)]
    assert [*runs[0]] == ["SGD", "momentum", "RMSprop", "Adam"]
    ours, theirs = (torch.tensor(run["Adam"][10]["position"]) for run in runs)
    assert torch.allclose(ours, theirs)

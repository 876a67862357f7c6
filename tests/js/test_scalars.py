"""When a slider of `explore` moves on a page without a kernel, the page computes the numbers of the
engine and of PyTorch.
"""

import json
import random
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.widgets import explore
from autograd_core.widgets.graph.expression import FUNCTIONS, ExpressionError, parse
from autograd_core.widgets.kit.format import number
from tests.js.node import answer

STATE = "structure", "drawn", "numbers", "changes", "controls", "slopes", "answer"
PROGRAMS, LEAST = 40, 60
WHY = "This page can't compute it."
SCRIPT = Path(autograd_core.__file__).parent / "widgets" / "js" / "graph" / "scalars.js"
RULES = re.findall(r"^  (\w+): \[\(?", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)


def expression(draw: random.Random, depth: int = 4) -> str:
    """A random expression in a, b and c."""
    part = draw.random()
    if depth == 0 or part < 0.1:
        return draw.choice(["a", "b", "c", "2", "3", "0.5"])
    inner = expression(draw, depth - 1)
    if part < 0.4:
        return f"{draw.choice(FUNCTIONS)}({inner})"
    if part < 0.5:
        return f"({inner}) ** {draw.choice([2, 3, -1, 'a'])}"
    if part < 0.55:
        return draw.choice([f"-({inner})", f"(1 - {inner})", f"2 ** ({inner})"])
    return f"({inner} {draw.choice('+-*/')} {expression(draw, depth - 1)})"


def by_size(a, b):
    return autograd_core.maximum(a, b) * autograd_core.minimum(a * b, b)


def state_of(view) -> dict:
    return json.loads(json.dumps({name: getattr(view, name) for name in STATE}))


def moved(view, name: str, value: float) -> dict:
    """The state of a view after a move, by the engine."""
    view._received(view, {"kind": "change", "name": name, "value": value}, [])
    view._received(view, {"kind": "slopes"}, [])
    return state_of(view)


@cache
def programs() -> list[tuple[str, dict, list, list]]:
    """Random programs: the text, the first state, moves of sliders, and the states after them."""
    draw, found = random.Random(1), []
    texts = [by_size, "abs(a) ** b", *(expression(draw) for _ in range(PROGRAMS))]
    with np.errstate(all="ignore"):
        for text in texts:
            try:
                names = parse(text).names if isinstance(text, str) else ("a", "b")
                view = explore(text, **{name: round(draw.uniform(-2, 2), 2) for name in names})
            except ExpressionError:
                continue  # without a name, or without a result
            first = state_of(view)
            moves = [[draw.choice(names), round(draw.uniform(-3, 3), 2)] for _ in range(3)]
            found.append((text, first, moves, [moved(view, *each) for each in moves]))
    return found


def asked(planted: str = "") -> list[dict]:
    """What the page answers in each of the programs."""
    given = [{"state": first, "moves": moves} for _, first, moves, _ in programs()]
    return answer("moves.mjs", {"programs": given, "planted": planted})


def is_finite(state: dict) -> bool:
    return not any(word in state["numbers"] for word in ("nan", "inf"))


def differing(found: object, expected: object, place: str = "") -> list[str]:
    """The places at which two states differ by more than rounding. A track may be left out if it is
    empty.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = [key for key in {**found, **expected} if found.get(key) or expected.get(key)]
        pairs = [(found.get(key), expected.get(key), f"{place} {key}") for key in keys]
    elif isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        pairs = [(x, y, f"{place} {i}") for i, (x, y) in enumerate(zip(found, expected))]
    elif isinstance(expected, float) and isinstance(found, int | float):
        close = found == pytest.approx(expected, rel=1e-9, abs=1e-9)
        return [] if close else [f"{place}: {found} is not {expected}"]
    else:
        return [] if found == expected else [f"{place}: {found} is not {expected}"]
    return [each for pair in pairs for each in differing(*pair)]


def wrong(page: dict, engine: dict) -> list[str]:
    """What the page shows after a move, and the engine doesn't."""
    found = differing([page["controls"][-1]["value"]], [engine["controls"][-1]["value"]], "slider")
    for name in ("numbers", "changes"):
        found += differing(json.loads(page[name]), json.loads(engine[name]), name)
    for slope, known in zip(page["slopes"], engine["slopes"], strict=True):
        found += differing([slope["at"], slope["loss"]], [known["at"], known["loss"]], "slope")
        found += differing([slope["grad"]], [known["grad"]], "grad")
        heights = [y for y in known["curve"] if y is not None] or [0]
        rounding = 1e-5 * (max(heights) - min(heights)) + 1e-9  # Python rounds curves
        for x, y in zip(slope["curve"], known["curve"], strict=True):
            close = x == y or (None not in (x, y) and x == pytest.approx(y, abs=rounding))
            found += [] if close else [f"curve: {x} is not {y}"]
    return found


def slopes_in_pytorch(text: str, state: dict) -> list[float]:
    """The loss and the gradients at the sliders of this state."""
    at = {slope["name"]: slope["at"] for slope in state["slopes"]}
    leaves = {
        name: torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
        for name, x in at.items()
    }
    loss = parse(text).evaluate(torch, **leaves)
    loss.backward()
    return [loss.item(), *(None if x.grad is None else x.grad.item() for x in leaves.values())]


def test_a_page_shows_after_each_move_what_the_engine_would_and_what_pytorch_computes():
    compared = 0
    for (text, first, _, states), page in zip(programs(), asked(), strict=True):
        fixed = [each["fixed"] for each in page["controls"] if each["kind"] == "slider"]
        assert {*fixed} == ({""} if is_finite(first) else {WHY})
        for shown, state in zip(page["answers"], states):
            if not is_finite(first) or not is_finite(state):
                break  # from here on, the page shows the numbers of another place
            assert wrong(shown, state) == [], text
            if isinstance(text, str):
                found = [shown["slopes"][0]["loss"], *(each["grad"] for each in shown["slopes"])]
                expected = slopes_in_pytorch(text, shown)
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), text
            compared += 1
    assert compared > LEAST


def test_where_a_number_is_not_finite_the_page_says_so_and_stays():
    left = 0
    for (_, first, moves, states), page in zip(programs(), asked(), strict=True):
        if not is_finite(first) or is_finite(states[0]):
            continue
        name, value = moves[0]
        error = page["answers"][0]["answer"]["error"]
        assert error.startswith(f"A number is inf or nan at {name} = {number(value)}.")
        assert json.loads(page["answers"][0]["numbers"]) == json.loads(first["numbers"])
        left += 1
    assert left > 1


@pytest.mark.parametrize("rule", RULES)
def test_a_planted_wrong_rule_is_found_by_this_test_and_by_the_page_itself(rule):
    short = rule[:-1]
    uses = [
        i
        for i, (_, first, _, states) in enumerate(programs())
        if is_finite(first) and is_finite(states[0])
        if any(
            n["short"] == short and n["rest"].endswith(rule[-1])
            for n in first["structure"]["nodes"]
        )
    ]
    pages = asked(rule)
    assert any(wrong(pages[i]["answers"][0], programs()[i][3][0]) for i in uses)
    told = {control["fixed"] for i in uses for control in pages[i]["controls"]}
    assert WHY in told

"""Moves by hand, with the widgets of lessons 00 and 03: every way leads to what PyTorch computes, and
the right play wins.
"""

import itertools
import random
import re
import xml.etree.ElementTree as xml

import nbformat
import pytest
import torch

from autograd_core.lessons import lesson_00, lesson_03
from autograd_core.lessons.widgets.by_hand import calls_by_hand, optimizer_by_hand
from notebooks.authoring.refresh import NOTEBOOKS
from tests.budget import SEED

BACKWARD, STEP, ZERO = range(3)
CALLS = dict(goal=3.0, within=0.05, edges=(-1.0, 7.0), lr=0.75)


def widget_of(lesson, call):
    """What the cell with this call shows, and the cell's names."""
    [path] = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    sources = [cell.source for cell in nbformat.read(path, as_version=4).cells]
    [source] = [each for each in sources if f"\n{call}(" in each]
    before, _, last = source.rpartition(f"\n{call}(")
    names = {"lesson_00": lesson_00, "lesson_03": lesson_03}
    exec(re.sub(r"^%.*$", "", before, flags=re.MULTILINE), names)
    return eval(f"{call}({last}", {**globals(), **names}), names


def game_of_00():
    return widget_of("00", "lesson_00.optimizer_by_hand")[0]


def calls_of_03():
    return widget_of("03", "lesson_03.three_calls")[0]


def loss_of(w):
    return (w - 3) ** 2 / 2


@pytest.fixture(scope="module")
def game_and_valley():
    game, names = widget_of("00", "lesson_00.optimizer_by_hand")
    return game, names["valley"]


@pytest.fixture(scope="module")
def game(game_and_valley):
    return game_and_valley[0]


calls = pytest.fixture(scope="module", name="calls")(calls_of_03)


def numbers_after(widget, way):
    state = 0
    for move in way:
        state = widget.drawn["leads"][state][move]
    return widget.drawn["states"][state]


def ways(widget):
    draw, moves = random.Random(SEED), range(len(widget.moves))
    return [draw.choices(moves, k=draw.randint(0, widget.most)) for _ in range(100)]


def first_weights():
    return [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.25, 1.0)]


def test_each_way_of_moves_leads_to_pytorchs_loss_and_gradients(game_and_valley):
    game, valley = game_and_valley
    assert game.drawn["names"] == ["loss", "a", "b", "a.grad", "b.grad"]
    for way in ways(game):
        a, b = first_weights()
        with torch.no_grad():
            for move in way:
                (a, b)[move // 2].add_(0.25 if move % 2 else -0.25)
        loss = valley(a, b)
        loss.backward()
        expected = [x.item() for x in (loss, a, b, a.grad, b.grad)]
        assert numbers_after(game, way) == pytest.approx(expected, abs=1e-12)


def test_each_way_of_calls_leads_to_what_they_do_in_pytorch(calls):
    assert calls.moves == ["loss(w).backward()", "optimizer.step()", "optimizer.zero_grad()"]
    for way in ways(calls):
        w = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
        names = {"w": w, "loss": loss_of, "optimizer": torch.optim.SGD([w], lr=0.75)}
        for call in way:
            eval(calls.moves[call], names)
        expected = [w.item(), None if w.grad is None else w.grad.item(), w.item() - 3]
        assert numbers_after(calls, way) == expected


def test_the_rival_is_pytorchs_sgd(game_and_valley):
    game, valley = game_and_valley
    a, b = first_weights()
    optimizer, losses = torch.optim.SGD([a, b], lr=0.1), []
    for _ in range(13):
        optimizer.zero_grad()
        losses.append(valley(a, b))
        losses[-1].backward()
        optimizer.step()
    assert game.drawn["rival"] == pytest.approx([loss.item() for loss in losses], abs=1e-12)


def played(widget, choose, way=()):
    """The moves that `choose` makes, given the moves so far, until the game ends."""
    drawn, state = widget.drawn, 0
    while state not in drawn["ends"] and len(way) < widget.most:
        way = (*way, choose(way))
        state = drawn["leads"][state][way[-1]]
    return way


def test_who_always_follows_the_larger_gradient_wins_and_who_goes_with_it_does_not(game):
    def larger(way):
        gradients = numbers_after(game, way)[-2:]
        i = int(abs(gradients[1]) > abs(gradients[0]))
        return 2 * i + (gradients[i] < 0)  # against the gradient

    losses = [numbers_after(game, played(game, larger)[:k])[0] for k in range(10)]
    assert len(played(game, larger)) == 9 and game.most == 12
    assert all(after < before for before, after in itertools.pairwise(losses))
    assert losses[-1] == 0 < game.drawn["rival"][9]
    way = played(game, lambda way: larger(way) ^ 1)
    assert len(way) == game.most
    assert numbers_after(game, way)[0] > numbers_after(game, ())[0] > game.drawn["rival"][-1]


def test_the_map_is_the_loss_with_all_places_inside(game):
    drawn = xml.fromstring(game.drawn["map"])
    contours = [each for each in drawn.findall(".//{*}path") if not each.get("data-part")]
    assert len(contours) >= 6 and len(game.drawn["at"]) == len(game.drawn["states"])
    place = dict(zip(map(tuple, (state[1:3] for state in game.drawn["states"])), game.drawn["at"]))
    assert place[1.0, -0.5][0] > place[0.25, 1.0][0] and place[1.0, -0.5][1] > place[0.25, 1.0][1]
    assert game.drawn["trail"][0] == place[0.25, 1.0] == game.drawn["at"][0]
    assert all(0 < x < 400 and 0 < y < 250 for x, y in game.drawn["trail"])


def test_sgds_losses_are_not_in_the_picture_before_the_first_move(game):
    for picture in (game.still(), game.drawn["svg"]):
        drawn = xml.fromstring(picture)
        paths = [each.get("d") for each in drawn.findall(".//{*}path")]
        dots = [each for each in drawn.findall(".//{*}circle") if each.get("cx")]
        assert len(paths) == 4 and not any("L" in path for path in paths) and len(dots) == 1


def mistakes(way):
    """How many steps moved the weight by a gradient that wasn't one fresh slope."""
    summed, stale, wrong = 0, False, 0
    for call in way:
        if call == BACKWARD:
            summed += 1
        elif call == ZERO:
            summed, stale = 0, False
        elif summed:
            wrong += stale or summed > 1
            stale = True
    return wrong


def test_of_all_sequences_of_calls_only_those_without_a_mistake_win(calls):
    won = []
    for way in itertools.product(range(3), repeat=calls.most):
        if len(ended := played(calls, lambda done, way=way: way[len(done)])) < calls.most or (
            abs(numbers_after(calls, ended)[0] - 3) <= 0.05
        ):
            won.append(way)
            assert mistakes(ended) == 0 and sum(call == STEP for call in ended) >= 3
    assert len(won) == 11
    for loop, count in (((ZERO, BACKWARD, STEP), 9), ((BACKWARD, STEP, ZERO), 8)):
        assert loop * 3 in won
        ended = played(calls, lambda done, loop=loop: loop[len(done) % 3])
        assert (numbers_after(calls, ended)[0], len(ended)) == (2.953125, count)
    assert mistakes((BACKWARD, STEP, STEP)) == mistakes((BACKWARD, BACKWARD, STEP)) == 1
    assert mistakes((BACKWARD, STEP, BACKWARD, STEP)) == 1


def test_the_engines_agree_and_a_planted_difference_is_told(game, calls):
    assert not game.verdict["differs"] and not calls.verdict["differs"]

    def other(w):
        return loss_of(w) * (1 + 1e-6 * isinstance(w, torch.Tensor))

    planted = calls_by_hand(other, {"w": 0.0}, **CALLS, most=3)
    assert planted.verdict["differs"]


def test_the_ball_is_where_the_weight_is(calls):
    at = {state[0]: place for state, place in zip(calls.drawn["states"], calls.drawn["at"])}
    assert at[2.953125]["ball"]["cy"] > at[2.25]["ball"]["cy"] > at[0.0]["ball"]["cy"]
    assert all(place is False for w, place in at.items() if not -1 <= w <= 7) and max(at) > 7


def test_stills_and_words(game, calls):
    assert repr(game) == (
        "You are the optimizer, in 12 moves; at first loss is 2.138, a is 0.25, b is 1, a.grad is"
        " −3.6, b.grad is 1.05"
    )
    assert repr(calls) == (
        "Three calls, in 9 moves; at first w is 0, w.grad is None, slope of the loss is −3"
    )
    for widget in (game, calls):
        still = widget.still()
        assert xml.fromstring(still).find("{*}title").text == repr(widget)
        assert "data-part" not in still and "var(" not in still
        assert all(each.get("cx") for each in xml.fromstring(still).findall(".//{*}circle"))


@pytest.mark.parametrize("make, start", [(optimizer_by_hand, "a"), (calls_by_hand, "wv")])
def test_other_counts_of_numbers_are_refused(make, start):
    options = {"by": 1.0} if make is optimizer_by_hand else {**CALLS}
    with pytest.raises(ValueError):
        make(loss_of, dict.fromkeys(start, 0.0), **{"lr": 0.1, **options})

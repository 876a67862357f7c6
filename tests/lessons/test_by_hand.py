"""Moves by hand: every way leads to what the engines compute, and both games can be won and lost."""

import random
import xml.etree.ElementTree as xml

import pytest
import torch

from autograd_core.lessons.widgets.by_hand import calls_by_hand, optimizer_by_hand


def valley(a, b):
    return (a * b - 1) ** 2 + (a - b) ** 2 / 10


def loss_of(w):
    return (w - 3) ** 2 / 2


def game_of_00():
    return optimizer_by_hand(valley, {"a": 2.5, "b": 0.0}, by=0.25, lr=0.1)


def calls_of_03():
    return calls_by_hand(loss_of, {"w": 0.0}, goal=[3.0, 0.0], edges=(-1.0, 7.0), lr=0.5)


@pytest.fixture(scope="module")
def game():
    return game_of_00()


@pytest.fixture(scope="module")
def calls():
    return calls_of_03()


def numbers_after(widget, way):
    state = 0
    for move in way:
        state = widget.drawn["leads"][state][move]
    return widget.drawn["states"][state]


def ways(widget, seed):
    draw, moves = random.Random(seed), range(len(widget.moves))
    return [draw.choices(moves, k=draw.randint(0, widget.most)) for _ in range(50)]


@pytest.mark.parametrize("seed", range(3))
def test_each_way_of_moves_leads_to_pytorchs_loss_and_gradients(game, seed):
    assert game.drawn["names"] == ["loss", "a", "b", "a.grad", "b.grad"]
    for way in ways(game, seed):
        a, b = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (2.5, 0.0))
        with torch.no_grad():
            for move in way:
                (a, b)[move // 2].add_(0.25 if move % 2 else -0.25)
        loss = valley(a, b)
        loss.backward()
        expected = [x.item() for x in (loss, a, b, a.grad, b.grad)]
        assert numbers_after(game, way) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_each_way_of_calls_leads_to_what_they_do_in_pytorch(calls, seed):
    assert calls.moves == [
        "loss_of(w).backward()",
        "optimizer.step()",
        "optimizer.zero_grad()",
    ]
    for way in ways(calls, seed):
        w = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
        names = {"w": w, "loss_of": loss_of, "optimizer": torch.optim.SGD([w], lr=0.5)}
        for call in way:
            eval(calls.moves[call], names)
        expected = [w.item(), None if w.grad is None else w.grad.item()]
        assert numbers_after(calls, way) == expected


def test_every_move_leads_on_until_the_last(game, calls):
    for widget in (game, calls):
        near = {0}
        for _ in range(widget.most):
            steps = [widget.drawn["leads"][state] for state in near]
            assert {len(each) for each in steps} == {len(widget.moves)}
            near = {state for each in steps for state in each}


def test_the_rival_is_pytorchs_sgd(game):
    a, b = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (2.5, 0.0))
    optimizer, losses = torch.optim.SGD([a, b], lr=0.1), []
    for _ in range(13):
        optimizer.zero_grad()
        losses.append(valley(a, b))
        losses[-1].backward()
        optimizer.step()
    assert game.drawn["rival"] == pytest.approx([loss.item() for loss in losses], abs=1e-12)


def test_who_obeys_the_larger_number_loses_and_who_obeys_both_in_turn_wins(game):
    def played(chosen):
        way = []
        for turn in range(game.most):
            gradients = numbers_after(game, way)[-2:]
            i = chosen(turn, gradients)
            way.append(2 * i + (gradients[i] < 0))
        return numbers_after(game, way)[0]

    larger = played(lambda turn, gradients: int(abs(gradients[1]) > abs(gradients[0])))
    in_turn = played(lambda turn, gradients: turn % 2)
    assert in_turn < game.drawn["rival"][-1] < larger
    assert min(state[0] for state in game.drawn["states"]) == 0


def test_the_goal_is_reached_by_two_passes_in_one_step(calls):
    backward, step, zero = range(3)
    assert numbers_after(calls, [backward, backward, step]) == [3.0, -6.0]
    assert numbers_after(calls, [backward, backward, step, backward, step]) == [6.0, -6.0]
    assert numbers_after(calls, [backward, backward, step, zero, backward]) == [3.0, 0.0]
    # at the goal no call moves the weight
    goal = calls.drawn["states"].index([3.0, 0.0])
    leads = {calls.drawn["states"][state][0] for state in calls.drawn["leads"][goal]}
    assert leads == {3.0}


def test_the_engines_agree_and_a_planted_difference_is_told(game, calls):
    assert not game.verdict["differs"] and not calls.verdict["differs"]

    def other(w):
        return loss_of(w) * (1 + 1e-6 * isinstance(w, torch.Tensor))

    planted = calls_by_hand(other, {"w": 0.0}, goal=[3.0, 0.0], edges=(-1.0, 7.0), lr=0.5)
    assert planted.verdict["differs"]


def test_the_picture_shows_every_loss_below_the_start(game):
    low, high = game.drawn["range"]
    assert low <= min(state[0] for state in game.drawn["states"]) and game.drawn["rival"][0] < high
    assert len(game.drawn["rival"]) == game.drawn["places"]["steps"] == game.most + 1


def test_the_ball_is_where_the_weight_is(calls):
    at = {state[0]: place for state, place in zip(calls.drawn["states"], calls.drawn["at"])}
    assert at[3.0]["ball"]["cy"] > at[0.0]["ball"]["cy"] == at[6.0]["ball"]["cy"]
    assert at[24.0] is False


def test_stills_and_words(game, calls):
    assert repr(game) == (
        "You are the optimizer, in 12 moves; at first loss is 1.625, a is 2.5, b is 0, a.grad is"
        " 0.5, b.grad is −5.5"
    )
    assert repr(calls) == "You make the calls, in 8 moves; at first w is 0, w.grad is None"
    for widget in (game, calls):
        still = widget.still()
        assert xml.fromstring(still).find("{*}title").text == repr(widget)
        assert "data-part" not in still and "var(" not in still
        assert all(each.get("cx") for each in xml.fromstring(still).iter("{*}circle"))


@pytest.mark.parametrize("make, start", [(optimizer_by_hand, "a"), (calls_by_hand, "wv")])
def test_other_counts_of_numbers_are_refused(make, start):
    options = {"by": 1.0} if make is optimizer_by_hand else {"goal": [0, 0], "edges": (0, 1)}
    with pytest.raises(ValueError):
        make(loss_of, dict.fromkeys(start, 0.0), lr=0.1, **options)

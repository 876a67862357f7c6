"""Lesson 13, debug the loop: what PyTorch answers to its exercises."""

import torch

from ..check import exercise, function_exercise
from ..references import Function, Loss
from . import after_steps


def _stays_a_leaf(w):
    (w**2).detach().requires_grad_().backward()
    return w


def _gets_other_memory(w):
    w.data = w.data.clone()
    (w**2).backward()
    return w


def _has_a_dead_branch(w):
    torch.where(w > 9, torch.sqrt(w - 4), w).backward()
    return w


def _is_a_result(w):
    w = w * 1.0
    (w**2).backward()
    return w


def _outcome(loop):
    leaf = torch.tensor([4.0], requires_grad=True)
    optimizer = torch.optim.SGD([leaf], lr=0.1)
    w = loop(leaf)
    optimizer.step()
    return "nan" if w.isnan().any() else "stays" if w.item() == 4 else "moves"


IN_2 = "In 2 it is the same tensor with other memory: the optimizer still holds it"
IN_4 = "In 4 the optimizer moves the leaf; the new `w` is a result, computed before"
IN_1 = "In 1 the detached number is a new leaf: nothing leads from it to `w`"
WHICH_LEAF = "Two are wrong. Which leaf does the optimizer hold, in 1 and in 4?"
WHICH_MEMORY = "Two are wrong. Which memory does the optimizer write, in 2 and in 4?"
IN_3_AND_4 = "Two are wrong. In 3 a branch was not chosen; in 4 it is the leaf that moves"


@exercise(
    "13.1",
    mistakes={
        IN_2: "stays stays nan stays".split(),
        "In 3 the branch that was not chosen sends 0 times infinity": "stays moves moves stays".split(),
        IN_4: "stays moves nan moves".split(),
        IN_1: "moves moves nan stays".split(),
        "In 3 look at the gradient, not at the loss": "stays moves stays stays".split(),
        IN_3_AND_4: "stays moves moves moves".split(),
        WHICH_LEAF: "moves moves nan moves".split(),
        WHICH_MEMORY: "stays stays nan moves".split(),
    },
)
def which_loops_move_the_weight():
    loops = _stays_a_leaf, _gets_other_memory, _has_a_dead_branch, _is_a_result
    return {"outcomes": [_outcome(loop) for loop in loops]}


@function_exercise(
    "13.2",
    loss=Loss(
        lambda common, rare: (common.sum() / 32 + rare.sum() / 4) / 2,
        {"common": (32,), "rare": (4,)},
    ),
)
def wrong_losses(a, b):
    too_much = a.sum() + 32 * b.sum()
    same = "Every point counts the same here: the rare together count an eighth of the common"
    return {
        "If all losses are 1 this is 2": a.mean() + b.mean(),
        same: (a.sum() + b.sum()) / 36,
        "Sums: the common loader weighs 32, the rare one 4": a.sum() + b.sum(),
        "A sum and a mean: that is patient 6": a.sum() + b.mean(),
        "The rare ones are counted too much: 32 / 4 = 8 for each, not more": too_much / 160,
        "Only the rare ones learn": b.mean() + 0 * a.sum(),
    }


def _fraction(w, gradient):
    return (after_steps(w, gradient) - w).norm() / w.norm()


STEPS = [
    ([3.0, 4.0], [0.0, -100.0]),
    ([-0.5], [0.0]),
    ([[3.0, 0.0], [0.0, 4.0]], [[1.0, 2.0], [0.0, -2.0]]),
]


@function_exercise("13.3", fraction=Function(_fraction, {"w": (5,), "gradient": (5,)}, STEPS))
def wrong_fractions(w, g):
    length, step, after = w.norm(), 0.1 * g.norm(), (w - 0.1 * g).norm()
    squares, sizes = 0.1 * (g**2).sum() / (w**2).sum(), 0.1 * g.abs().sum() / w.abs().sum()
    sideways = "That is by how much the length changes; a step may go sideways"
    return {
        "The learning rate is missing": g.norm() / length,
        "That is the length of the step, not its fraction of `w`": step,
        "The fraction is upside down": length / step,
        "Divide lengths, not numbers one by one": (0.1 * g / w).norm(),
        "The root is missing: a length is the root of the sum of squares": squares,
        "That is how far it lands from 0, not how far it goes": after / length,
        "The fraction is of the length before the step": step / after,
        sideways: [(length - after) / length, (after - length) / length],
        "A length is the root of the sum of squares, not a sum of sizes": sizes,
        "How far it goes has no sign": -step / length,
    }

"""Lesson 00, start here: what PyTorch answers to its exercises."""

import torch

from ..check import exercise, function_exercise
from ..references import Function


@exercise(
    "00.1",
    mistakes={
        "that moves `w` to −2. The size is right, but a step goes *against* the gradient": 25.0,
        "that moves `w` to 0.75. It is minus the move, which `step()` makes by multiplying the"
        " gradient by −0.1": -2.5,
        "that moves `w` to 0.25. It is the move, which `step()` makes by multiplying the gradient"
        " by −0.1": 2.5,
        "that moves `w` to 0.525. The move is learning rate × gradient: divide by 0.1, don't"
        " multiply": -0.25,
        "that moves `w` to 0.475. The move is learning rate × gradient: divide by 0.1, and look at"
        " the sign": 0.25,
        "that moves `w` to 0.2. It is the goal; the step is −0.1 times the gradient, and it has to"
        " move `w` by 2.5": 3.0,
        "that moves `w` by 3, to 3.5. It has to move by 2.5, from 0.5 to 3": -30.0,
        "the gradient is 0, so `step()` moves nothing": 0.0,
    },
)
def typed_gradient():
    w = torch.tensor(0.5, dtype=torch.float64)
    return {"gradient": (w - 3) / 0.1}


class PredictedLoss(Function):
    """A function that is called with a list of gradients and a number `lr`."""

    def call(self, function, given):
        loss, gradients, lr = given
        return super().call(lambda *_: function(loss, list(gradients), lr.item()), given)


def squares(gradients):
    return sum(g**2 for g in gradients)


CASES = [
    (1.44, [4.8, -1.2, -2.4], 0.05),
    (1.44, [4.8, -1.2, -2.4], 0.005),
    (2.1375, [-3.6, 1.05], 0.1),
    (2.0, [3.0], 0.1),
]
"""The loss of the lesson, the valley of the game, and a single number."""

function_exercise(
    "00.2",
    tolerance=1e-3,
    predicted=PredictedLoss(
        lambda loss, gradients, lr: loss - lr * squares(gradients),
        {},
        CASES,
        random=0,
        mistakes={
            "that adds up the moves. Each move changes the loss by the move *times the gradient*": (
                lambda loss, gradients, lr: loss - lr * sum(gradients)
            ),
            "the learning rate is missing: a move is `lr` × gradient": (
                lambda loss, gradients, lr: loss - squares(gradients)
            ),
            "the sign: a step goes against the gradient, so the predicted loss is lower": (
                lambda loss, gradients, lr: loss + lr * squares(gradients)
            ),
            "square each gradient before you add them up": (
                lambda loss, gradients, lr: loss - lr * sum(gradients) ** 2
            ),
            "that is the distance moved. Multiply each move by its gradient": (
                lambda loss, gradients, lr: loss - lr * sum(abs(g) for g in gradients)
            ),
            "that subtracts `lr` times the norm. Its square is needed": (
                lambda loss, gradients, lr: loss - lr * squares(gradients) ** 0.5
            ),
            "`lr` counts once: move × gradient is `lr` × gradient²": (
                lambda loss, gradients, lr: loss - lr**2 * squares(gradients)
            ),
            "that is the change. Add the loss": (
                lambda loss, gradients, lr: -lr * squares(gradients)
            ),
            "multiply this sum by `lr` and subtract it from the loss": (
                lambda loss, gradients, lr: squares(gradients)
            ),
        },
    ),
)

"""Lesson 10, train a detector: what PyTorch answers to its exercises."""

import numpy as np
import torch

from ..check import function_exercise
from ..references import Function, Loss, array_of


class OfArrays(Function):
    """A reference for a function that is called with arrays of NumPy."""

    engines = (array_of,)


def _turn(sin, cos, true_sin, true_cos):
    return np.arctan2(sin, cos) - np.arctan2(true_sin, true_cos)


def _whole(turn):
    """An angle in degrees, from -180 to 180."""
    return np.degrees(np.arctan2(np.sin(turn), np.cos(turn)))


def _degrees(*pairs):
    return abs(_whole(_turn(*pairs)))


ANGLES = torch.linspace(0.0, 6.2, 40, dtype=torch.float64)
OPPOSITES = [0.0, 3.0, -2.0], [2.0, 0.0, 0.0], [0.0, -1.0, 1.0], [-1.0, 0.0, 0.0]

WRONG_DEGREES = {
    "from 175° to −175° the error is 10°, not 350°": lambda *four: np.degrees(abs(_turn(*four))),
    "these are radians": lambda *four: np.radians(_degrees(*four)),
    "an error has no sign: it goes from 0 to 180": lambda *four: _whole(_turn(*four)),
    "the pair has any length, so its sine alone isn't the direction": lambda sin, cos, sin_2, cos_2: (
        np.degrees(abs(np.arcsin(sin) - np.arcsin(sin_2)))
    ),
    "a direction and its opposite are 180° apart": lambda *four: 90 - abs(_degrees(*four) - 90),
    "`arctan` can't tell a direction from its opposite; `arctan2` can": lambda sin, cos, sin_2, cos_2: (
        abs(_whole(np.arctan(sin / cos) - np.arctan(sin_2 / cos_2)))
    ),
    "this is the angle only if both pairs have length 1": lambda sin, cos, sin_2, cos_2: np.degrees(
        np.arccos(np.clip(sin * sin_2 + cos * cos_2, -1, 1))
    ),
    "a remainder by 180 turns 180° into 0°": lambda *four: _degrees(*four) % 180,
    "return one error for each pair": lambda *four: _degrees(*four).mean(),
}

function_exercise(
    "10.1",
    degrees=OfArrays(
        lambda *pairs: _degrees(*map(array_of, pairs)),
        {
            "sin": (40,),
            "cos": (40,),
            "true_sin": lambda generator: torch.sin(ANGLES),
            "true_cos": lambda generator: torch.cos(ANGLES),
        },
        [OPPOSITES],
        mistakes=WRONG_DEGREES,
    ),
)


class DirectionLoss(Loss):
    """A reference for a loss of predicted and true pairs. The true ones require no gradient."""

    def trial(self, generator, arguments):
        names = ["the value", "the gradient of sin", "the gradient of cos"]
        return arguments, list(self.call(self.reference, arguments)), names

    def call(self, function, given):
        return super().call(lambda sin, cos: function(sin, cos, *given[2:]), given[:2])


def _scaled(sin, cos):
    length = (sin**2 + cos**2).sqrt()
    return sin / length, cos / length


def _along(sin, cos, true_sin, true_cos):
    """The cosine of the error."""
    sin, cos = _scaled(sin, cos)
    return sin * true_sin + cos * true_cos


def _cosine_only(sin, cos, true_sin, true_cos):
    return ((_scaled(sin, cos)[1] - true_cos) ** 2).mean()


def _lengths_detached(sin, cos, true_sin, true_cos):
    length = (sin**2 + cos**2).sqrt().detach()
    return (1 - (sin * true_sin + cos * true_cos) / length).mean()


FAR = torch.linspace(0.2, 3.0, 40, dtype=torch.float64)  # lengths of the predicted pairs
TURNS = torch.linspace(-2.0, 2.5, 40, dtype=torch.float64)  # their errors

function_exercise(
    "10.2",
    loss=DirectionLoss(
        lambda *four: (1 - _along(*four)).mean(),
        {
            "sin": lambda generator: FAR * torch.sin(ANGLES + TURNS),
            "cos": lambda generator: FAR * torch.cos(ANGLES + TURNS),
            "true_sin": lambda generator: torch.sin(ANGLES),
            "true_cos": lambda generator: torch.cos(ANGLES),
        },
        [OPPOSITES],
        random=1,
        mistakes={
            "without the division by the length, a longer pair has a lower loss": (
                lambda sin, cos, true_sin, true_cos: (1 - sin * true_sin - cos * true_cos).mean()
            ),
            "the length is detached here, so the gradient also changes the length": (
                _lengths_detached
            ),
            "this is the sum; return the mean": lambda *four: (1 - _along(*four)).sum(),
            "the sign is wrong: this loss is lowest if the error is 180°": (
                lambda *four: _along(*four).mean()
            ),
            "the gradient is right, but at an error of 0 the loss is -1, not 0": (
                lambda *four: -_along(*four).mean()
            ),
            "the square of the distance between the scaled pairs is twice this loss": (
                lambda *four: (2 - 2 * _along(*four)).mean()
            ),
            "this reads only the scaled cosine, which is equal for sin and −sin": _cosine_only,
        },
    ),
)

"""Lesson 10, train a detector: what PyTorch answers to its exercises."""

import math

import torch

from ....parity.results import as_array
from ..check import Function, function_exercise
from . import mask_of


class OfArrays(Function):
    """A function that is called with arrays of NumPy."""

    def call(self, function, arguments):
        return function(*(as_array(argument).copy() for argument in arguments))


def _share(above, below):
    return above.sum() / below.sum()


def _or_one(above, below):
    return _share(above, below) if below.any() else above.sum() * 0.0 + 1.0


def guarded(above, below):
    """The share with a guard against 0 / 0, and without."""
    return [_or_one(above, below), _share(above, below)]


SOME = mask_of(6, 7, share=0.4)
EMPTY, FULL = torch.zeros(4, 5, dtype=torch.bool), torch.ones(4, 5, dtype=torch.bool)


@function_exercise(
    "10.1",
    iou=Function(
        lambda found, true, counted: _or_one(found & true & counted, (found | true) & counted),
        {"found": SOME, "true": SOME, "counted": mask_of(6, 7, share=0.7)},
        [
            (EMPTY, EMPTY, FULL),
            (FULL, FULL, EMPTY),
            (FULL, EMPTY, FULL),
            (EMPTY, FULL, FULL),
            (FULL, FULL, FULL),
        ],
    ),
)
def wrong_scores(found, true, counted):
    both, either = found & true & counted, (found | true) & counted
    sums, agree = (found & counted).sum() + (true & counted).sum(), (found == true) & counted
    twice = "Where both are True a pixel is counted twice below the line: the union counts it once"
    dice = "That is the Dice score, twice the intersection over both sums. The IoU has the union"
    nothing = "Where nothing is to be found and nothing is found"
    outside = "The union, below the line, still holds pixels that do not count"
    alarms = "That is the share of what is true: false alarms cost nothing"
    missed = "That is the share of what is found: what was missed costs nothing"
    background = "That is the share of pixels that agree. On background everybody agrees"
    return {
        "Pixels that do not count are counted": guarded(found & true, found | true),
        outside: guarded(both, found | true),
        twice: both.sum() / sums,
        dice: 2 * both.sum() / sums,
        "`&` binds before `|`: brackets are missing": _share(both, found | true & counted),
        alarms: guarded(both, true & counted),
        missed: guarded(both, found & counted),
        background: _share(agree, counted),
        f"{nothing}, 0 is divided by 0. It is to be 1": _share(both, either),
        f"{nothing}, it is 1": both.sum() / either.sum().clamp(min=1),
    }


def _turn(sin, cos, true_sin, true_cos):
    return torch.atan2(sin, cos) - torch.atan2(true_sin, true_cos)


def _whole(turn):
    """An angle in degrees, from -180 to 180."""
    return torch.atan2(torch.sin(turn), torch.cos(turn)) * 180 / math.pi


ANGLES = torch.linspace(0.0, 6.2, 40, dtype=torch.float64)
OPPOSITES = [0.0, 3.0, -2.0], [2.0, 0.0, 0.0], [0.0, -1.0, 1.0], [-1.0, 0.0, 0.0]


@function_exercise(
    "10.2",
    degrees=OfArrays(
        lambda *pairs: _whole(_turn(*pairs)).abs(),
        {
            "sin": (40,),
            "cos": (40,),
            "true_sin": lambda generator: torch.sin(ANGLES),
            "true_cos": lambda generator: torch.cos(ANGLES),
        },
        [OPPOSITES],
    ),
)
def wrong_degrees(sin, cos, true_sin, true_cos):
    turn = _turn(sin, cos, true_sin, true_cos)
    whole = _whole(turn)
    right, degree = whole.abs(), 180 / math.pi
    alone = (torch.asin(sin) - torch.asin(true_sin)).abs() * degree
    quotient = _whole(torch.atan(sin / cos) - torch.atan(true_sin / true_cos)).abs()
    product = torch.acos((sin * true_sin + cos * true_cos).clamp(-1, 1)) * degree
    opposite = "A direction and its opposite are 180° apart, not 0°"
    by_product = "The product of the pairs is the cosine of the turn only where both have length 1"
    arctan = "`arctan(sin / cos)` cannot tell a direction from its opposite. `arctan2` can"
    return {
        "A full turn is missing: from 175° to −175° it is 10°, not 350°": turn.abs() * degree,
        "These are radians": right / degree,
        "An error has no sign: it goes from 0 to 180": whole,
        "The raw pair has any length, so its sine alone is not the direction": alone,
        opposite: torch.minimum(right, 180 - right),
        arctan: quotient,
        by_product: product,
        "A remainder by 180 makes 0 of 180, and exactly opposite is 180": right % 180,
        "One error for each pair is asked for, not one for all": right.mean(),
    }


def _line(blurred, radius):
    away = blurred - blurred.mean()
    slope = (away * (radius - radius.mean())).sum() / (away * away).sum()
    return slope, radius.mean() - slope * blurred.mean()


def _by_blur(blurred, radius, new):
    slope, level = _line(blurred, radius)
    return slope * new + level


POINTS = [
    ([0.1, 0.5], [2.0, 5.0], [0.3]),
    ([0.2, 0.4, 0.9], [3.0, 3.1, 2.9], [0.0, 1.0]),
    ([-0.1, 0.0, 0.3, 0.8], [6.0, 5.0, 2.0, 2.5], [0.1, -0.5, 2.0]),
]


@function_exercise(
    "10.3", by_blur=OfArrays(_by_blur, {"blurred": (12,), "radius": (12,), "new": (5,)}, POINTS)
)
def wrong_lines(blurred, radius, new):
    slope, level = _line(blurred, radius)
    turned_slope, turned_level = _line(radius, blurred)
    through_0 = (blurred * radius).sum() / (blurred * blurred).sum() * new
    turned = "The line is turned round: "
    solved, one = (new - turned_level) / turned_slope, radius.mean().expand(new.shape)
    return {
        "The level of the line is missing: it need not go through 0": slope * new,
        "`np.polyfit` returns the slope first, then the level": level * new + slope,
        turned + "it is to give a radius for a blur": turned_slope * new + turned_level,
        turned + "a blur is fitted to the radius and then solved": solved,
        "That is one radius for all. The blur of each new pixel is not used": one,
        "A line through 0 is another line": through_0,
    }

"""Lesson 10, train a detector: what PyTorch answers to its exercises."""

import math

from ....parity.results import as_array
from ..check import Function, exercise


class OfArrays(Function):
    """A function that is called with arrays of NumPy."""

    def call(self, function, arguments):
        return function(*(as_array(argument).copy() for argument in arguments))


def _mask(share):
    def make(generator):
        import torch

        return torch.rand(6, 7, generator=generator) < share

    return make


def _turn(torch, sin, cos, true_sin, true_cos):
    return torch.atan2(sin, cos) - torch.atan2(true_sin, true_cos)


def _share(above, below):
    return above.sum() / below.sum()


def _or_one(above, below):
    return _share(above, below) if below.any() else above.sum() * 0.0 + 1.0


def _with_and_without_a_guard(parts):
    return lambda *masks: _or_one(*parts(*masks)), lambda *masks: _share(*parts(*masks))


@exercise(
    "10.1",
    mistakes={
        "Pixels that do not count are counted": _with_and_without_a_guard(
            lambda found, true, counted: (found & true, found | true)
        ),
        "The union, below the line, still holds pixels that do not count": (
            _with_and_without_a_guard(
                lambda found, true, counted: (found & true & counted, found | true)
            )
        ),
        "Where both are True the pixel is counted twice below the line: the union counts it once": (
            lambda found, true, counted: (
                (found & true & counted).sum() / ((found & counted).sum() + (true & counted).sum())
            )
        ),
        "That is the Dice score, twice the intersection over both sums. The IoU has the union below the line": lambda found, true, counted: (
            2 * (found & true & counted).sum() / ((found & counted).sum() + (true & counted).sum())
        ),
        "`&` binds before `|`: brackets are missing": lambda found, true, counted: (
            (found & true & counted).sum() / (found | true & counted).sum()
        ),
        "That is the share of what is true: false alarms cost nothing": _with_and_without_a_guard(
            lambda found, true, counted: (found & true & counted, true & counted)
        ),
        "That is the share of what is found: what was missed costs nothing": (
            _with_and_without_a_guard(
                lambda found, true, counted: (found & true & counted, found & counted)
            )
        ),
        "That is the share of pixels that agree. On background everybody agrees": (
            lambda found, true, counted: ((found == true) & counted).sum() / counted.sum()
        ),
        "Where nothing is to be found and nothing is found, 0 is divided by 0. It is to be 1": (
            lambda found, true, counted: _share(found & true & counted, (found | true) & counted)
        ),
        "Where nothing is to be found and nothing is found, it is 1": lambda found, true, counted: (
            (found & true & counted).sum() / ((found | true) & counted).sum().clamp(min=1)
        ),
    },
)
def intersection_over_union(torch):
    def iou(found, true, counted):
        return _or_one(found & true & counted, (found | true) & counted)

    empty, full = torch.zeros(4, 5, dtype=torch.bool), torch.ones(4, 5, dtype=torch.bool)
    cases = [
        (empty, empty, full),
        (full, full, empty),
        (full, empty, full),
        (empty, full, full),
        (full, full, full),
    ]
    return {
        "iou": Function(
            iou, {"found": _mask(0.4), "true": _mask(0.4), "counted": _mask(0.7)}, cases=cases
        )
    }


@exercise(
    "10.2",
    mistakes={
        "A full turn is missing: from 175° to −175° it is 10°, not 350°": lambda *four: _degrees(
            four
        )[0],
        "These are radians": lambda *four: _degrees(four)[1] / 180 * math.pi,
        "An error has no sign: it goes from 0 to 180": lambda *four: _degrees(four)[2],
        "The raw pair has any length, so its sine alone is not the direction": lambda *four: (
            _degrees(four)[3]
        ),
        "A direction and its opposite are 180° apart, not 0°": lambda *four: _degrees(four)[4],
        "`arctan(sin / cos)` cannot tell a direction from its opposite. `arctan2(sin, cos)` can": (
            lambda *four: _degrees(four)[5]
        ),
        "The product of the pairs is the cosine of the turn only where both have length 1": (
            lambda *four: _degrees(four)[6]
        ),
        "A remainder by 180 makes 0 of 180, and exactly opposite is 180": lambda *four: (
            _degrees(four)[1] % 180
        ),
        "One error for each pair is asked for, not one for all": lambda *four: (
            _degrees(four)[1].abs().mean()
        ),
    },
)
def the_error_of_a_direction(torch):
    def degrees(sin, cos, true_sin, true_cos):
        turn = _turn(torch, sin, cos, true_sin, true_cos)
        return torch.atan2(torch.sin(turn), torch.cos(turn)).abs() * 180 / math.pi

    angles = []

    def on_circle(function):
        def make(generator):
            if function is torch.sin:
                angles.append(
                    torch.rand(40, generator=generator, dtype=torch.float64) * 2 * math.pi
                )
            return function(angles[-1])

        return make

    opposites = [
        torch.tensor(row, dtype=torch.float64)
        for row in ([0.0, 3.0, -2.0], [2.0, 0.0, 0.0], [0.0, -1.0, 1.0], [-1.0, 0.0, 0.0])
    ]
    return {
        "degrees": OfArrays(
            degrees,
            {
                "sin": (40,),
                "cos": (40,),
                "true_sin": on_circle(torch.sin),
                "true_cos": on_circle(torch.cos),
            },
            cases=[opposites],
        )
    }


def _degrees(four):
    """Wrong ways: no full turn, right but signed, with a sign, the sine alone, modulo 180, arctan,
    and no length.
    """
    import torch

    sin, cos, true_sin, true_cos = four
    turn = _turn(torch, *four)
    whole = torch.atan2(torch.sin(turn), torch.cos(turn)) * 180 / math.pi
    alone = (torch.asin(sin) - torch.asin(true_sin)).abs() * 180 / math.pi
    by_quotient = torch.atan(sin / cos) - torch.atan(true_sin / true_cos)
    by_quotient = torch.atan2(by_quotient.sin(), by_quotient.cos()).abs() * 180 / math.pi
    by_product = torch.acos((sin * true_sin + cos * true_cos).clamp(-1, 1)) * 180 / math.pi
    return (
        turn.abs() * 180 / math.pi,
        whole.abs(),
        whole,
        alone,
        torch.minimum(whole.abs(), 180 - whole.abs()),
        by_quotient,
        by_product,
    )


def _line(blurred, radius, new):
    away = blurred - blurred.mean()
    slope = (away * (radius - radius.mean())).sum() / (away * away).sum()
    return slope, radius.mean() - slope * blurred.mean()


def _fitted(change):
    def by_blur(blurred, radius, new):
        slope, level = _line(blurred, radius, new)
        return change(slope, level, new)

    return by_blur


@exercise(
    "10.3",
    mistakes={
        "The level of the line is missing: it need not go through 0": _fitted(
            lambda slope, level, new: slope * new
        ),
        "`np.polyfit` returns the slope first, then the level": _fitted(
            lambda slope, level, new: level * new + slope
        ),
        "The line is turned round: it is to give a radius for a blur": (
            lambda blurred, radius, new: (
                _line(radius, blurred, new)[0] * new + _line(radius, blurred, new)[1]
            )
        ),
        "The line is turned round: a blur is fitted to the radius and then solved": (
            lambda blurred, radius, new: (
                (new - _line(radius, blurred, new)[1]) / _line(radius, blurred, new)[0]
            )
        ),
        "That is one radius for all. The blur of each new pixel is not used": (
            lambda blurred, radius, new: radius.mean().expand(new.shape)
        ),
        "A line through 0 is another line": lambda blurred, radius, new: (
            (blurred * radius).sum() / (blurred * blurred).sum() * new
        ),
    },
)
def a_blur_and_a_line(torch):
    cases = [
        tuple(torch.tensor(each, dtype=torch.float64) for each in three)
        for three in (
            ([0.1, 0.5], [2.0, 5.0], [0.3]),
            ([0.2, 0.4, 0.9], [3.0, 3.1, 2.9], [0.0, 1.0]),
            ([-0.1, 0.0, 0.3, 0.8], [6.0, 5.0, 2.0, 2.5], [0.1, -0.5, 2.0]),
        )
    ]
    return {
        "by_blur": OfArrays(
            _fitted(lambda slope, level, new: slope * new + level),
            {"blurred": (12,), "radius": (12,), "new": (5,)},
            cases=cases,
        )
    }

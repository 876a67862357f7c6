"""Lesson 10, train a detector: what PyTorch answers to its exercises."""

import math

from ....parity.compare import as_array
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


@exercise("10.1", mistakes={
    "Pixels that do not count are counted": lambda found, true, counted: (found & true).sum() / (found | true).sum(),
    "The union, below the line, still holds pixels that do not count": lambda found, true, counted: (
        found & true & counted).sum() / (found | true).sum(),
    "Where both are True the pixel is counted twice below the line: the union counts it once":
        lambda found, true, counted: (found & true & counted).sum() / ((found & counted).sum() + (true & counted).sum()),
    "That is the share of what is true: false alarms cost nothing": lambda found, true, counted: (
        found & true & counted).sum() / (true & counted).sum(),
    "That is the share of what is found: what was missed costs nothing": lambda found, true, counted: (
        found & true & counted).sum() / (found & counted).sum(),
    "That is the share of pixels that agree. On background everybody agrees": lambda found, true, counted: (
        (found == true) & counted).sum() / counted.sum(),
})
def intersection_over_union(torch):
    def iou(found, true, counted):
        return (found & true & counted).sum() / ((found | true) & counted).sum()
    return {"iou": Function(iou, {"found": _mask(0.4), "true": _mask(0.4), "counted": _mask(0.7)})}


@exercise("10.2", mistakes={
    "A full turn is missing: from 175° to −175° it is 10°, not 350°": lambda *four: _degrees(four)[0],
    "These are radians": lambda *four: _degrees(four)[1] / 180 * math.pi,
    "An error has no sign: it goes from 0 to 180": lambda *four: _degrees(four)[2],
    "The raw pair has any length, so its sine alone is not the direction": lambda *four: _degrees(four)[3],
    "A direction and its opposite are 180° apart, not 0°": lambda *four: _degrees(four)[4],
})
def the_error_of_a_direction(torch):
    def degrees(sin, cos, true_sin, true_cos):
        turn = _turn(torch, sin, cos, true_sin, true_cos)
        return torch.atan2(torch.sin(turn), torch.cos(turn)).abs() * 180 / math.pi

    angles = []

    def on_circle(function):
        def make(generator):
            if function is torch.sin:
                angles.append(torch.rand(40, generator=generator, dtype=torch.float64) * 2 * math.pi)
            return function(angles[-1])
        return make
    return {"degrees": OfArrays(degrees, {"sin": (40,), "cos": (40,), "true_sin": on_circle(torch.sin),
                                          "true_cos": on_circle(torch.cos)})}


def _degrees(four):
    """Wrong ways: without the full turn, right, with a sign, from the sine alone, and modulo 180."""
    import torch
    sin, cos, true_sin, true_cos = four
    turn = _turn(torch, *four)
    whole = torch.atan2(torch.sin(turn), torch.cos(turn)) * 180 / math.pi
    alone = (torch.asin(sin) - torch.asin(true_sin)).abs() * 180 / math.pi
    return turn.abs() * 180 / math.pi, whole.abs(), whole, alone, torch.minimum(whole.abs(), 180 - whole.abs())

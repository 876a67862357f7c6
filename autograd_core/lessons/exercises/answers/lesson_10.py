"""Lesson 10, train a detector: what PyTorch answers to its exercises."""

import numpy as np
import torch

from .... import from_numpy
from ....parity.results import as_array
from ...datasets import CurvedText
from ...lesson_10 import photos
from ..check import exercise, function_exercise
from ..references import Function, Refused, array_of


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
    "return one error for each pair, not one for all": lambda *four: _degrees(*four).mean(),
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

CROPS = 64
LEARN, SCORE = 3_000_000, 2_000_000  # seeds of the photos to fit on, and of those to be scored on
LARGEST = 0.55  # pixels: a baseline may not be farther off


class Baseline(Function):
    """A reference for a baseline of the radius, scored on photos of which it sees only the images."""

    def __init__(self):
        super().__init__(None, {})
        object.__setattr__(self, "score", {})

    def trials(self, generator):
        batches = [photos(seed, CROPS) for seed in (LEARN, SCORE)]
        yield [torch.from_numpy(each) for crops in batches for each in crops]

    def trial(self, generator, arguments):
        return arguments, [True], ["the score"]

    def call(self, function, given):
        make = torch.from_numpy if isinstance(given[0], torch.Tensor) else from_numpy
        arrays, half = [array_of(each) for each in given], len(given) // 2
        tuning, new = CurvedText(*arrays[:half]), CurvedText(*arrays[half:])
        on, there = (crops.tcl_mask & crops.train_mask for crops in (new, tuning))

        def found(tuning, images):
            known = CurvedText(*(make(each.copy()) for each in tuning))
            radius = function(known, make(images.copy()))
            return radius if radius is ... or radius is None else as_array(radius)

        radius, shape = found(tuning, new.image), new.radii_map.shape
        if radius is ... or radius is None:
            return radius
        if radius.shape != shape:
            raise Refused(f"returns the shape {list(radius.shape)}, not {list(shape)}")
        if not np.isfinite(radius).all():
            raise Refused("returns radii that are nan or inf")
        if not np.allclose(radius[::-1], found(tuning, new.image[::-1])):
            raise Refused(
                "returns other radii if the photos are in reverse order. Compute each photo's radii"
                " from `images`, and use `tuning` only to fit"
            )
        miss = (radius - new.radii_map)[on]
        constant = abs(np.median(tuning.radii_map[there]) - new.radii_map[on]).mean()
        error = abs(miss).mean()
        if error >= LARGEST:
            outside = tuning._replace(radii_map=np.where(tuning.tr_mask, tuning.radii_map, 9.0))
            is_line_only = np.allclose(radius, found(outside, new.image))
            why = _why(radius[on], new.radii_map[on], is_line_only)
            goal = f"(constant: {constant:.2f}, goal: below {LARGEST})"
            raise Refused(f"is {error:.2f} px off {goal}. {why}")
        self.score.update(error=error, constant=constant)
        return True

    def praise(self, seen, tolerance):
        errors = "{error:.2f} px on new photos; the constant is off by {constant:.2f}".format(
            **self.score
        )
        return f"Its error is {errors}."


def _why(radius, true, is_line_only):
    """Why a baseline is bad that returns `radius` on the line."""
    miss, rise = radius - true, np.polyfit(true, radius, 1)[0]
    if np.ptp(radius) < 1e-6:
        return "It returns one radius for all pixels. Use the image"
    if not is_line_only:
        return "It is fitted on all pixels, but the radius is 0 outside the text. Fit on the line"
    if abs(miss.mean()) > 0.9 * abs(miss).mean():
        side = "large" if miss.mean() > 0 else "small"
        return f"Nearly all radii are too {side}. A line has a slope and a level"
    if rise < -0.1:
        return "Thicker text gets a smaller radius"
    window = "A window smaller than the text is filled by it, and a far larger one sees the street"
    return f"For text that is 1 px thicker, it adds only {abs(rise):.2f} px. {window}"


@exercise("10.2")
def baseline_of_the_radius():
    return {"baseline": Baseline()}

"""Lesson 10, train a detector: what PyTorch answers to its exercises."""

from dataclasses import dataclass, field

import numpy as np
import torch

from .... import from_numpy
from ....parity.results import as_array
from ...datasets import STREET, CurvedText, curved_text_batch
from ..check import exercise, function_exercise
from ..references import Function, Refused, array_of
from . import mask_of


class OfArrays(Function):
    """A reference for a function that is called with arrays of NumPy."""

    engines = (array_of,)


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
    "10.2",
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
LEARN, SCORE = 4_000_000, 5_000_000  # seeds of the crops to fit on, and of those to be scored on
ENOUGH = 2 / 3  # of the error of the constant: the largest error that a rival may have


@dataclass(frozen=True)
class Rival(Function):
    """A reference for a rival of the radius: it is scored on crops that it is not fitted on, beside
    the `network`, if there is one, and the constant. One whose error is too large is refused."""

    network: object = None
    errors: dict = field(default_factory=dict)

    def trials(self, generator):
        batches = [curved_text_batch(seed, CROPS, style=STREET) for seed in (LEARN, SCORE)]
        yield [torch.from_numpy(each) for crops in batches for each in crops]

    def trial(self, generator, arguments):
        return arguments, [True], ["the score"]

    def call(self, function, given):
        make = torch.from_numpy if isinstance(given[0], torch.Tensor) else from_numpy
        arrays, half = [array_of(each) for each in given], len(given) // 2
        others, new = CurvedText(*arrays[:half]), CurvedText(*arrays[half:])
        on, there = (crops.tcl_mask & crops.train_mask for crops in (new, others))

        def found(*batches):
            given = (CurvedText(*(make(each.copy()) for each in crops)) for crops in batches)
            radius = function(*given)
            return radius if radius is ... or radius is None else as_array(radius)

        radius, shape = found(others, new), new.radii_map.shape
        if radius is ... or radius is None:
            return radius
        if radius.shape != shape:
            raise Refused(f"returns the shape {list(radius.shape)}, and {list(shape)} is asked for")
        if not np.isfinite(radius).all():
            raise Refused("returns radii that are not finite")
        if np.ptp(radius) < 1e-6:
            raise Refused("returns one radius for all: that is the constant, and knows nothing")
        if not np.allclose(radius, found(others, CurvedText(new.image, *others[1:]))):
            same = "for the same images, once another truth stands beside them"
            raise Refused(f"returns other radii {same}: fit on `others`, not on what is scored")
        answers = {"yours": radius, "the constant": np.median(others.radii_map[there])}
        if self.network is not None:
            answers["the network"] = as_array(self.network(from_numpy(new.image)))[:, 6]
        misses = {name: (each - new.radii_map)[on] for name, each in answers.items()}
        self.errors.update({name: abs(miss).mean() for name, miss in misses.items()})
        if self.errors["yours"] > ENOUGH * self.errors["the constant"]:
            other = others._replace(radii_map=np.where(others.tr_mask, others.radii_map, 9.0))
            why = "It is fitted where no text is, too. Select the pixels of the line"
            if np.allclose(radius, found(other, new)):
                why = _why(misses["yours"], new.radii_map[on])
            bound = "has more than two thirds of the error of the constant"
            raise Refused(f"{bound}. {self.praise(None, None)} {why}")
        return True

    def praise(self, seen, tolerance):
        told = ", ".join(f"{name} {error:.2f}" for name, error in self.errors.items())
        return f"Mean error in pixels, on {CROPS} crops that were not learned from: {told}."


def _why(miss, radius):
    """What a bad rival does on the line, where it is off by `miss` and `radius` is true."""
    rise = np.polyfit(radius, radius + miss, 1)[0]
    if abs(miss.mean()) > 0.9 * abs(miss).mean():
        side = "large" if miss.mean() > 0 else "small"
        return f"Nearly all are too {side}. A line has a slope and a level"
    if rise < -0.1:
        return "Thicker text gets a smaller radius"
    adds = f"Where text is 1 pixel thicker, it adds {abs(rise):.2f}"
    sees = "A blur inside of thick text sees letters and gaps. A far wider one sees the street"
    return f"{adds}. {sees}"


@exercise("10.3")
def rival_of_the_radius(network=None):
    return {"rival": Rival(None, {}, network=network)}

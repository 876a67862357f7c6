"""Lesson 09, traps in one loss: what PyTorch answers to its exercises."""

from torch import inf, nan

from ..check import BackwardRule, Loss, function_exercise
from . import mask_of


def _mean(each, mask):
    chosen = each[mask]
    return chosen.sum() / max(len(chosen), 1)


MASKED = [
    ([0.3, -1.2, 2.0, 0.7], [False, False, False, False]),
    ([0.3, -1.2, 2.0, 0.7], [True, True, True, True]),
    ([0.3, -1.2, 2.0, 0.7], [False, False, False, True]),
    ([0.3, -1.2, 2.0, 0.7], [True, False, True, True]),
    ([nan, 2.0, -1.0], [False, True, True]),
    ([nan, nan], [False, False]),
    ([inf, 0.5, -inf], [False, True, False]),
    ([nan, 2.0, 1.0], [True, True, False]),
    ([[1.0, nan, 3.0], [nan, -5.0, 0.5]], [[True, False, True], [False, True, True]]),
]


@function_exercise("09.1", loss=Loss(_mean, {"each": (4,), "mask": mask_of(4)}, MASKED))
def wrong_means(each, mask):
    kept, number, rows = each[mask].sum(), mask.sum(), each[mask.long()]
    least, outside = number.clamp(min=1), (~mask).sum().clamp(min=1)
    of_two = rows.sum() / least
    repaired, shifts = each.nan_to_num(), "below the line shifts every mean. Divide by at least 1"
    all_counted = "That is the mean over all elements: those outside the mask are counted as well"
    multiplied = "Outside of the mask is multiplied by 0, and 0 times nan is nan. Select instead"
    hidden = "A nan inside of the mask is hidden too. Select what is inside, and leave it as it is"
    left_out = "The elements outside of the mask are meant to be left out, and the others are"
    return {
        all_counted: (each * mask).mean(),
        "An empty mask divides 0 by 0: a nan loss with a zero gradient": kept / number,
        "That is the sum over the mask, not its mean": kept,
        "A mask of whole numbers as an index gathers rows 0 and 1. Leave it boolean": of_two,
        "A mean over rows 0 and 1: whole numbers as an index gather. Leave it boolean": rows.mean(),
        "One too many below the line: at least 1 is not 1 more": kept / (number + 1),
        f"1e-6 {shifts} instead": kept / (number + 1e-6),
        f"1e-8 {shifts} instead": kept / (number + 1e-8),
        multiplied: (each * mask).sum() / least,
        hidden: [
            repaired[mask].sum() / least,
            (repaired * mask).sum() / least,
            each[mask].mean().nan_to_num(),
            (kept / least).nan_to_num(),
        ],
        left_out: each[~mask].sum() / outside,
    }


PAIRS = [
    ([[3.0, 4.0]],),
    ([[0.3, -0.4], [-2.0, 0.0]],),
    ([[1e-3, 0.0], [0.0, -1e3], [1.0, 1.0]],),
]


@function_exercise(
    "09.2",
    rule=BackwardRule(
        lambda pairs: pairs / pairs.norm(dim=1, keepdim=True), {"pairs": (6, 2)}, PAIRS
    ),
)
def wrong_rules(g, pairs):
    length = pairs.norm(dim=1, keepdim=True)
    unit = pairs / length
    along = unit * (unit * g).sum(dim=1, keepdim=True)
    across = g - along
    by_column = g - unit * (unit * g).sum(dim=0, keepdim=True)
    by_pair = g - pairs * (pairs * g).sum(dim=1, keepdim=True)
    one_number = "The projection is one number for each row: sum over dim=1, not over everything"
    kept = "The part along the vector is what the scaling throws away; you kept it, not the other"
    still_there = (
        "The part along the vector is still there: it changes the length alone, and the length is"
        " scaled away"
    )
    return {
        "The direction is right. Its size is not: a long vector turns less": across,
        still_there: g / length,
        kept: along / length,
        one_number: (g - unit * (unit * g).sum()) / length,
        "You divide by the squared length: once is enough": across / length**2,
        "The projection is a sum over each pair, dim=1, not over the column": by_column / length,
        "The part along the vector is added a second time, not taken away": (g + along) / length,
        "A longer vector turns less, not more: divide by its length": across * length,
        "Both parts are divided by the length, not one of them": g / length - along,
        "Project with the unit vector, not with the pair itself": by_pair / length,
    }

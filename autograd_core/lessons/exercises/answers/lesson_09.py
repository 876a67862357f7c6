"""Lesson 09, traps in one loss: what PyTorch answers to its exercises."""

from torch import inf, nan

from ..check import function_exercise
from ..references import BackwardRule, Loss
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
    repaired = each.nan_to_num()
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


def _unit(pairs):
    return pairs / pairs.norm(dim=1, keepdim=True)


def _rule(combine):
    """A rule that returns `combine(g, a, u, n)`: `g`, its part along the vector, the unit vector, and
    the length."""

    def rule(g, pairs):
        unit = _unit(pairs)
        along = unit * (unit * g).sum(dim=1, keepdim=True)
        return combine(g, along, unit, pairs.norm(dim=1, keepdim=True))

    return rule


WRONG_RULES = {
    "the direction is right, but a long vector turns less": _rule(lambda g, a, u, n: g - a),
    "the part along the vector is still there. It changes only the length, and the scaling removes"
    " the length": _rule(lambda g, a, u, n: g / n),
    "you kept only the part along the vector": _rule(lambda g, a, u, n: a / n),
    "the projection is one number for each row: sum over dim=1, not over everything": _rule(
        lambda g, a, u, n: (g - u * (u * g).sum()) / n
    ),
    "the projection is a sum over each pair, dim=1, not over the column": _rule(
        lambda g, a, u, n: (g - u * (u * g).sum(dim=0)) / n
    ),
    "you divide by the squared length: once is enough": _rule(lambda g, a, u, n: (g - a) / n**2),
    "the part along the vector is added a second time: subtract it": _rule(
        lambda g, a, u, n: (g + a) / n
    ),
    "a longer vector turns less, not more: divide by its length": _rule(
        lambda g, a, u, n: (g - a) * n
    ),
    "divide both parts by the length, not only one": _rule(lambda g, a, u, n: g / n - a),
    "project with the unit vector, not with the pair": _rule(lambda g, a, u, n: (g - a * n**2) / n),
}

function_exercise("09.2", rule=BackwardRule(_unit, {"pairs": (6, 2)}, PAIRS, mistakes=WRONG_RULES))

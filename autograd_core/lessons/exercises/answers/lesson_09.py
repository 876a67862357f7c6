"""Lesson 09, traps in one loss: what PyTorch answers to its exercises."""

from ..check import BackwardRule, Loss, exercise


def _mean_over(denominator):
    def loss(each, mask):
        return each[mask].sum() / denominator(mask)

    return loss


@exercise(
    "09.1",
    mistakes={
        "That is the mean over all elements: those outside the mask are counted below the line": (
            lambda each, mask: (each * mask).mean()
        ),
        "An empty mask divides 0 by 0: a nan loss with a zero gradient": _mean_over(
            lambda mask: mask.sum()
        ),
        "That is the sum over the mask, not its mean": lambda each, mask: each[mask].sum(),
        "A mask of whole numbers that is used as an index gathers rows 0 and 1. Leave it boolean": (
            lambda each, mask: each[mask.long()].sum() / mask.sum().clamp(min=1)
        ),
        "A mean over rows 0 and 1: whole numbers as an index gather. Leave the mask boolean": (
            lambda each, mask: each[mask.long()].mean()
        ),
        "One too many below the line: at least 1 is not 1 more": _mean_over(
            lambda mask: mask.sum() + 1
        ),
        "1e-6 below the line shifts every mean. Divide by at least 1 instead": _mean_over(
            lambda mask: mask.sum() + 1e-6
        ),
        "1e-8 below the line shifts every mean. Divide by at least 1 instead": _mean_over(
            lambda mask: mask.sum() + 1e-8
        ),
        "What is outside of the mask is multiplied by 0, and 0 times nan is nan. Select instead": (
            lambda each, mask: (each * mask).sum() / mask.sum().clamp(min=1)
        ),
        "A nan inside of the mask is hidden too, and nobody would know. Select what is inside, and leave it as it is": (
            lambda each, mask: each.nan_to_num()[mask].sum() / mask.sum().clamp(min=1),
            lambda each, mask: (each.nan_to_num() * mask).sum() / mask.sum().clamp(min=1),
            lambda each, mask: each[mask].mean().nan_to_num(),
            lambda each, mask: (each[mask].sum() / mask.sum().clamp(min=1)).nan_to_num(),
        ),
        "The elements outside of the mask are meant to be left out, and the others are": (
            lambda each, mask: each[~mask].sum() / (~mask).sum().clamp(min=1)
        ),
    },
)
def a_mean_over_a_mask(torch):
    def loss(each, mask):
        chosen = each[mask]
        return chosen.sum() / max(len(chosen), 1)

    # one for each trial
    masks = iter([[0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 1]])
    nan, inf = float("nan"), float("inf")
    poisoned = [
        (torch.tensor(each, dtype=torch.float64), torch.tensor(mask))
        for each, mask in [
            ([nan, 2.0, -1.0], [False, True, True]),
            ([nan, nan], [False, False]),
            ([inf, 0.5, -inf], [False, True, False]),
            ([nan, 2.0, 1.0], [True, True, False]),
            ([[1.0, nan, 3.0], [nan, -5.0, 0.5]], [[True, False, True], [False, True, True]]),
        ]
    ]
    return {
        "loss": Loss(
            loss,
            {"each": (4,), "mask": lambda generator: torch.tensor(next(masks)).bool()},
            cases=poisoned,
        )
    }


def _across(gradient, unit):
    return gradient - unit * (unit * gradient).sum(dim=1, keepdim=True)


def _unit(pairs):
    return pairs / pairs.norm(dim=1, keepdim=True)


@exercise(
    "09.2",
    mistakes={
        "The direction is right. Its size is not: a long vector turns less": lambda g, pairs: (
            _across(g, _unit(pairs))
        ),
        "The part along the vector is still there: it changes the length alone, and the length is scaled away": lambda g, pairs: (
            g / pairs.norm(dim=1, keepdim=True)
        ),
        "The part along the vector is what the scaling throws away; you kept it and threw away the other": lambda g, pairs: (
            (g - _across(g, _unit(pairs))) / pairs.norm(dim=1, keepdim=True)
        ),
        "The projection is one number for each row: sum over dim=1, not over everything": (
            lambda g, pairs: (
                (g - _unit(pairs) * (_unit(pairs) * g).sum()) / pairs.norm(dim=1, keepdim=True)
            )
        ),
        "You divide by the squared length: once is enough": lambda g, pairs: (
            _across(g, _unit(pairs)) / (pairs**2).sum(dim=1, keepdim=True)
        ),
        "The projection is a sum over each pair, dim=1, not over the column": lambda g, pairs: (
            (g - _unit(pairs) * (_unit(pairs) * g).sum(dim=0, keepdim=True))
            / pairs.norm(dim=1, keepdim=True)
        ),
        "The part along the vector is added a second time. It is to be taken away": (
            lambda g, pairs: (2 * g - _across(g, _unit(pairs))) / pairs.norm(dim=1, keepdim=True)
        ),
        "A longer vector turns less, not more: divide by its length": lambda g, pairs: (
            _across(g, _unit(pairs)) * pairs.norm(dim=1, keepdim=True)
        ),
        "Both parts are divided by the length, not one of them": lambda g, pairs: (
            g / pairs.norm(dim=1, keepdim=True) - (g - _across(g, _unit(pairs)))
        ),
        "Project with the unit vector, not with the pair itself": lambda g, pairs: (
            _across(g, pairs) / pairs.norm(dim=1, keepdim=True)
        ),
    },
)
def scaling_to_the_circle(torch):
    cases = [
        (torch.tensor(pairs, dtype=torch.float64),)
        for pairs in (
            [[3.0, 4.0]],
            [[0.3, -0.4], [-2.0, 0.0]],
            [[1e-3, 0.0], [0.0, -1e3], [1.0, 1.0]],
        )
    ]
    return {
        "rule": BackwardRule(
            lambda pairs: pairs / pairs.norm(dim=1, keepdim=True), {"pairs": (6, 2)}, cases=cases
        )
    }

"""Lesson 09, traps in one loss: what PyTorch answers to its exercises."""

from ..check import BackwardRule, Loss, exercise


def _mean_over(denominator):
    def loss(each, mask):
        return each[mask.detach().bool()].sum() / denominator(mask.detach())
    return loss


@exercise("09.1", mistakes={
    "That is the mean over all elements: those outside the mask are counted below the line": lambda each, mask: (
        each * mask.detach()).mean(),
    "An empty mask divides 0 by 0: a nan loss with a zero gradient": _mean_over(lambda mask: mask.sum()),
    "That is the sum over the mask, not its mean": lambda each, mask: each[mask.detach().bool()].sum(),
    "A mask of ones and zeros that is used as an index gathers rows 0 and 1. Make it boolean": lambda each, mask: (
        each[mask.detach().long()].sum() / mask.detach().sum().clamp(min=1)),
    "One too many below the line: at least 1 is not 1 more": _mean_over(lambda mask: mask.sum() + 1),
})
def a_mean_over_a_mask(torch):
    def loss(each, mask):
        chosen = each[mask.detach().bool()]
        return chosen.sum() / max(len(chosen), 1)

    masks = iter([[0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 1]])       # one for each trial
    return {"loss": Loss(loss, {
        "each": (4,), "mask": lambda generator: torch.tensor(next(masks), dtype=torch.float64)})}


def _across(gradient, unit):
    return gradient - unit * (unit * gradient).sum(dim=1, keepdim=True)


def _unit(pairs):
    return pairs / pairs.norm(dim=1, keepdim=True)


@exercise("09.2", mistakes={
    "The direction is right. Its size is not: a long vector turns less": lambda g, pairs: _across(g, _unit(pairs)),
    "The part along the vector is still there: it changes the length alone, and the length is scaled away":
        lambda g, pairs: g / pairs.norm(dim=1, keepdim=True),
    "The part along the vector is what the scaling throws away; you kept it and threw away the other":
        lambda g, pairs: (g - _across(g, _unit(pairs))) / pairs.norm(dim=1, keepdim=True),
    "The projection is one number for each row: sum over dim=1, not over everything": lambda g, pairs: (
        g - _unit(pairs) * (_unit(pairs) * g).sum()) / pairs.norm(dim=1, keepdim=True),
    "You divide by the squared length: once is enough": lambda g, pairs: _across(g, _unit(pairs)) / (
        pairs ** 2).sum(dim=1, keepdim=True),
    "Project with the unit vector, not with the pair itself": lambda g, pairs: _across(g, pairs) / pairs.norm(
        dim=1, keepdim=True),
})
def scaling_to_the_circle(torch):
    return {"rule": BackwardRule(lambda pairs: pairs / pairs.norm(dim=1, keepdim=True), {"pairs": (6, 2)})}

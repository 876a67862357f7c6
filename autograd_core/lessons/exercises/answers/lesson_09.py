"""Lesson 09, the TextSnake head: what PyTorch answers to its exercises."""

from ..check import BackwardRule, Loss, exercise

RATIO, WITHOUT_POSITIVES = 3, 100


@exercise("09.1")
def who_learns_under_mining(torch):
    def trained(positives, negatives):
        logits = torch.randn(positives + negatives, 2, generator=torch.Generator().manual_seed(0), requires_grad=True)
        target = (torch.arange(len(logits)) < positives).long()
        each = torch.nn.functional.cross_entropy(logits, target, reduction="none")
        wanted = RATIO * positives if positives else WITHOUT_POSITIVES
        worst = each[target == 0].topk(min(wanted, negatives)).values
        (each[target == 1].sum() + worst.sum()).backward()
        return int((logits.grad != 0).any(1).sum())
    return {"pixels": [trained(50, 4000), trained(50, 90), trained(0, 4000)]}


@exercise("09.2")
def a_mean_over_a_mask(torch):
    def loss(each, mask):
        chosen = each[mask.detach().bool()]
        return chosen.sum() / max(len(chosen), 1)

    masks = iter([[0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 1]])       # one for each trial
    return {"loss": Loss(loss, {
        "each": (4,), "mask": lambda generator: torch.tensor(next(masks), dtype=torch.float64)})}


@exercise("09.3")
def scaling_to_the_circle(torch):
    return {"rule": BackwardRule(lambda pairs: pairs / pairs.norm(dim=1, keepdim=True), {"pairs": (6, 2)})}

"""Lesson 07, hard negative mining: what PyTorch answers to its exercises."""

import itertools

from ..check import BackwardRule, Function, Loss, exercise


@exercise("07.1")
def three_outputs_that_know_nothing(torch):
    logits = torch.zeros(1, 3, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(logits, torch.tensor([2])).backward()
    return {"gradient": logits.grad[0]}


@exercise("07.2")
def one_output_in_place_of_two(torch):
    def loss(d):
        label = torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=d.dtype)
        return torch.nn.functional.binary_cross_entropy_with_logits(d, label)
    return {"loss": Loss(loss, {"d": (4,)})}


@exercise("07.3")
def the_rule_of_top_k(torch):
    return {"rule": BackwardRule(lambda x: torch.topk(x, 3)[0], {"x": (8,)})}


@exercise("07.4")
def a_loss_for_every_crop(torch):
    shares = itertools.cycle([0.5, 0.0, 1.0])

    def text_of(generator):
        """Twelve labels: of three crops one without any text, and one of nothing else."""
        return torch.rand(12, generator=generator) < next(shares)

    def mined(loss, text):
        hardest = loss[~text].sort(descending=True)[0][:2 * int(text.sum())]
        return (loss[text].sum() + hardest.sum()) / max(int(text.sum()) + len(hardest), 1)
    return {"loss": Function(mined, {"loss": (12,), "text": text_of})}

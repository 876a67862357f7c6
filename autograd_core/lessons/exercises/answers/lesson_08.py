"""Lesson 08, many heads and one loss: what PyTorch answers to its exercises."""

from ..check import BackwardRule, Function, exercise


@exercise("08.1")
def kernels_that_a_loss_reaches(torch):
    torch.manual_seed(0)
    heads = torch.nn.Conv2d(16, 7, 1)
    maps = heads(torch.randn(1, 16, 8, 8))[0]
    scaled = maps[4:7] / maps[4:7].norm(dim=0)
    target = torch.zeros(1, 8, 8, dtype=torch.long)
    pairs = [torch.nn.functional.cross_entropy(maps[None, k:k + 2], target) for k in (0, 2)]
    gradients = [torch.autograd.grad(loss, heads.weight, retain_graph=True)[0].flatten(1)
                 for loss in (*pairs, *(each.mean() for each in scaled))]
    return {"kernels_reached": [int(gradient.any(dim=1).sum()) for gradient in gradients]}


@exercise("08.2")
def rule_of_kernels_of_one_pixel(torch):
    return {"rule": BackwardRule(lambda weight, h: weight @ h, {"weight": (7, 16), "h": (16, 5)})}


@exercise("08.3")
def the_part_of_a_gradient_that_is_not_against_another(torch):
    def without_conflict(a, b):
        return b - (a @ b).clamp(max=0) / (a @ a) * a
    return {"gradient": Function(without_conflict, {"a": (5,), "b": (5,)})}

"""Lesson 06, masked losses: what PyTorch answers to its exercises."""

from ..check import BackwardRule, Loss, exercise


@exercise("06.1")
def a_mean_over_the_mask(torch):
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    (x[[0, 2]] ** 2).mean().backward()
    return {"x_grad": x.grad}


@exercise("06.2")
def lengths_of_rows_that_are_not_zero(torch):
    def points(generator):
        drawn = torch.randn(5, 2, generator=generator, dtype=torch.float64)
        drawn[1] = 0
        return drawn

    return {"loss": Loss(lambda points: points[points.any(1)].norm(dim=1).sum(), {"points": points})}


@exercise("06.3")
def mean_of_what_is_above_one(torch):
    def mean(x):
        above = x[x > 1]
        return above.mean() if len(above) else (0 * x).sum()
    return {"loss": Loss(mean, {"x": (4,)})}


@exercise("06.4")
def backward_of_a_gather(torch):
    return {"rule": BackwardRule(lambda x: x[[2, 0, 2]], {"x": (4,)})}

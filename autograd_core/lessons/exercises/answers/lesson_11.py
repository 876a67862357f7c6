"""Lesson 11, two networks: what PyTorch answers to its exercises."""

from dataclasses import dataclass

from ..check import Function, Loss, exercise


@exercise("11.1", mistakes={
    "Nothing was zeroed: each of the three backward passes adds, none replaces": 1.0,
    "Both losses were called backward alone, so no pass sends both": 4.0,
})
def one_backward_and_three(torch):
    w = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    h = w.exp()
    loss1, loss2 = h ** 2, h.sin()
    g1, g2 = (torch.autograd.grad(loss, w, retain_graph=True)[0] for loss in (loss1, loss2))
    loss1.backward(retain_graph=True)
    a = w.grad / g1
    for _ in range(3):
        loss2.backward(retain_graph=True)
    return {"a": a, "b": (w.grad - a * g1) / g2}


@dataclass(frozen=True)
class LeavesAsTheyAre(Loss):
    """A loss whose function may not change `requires_grad` of what it is given."""

    def call(self, function, arguments):
        def watched(*leaves):
            loss = function(*leaves)
            if not all(leaf.requires_grad for leaf in leaves):
                raise TypeError("requires_grad of an input was changed, and that may not be")
            return loss
        return super().call(watched, arguments)


@exercise("11.2", mistakes={
    "`second` gets a gradient too": lambda w, second: ((w * second) ** 2).sum(),
    "The path to `w` is cut: `w` learns nothing": lambda w, second: ((w.detach() * second) ** 2).sum(),
    "That is the mean, and the sum is asked for": lambda w, second: ((w * second.detach()) ** 2).mean(),
    "The square is missing": lambda w, second: (w * second.detach()).sum(),
})
def through_a_network_that_gets_nothing(torch):
    return {"loss": LeavesAsTheyAre(lambda w, second: ((w * second.detach()) ** 2).sum(), {"w": (4,), "second": (4,)})}


@exercise("11.3", mistakes={
    "Each loader counts the same here, so a sample of `b` counts twice as much as one of `a`":
        lambda a, b: (a.mean() + b.mean()) / 2,
    "That is twice too large or more: two means are added": lambda a, b: a.mean() + b.mean(),
    "The shares are swapped: the larger loader gets the smaller one": lambda a, b: (2 * a.mean() + 4 * b.mean()) / 6,
    "That is the sum over all samples. Divide it by their number": lambda a, b: 4 * a.mean() + 2 * b.mean(),
    "Nearly: there are 6 samples, not 8": lambda a, b: (4 * a.mean() + 2 * b.mean()) / 8,
})
def every_sample_counts_the_same(torch):
    return {"loss": Function(lambda a, b: torch.cat([a, b]).mean(), {"a": (4,), "b": (2,)})}

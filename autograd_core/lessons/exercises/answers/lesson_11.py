"""Lesson 11, two networks: what PyTorch answers to its exercises."""

from dataclasses import dataclass

from ....core.recording import recording
from ..check import Loss, exercise


@exercise(
    "11.1",
    mistakes={
        "Nothing was zeroed: each of the three backward passes adds, none replaces": 1.0,
        "Both losses were called backward alone, so no pass sends both": 4.0,
        "`a` counts the passes of loss1, `b` those of loss2: yours are swapped": 3.0,
        "Nothing was zeroed, so the pass of loss1 is still in `.grad`": 0.0,
    },
)
def one_backward_and_three(torch):
    w = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    h = w.exp()
    loss1, loss2 = h**2, h.sin()
    g1, g2 = (torch.autograd.grad(loss, w, retain_graph=True)[0] for loss in (loss1, loss2))
    loss1.backward(retain_graph=True)
    a = w.grad / g1
    for _ in range(3):
        loss2.backward(retain_graph=True)
    return {"a": a, "b": (w.grad - a * g1) / g2}


class _Kept:
    """A subscriber that asks, of each operation, whether what it takes of `leaves` still requires a
    gradient.
    """

    def __init__(self, leaves):
        self.leaves, self.changed = leaves, False

    def on_operation(self, operation, node, args, outs):
        self.changed |= any(
            arg is leaf and not leaf.requires_grad for arg in args for leaf in self.leaves
        )


@dataclass(frozen=True)
class LeavesAsTheyAre(Loss):
    """A loss whose function may not change `requires_grad` of what it is given, not even for a
    while.
    """

    def call(self, function, arguments):
        def watched(*leaves):
            kept = _Kept(leaves)
            with recording.subscribed(kept):
                loss = function(*leaves)
            if kept.changed or not all(leaf.requires_grad for leaf in leaves):
                raise TypeError("requires_grad of an input was changed, and that may not be")
            return loss

        return super().call(watched, arguments)


@exercise(
    "11.2",
    mistakes={
        "`second` gets a gradient too": lambda w, second: ((w * second) ** 2).sum(),
        "The path to `w` is cut: `w` learns nothing": (
            lambda w, second: ((w.detach() * second) ** 2).sum()
        ),
        "That is the mean, and the sum is asked for": (
            lambda w, second: ((w * second.detach()) ** 2).mean()
        ),
        "The square is missing": lambda w, second: (w * second.detach()).sum(),
        "Only one factor of the square is cut, so half of the gradient still arrives at `second`": (
            lambda w, second: (w * second * w * second.detach()).sum()
        ),
        "The product is cut as well: only half of the gradient arrives at `w`": (
            lambda w, second: ((w * second.detach()) * (w * second).detach()).sum()
        ),
    },
)
def through_a_network_that_gets_nothing(torch):
    def numbers(*values):
        return torch.tensor(values, dtype=torch.float64)

    cases = [
        (numbers(1.0, -2.0), numbers(0.0, 0.5)),
        (numbers(3.0), numbers(-2.0)),
        (numbers(0.0, 1.0), numbers(0.0, 1.0)),
        (numbers(1.0, 2.0, 3.0, 4.0).reshape(2, 2), numbers(-1.0, 0.5, 2.0, 0.25).reshape(2, 2)),
    ]
    return {
        "loss": LeavesAsTheyAre(
            lambda w, second: ((w * second.detach()) ** 2).sum(),
            {"w": (4,), "second": (4,)},
            cases=cases,
        )
    }


@exercise(
    "11.3",
    mistakes={
        "Both loaders count the same here, so a sample of the smaller one counts more": (
            lambda a, b: (a.mean() + b.mean()) / 2
        ),
        "Two means are added: that is larger than any mean over all, and the smaller loader counts too much": lambda a, b: (
            a.mean() + b.mean()
        ),
        "The shares are swapped: the larger loader gets the smaller one": lambda a, b: (
            (len(b) * a.mean() + len(a) * b.mean()) / (len(a) + len(b))
        ),
        "That is the sum over all samples. Divide it by their number": lambda a, b: (
            len(a) * a.mean() + len(b) * b.mean()
        ),
        "Right for 4 and 2 samples alone. How many there are, `len(a)` and `len(b)` say": (
            lambda a, b: (4 * a.mean() + 2 * b.mean()) / 6
        ),
        "The right weights, but they must be divided by their sum": lambda a, b: (
            (len(a) * a.mean() + len(b) * b.mean()) / 2
        ),
        "Each mean must first be multiplied by how many samples it is of": lambda a, b: (
            (a.mean() + b.mean()) / (len(a) + len(b))
        ),
        "2 and 1 are right weights for 4 and 2 samples. Divide by their sum, and ask `len` for them": lambda a, b: (
            2 * a.mean() + b.mean()
        ),
    },
)
def every_sample_counts_the_same(torch):
    def only_means(seen):
        others = {name for name in seen.operations if name.startswith(("Cat", "Sum", "Stack"))}
        return (
            "combine `a.mean()` and `b.mean()`: in a training loop the two means are all you have"
            if others
            else ""
        )

    numbers = torch.tensor([3.0, -1.0, 0.5, 4.0, 0.0, 1.0], dtype=torch.float64)
    cases = [
        (numbers[:2], numbers[2:]),
        (numbers[:1], numbers[1:2]),
        (numbers[:3], numbers[3:]),
        (numbers[:5], numbers[5:]),
    ]
    return {
        "loss": Loss(
            lambda a, b: torch.cat([a, b]).mean(),
            {"a": (4,), "b": (2,)},
            conduct=only_means,
            cases=cases,
        )
    }

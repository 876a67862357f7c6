"""Lesson 12, optimizer steps: what PyTorch answers to its exercises."""

from ..check import TRIALS, Function, exercise

ROWS = 3


def _valid(torch):
    """Rows with different numbers of valid elements, one at least."""

    def make(generator):
        valid = torch.rand(ROWS, 4, generator=generator) < 0.5
        valid[:, 0] = True
        return valid

    return make


@exercise(
    "12.1",
    mistakes={
        "That is plain SGD: nothing is remembered": lambda w, g1, g2: w - 0.1 * g1 - 0.1 * g2,
        "The buffer keeps all of `g2`, not a tenth of it. A mean is what Adam keeps": (
            lambda w, g1, g2: w - 0.1 * g1 - 0.1 * (0.9 * g1 + 0.1 * g2)
        ),
        "That is Nesterov: it adds the gradient once more": lambda w, g1, g2: (
            w - 0.1 * (1.9 * g1) - 0.1 * (g2 + 0.9 * (0.9 * g1 + g2))
        ),
        "The friction acts on the old buffer alone, not on the new gradient": lambda w, g1, g2: (
            w - 0.1 * g1 - 0.1 * 0.9 * (g1 + g2)
        ),
        "The learning rate is missing": lambda w, g1, g2: w - g1 - (0.9 * g1 + g2),
        "The first step is missing": lambda w, g1, g2: w - 0.1 * (0.9 * g1 + g2),
        "Downhill is minus": lambda w, g1, g2: w + 0.1 * g1 + 0.1 * (0.9 * g1 + g2),
        "That is Nesterov, at the second step only": lambda w, g1, g2: (
            w - 0.1 * g1 - 0.1 * (g2 + 0.9 * (0.9 * g1 + g2))
        ),
        "The second step is missing": lambda w, g1, g2: w - 0.1 * g1,
        "That is the buffer, not the weight": lambda w, g1, g2: 0.9 * g1 + g2,
        "Each gradient is multiplied by 0.1 twice: `lr` belongs into the step or into the buffer": (
            lambda w, g1, g2: w - 0.01 * g1 - 0.01 * (0.9 * g1 + g2)
        ),
        "At the second step the buffer is used, and `g2` has not been added to it": (
            lambda w, g1, g2: w - 0.1 * g1 - 0.09 * g1
        ),
    },
)
def two_steps_with_momentum(torch):
    def two_steps(w, g1, g2):
        w = w.clone().requires_grad_()
        optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        for w.grad in (g1, g2):
            optimizer.step()
        return w.detach()

    w, g = (
        torch.tensor([0.5, -2.0], dtype=torch.float64),
        torch.tensor([1.0, -3.0], dtype=torch.float64),
    )
    cases = [
        (w, g, 0 * g),
        (w, 0 * g, g),
        (0 * w, g, g),
        (w, g, -g),
        (w[0], g[0], g[1]),
        tuple(each.expand(3, 2) for each in (w, g, w)),
    ]
    return {"two_steps": Function(two_steps, {"w": (3,), "g1": (3,), "g2": (3,)}, cases=cases)}


def _slope(rows):
    """The gradient at w of what `rows(losses, mask)` makes of the loss of each element."""

    def gradient(w, x, mask):
        w = w.detach().clone().requires_grad_()
        rows((w - x) ** 2, mask).backward()
        return w.grad

    return gradient


def _masked_input(w, x, mask):
    w = w.detach().clone().requires_grad_()
    (((w - x * mask) ** 2).sum() / mask.sum()).backward()
    return w.grad


def _running(each, mask):
    count, total = 0, 0.0
    for row, valid in zip(each, mask):
        count = count + valid.sum()
        total = total + row[valid].sum() / count
    return total


@exercise(
    "12.2",
    tolerance=1e-5,
    mistakes={
        "The mask is on the input: what is not valid still has a loss. Select after `loss_of`": (
            _masked_input
        ),
        "Elements that are not valid count too: select with the mask": _slope(
            lambda each, mask: each.sum() / mask.sum()
        ),
        "Divide by the valid elements of *all* rows, counted before the first backward()": (
            _slope(_running),
            _slope(lambda each, mask: each[mask].sum() / len(mask)),
            _slope(lambda each, mask: each[mask].sum() / ROWS),
        ),
        "Each row counts the same here. Each valid element should": _slope(
            lambda each, mask: sum(row[valid].mean() for row, valid in zip(each, mask)) / len(mask)
        ),
        "Each row is a third here, whatever is valid in it. Each valid element should count the same": _slope(
            lambda each, mask: sum(row[valid].mean() for row, valid in zip(each, mask)) / ROWS
        ),
        "The means of the rows are added: divide by the number of valid elements of the whole batch": _slope(
            lambda each, mask: sum(row[valid].mean() for row, valid in zip(each, mask))
        ),
        "The sums are added and never divided": _slope(lambda each, mask: each[mask].sum()),
        "Divided by all elements, valid or not": _slope(
            lambda each, mask: each[mask].sum() / each.numel()
        ),
        "The mask is not used": _slope(lambda each, mask: each.mean()),
        "Only the last row is left: nothing may be zeroed between the rows": _slope(
            lambda each, mask: each[-1][mask[-1]].sum() / mask.sum()
        ),
    },
)
def masked_micro_batches(torch):
    def whole(w, x, mask):
        w = w.detach().requires_grad_()
        ((w - x) ** 2)[mask].mean().backward()
        return w.grad

    numbers = torch.tensor([[0.5, -1.0, 2.0, 3.0]] * 4, dtype=torch.float64) * torch.tensor(
        [[1.0], [-0.7], [0.3], [0.5]]
    )
    some = torch.tensor([[1, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 0], [1, 0, 1, 1]], dtype=torch.bool)
    cases = [
        (numbers[0], numbers[1:], some[1:]),
        (numbers[1], numbers[:1], some[:1]),
        (numbers[2], numbers, some),
        (numbers[0, :2], numbers[:2, :2], some[:2, :2]),
        (numbers[0], numbers[:3], some[:3] & ~some[0]),
        (0 * numbers[0], numbers[:2], ~some[2:]),
        (numbers[3], numbers[2:], some[2:] | True),
    ]

    rows = TRIALS * ROWS + sum(len(x) for _, x, _ in cases)
    empty = sum(int((~mask.any(1)).sum()) for _, _, mask in cases)

    def one_for_each_row(seen):
        # a row without a valid element may be left out
        if not rows - empty <= seen.passes <= rows:
            return (
                "make one backward() for each row, as if the whole batch did not fit into the"
                " memory"
            )
        whole = any(len(shape) > 1 and shape[0] > 1 for shape in seen.shapes)
        return (
            "all rows are in each graph. Make the loss of one row, and call backward() on it"
            if whole
            else ""
        )

    return {
        "gradient": Function(
            whole,
            {"w": (4,), "x": (ROWS, 4), "mask": _valid(torch)},
            conduct=one_for_each_row,
            cases=cases,
        )
    }


def _norm(*gradients):
    return sum((g**2).sum() for g in gradients).sqrt()


def _if(too_long):
    """Scaled by the common norm where `too_long(g1, g2)` says so."""
    return lambda g1, g2: tuple(g / _norm(g1, g2) if too_long(g1, g2) else g for g in (g1, g2))


@exercise(
    "12.3",
    tolerance=1e-5,
    mistakes={
        "A short gradient is made longer. Scale only where the norm is above 1": lambda g1, g2: (
            g1 / _norm(g1, g2),
            g2 / _norm(g1, g2),
        ),
        "Each is clipped by its own norm, so the direction of both together turns": lambda g1, g2: (
            tuple(g / _norm(g).clamp(min=1) for g in (g1, g2))
        ),
        "Each number is cut on its own: that is clip_grad_value_": lambda g1, g2: (
            g1.clamp(-1, 1),
            g2.clamp(-1, 1),
        ),
        "That is the squared norm: a root is missing": lambda g1, g2: tuple(
            g / (_norm(g1, g2) ** 2).clamp(min=1) for g in (g1, g2)
        ),
        "The two norms are added. The common norm is the root of the sum of all squares": (
            lambda g1, g2: tuple(g / (_norm(g1) + _norm(g2)).clamp(min=1) for g in (g1, g2))
        ),
        "The longer norm of the two is not the common one": lambda g1, g2: tuple(
            g / _norm(g1).maximum(_norm(g2)).clamp(min=1) for g in (g1, g2)
        ),
        "Nothing is clipped": lambda g1, g2: (g1, g2),
        "You ask whether `g1` alone is too long. Ask for both together": _if(
            lambda g1, g2: _norm(g1) > 1
        ),
        "You ask whether `g2` alone is too long. Ask for both together": _if(
            lambda g1, g2: _norm(g2) > 1
        ),
        "Both may be shorter than 1, and together longer": _if(
            lambda g1, g2: _norm(g1).maximum(_norm(g2)) > 1
        ),
        "Each asks for its own norm. Both are scaled, or none": lambda g1, g2: tuple(
            g / _norm(g1, g2) if _norm(g) > 1 else g for g in (g1, g2)
        ),
        "Many small numbers are long together: no single one has to be above 1": _if(
            lambda g1, g2: max(g1.abs().max(), g2.abs().max()) > 1
        ),
        "A negative number is large too. Ask for the norm": _if(
            lambda g1, g2: max(g1.max(), g2.max()) > 1
        ),
        "A long gradient gets no shorter. Divide by the norm, and by 1 where it is below": (
            lambda g1, g2: tuple(g / _norm(g1, g2).clamp(max=1) for g in (g1, g2)),
            lambda g1, g2: tuple(g * _norm(g1, g2).clamp(min=1) for g in (g1, g2)),
        ),
        "Only one of the two is scaled": lambda g1, g2: (g1 / _norm(g1, g2).clamp(min=1), g2),
        "That makes the norm 1 with a mean of the squares in place of their sum": lambda g1, g2: (
            tuple(
                g / (_norm(g1, g2) / (g1.numel() + g2.numel()) ** 0.5).clamp(min=1)
                for g in (g1, g2)
            )
        ),
    },
)
def clipped_by_their_common_norm(torch):
    def clip(g1, g2):
        weights = [torch.zeros_like(g, requires_grad=True) for g in (g1, g2)]
        for weight, g in zip(weights, (g1, g2)):
            weight.grad = g.clone()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        return tuple(weight.grad for weight in weights)

    sizes = []

    def some(generator):
        # short and long trials in turn
        scale = sizes[-1] if len(sizes) % 2 else 0.1 if len(sizes) % 4 else 2.0
        sizes.append(scale)
        return torch.randn(3 - len(sizes) % 2, generator=generator, dtype=torch.float64) * scale

    return {"clip": Function(clip, {"g1": some, "g2": some}, cases=_around_one(torch))}


def _around_one(torch):
    """Pairs of gradients whose norm, or whose norms, or whose largest number, is a little below 1
    or above.
    """

    def pair(g1, g2):
        return tuple(torch.tensor(g, dtype=torch.float64) for g in (g1, g2))

    half = pair([0.6, -0.8], [[0.48, 0.36], [0.64, 0.48]])  # both 1 long
    scaled = [(a, b) for a in (0.0, 0.3, 0.9, 1.1, 3.0) for b in (0.0, 0.3, 0.9, 1.1, 3.0)]
    whole = [
        (0.5**0.5 * size, 0.5**0.5 * size) for size in (0.1, 0.55, 0.95, 0.99, 1.01, 1.05, 1.2, 1.9)
    ]
    return [
        *((a * half[0], b * half[1]) for a, b in scaled + whole),
        pair([-2.0, 0.0], [0.1]),
        pair([0.1], [-2.0, 0.0]),
        pair([0.5] * 6, [0.5] * 6),
        pair([0.2] * 4, [-0.2] * 4),
        pair(0.7, 0.8),
        pair([[3.0, -1.0], [0.5, 2.0]], [1.0, -2.0]),
    ]

"""Lesson 12, optimizer steps: what PyTorch answers to its exercises."""

from ..check import Function, exercise

ROWS = 3


def _valid(torch):
    """Rows with different numbers of valid elements, one at least."""
    def make(generator):
        valid = torch.rand(ROWS, 4, generator=generator) < 0.5
        valid[:, 0] = True
        return valid
    return make


@exercise("12.1", mistakes={
    "That is plain SGD: nothing is remembered": lambda w, g1, g2: w - 0.1 * g1 - 0.1 * g2,
    "The buffer keeps all of `g2`, not a tenth of it. A mean is what Adam keeps":
        lambda w, g1, g2: w - 0.1 * g1 - 0.1 * (0.9 * g1 + 0.1 * g2),
    "That is Nesterov: it adds the gradient once more":
        lambda w, g1, g2: w - 0.1 * (1.9 * g1) - 0.1 * (g2 + 0.9 * (0.9 * g1 + g2)),
    "The friction acts on the old buffer alone, not on the new gradient":
        lambda w, g1, g2: w - 0.1 * g1 - 0.1 * 0.9 * (g1 + g2),
    "The learning rate is missing": lambda w, g1, g2: w - g1 - (0.9 * g1 + g2),
    "The first step is missing": lambda w, g1, g2: w - 0.1 * (0.9 * g1 + g2),
    "Downhill is minus": lambda w, g1, g2: w + 0.1 * g1 + 0.1 * (0.9 * g1 + g2),
})
def two_steps_with_momentum(torch):
    def two_steps(w, g1, g2):
        w = w.clone().requires_grad_()
        optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        for w.grad in (g1, g2):
            optimizer.step()
        return w.detach()
    return {"two_steps": Function(two_steps, {"w": (3,), "g1": (3,), "g2": (3,)})}


def _slope(rows):
    """The gradient at w of what `rows(losses, mask)` makes of the loss of each element."""
    def gradient(w, x, mask):
        w = w.detach().clone().requires_grad_()
        rows((w * x - 1) ** 2, mask).backward()
        return w.grad
    return gradient


@exercise("12.2", mistakes={
    "Each row counts the same here. Each valid element should":
        _slope(lambda each, mask: sum(row[valid].mean() for row, valid in zip(each, mask)) / ROWS),
    "The means of the rows are added: divide by the number of valid elements of the whole batch":
        _slope(lambda each, mask: sum(row[valid].mean() for row, valid in zip(each, mask))),
    "The sums are added and never divided": _slope(lambda each, mask: each[mask].sum()),
    "Divided by all elements, valid or not": _slope(lambda each, mask: each[mask].sum() / each.numel()),
    "The mask is not used": _slope(lambda each, mask: each.mean()),
    "Only the last row is left: nothing may be zeroed between the rows":
        _slope(lambda each, mask: each[-1][mask[-1]].sum() / mask.sum()),
})
def masked_micro_batches(torch):
    def whole(w, x, mask):
        w = w.detach().requires_grad_()
        ((w * x - 1) ** 2)[mask].mean().backward()
        return w.grad

    def one_for_each_row(seen):
        asked = "make one backward() for each row, as if the whole batch did not fit into the memory"
        return "" if seen.passes == seen.calls * ROWS else asked
    return {"gradient": Function(whole, {"w": (4,), "x": (ROWS, 4), "mask": _valid(torch)}, conduct=one_for_each_row)}


def _norm(*gradients):
    return sum((g ** 2).sum() for g in gradients).sqrt()


@exercise("12.3", tolerance=1e-5, mistakes={
    "A short gradient is made longer. Scale only where the norm is above 1":
        lambda g1, g2: (g1 / _norm(g1, g2), g2 / _norm(g1, g2)),
    "Each is clipped by its own norm, so the direction of both together turns":
        lambda g1, g2: tuple(g / _norm(g).clamp(min=1) for g in (g1, g2)),
    "Each number is cut on its own: that is clip_grad_value_": lambda g1, g2: (g1.clamp(-1, 1), g2.clamp(-1, 1)),
    "That is the squared norm: a root is missing": lambda g1, g2: tuple(
        g / (_norm(g1, g2) ** 2).clamp(min=1) for g in (g1, g2)),
    "The two norms are added. The common norm is the root of the sum of all squares": lambda g1, g2: tuple(
        g / (_norm(g1) + _norm(g2)).clamp(min=1) for g in (g1, g2)),
    "Nothing is clipped": lambda g1, g2: (g1, g2),
})
def clipped_by_their_common_norm(torch):
    def clip(g1, g2):
        weights = [torch.zeros_like(g, requires_grad=True) for g in (g1, g2)]
        for weight, g in zip(weights, (g1, g2)):
            weight.grad = g.clone()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        return tuple(weight.grad for weight in weights)

    sizes = []

    def some(generator):
        scale = sizes[-1] if len(sizes) % 2 else 0.1 if len(sizes) % 4 else 2.0      # short and long trials in turn
        sizes.append(scale)
        return torch.randn(3 - len(sizes) % 2, generator=generator, dtype=torch.float64) * scale
    return {"clip": Function(clip, {"g1": some, "g2": some})}

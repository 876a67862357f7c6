"""Right answers to the exercises. A function whose first argument is `torch` is written once for
both engines. An exercise has several answers only if its check could tell them apart.

The solutions in the notebooks are right answers too: `tests/notebooks` runs them.
"""

import numpy as np
import torch
from torch import nn

from autograd_core.lessons import lesson_09
from autograd_core.lessons.own_engine import Tensor, lift

RIGHT: list[tuple[str, str, object]] = []
"""(exercise, keyword of `check` or "" if there is only one, answer)"""


def right(exercise, key=""):
    """Register the decorated function as a right answer."""

    def register(function):
        RIGHT.append((exercise, key, function))
        return function

    return register


@right("00.2")
def with_the_moves(torch, loss, gradients, lr):
    moves = torch.stack([-lr * g for g in gradients])
    return loss + (moves * torch.stack(gradients)).sum()


@right("00.2")
def a_rounded_number(loss, gradients, lr):
    return round(float(loss) - lr * sum(float(g) ** 2 for g in gradients), 3)


@right("01.1")
def chosen(torch, a, c):
    return torch.where(torch.tensor(True), a**2, c)


@right("01.1")
def there_and_back(a, c):
    return a**2 + c - c


class Net(nn.Module):
    """The network of 01.2, whose hidden layers are in a list."""

    def __init__(self, hold=list, *hidden):
        super().__init__()
        layers = hidden or (nn.Linear(2, 3), nn.Linear(3, 3))
        self.hidden = hold(layers)
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.last(x)


@right("01.2")
def a_list_of_modules():
    return Net(nn.ModuleList)


@right("01.2")
def a_sequential():
    return Net(lambda layers: nn.Sequential(*layers))


@right("01.2")
class AlsoByName(Net):
    def __init__(self):
        super().__init__()
        self.a, self.b = self.hidden


@right("01.3", "network")
def a_sequence(torch):
    nn = torch.nn
    first = nn.Linear(3, 5), nn.Identity(), nn.Tanh(), nn.Linear(5, 4, bias=False)
    dropout = nn.Dropout(0.5)
    dropout.eval()
    return nn.Sequential(*first, dropout, nn.Sequential(nn.ReLU(), nn.Linear(4, 1)))


@right("01.3", "network")
def a_class():
    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.bend = nn.Linear(3, 5), nn.Tanh()
            self.second, self.cut = nn.Linear(5, 4, bias=False), nn.ReLU()
            self.last = nn.Linear(4, 1)

        def forward(self, x):
            return self.last(self.cut(self.second(self.bend(self.first(x)))))

    return Network()


def f(x):
    return x.exp() * x.flip(0)


@right("02.2")
def with_grad(torch, x):
    x = x.detach().requires_grad_()
    return torch.autograd.grad(f(x), x, torch.tensor([0.0, 0.0, 1.0]))[0]


@right("02.2")
def of_the_last_element(x):
    x = x.detach().requires_grad_()
    f(x)[2].backward()
    return x.grad


@right("02.3")
def by_hand(out, target):
    return 2 * (out - target) / out.numel()


@right("03.2")
def by_the_data(parameters, lr):
    for p in parameters:
        if p.grad is not None:
            p.data -= lr * p.grad


@right("03.2")
def by_copy(parameters, lr):
    with torch.no_grad():
        for p in parameters:
            if p.grad is not None:
                p.copy_(p - lr * p.grad)


def plain_sgd(net):
    return torch.optim.SGD(net.parameters(), lr=0.05)


@right("03.3")
def multiplied_after_the_step(net, batches, loss_of):
    optimizer = plain_sgd(net)
    for x in batches:
        loss_of(net(x)).backward()
        optimizer.step()
        for p in net.parameters():
            if p.grad is not None:
                p.grad.mul_(0.9)


@right("03.3")
def multiplied_before_backward(net, batches, loss_of):
    optimizer = plain_sgd(net)
    for x in batches:
        for p in net.parameters():
            if p.grad is not None:
                p.grad = 0.9 * p.grad
        loss_of(net(x)).backward()
        optimizer.step()


@right("04.2")
def one_copy(torch, x):
    h = torch.tanh(x)
    copy = h.detach().requires_grad_()
    for branch in (torch.exp, torch.sin):
        branch(copy).sum().backward()
    h.backward(copy.grad)
    return x.grad


@right("04.2")
def two_copies_and_grad(torch, x):
    h = torch.tanh(x)
    first, second = h.detach().requires_grad_(), h.detach().requires_grad_()
    (of_exp,) = torch.autograd.grad(torch.exp(first).sum(), first)
    (of_sin,) = torch.autograd.grad(torch.sin(second).sum(), second)
    return torch.autograd.grad(h, x, of_exp + of_sin)[0]


def windows(start=torch.Tensor.detach, reset=lambda total: 0.0, early=False, **options):
    """An answer to 04.3 in which `start` and `reset` return the next `h` and `total`."""

    def train(xs, weight, optimizer, k):
        h, total = torch.zeros(1, 8), 0.0
        for step, x in enumerate(xs, start=1):
            h = torch.tanh(h @ weight + x)
            total = total + (h**2).mean()
            if step % k == 0:
                h = start(h) if early else h
                optimizer.zero_grad()
                total.backward(**options)
                optimizer.step()
                h, total = start(h), reset(total)

    return train


right("04.3")(windows())
right("04.3")(windows(torch.Tensor.detach_, torch.Tensor.detach))
right("04.3")(windows(early=True))


@right("05.1")
def with_where(torch, x):
    h = torch.sigmoid(x) + x
    return torch.where(h < 0.5, 0.0, h).sum()


@right("05.1")
def writes_to_a_copy(torch, x):
    h = torch.sigmoid(x).clone()
    h += x
    h[h < 0.5] = 0
    return h.sum()


@right("05.2")
def saves_a_copy(torch, x, decay):
    s = torch.zeros_like(x)
    s[0] = x[0]
    for t in range(1, len(x)):
        s[t] = decay * s[t - 1].clone() + x[t]
    return s


@right("05.3")
def reads_a_copy(x, first, second):
    h = first(x)
    y = second(h.clone())
    h += x
    return (y * y + h).sum()


@right("06.2")
def selected_before_the_logarithm(torch, p):
    return -(p[p > 0] * torch.log(p[p > 0])).sum()


@right("06.2")
def clamped_and_masked(torch, p):
    return torch.where(p > 0, -p * torch.log(p.clamp(min=1e-9)), 0.0).sum()


@right("06.2")
def replaced_once_for_both(torch, p):
    safe = torch.where(p > 0, p, 1.0)
    return -(safe * torch.log(safe)).sum()


@right("06.3")
def nan_replaced(torch, x):
    return torch.nan_to_num(x[x > 1].mean())


@right("06.3")
def with_an_if(x):
    above = x > 1
    return x[above].mean() if above.any() else 0 * x.sum()


@right("07.2")
def by_indices(torch, g, x):
    gradient = torch.zeros(x.shape, dtype=x.dtype)
    gradient[x.topk(3).indices] = g
    return gradient


@right("07.3")
def by_sort(torch, losses, is_text, train):
    text, others = is_text & train, ~is_text & train
    wanted = min(2 * int(text.sum()), int(others.sum()))
    hardest = losses[others].sort(descending=True)[0][:wanted]
    return torch.cat([losses[text], hardest]).sum() / max(int(text.sum()) + wanted, 1)


@right("08.2")
def as_a_list(torch, G, W, h, b):
    return [(h @ G.T).T, (G.T @ W).T, G.sum(1).reshape(b.shape)]


@right("08.3")
def without_recording(torch, sin, cos):
    with torch.no_grad():
        length = torch.sqrt(sin**2 + cos**2)
    return torch.stack([sin / length, cos / length])


@right("08.3")
def a_length_for_each(torch, sin, cos):
    return sin / torch.sqrt(sin**2 + cos.detach() ** 2), cos / torch.sqrt(
        sin.detach() ** 2 + cos**2
    )


POSTED = lesson_09.loss_on(torch)
FIXED = lesson_09.corrected(POSTED)
right("09.1")(FIXED)
right("09.1")(
    lesson_09.edited(
        lesson_09.edited(
            lesson_09.corrected(POSTED, but="late selection"), 17, "pair = out[on_line, 4:6]"
        ),
        19,
        "pair = pair",
    )
)
for line, code in (
    (2, "pass"),
    (9, "text_loss = (loss_pos + hardest.sum()) / torch.tensor(n_pos + n_neg).clamp(min=1)"),
    (16, "on_line = tcl & train"),
    (19, "pair = F.normalize(pair, dim=1)"),
    (19, "pair = pair / pair.norm(dim=1, keepdim=True)"),
):
    right("09.1")(lesson_09.edited(FIXED, line, code))


@right("09.2")
def with_a_small_number(points, target, visible):
    each = (points[visible] - target[visible]).norm(dim=1)
    return each.sum() / (visible.sum() + 1e-8)


@right("09.2")
def without_keypoints(points, target, visible):
    if not visible.any():
        return points[visible].sum()
    return (points[visible] - target[visible]).norm(dim=1).mean()


@right("10.1")
def by_a_product_of_unit_vectors(sin, cos, true_sin, true_cos):
    along = (sin * true_sin + cos * true_cos) / np.sqrt(sin**2 + cos**2)
    return np.degrees(np.arccos(np.clip(along, -1, 1)))


@right("10.2")
def by_cosine_similarity(torch, sin, cos, true_sin, true_cos):
    found, true = torch.stack([sin, cos]), torch.stack([true_sin, true_cos])
    return 1 - ((found * true).sum(dim=0) / found.norm(dim=0).clamp(min=0.1)).mean()


@right("10.2")
def half_the_squared_distance(sin, cos, true_sin, true_cos):
    length = (sin * sin + cos * cos) ** 0.5
    return ((sin / length - true_sin) ** 2 + (cos / length - true_cos) ** 2).mean() / 2


@right("11.2")
def target_under_no_grad(torch, student, teacher, x):
    with torch.no_grad():  # autograd_core's has no effect on PyTorch's tensors
        target = teacher(x)
    return torch.nn.functional.mse_loss(student(x), target)


@right("11.2")
def frozen_for_a_while(student, teacher, x):
    teacher.requires_grad_(False)
    loss = ((student(x) - teacher(x)) ** 2).mean()
    teacher.requires_grad_(True)
    return loss


@right("11.2")
def with_data(student, teacher, x):
    return (student(x) - teacher(x).data).pow(2).mean()


@right("11.3")
def with_inputs(net1, net2, optimizer1, losses_of):
    net1.train(), net2.eval()
    for _ in range(3):
        optimizer1.zero_grad()
        sum(losses_of(net1, net2)).backward(inputs=list(net1.parameters()))
        optimizer1.step()


@right("11.3")
def frozen_first(net1, net2, optimizer1, losses_of):
    net2.requires_grad_(False)
    net1.train(), net2.train()
    net2.train(False)
    for _ in range(3):
        optimizer1.zero_grad()
        sum(losses_of(net1, net2)).backward()
        optimizer1.step()


@right("12.2")
def mask_as_factor(torch, w, x, mask):
    w, count = w.detach().requires_grad_(), mask.sum().item()
    for row, valid in zip(x, mask):
        loss = torch.where(valid, (w - row) ** 2, 0.0).sum()
        (loss / count).backward()
    return w.grad


@right("12.2")
def by_shares_with_empty_rows(w, x, mask):
    # the mean of no element is nan, but its gradient reaches no element
    w = w.detach().requires_grad_()
    for row, valid in zip(x, mask):
        (((w - row) ** 2)[valid].mean() * valid.sum() / mask.sum()).backward()
    return w.grad


@right("12.2")
def divided_at_the_end(w, x, mask):
    w = w.detach().requires_grad_()
    for row, valid in zip(x, mask):
        ((w - row) ** 2)[valid].sum().backward()
    return w.grad / mask.sum()


@right("12.3")
def frozen(layer):
    for p in layer.parameters():
        p.requires_grad, p.grad = False, None


@right("12.3")
def frozen_by_the_module(layer):
    layer.requires_grad_(False)
    layer.zero_grad()


@right("13.2")
def the_logarithm_and_a_constant(torch, loss):
    return torch.log(loss) + 1


@right("13.2")
def with_the_value_of_the_loss(loss):
    return loss.detach() + loss / loss.detach()


@right("13.3")
def by_the_perfect_rows(classes):
    return nn.functional.cross_entropy(torch.eye(classes), torch.arange(classes))


@right("13.3")
def of_the_largest_probability(classes):
    return -np.log(np.e / (np.e + classes - 1))


@right("14.1", "record")
def record_early(self, name, inputs, rule):
    if not [x for x in inputs if x.requires_grad]:
        return self
    self.requires_grad = True
    self.name, self.inputs, self.rule = name, [*inputs], rule
    return self


@right("14.1", "__mul__")
def mul_with_a_rule_of_its_own(self, other):
    other = lift(other)

    def rule(g):
        return [other.data * g, self.data * g]

    return Tensor(other.data * self.data).record("Mul", [self, other], rule)


@right("14.2")
def counted(self):
    """A tensor is ready when all its consumers have run, as in PyTorch."""
    waits, stack, seen = {}, [self], {self}
    while stack:
        for x in stack.pop().inputs:
            if x.requires_grad:
                waits[x] = waits.get(x, 0) + 1
                stack += [x] if x not in seen else []
                seen.add(x)
    found = [self]
    for node in found:
        for x in node.inputs:
            if x.requires_grad:
                waits[x] -= 1
                found += [x] if not waits[x] else []
    return found


@right("14.3")
def with_get(self):
    arrived = {self: 1.0}
    for node in self.order():
        g = arrived.pop(node)
        if not node.inputs:
            node.grad = g if node.grad is None else node.grad + g
            continue
        for x, part in zip(node.inputs, node.rule(g)):
            arrived[x] = arrived.get(x, 0) + part


@right("14.4", "fit")
def one_axis_at_a_time(self, g):
    while np.ndim(g) > self.data.ndim:
        g = g.sum(0)
    for axis, size in enumerate(self.data.shape):
        if size == 1:
            g = g.sum(axis, keepdims=True)
    return g


@right("14.4", "__matmul__")
def matmul_transposed_as_a_whole(self, other):
    other = lift(other)

    def rule(g):
        return (other.data @ g.T).T, (g.T @ self.data).T

    return Tensor(self.data.dot(other.data)).record("MmBackward0", (self, other), rule)


def loss_of(w):
    return (w.exp() * w.sum()).sum()


@right("15.1")
def with_a_gradient_to_start_from(torch, w, v):
    w = w.detach().requires_grad_()
    (g,) = torch.autograd.grad(loss_of(w), [w], create_graph=True)
    return torch.autograd.grad(g, [w], v)[0]


@right("15.1")
def by_the_library(torch, w, v):
    return torch.autograd.functional.hvp(loss_of, w, v)[1]


class Square(torch.autograd.Function):
    """The square of 15.2."""

    @staticmethod
    def forward(ctx, r):
        ctx.r = r
        return r * r

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2 * ctx.r


RIGHT.append(("15.2", "", Square.apply))


@right("16.1")
def by_the_mean_of_the_counts(losses, valid, world, all_reduce):
    count = valid.double().sum()
    all_reduce(count)
    return (losses * valid.double()).sum() / (count / world).clamp(min=1 / world)


@right("16.1")
def with_the_loss_of_the_batch(torch, losses, valid, world, all_reduce):
    both = torch.stack([losses.detach()[valid].sum(), valid.sum().double()])
    all_reduce(both)
    loss = world * losses[valid].sum() / both[1].clamp(min=1)
    return loss + (both[0] / both[1].clamp(min=1) - loss).detach()


@right("16.2")
def with_a_mean_of_zeros(text, line):
    return text.mean() + (0 * line).mean()


RIGHT += [
    *(("03.1", "", calls) for calls in ("bbs", " B b s")),
    *(("00.1", "", value) for value in (-25, torch.tensor(-25.0))),
    ("01.3", "rows", 6),
    *(("06.1", "", tuple(text.split())) for text in ("nan 0 nan 0", "NaN 0 NaN 0")),
    ("06.1", "", [float("nan"), 0, float("nan"), 0]),
    *(("07.1", "", value) for value in (2, 2.0)),
    *(
        ("09.3", "", value)
        for value in ([[0, 1, 2], [3], [4], [5, 6]], ((6, 5), [4], [3], {2, 0, 1}))
    ),
    *(
        ("13.1", "", tuple(text.split()))
        for text in ("stays moves nan stays", "Stays moves NaN stays")
    ),
    ("11.1", "", 24),
]

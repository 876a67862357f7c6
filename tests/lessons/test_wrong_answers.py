"""For each exercise, answers that people give and that are wrong: each is refused, and told its
mistake.
"""

import re

import pytest

import autograd_core as T
from autograd_core import nn
from autograd_core.lessons.exercises.check import check
from autograd_core.nn import functional as F
from notebooks.authoring import refresh
from notebooks.authoring.exercises import exercises
from tests.notebooks.test_notebooks import read

WRONG = {}


def wrong(name: str, **answers):
    """`key=[(answer, words), ...]` for the one key of exercise `name`."""
    ((key, cases),) = answers.items()
    WRONG[name] = [({key: answer}, words) for answer, words in cases]


def writes_the_gradient(a, c):
    c.grad = T.zeros_like(c)
    return a**2


wrong(
    "01.1",
    loss=[
        (lambda a, c: a**2, "no path leads to `c`"),
        (lambda a, c: a**2 + 0 * c.detach(), "no path leads to `c`"),
        (lambda a, c: a**2 + c, "for every `c`"),
        (lambda a, c: a**2 * c, "this is a product"),
        (lambda a, c: 0 * (a**2 + c), "0 everywhere"),
        (lambda a, c: a**2 * c * 0, "0 everywhere"),
        (lambda a, c: 0 * c, "itself is missing"),
        (lambda a, c: 4.0, "returns a float, not a tensor"),
        (lambda a, c: (a**2 + 0 * c).detach(), "without a graph"),
        (lambda a, c: a.item() ** 2 + 0 * c, "In the gradient of a"),
        (lambda a, c: a**2 + 1e-7 * c, "In the value"),
        (writes_the_gradient, "fills `.grad` itself"),
        (lambda a, c: a**2 * c / c, "In the value"),
    ],
)


def built(*layers):
    return lambda: nn.Sequential(*layers)


FIRST, SECOND, LAST = nn.Linear(3, 5), nn.Linear(5, 4, bias=False), nn.Linear(4, 1)
wrong(
    "01.2",
    network=[
        (built(FIRST, SECOND, nn.ReLU(), LAST), "lacks an activation"),
        (built(FIRST, nn.Tanh(), SECOND, nn.ReLU(), LAST, nn.Tanh()), "(Tanh, ReLU, Tanh) than"),
        (built(FIRST, nn.ReLU(), SECOND, nn.Tanh(), LAST), "in the wrong order"),
        (built(LAST, nn.ReLU(), SECOND, nn.Tanh(), FIRST), "the graph begins at the loss"),
        (built(FIRST, nn.Tanh(), SECOND, nn.Sigmoid(), LAST), "the name of a node"),
        (
            built(FIRST, nn.Tanh(), nn.Linear(5, 4), nn.ReLU(), LAST),
            "a bias too many beside weight 2",
        ),
        (
            built(FIRST, nn.Tanh(), SECOND, nn.ReLU(), nn.Linear(4, 1, bias=False)),
            "lacks a bias beside weight 3",
        ),
        (
            built(nn.Linear(5, 3), nn.Tanh(), SECOND, nn.ReLU(), LAST),
            "in and out exchanged in weight 1",
        ),
        (
            built(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 4, bias=False), nn.ReLU(), LAST),
            "has [6, 3] as weight 1",
        ),
        (built(FIRST, nn.Tanh(), nn.Linear(5, 1)), "has 2 layers with a weight"),
        (lambda: [FIRST, nn.Tanh(), SECOND, nn.ReLU(), LAST], "returns a list"),
        (lambda: None, "returns None"),
        (lambda: nn.Sequential(...), "raises TypeError"),
        (5, "A function is asked for"),
    ],
)


def f(x):
    return x.exp() * x.flip(0)


def row(v, through=lambda out, v: out.backward(v)):
    def answer(x):
        x = x.detach().requires_grad_()
        through(f(x), x.new_tensor(v))
        return x.grad

    return answer


def row_of_the_whole_table(x):
    x = x.detach().requires_grad_()
    return T.stack(
        [
            T.autograd.grad(f(x), x, x.new_tensor([float(i == k) for i in range(3)]))[0]
            for k in range(3)
        ]
    )[2]


wrong(
    "02.2",
    rule=[
        (lambda g, a, b: (b.exp(), a * b.exp()), "`g` is missing: each"),
        (lambda g, a, b: (g * b.exp(), a * b.exp()), "what goes to `b`"),
        (lambda g, a, b: (b.exp(), g * a * b.exp()), "what goes to `a`"),
        (lambda g, a, b: (g * a * b.exp(), g * b.exp()), "swapped"),
        (lambda g, a, b: (g * b.exp(), g * b.exp()), "has the factor `a`"),
        (lambda g, a, b: (g * b, g * a), "exponential is missing"),
        (lambda g, a, b: (g + b.exp(), g + a * b.exp()), "not added"),
        (lambda g, a, b: g * b.exp(), "returns 1 result"),
        (lambda g, a, b: (-g * b.exp(), -g * a * b.exp()), "Everywhere −1 times"),
        (lambda g, a, b: 2 * (a * b.exp(),), "not a slope"),
        (lambda g, a, b: (g * b.exp(), g * a * b * b.exp()), "as a factor"),
        (lambda a, b: (b.exp(), a), "raises TypeError"),
        (lambda g, a, b: (g * b.exp(), g * a), "missing in what goes to `b`"),
    ],
)
wrong(
    "02.3",
    last_row=[
        (row([1.0, 0.0, 0.0]), "the first row"),
        (row([0.0, 1.0, 0.0]), "in the middle"),
        (row([1.0, 1.0, 1.0]), "sum of all rows"),
        (row([0.0, 0.0, 3.0]), "a single 1"),
        (f, "not a slope"),
        (row_of_the_whole_table, "took 3 backward passes"),
        (
            row([0.0, 0.0, 1.0], lambda out, v: out.backward()),
            "grad can be implicitly created only for scalar outputs",
        ),
        (lambda x: x.requires_grad_().grad, "Your function returns None"),
    ],
)


def in_parts(parts=lambda x: x.chunk(2), scale=lambda part: 0.5, clears=False):
    def answer(w, x):
        w = w.detach().requires_grad_()
        for part in parts(x):
            w.grad = None if clears else w.grad
            (((part @ w) ** 2).mean() * scale(part)).backward()
        return w.grad

    return answer


def sum_of_both(w, x):
    w = w.detach().requires_grad_()
    first, second = x.chunk(2)
    ((((first @ w) ** 2).mean() + ((second @ w) ** 2).mean()) / 2).backward()
    return w.grad


wrong(
    "03.1",
    gradient=[
        (in_parts(scale=lambda part: 1), "twice too much"),
        (in_parts(lambda x: [x], lambda part: 1), "the whole batch went through at once"),
        (in_parts(lambda x: [x, x]), "the whole batch"),
        (in_parts(clears=True), "second half alone, divided by 2"),
        (in_parts(scale=lambda part: 1, clears=True), "second half alone"),
        (in_parts(lambda x: [x.chunk(2)[0]]), "first half alone, divided"),
        (in_parts(scale=lambda part: 0.25), "Everywhere 0.5 times"),
        (sum_of_both, "two backward passes are asked for"),
        (lambda w, x: w.detach().requires_grad_().grad, "returns None"),
        (lambda w, x: x.mean(0), "In the result"),
        (in_parts(lambda x: [x[:4], x[4:]], lambda part: 0.5), "batches of other lengths"),
    ],
)
wrong(
    "03.2",
    step=[
        (lambda w, g: w - 0.1 * g, "decay is missing"),
        (lambda w, g: w - 0.1 * g - 0.01 * w, "multiplied with `lr`"),
        (lambda w, g: w - 0.1 * (g - 0.01 * w), "towards 0"),
        (lambda w, g: w - (g + 0.01 * w), "`lr` is missing"),
        (lambda w, g: w + 0.1 * (g + 0.01 * w), "against the gradient"),
        (lambda w, g: -0.1 * (g + 0.01 * w), "the new weight is asked"),
        (lambda w, g: w - 0.1 * (g + 0.01), "not a number for all"),
        (lambda w, g: w - 0.1 * 1.01 * g, "not of the gradient"),
        (lambda w, g: w, "In the result"),
    ],
)


def early(finish):
    def answer(x):
        x = x.detach().requires_grad_()
        h = T.tanh(x)
        return finish(x, h, h.detach().requires_grad_())

    return answer


@early
def retained(x, h, border):
    T.exp(h).sum().backward(retain_graph=True)
    T.sin(h).sum().backward()
    return x.grad


@early
def one_sum(x, h, border):
    (T.exp(h).sum() + T.sin(h).sum()).backward()
    return x.grad


@early
def two_trunks(x, h, border):
    T.exp(T.tanh(x)).sum().backward()
    T.sin(T.tanh(x)).sum().backward()
    (0 * x).sum().backward()
    return x.grad


@early
def freed(x, h, border):
    T.exp(h).sum().backward()
    T.sin(h).sum().backward()
    return x.grad


def bordered(
    exp=True,
    sin=True,
    keep_sin=False,
    send=lambda h, border: h.backward(border.grad),
    returns=lambda x, border: x.grad,
):
    def finish(x, h, border):
        if exp:
            T.exp(border).sum().backward()
        if sin:
            T.sin(border).sum().backward(retain_graph=keep_sin)
        send(h, border)
        return returns(x, border)

    return early(finish)


def sent_twice(h, border):
    h.backward(border.grad, retain_graph=True)
    h.backward(border.grad)


wrong(
    "04.1",
    saved_bytes=[
        (16000, "are the result of `exp` and the input of `sin` two"),
        (1000, "counts the elements"),
        (4000, "float32"),
        (24000, "three tensors"),
        (0, "something is saved"),
        (8, "is not what PyTorch computes"),
        (7999.99, "7999.99 is not what PyTorch computes"),
        ("8000 bytes", "is text"),
    ],
)


def both_at_once(x):
    x = x.detach().requires_grad_()
    h = T.tanh(x)
    border = h.detach().requires_grad_()
    branches = T.exp(border).sum(), T.sin(border).sum()
    for branch in branches:
        branch.backward()
    h.backward(border.grad)
    return x.grad


wrong(
    "04.2",
    gradient=[
        (retained, "a pass left its graph retained"),
        (one_sum, "a backward of its own"),
        (two_trunks, "computed more than once"),
        (freed, "the first pass emptied the trunk"),
        (both_at_once, "both branches were held at once"),
        (bordered(keep_sin=True), "a pass left its graph retained"),
        (bordered(sin=False), "`sin` is missing"),
        (bordered(exp=False), "`exp` is missing"),
        (bordered(returns=lambda x, border: border.grad), "what stands at the border"),
        (bordered(send=lambda h, border: h.sum().backward()), "got a 1 in place"),
        (bordered(send=sent_twice), "twice too much"),
        (bordered(send=lambda h, border: None), "returns None"),
    ],
)


def recurrence(detaches=lambda h: h.detach(), steps=4, detach_first=False, scale=1):
    def answer(w):
        h, total = T.zeros((), dtype=w.dtype), 0.0
        for _ in range(steps):
            h = T.tanh(w * h + 1)
            h = detaches(h) if detach_first else h
            total = total + h**2
            h = h if detach_first else detaches(h)
        return total * scale

    return answer


def gradient_of(loss_of):
    def answer(w):
        loss_of(w).backward()
        return w.grad

    return answer


def sent_back_in_the_loop(w):
    h, total = T.zeros((), dtype=w.dtype), 0.0
    for _ in range(4):
        h = T.tanh(w * h + 1)
        total = total + h**2
        total.backward()
        h = h.detach()
    return total


def residual(change, finish=T.sum):
    def answer(x):
        h = change(T.sigmoid(x), x)
        h[h < 0.5] = 0
        return finish(h)

    return answer


def through_data(x, cut=lambda h: h.data.__setitem__(h < 0.5, 0)):
    h = T.sigmoid(x)
    h.data += x
    cut(h)
    return h.sum()


def add_in_place(h, x):
    h += x
    return h


def under_no_grad(h, x):
    with T.no_grad():
        h += x
    return h


wrong(
    "05.1",
    loss=[
        (recurrence(lambda h: h), "nothing was cut"),
        (recurrence(detach_first=True), "without a graph"),
        (recurrence(steps=3), "too few"),
        (recurrence(steps=5), "too many"),
        (recurrence(scale=0.25), "the mean of the four"),
        (gradient_of(recurrence()), "without a graph"),
        (lambda w: 0 * w, "In the value"),
        (lambda w: 1.0, "returns a float"),
        (sent_back_in_the_loop, "not yet sent back"),
    ],
)
wrong(
    "05.2",
    loss=[
        (residual(add_in_place), "modified by an inplace operation"),
        (residual(under_no_grad), "modified by an inplace operation"),
        (through_data, "`.data` hides the writes"),
        (residual(lambda h, x: h.detach() + x), "through the sigmoid"),
        (residual(lambda h, x: h + x.detach()), "through the shortcut"),
        (residual(lambda h, x: h.clone()), "the shortcut is missing"),
        (lambda x: (T.sigmoid(x) + x).sum(), "the threshold is missing"),
        (residual(lambda h, x: h + x, lambda h: (h * h).sum()), "to be squared"),
        (residual(lambda h, x: h + x, T.mean), "that is the mean"),
        (residual(lambda h, x: h + x, lambda h: h), "scalar"),
        (lambda x: (T.sigmoid(x) + x).clamp(min=0.5).sum(), "not to the threshold"),
        (residual(lambda h, x: h + x, lambda h: h.sum().item()), "returns a float"),
    ],
)


def lengths(points, finish=lambda square, safe: T.where(square > 0, T.sqrt(safe), 0.0).sum()):
    square = (points**2).sum(1)
    return finish(square, T.where(square > 0, square, 1.0))


def above(divide):
    return lambda x: ((x > 1) * x).sum() / divide(x > 1)


def scattered(write):
    def rule(gradient, x):
        result = T.zeros_like(x)
        for place, arrived in zip([2, 0, 2], gradient):
            write(result, place, arrived)
        return result

    return rule


def by_backward(gradient, x):
    leaf = x.detach().requires_grad_()
    leaf[[2, 0, 2]].backward(gradient)
    return leaf.grad


def first_only(result, place, arrived):
    if result[place] == 0:
        result[place] = arrived


wrong(
    "06.2",
    loss=[
        (
            lambda points: lengths(
                points, lambda square, safe: T.where(square > 0, T.sqrt(square), 0.0).sum()
            ),
            "which is too late",
        ),
        (
            lambda points: lengths(points, lambda square, safe: T.sqrt(safe).sum()),
            "added to the loss",
        ),
        (
            lambda points: lengths(points, lambda square, safe: T.nan_to_num(T.sqrt(square)).sum()),
            "too late",
        ),
        (lambda points: (points**2).sum(), "the root is missing"),
        (lambda points: lengths(points) / len(points), "that is the mean"),
        (lambda points: lengths(points) / points.any(1).sum(), "rows that are not 0"),
        (lambda points: T.sqrt((points**2).sum(1) + 1e-3).sum(), "In the value"),
        (lambda points: T.sqrt((points**2).sum(1) + 1e-6).sum(), "every length"),
        (lambda points: T.sqrt((points**2).sum(1) + 1e-8).sum(), "a zero row costs its root"),
        (lambda points: lengths(points).item(), "returns a float"),
        (lambda points: points.norm(dim=1).sum(), "by a rule of its own"),
        (lambda points: points[points.any(1)].norm(dim=1).sum(), "by a rule of its own"),
        (lambda points: lengths(points.detach()), "without a graph"),
    ],
)
wrong(
    "06.3",
    loss=[
        (lambda x: x[x > 1].mean(), "then the loss is nan"),
        (above(lambda mask: mask.sum()), "divides by 0"),
        (lambda x: T.nan_to_num(above(lambda mask: mask.sum())(x)), "its gradient is nan"),
        (above(lambda mask: 4), "divided by all elements"),
        (above(lambda mask: 1), "that is the sum"),
        (lambda x: x.mean(), "the mask is missing"),
        (lambda x: x.clamp(min=1).mean(), "left out"),
        (above(lambda mask: mask.sum() + 1), "one too large"),
        (lambda x: 0.0, "returns a float"),
        (lambda x: x[(x > 1).long()].mean(), "not a mask"),
        (lambda x: x.sum() / (x > 1).sum().clamp(min=1), "the sum is over all"),
        (lambda x: ((x >= 1) * x).sum() / (x >= 1).sum().clamp(min=1), "not above 1"),
    ],
)
wrong(
    "06.4",
    rule=[
        (
            scattered(lambda result, place, arrived: result.__setitem__(place, arrived)),
            "overwritten where two meet",
        ),
        (scattered(first_only), "the first of two"),
        (by_backward, "does it for you"),
        (lambda gradient, x: gradient[[2, 0, 2]], "gathers once more"),
        (lambda gradient, x: gradient, "the gradient of `x` has four"),
        (lambda gradient, x: T.tensor([1.0, 0.0, 2.0, 0.0]), "what arrived is missing"),
        (lambda gradient, x: T.cat([gradient, 0 * gradient[:1]]), "`index` is not used"),
        (scattered(lambda result, place, arrived: None), "In the gradient of x"),
        (
            scattered(
                lambda result, place, arrived: result.__setitem__(place, result[place] - arrived)
            ),
            "In the gradient of x",
        ),
    ],
)


def pair(of, reduction="mean"):
    return lambda d: F.cross_entropy(
        T.stack([T.zeros_like(d), of(d)], 1), T.tensor([0, 1, 1, 0]), reduction=reduction
    )


def placed(places, change=lambda g, x: g):
    def rule(g, x):
        gradient = T.zeros_like(x)
        gradient[places(x)] = change(g, x)
        return gradient

    return rule


def mined(
    ratio=2, least=1, at_most=True, positives=True, largest=True, number=lambda taken, text: taken
):
    def loss_of(loss, text):
        wanted = ratio * int(text.sum())
        wanted = min(wanted, int((~text).sum())) if at_most else wanted
        total = loss[~text].topk(wanted, largest=largest)[0].sum() + (
            loss[text].sum() if positives else 0
        )
        taken = wanted + (int(text.sum()) if positives else 0)
        return total / (max(number(taken, text), least) if least else text.sum() * 0 + taken)

    return loss_of


wrong(
    "07.1",
    gradient=[
        ([1 / 3] * 3, "those are the probabilities"),
        ([-1 / 3, -1 / 3, 2 / 3], "the sign is the other way round"),
        ([0, 0, -1], "no output has"),
        ([-2 / 3, 1 / 3, 1 / 3], "the last of the three"),
        ([1 / 3, -2 / 3, 1 / 3], "counted from 0"),
        ([1 / 3, 1 / 3, -1 / 3], "add up to 0"),
        ([0.5, 0.5, -1], "not two"),
        ([0, 0, 0], "0 of 3 numbers"),
        ([1 / 3, 1 / 3], "has shape [2]"),
        (-2 / 3, "has shape []"),
    ],
)
wrong(
    "07.2",
    loss=[
        (pair(lambda d: d, "sum"), "that is the sum"),
        (pair(lambda d: -d), "the wrong way round"),
        (pair(lambda d: 2 * d), "twice that"),
        (pair(T.sigmoid), "not a probability"),
        (lambda d: F.softplus(-d).mean(), "text everywhere"),
        (lambda d: F.softplus(d).mean(), "no text"),
        (pair(lambda d: d, "none"), "grad can be implicitly created only for scalar"),
        (lambda d: d.mean(), "In the value"),
        (lambda d: 0.7, "returns a float"),
        (lambda d: ((T.sigmoid(d) - T.tensor([0, 1, 1, 0])) ** 2).mean(), "no logarithm"),
        (lambda d: (T.sigmoid(d) - T.tensor([0, 1, 1, 0])).abs().mean(), "no logarithm"),
        (lambda d: (F.softplus(-d) * T.tensor([0, 1, 1, 0])).mean(), "only half"),
        (lambda d: pair(lambda d: d)(d).detach(), "without a graph"),
    ],
)
wrong(
    "07.3",
    rule=[
        (placed(lambda x: T.arange(3)), "not to the first three"),
        (placed(lambda x: x.topk(3, largest=False)[1]), "the smallest"),
        (placed(lambda x: x.topk(3)[1].sort()[0]), "the largest first"),
        (placed(lambda x: x.topk(3)[1], lambda g, x: T.ones_like(g)), "a 1 for each place"),
        (placed(lambda x: x.topk(3)[1], lambda g, x: g * x.topk(3)[0]), "its slope is 1"),
        (lambda g, x: g, "has eight"),
        (lambda g, x: T.zeros_like(x), "nothing was written"),
        (placed(lambda x: x.topk(3)[1], lambda g, x: -g), "In the gradient of x"),
        (lambda g, x: x.topk(3), "returns 2 results"),
    ],
)
wrong(
    "07.4",
    loss=[
        (mined(at_most=False), "selected index k out of range"),
        (mined(least=0), "it divides by 0"),
        (mined(3), "yours takes three"),
        (mined(1), "yours takes one"),
        (lambda loss, text: loss.mean(), "nobody was chosen"),
        (mined(largest=False), "the easiest"),
        (mined(positives=False), "text pixels are missing"),
        (mined(number=lambda taken, text: 12), "divided by 12"),
        (mined(number=lambda taken, text: 1), "that is the sum"),
        (mined(number=lambda taken, text: len(text)), "divided by all pixels"),
        (mined(number=lambda taken, text: 3 * int(text.sum())), "as many as were wanted"),
        (mined(number=lambda taken, text: int(text.sum())), "text pixels alone"),
        (lambda loss, text: 0.5, "returns a float"),
        (lambda loss, text: float(mined()(loss, text)), "returns a float"),
        (lambda loss, text: mined()(loss.detach(), text), "without a graph"),
        (lambda loss, text: mined()(loss, text) if text.any() else 0.0, "returns a float"),
        (
            lambda loss, text: mined()(loss, text) if text.any() else T.tensor(0.0),
            "without a graph",
        ),
        (
            lambda loss, text: mined()(T.where(text, loss.detach(), loss), text),
            "text pixels have no gradient",
        ),
        (
            lambda loss, text: mined()(T.where(text, loss, loss.detach()), text),
            "negatives have no gradient",
        ),
        (lambda loss, text: mined()(loss.detach(), text) + 0 * loss.sum(), "no gradient goes back"),
    ],
)


wrong(
    "08.2",
    rule=[
        (lambda g, w, h: (w.T @ g, g @ h.T), "swapped"),
        (lambda g, w, h: (T.ones_like(g) @ h.T, w.T @ g), "missing in the first"),
        (lambda g, w, h: (g @ h.T, w.T @ T.ones_like(g)), "missing in the second"),
        (lambda g, w, h: (g @ h.T / h.shape[1], w.T @ g), "number of pixels"),
        (lambda g, w, h: (g @ h.T, w.T @ g / w.shape[0]), "number of kernels"),
        (lambda g, w, h: (h @ g.T, w.T @ g), "turned round"),
        (lambda g, w, h: (g @ h, w @ g), "Your function raises"),
        (lambda g, w, h: g @ h.T, "returns 1 result"),
        (lambda g, w, h: (-g @ h.T, w.T @ g), "Everywhere −1 times"),
    ],
)
wrong(
    "08.3",
    gradient=[
        (lambda a, b: b - (a @ b) / (a @ a) * a, "right in conflict"),
        (lambda a, b: b, "never changed"),
        (lambda a, b: b - (a @ b).clamp(min=0) / (a @ a) * a, "the other way round"),
        (lambda a, b: b - (a @ b).clamp(max=0) * a, "division is missing"),
        (lambda a, b: a - (a @ b).clamp(max=0) / (b @ b) * b, "out of `b`"),
        (lambda a, b: b - (a @ b).clamp(max=0) / a.norm() * a, "square of the length"),
        (lambda a, b: b + (a @ b).clamp(max=0) / (a @ a) * a, "should be taken away"),
        (lambda a, b: b if a @ b >= 0 else 0 * b, "thrown away"),
        (lambda a, b: (a @ b) / (a @ a), "has shape []"),
        (lambda a, b: (a @ b) / (a @ a) * a if a @ b < 0 else b, "the part along"),
        (lambda a, b: b - (a @ b).clamp(max=0) / (b @ b) * a, "divided by `b @ b`"),
        (lambda a, b: -b if a @ b < 0 else b, "turned round"),
        (
            lambda a, b: b - F.cosine_similarity(a, b, dim=0) * a if a @ b < 0 else b,
            "takes the cosine",
        ),
        (lambda a, b: T.where(a * b < 0, 0.0, b), "number by number"),
    ],
)

CASES = [(name, answers, words) for name, cases in WRONG.items() for answers, words in cases]
LESSONS = sorted(refresh.NOTEBOOKS.glob("0[1-8]_*.ipynb"))


@pytest.mark.parametrize(
    "name, answers, words", CASES, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(CASES)]
)
def test_a_wrong_answer_is_told_its_mistake(name, answers, words):
    verdict = check(name, **answers)
    assert not verdict.correct and verdict.attempted
    assert words.casefold() in repr(verdict).casefold()


def test_every_exercise_has_five_wrong_answers_or_more():
    asked = [exercise.name for path in LESSONS for exercise in exercises(read(path))]
    assert {name: len(WRONG.get(name, ())) for name in asked if len(WRONG.get(name, ())) < 5} == {}


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_no_wrong_answer_is_told_the_solution(path):
    """Numbers of the solution that nothing else in its exercise mentions stand in no verdict."""
    for exercise in exercises(read(path)):
        solution = set(
            re.findall(
                r"(?<=[=\[ ,])-?\d+\.?\d*",
                exercise.solution.partition("check(")[0].partition("#")[0],
            )
        )
        fixed = {n for n in solution if "def " not in exercise.solution and len(n) > 1}
        for answers, _ in WRONG[exercise.name]:
            said = repr(check(exercise.name, **answers)).partition(" ")[2].replace("−", "-")
            given = repr(answers)
            assert not [
                n
                for n in fixed
                if n not in given and re.search(rf"(?<![\d.]){re.escape(n)}(?!\d)", said)
            ], said

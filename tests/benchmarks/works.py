"""The works that are timed, each for several contenders: autograd_core, PyTorch eager, NumPy written by hand.

A contender makes everything that lies outside of the timing, from numbers that are the same for all, and returns

    stages   functions to be timed; the first is called with None, each other one with what the one before returned.
    answers  a function without arguments: the gradients that one round of the stages left behind, {name: array}.
"""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LINKS, ADDITIONS, NUMBERS = 250, 100_000, 32


@dataclass(frozen=True)
class Work:
    """One or several rows of the table: `rows` says which stages each is the sum of."""

    rows: dict[str, tuple[int, ...]]
    contenders: dict[str, Callable]


def on_engines(make, rows, by_hand=None, **more):
    """A work that is written once for both engines; `more` are further contenders."""
    contenders = {"autograd_core": functools.partial(make, "autograd_core"), "PyTorch": functools.partial(make, "torch")}
    return Work(rows, contenders | more | ({"NumPy": by_hand} if by_hand else {}))


# ---- a scalar expression -------------------------------------------------------------------------------------------


def expression(engine):
    T = importlib.import_module(engine)
    a, b = (T.tensor(x, requires_grad=True) for x in (2.0, -1.5))

    def forward(_):
        a.grad = b.grad = None
        c = a * b
        d = a + b
        f = (c * d + a).tanh()
        h = (f * f + 1 + b).exp()
        k = h / (h + 1)
        m = ((k - c) * d).sigmoid() * a
        return (m * m).log() - c * 0.5 + d * d
    return [forward, lambda loss: loss.backward()], lambda: {"a": a.grad.numpy(), "b": b.grad.numpy()}


# ---- multi-layer perceptrons ---------------------------------------------------------------------------------------


def numbers_for(sizes, batch):
    """Weights and biases of the layers, inputs, class numbers."""
    rng = np.random.default_rng(0)
    layers = [(rng.uniform(-1, 1, (n, m)) / np.sqrt(m), rng.uniform(-1, 1, n) / np.sqrt(m)) for m, n in zip(sizes, sizes[1:])]
    parameters = [np.float32(array) for layer in layers for array in layer]
    return parameters, np.float32(rng.standard_normal((batch, sizes[0]))), rng.integers(0, max(sizes[-1], 2), batch)


def perceptron(engine, sizes, batch, optimizer, **options):
    """A training step: zero_grad, forward, loss, backward, step. One output: two classes; more: as many."""
    T = importlib.import_module(engine)
    numbers, x, classes = numbers_for(sizes, batch)
    layers = [T.nn.Linear(m, n) for m, n in zip(sizes, sizes[1:])]
    net = T.nn.Sequential(*[part for layer in layers for part in (layer, T.nn.ReLU())][:-1])
    parameters = list(net.parameters())
    with T.no_grad():
        for parameter, array in zip(parameters, numbers):
            parameter.copy_(T.from_numpy(array))
    stepper = getattr(T.optim, optimizer)(parameters, **options)
    x, y = T.from_numpy(x), T.from_numpy(classes)
    if sizes[-1] == 1:
        loss_of, y = T.nn.functional.binary_cross_entropy_with_logits, y.float()[:, None]
    else:
        loss_of = T.nn.functional.cross_entropy

    def step(_):
        stepper.zero_grad()
        loss_of(net(x), y).backward()
        stepper.step()
    return [step], lambda: {f"gradient {i}": p.grad.numpy() for i, p in enumerate(parameters)}


def perceptron_by_hand(sizes, batch, optimizer, lr):
    """The same step in NumPy: as somebody would write it who knows the derivatives."""
    parameters, x, classes = numbers_for(sizes, batch)
    gradients = [np.zeros_like(p) for p in parameters]
    means, squares = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    chosen, count = (np.arange(batch), classes), [0]

    def step(_):
        inputs = [x]
        for i in range(0, len(parameters), 2):
            z = inputs[-1] @ parameters[i].T + parameters[i + 1]
            inputs.append(np.maximum(z, 0) if i < len(parameters) - 2 else z)
        z = inputs.pop()
        if sizes[-1] == 1:
            g = (1 / (1 + np.exp(-z)) - np.float32(classes)[:, None]) / batch
        else:
            g = np.exp(z - z.max(1, keepdims=True))
            g /= g.sum(1, keepdims=True)
            g[chosen] -= 1
            g /= batch
        for i in range(len(parameters) - 2, -1, -2):
            gradients[i], gradients[i + 1] = g.T @ inputs[i // 2], g.sum(0)
            if i:
                g = (g @ parameters[i]) * (inputs[i // 2] > 0)
        update()

    def update():
        count[0] += 1
        for p, g, m, v in zip(parameters, gradients, means, squares):
            if optimizer == "SGD":
                p -= lr * g
            else:
                m += (g - m) * (1 - 0.9)
                v *= 0.999
                v += g * g * (1 - 0.999)
                p -= lr / (1 - 0.9 ** count[0]) * m / (np.sqrt(v) / np.sqrt(1 - 0.999 ** count[0]) + 1e-8)
    return [step], lambda: {f"gradient {i}": g for i, g in enumerate(gradients)}


# ---- chains --------------------------------------------------------------------------------------------------------


def weights():
    """Near 1, and the chain stays near 0, where the slope of tanh is 1: a vanishing gradient would be slow arithmetic."""
    return np.float32(np.linspace(0.999, 1.001, NUMBERS)), np.full(NUMBERS, 1e-3, np.float32)


def chain(engine):
    T = importlib.import_module(engine)
    w, small = map(T.from_numpy, weights())
    w.requires_grad_()

    def forward(_):
        w.grad, x = None, small
        for _ in range(LINKS):
            x = (x * w + small).tanh() - small
        return x
    return [forward, lambda x: x.backward(small)], lambda: {"w": w.grad.numpy()}


def chain_by_hand():
    (w, small), gradient = weights(), []

    def forward(_):
        x, saved = small, []
        for _ in range(LINKS):
            y = np.tanh(x * w + small)
            saved.append((x, y))
            x = y - small
        return saved

    def backward(saved):
        g, total = small, np.zeros_like(w)
        for x, y in reversed(saved):
            g = g * (1 - y * y)
            total += g * x
            g = g * w
        gradient[:] = [total]
    return [forward, backward], lambda: {"w": gradient[0]}


def additions(engine):
    T = importlib.import_module(engine)
    x = T.tensor(1.0, requires_grad=True)

    def forward(_):
        x.grad, y = None, x
        for _ in range(ADDITIONS):
            y = y + x
        return y
    return [forward, lambda y: y.backward()], lambda: {"x": x.grad.numpy()}


def training(sizes, batch, optimizer, lr, **more):
    """A perceptron's training step for all contenders; `more` are further options of PyTorch's optimizer, by column."""
    make = functools.partial(perceptron, sizes=sizes, batch=batch, optimizer=optimizer, lr=lr)
    title = f"MLP {'-'.join(map(str, sizes))}, batch {batch}, {optimizer} step"
    return on_engines(make, {title: (0,)}, functools.partial(perceptron_by_hand, sizes, batch, optimizer, lr),
                      **{column: functools.partial(make, "torch", **options) for column, options in more.items()})


FUSED, FOREACH = "PyTorch, fused", "PyTorch, foreach"
WORKS = {
    "expression": on_engines(expression, {"scalar expression of 20 operations, forward and backward": (0, 1)}),
    "small": training((2, 16, 16, 1), 100, "SGD", 0.1, **{FUSED: {"fused": True}, FOREACH: {"foreach": True}}),
    "large": training((784, 256, 128, 10), 64, "Adam", 1e-3, **{FUSED: {"fused": True}, FOREACH: {"foreach": True}}),
    "chain": on_engines(chain, {"chain of 1,000 operations on 32 numbers, forward": (0,), "the same, backward": (1,)},
                        chain_by_hand),
    "additions": on_engines(additions, {"chain of 100,000 additions, forward": (0,), "the same 100,000, backward": (1,)}),
}

"""The works that are timed, and who takes part in each: autograd_core, PyTorch eager, whoever else
can express it.

A contender is a function of the dtype, "float32" or "float64". It makes everything that lies
outside of the timing, from numbers that are the same for all (`inputs.py`), and returns

    stages   functions to be timed; the first is called with None, each other one with what the one
             before returned.
    answers  a function without arguments: the gradients that the last pass through the stages left
             behind, a list.

A work's text is written once; `T` is the engine, or what has the same functions.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import by_hand, inputs, packages, textsnake

OURS, TORCH, FUSED, FOREACH = "autograd_core", "PyTorch", "PyTorch, fused", "PyTorch, foreach"
AUTOGRAD, MICROGRAD, NUMPY = "autograd", "micrograd", "NumPy"


@dataclass(frozen=True)
class Work:
    """One or several rows of the table: `rows` says which stages each is the sum of."""

    rows: dict[str, tuple[int, ...]]
    contenders: dict[str, Callable]
    dtypes: tuple[str, ...] = ("float32", "float64")


def engines(make, **given):
    """The two contenders that share one text."""
    return {OURS: partial(make, OURS, **given), TORCH: partial(make, "torch", **given)}


# ---- scalar expressions --------------------------------------------------------------------------


def expression(T, a, b):
    """About 20 operations of all kinds."""
    c = a * b
    d = a + b
    f = T.tanh(c * d + a)
    h = T.exp(f * f + 1 + b)
    k = h / (h + 1)
    m = T.sigmoid((k - c) * d) * a
    return T.log(m * m) - c * 0.5 + d * d


def arithmetic(T, a, b):
    """As many of those that micrograd has."""
    c = a * b + a
    d = T.relu(c - b) * 2
    e = (c - d) ** 2 + d * b
    f = T.relu(e / 2 + 1) - a**3
    g = e / (f**2 + 1)
    return f * g + g * g - c


def scalars(engine, dtype, formula):
    """Forward and backward of a formula of two numbers."""
    T = importlib.import_module(engine)
    a, b = (T.tensor(x, dtype=getattr(T, dtype), requires_grad=True) for x in inputs.SCALARS)

    def forward(_):
        a.grad = b.grad = None
        return formula(T, a, b)

    return [forward, lambda loss: loss.backward()], lambda: [a.grad.numpy(), b.grad.numpy()]


# ---- multi-layer perceptrons ---------------------------------------------------------------------


def network(T, dtype, sizes, batch):
    """(parameters, a function that computes the loss). One output: two classes; more: as many."""
    numbers, x, classes = inputs.layers(sizes, batch, dtype)
    layers = [T.nn.Linear(m, n) for m, n in zip(sizes, sizes[1:])]
    net = T.nn.Sequential(*[part for layer in layers for part in (layer, T.nn.ReLU())][:-1]).to(
        getattr(T, dtype)
    )
    parameters = list(net.parameters())
    with T.no_grad():
        for parameter, array in zip(parameters, numbers):
            parameter.copy_(T.from_numpy(array))
    x, y = T.from_numpy(x), T.from_numpy(classes)
    loss_of = T.nn.functional.cross_entropy
    if sizes[-1] == 1:
        loss_of, y = T.nn.functional.binary_cross_entropy_with_logits, y[:, None].to(x.dtype)
    return parameters, lambda: loss_of(net(x), y)


def perceptron(engine, dtype, sizes, batch, optimizer, **options):
    """A training step: zero_grad, forward, loss, backward, step."""
    T = importlib.import_module(engine)
    parameters, loss = network(T, dtype, sizes, batch)
    stepper = getattr(T.optim, optimizer)(parameters, **options)

    def step(_):
        stepper.zero_grad()
        loss().backward()
        stepper.step()

    return [step], lambda: [p.grad.numpy() for p in parameters]


def hessian(engine, dtype, sizes, batch):
    """The gradient as a graph, and the gradient of its product with fixed numbers: the Hessian
    times these.
    """
    T = importlib.import_module(engine)
    parameters, loss = network(T, dtype, sizes, batch)
    vectors, products = [T.from_numpy(v) for v in inputs.directions(sizes, dtype)], []

    def product(_):
        gradients = T.autograd.grad(loss(), parameters, create_graph=True)
        products[:] = T.autograd.grad(gradients, parameters, vectors)

    return [product], lambda: [p.numpy() for p in products]


# ---- chains --------------------------------------------------------------------------------------


def tanh_chain(T, w, small, links):
    """Four operations a link, each on NUMBERS numbers."""
    x = small
    for _ in range(links):
        x = T.tanh(x * w + small) - small
    return x


def chain(engine, dtype, links):
    """Forward and backward of `tanh_chain`."""
    T = importlib.import_module(engine)
    w, small = map(T.from_numpy, inputs.near_one(dtype))
    w.requires_grad_()

    def forward(_):
        w.grad = None
        return tanh_chain(T, w, small, links)

    return [forward, lambda x: x.backward(small)], lambda: [w.grad.numpy()]


def sum_chain(x, count):
    """x + x + x …: as many nodes as additions."""
    y = x
    for _ in range(count):
        y = y + x
    return y


def additions(engine, dtype, count):
    """Forward and backward of `sum_chain`, of one number."""
    T = importlib.import_module(engine)
    x = T.tensor(1.0, dtype=getattr(T, dtype), requires_grad=True)

    def forward(_):
        x.grad = None
        return sum_chain(x, count)

    return [forward, lambda y: y.backward()], lambda: [x.grad.numpy()]


# ---- all -----------------------------------------------------------------------------------------


def training(sizes, batch, optimizer, lr):
    """A perceptron's training step for all who can, with PyTorch's faster forms of the optimizer as
    columns.
    """
    given = {"sizes": sizes, "batch": batch, "optimizer": optimizer, "lr": lr}
    title = f"MLP {'-'.join(map(str, sizes))}, batch {batch}, {optimizer} step"
    return Work(
        {title: (0,)},
        engines(perceptron, **given)
        | {
            FUSED: partial(perceptron, "torch", fused=True, **given),
            FOREACH: partial(perceptron, "torch", foreach=True, **given),
            AUTOGRAD: partial(packages.perceptron_on_autograd, **given),
            NUMPY: partial(by_hand.perceptron, **given),
        },
    )


def works(links=250, count=100_000, crops=4, side=64, steps=10):
    """{name: Work}. `links` of four operations, `count` additions, `crops` for the head, `steps` of
    lesson 10.
    """
    small, text = (
        {"sizes": (2, 16, 16, 1), "batch": 100},
        {"count": crops, "side": side, "lr": 0.01},
    )
    return {
        "expression": Work(
            {"scalar expression of about 20 operations, forward and backward": (0, 1)},
            engines(scalars, formula=expression)
            | {AUTOGRAD: partial(packages.scalars_on_autograd, formula=expression)},
        ),
        "arithmetic": Work(
            {"the same size, of + × ** and relu alone": (0, 1)},
            engines(scalars, formula=arithmetic)
            | {
                AUTOGRAD: partial(packages.scalars_on_autograd, formula=arithmetic),
                MICROGRAD: partial(packages.scalars_on_micrograd, formula=arithmetic),
            },
        ),
        "small": training(**small, optimizer="SGD", lr=0.1),
        "large": training((784, 256, 128, 10), 64, "Adam", 1e-3),
        "hessian": Work(
            {"Hessian-vector product of the small MLP": (0,)},
            engines(hessian, **small) | {AUTOGRAD: partial(packages.hessian_on_autograd, **small)},
        ),
        "chain": Work(
            {
                f"chain of {4 * links:,} operations on {inputs.NUMBERS} numbers, forward": (0,),
                "the same, backward": (1,),
            },
            engines(chain, links=links)
            | {
                AUTOGRAD: partial(packages.chain_on_autograd, formula=tanh_chain, links=links),
                NUMPY: partial(by_hand.chain, links=links),
            },
        ),
        "additions": Work(
            {f"chain of {count:,} additions, forward": (0,), f"the same {count:,}, backward": (1,)},
            engines(additions, count=count)
            | {AUTOGRAD: partial(packages.additions_on_autograd, formula=sum_chain, count=count)},
        ),
        "head": Work(
            {f"TextSnake head, {crops}×16×{side}×{side}, five losses, SGD step": (0,)},
            engines(textsnake.head, **text) | {NUMPY: partial(by_hand.textsnake_head, **text)},
        ),
        "lesson": Work(
            {f"lesson 10's training loop, {steps} steps": (0,)},
            engines(textsnake.loop, steps=steps),
            dtypes=("float64",),
        ),
    }

"""Time the engine next to PyTorch and to NumPy written by hand: `make bench`.

Each contender runs in its own process with one thread. The contenders take turns, so a busy machine
slows all of them. Their gradients are compared before anything is timed. A cell of the table is the
time of one pass divided by the engine's time, as the median of the rounds. README.md keeps the
table. `python -m tests.bench NAME ...` prints only the named rows and writes nothing."""

import importlib
import multiprocessing
import os
import platform
import statistics
import sys
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path
from unittest.mock import patch

import numpy as np

from tests.readme import shown

README = Path(__file__).parents[1] / "README.md"
BEGIN = "<!-- make bench writes from here -->"
COLUMNS = {"torch": "PyTorch", "numpy": "NumPy by hand"}
ROUNDS, SECONDS = 11, 0.05  # rounds per row, and the shortest duration of one round
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
CLOSE = {"rtol": 1e-4, "atol": 1e-5}
f32 = np.float32


class WrongAnswer(Exception):
    """Two contenders computed different gradients, so their times can't be compared."""


# ---- the work, as makers of (one pass, the gradients that it left) -------------------------------


def multiply(engine):
    """One recorded multiplication of 32 numbers."""
    T = importlib.import_module(engine)
    x, w = T.from_numpy(np.linspace(1, 2, 32, dtype=f32)), T.full((32,), 0.5, requires_grad=True)

    def answers():
        w.grad = None
        (x * w).sum().backward()
        return [w.grad.numpy()]

    return lambda: x * w, answers


def multiply_by_hand():
    x, w = np.linspace(1, 2, 32, dtype=f32), np.full(32, 0.5, f32)
    return lambda: x * w, lambda: [x]


def scalars(engine):
    """Forward and backward of about 20 operations on two numbers."""
    T = importlib.import_module(engine)
    a, b = (T.tensor(x, requires_grad=True) for x in (2.0, -1.5))

    def one_pass():
        a.grad = b.grad = None
        c, d = a * b, a + b
        f = T.tanh(c * d + a)
        h = T.exp(f * f + 1 + b)
        m = T.sigmoid((h / (h + 1) - c) * d) * a
        (T.log(m * m) - c * 0.5 + d * d).backward()

    return one_pass, lambda: [a.grad.numpy(), b.grad.numpy()]


def numbers_of(sizes, batch):
    """Weights and biases, inputs (batch, sizes[0]) and class indices (batch)."""
    rng = np.random.default_rng(0)
    parameters = [
        (rng.uniform(-1, 1, shape) / np.sqrt(m)).astype(f32)
        for m, n in zip(sizes, sizes[1:])
        for shape in ((n, m), (n,))
    ]
    x = rng.standard_normal((batch, sizes[0])).astype(f32)
    return parameters, x, rng.integers(0, max(sizes[-1], 2), batch)


def perceptron(engine, sizes, batch, optimizer, lr):
    """A training step of linear layers with ReLU: zero_grad, forward, loss, backward, step."""
    T = importlib.import_module(engine)
    numbers, x, classes = numbers_of(sizes, batch)
    layers = [T.nn.Linear(m, n) for m, n in zip(sizes, sizes[1:])]
    net = T.nn.Sequential(*[part for layer in layers for part in (layer, T.nn.ReLU())][:-1])
    parameters = list(net.parameters())
    with T.no_grad():
        for parameter, array in zip(parameters, numbers):
            parameter.copy_(T.from_numpy(array))
    x, y, loss_of = T.from_numpy(x), T.from_numpy(classes), T.nn.functional.cross_entropy
    if sizes[-1] == 1:
        loss_of, y = T.nn.functional.binary_cross_entropy_with_logits, y[:, None].to(x.dtype)
    stepper = getattr(T.optim, optimizer)(parameters, lr=lr)

    def step():
        stepper.zero_grad()
        loss_of(net(x), y).backward()
        stepper.step()

    return step, lambda: [p.grad.numpy() for p in parameters]


def perceptron_by_hand(sizes, batch, optimizer, lr):
    parameters, x, classes = numbers_of(sizes, batch)
    gradients = [np.zeros_like(p) for p in parameters]
    means, squares = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    steps = 0

    def update():
        nonlocal steps
        steps += 1
        if optimizer == "SGD":
            for p, g in zip(parameters, gradients):
                p -= lr * g
            return
        for p, g, m, v in zip(parameters, gradients, means, squares):
            m += (g - m) * (1 - 0.9)
            v *= 0.999
            v += g * g * (1 - 0.999)
            p -= lr / (1 - 0.9**steps) * m / (np.sqrt(v) / (1 - 0.999**steps) ** 0.5 + 1e-8)

    def step():
        inputs = [x]  # the input of each layer
        for i in range(0, len(parameters), 2):
            z = inputs[-1] @ parameters[i].T + parameters[i + 1]
            inputs.append(np.maximum(z, 0))
        if sizes[-1] == 1:
            g = (1 / (1 + np.exp(-z)) - classes[:, None].astype(f32)) / f32(batch)
        else:
            g = np.exp(z - z.max(1, keepdims=True))
            g /= g.sum(1, keepdims=True)
            g[np.arange(batch), classes] -= 1
            g /= batch
        for i in range(len(parameters) - 2, -1, -2):
            gradients[i], gradients[i + 1] = g.T @ inputs[i // 2], g.sum(0)
            if i:
                g = (g @ parameters[i]) * (inputs[i // 2] > 0)
        update()

    return step, lambda: gradients


def chain(engine, links=250):
    """Forward and backward of tanh(x · w + small) − small, `links` times, on 32 numbers."""
    T = importlib.import_module(engine)
    w, small = map(T.from_numpy, (np.linspace(0.999, 1.001, 32, dtype=f32), np.full(32, 1e-3, f32)))
    w.requires_grad_()

    def one_pass():
        w.grad, x = None, small
        for _ in range(links):
            x = T.tanh(x * w + small) - small
        x.backward(small)

    return one_pass, lambda: [w.grad.numpy()]


def chain_by_hand(links=250):
    w, small, gradient = np.linspace(0.999, 1.001, 32, dtype=f32), np.full(32, 1e-3, f32), []

    def one_pass():
        x, saved = small, []
        for _ in range(links):
            y = np.tanh(x * w + small)
            saved.append((x, y))
            x = y - small
        g, total = small, np.zeros_like(w)
        for x, y in reversed(saved):
            g = g * (1 - y * y)
            total += g * x
            g = g * w
        gradient[:] = [total]

    return one_pass, lambda: gradient


def detector_head(engine, count=4, side=64, lr=0.01):
    """A training step of two convolutions under a cross-entropy and a smooth L1 loss."""
    T = importlib.import_module(engine)
    rng, F = np.random.default_rng(0), T.nn.functional
    net = T.nn.Sequential(T.nn.Conv2d(16, 16, 3, padding=1), T.nn.Conv2d(16, 7, 1))
    parameters = list(net.parameters())
    with T.no_grad():
        for p in parameters:
            p.copy_(T.from_numpy((rng.uniform(-1, 1, tuple(p.shape)) / 12).astype(f32)))
    x = T.from_numpy(rng.standard_normal((count, 16, side, side)).astype(f32)).requires_grad_()
    text = T.from_numpy(rng.integers(0, 2, (count, side, side)))
    maps = T.from_numpy(rng.standard_normal((count, 5, side, side)).astype(f32))
    optimizer = T.optim.SGD(parameters, lr=lr)

    def step():
        optimizer.zero_grad()
        x.grad = None
        out = net(x)
        (F.cross_entropy(out[:, :2], text) + F.smooth_l1_loss(out[:, 2:], maps)).backward()
        optimizer.step()

    return step, lambda: [p.grad.numpy() for p in (*parameters, x)]


def contenders(make, by_hand=None, **given):
    return {
        "engine": partial(make, "autograd_core", **given),
        "torch": partial(make, "torch", **given),
        **({"numpy": partial(by_hand, **given)} if by_hand else {}),
    }


SMALL = {"sizes": (2, 16, 16, 1), "batch": 100, "optimizer": "SGD", "lr": 0.1}
LARGE = {"sizes": (784, 256, 128, 10), "batch": 64, "optimizer": "Adam", "lr": 1e-3}
WORK = {
    "mul": ("`x * w` on 32 numbers, recorded", contenders(multiply, multiply_by_hand)),
    "scalars": ("about 20 scalar operations, forward and backward", contenders(scalars)),
    "small": (
        "MLP 2-16-16-1, batch 100, SGD step",
        contenders(perceptron, perceptron_by_hand, **SMALL),
    ),
    "large": (
        "MLP 784-256-128-10, batch 64, Adam step",
        contenders(perceptron, perceptron_by_hand, **LARGE),
    ),
    "chain": (
        "1,000 operations on 32 numbers, forward and backward",
        contenders(chain, chain_by_hand),
    ),
    "head": ("two convolutions, 4×16×64×64, two losses, SGD step", contenders(detector_head)),
}

# ---- measuring -----------------------------------------------------------------------------------


def seconds_of(one_pass, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        one_pass()
    return (time.perf_counter() - start) / repeats


def serve(connection, make):
    """In a contender's process: send the gradients after three passes, then answer each request, a
    number of passes, with the seconds of one pass."""
    one_pass, answers = make()
    for _ in range(3):
        one_pass()
    connection.send([np.array(array) for array in answers()])
    while repeats := connection.recv():
        connection.send(seconds_of(one_pass, repeats))


def check_answers(answers):
    """Raise WrongAnswer unless all contenders computed the same gradients in float32."""
    (first, expected), *others = answers.items()
    for name, found in others:
        for i, (a, b) in enumerate(zip(expected, found, strict=True)):
            scale = np.abs(a).max(initial=1e-30)
            if a.dtype != f32 or b.dtype != f32 or not np.allclose(b / scale, a / scale, **CLOSE):
                raise WrongAnswer(f"{first} and {name} differ in gradient {i}")


def measure(contestants, rounds=ROUNDS, seconds=SECONDS):
    """{contender: [seconds of one pass, per round]}. Raises WrongAnswer if the gradients differ."""
    spawn, pipes, processes = multiprocessing.get_context("spawn"), {}, []
    with patch.dict(os.environ, ONE_THREAD):
        for name, make in contestants.items():
            pipes[name], there = spawn.Pipe()
            processes.append(spawn.Process(target=serve, args=(there, make), daemon=True))
            processes[-1].start()

    def ask(name, repeats):
        pipes[name].send(repeats)
        return pipes[name].recv()

    try:
        check_answers({name: pipe.recv() for name, pipe in pipes.items()})
        repeats = {name: max(1, round(seconds / ask(name, 3))) for name in pipes}
        times = [{name: ask(name, repeats[name]) for name in pipes} for _ in range(rounds)]
    finally:
        for process in processes:
            process.terminate()
    return {name: [each[name] for each in times] for name in pipes}


def row(title, times):
    """One row: the time of each other contender as a ratio to the engine's time."""
    cells = []
    for name in COLUMNS:
        ratios = [a / b for a, b in zip(times.get(name, []), times["engine"])]
        cells.append(f"{statistics.median(ratios):.2f}" if ratios else "")
    return f"| {title} | {' | '.join(cells)} |"


def main(names):
    """Print the rows `names`, or print all rows and write them to README.md."""
    if unknown := set(names) - set(WORK):
        sys.exit(f"unknown: {', '.join(unknown)}. Choose from {', '.join(WORK)}.")
    lines = [f"| work, float32 | {' | '.join(COLUMNS.values())} |", "| --- | --- | --- |"]
    print(*lines, sep="\n")
    for name in names or WORK:
        title, contestants = WORK[name]
        lines.append(row(title, measure(contestants)))
        print(lines[-1], flush=True)
    if not names:
        used = f"Python {platform.python_version()}, NumPy {version('numpy')}, PyTorch {version('torch')}"
        text = "\n".join(["", *lines, "", f"{used}; one thread.", "", ""])
        README.write_text(shown(README.read_text(encoding="utf-8"), BEGIN, text), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

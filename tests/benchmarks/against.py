"""How many times longer this checkout takes than an earlier commit: a chain of operations, and
single ones.

    python -m tests.benchmarks.against 6b44208            everything
    python -m tests.benchmarks.against 6b44208 mul exp    these operations only

Both engines run in one process, in one thread, and take turns round by round. Told is the fastest
round of each, now divided by then: on a busy machine the fastest is the one that was least
disturbed. Only public names are called."""

import gc
import importlib.util
import io
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

HOUSE = Path(__file__).resolve().parents[2]
ROUNDS, CALLS = 25, 300
OPERATIONS = {
    "mul": "x * y",
    "mul number": "x * 2.0",
    "add": "x + y",
    "sub": "x - y",
    "div": "x / y",
    "neg": "-x",
    "pow": "x ** 2",
    "exp": "x.exp()",
    "log": "p.log()",
    "sqrt": "p.sqrt()",
    "sin": "x.sin()",
    "abs": "x.abs()",
    "tanh": "x.tanh()",
    "sigmoid": "x.sigmoid()",
    "relu": "x.relu()",
    "maximum": "T.maximum(x, y)",
    "where": "T.where(m, x, y)",
    "clamp": "x.clamp(-1, 1)",
    "sum": "x.sum()",
    "sum dim": "X.sum(1)",
    "mean": "x.mean()",
    "amax": "X.amax(1)",
    "max dim": "X.max(1)[0]",
    "softmax": "X.softmax(1)",
    "log_softmax": "X.log_softmax(1)",
    "view": "x.view(4, 8)",
    "t": "X.t()",
    "unsqueeze": "x.unsqueeze(0)",
    "expand": "x.expand(4, 32)",
    "clone": "x.clone()",
    "index": "x[3]",
    "slice": "x[2:5]",
    "mask": "x[m]",
    "gather": "X.gather(1, I)",
    "masked_fill": "x.masked_fill(m, 0.)",
    "mm": "X @ Y",
    "dot": "v @ v",
    "bmm": "Z @ Z.transpose(1, 2)",
    "linear": "F.linear(X, W, B)",
    "cat": "T.cat([x, y])",
    "stack": "T.stack([x, y])",
    "topk": "x.topk(3)[0]",
    "cumsum": "x.cumsum(0)",
    "var": "x.var()",
    "norm": "x.norm()",
    "mse_loss": "F.mse_loss(x, y)",
    "cross_entropy": "F.cross_entropy(X, L)",
    "layer_norm": "F.layer_norm(X, (8,))",
    "gelu": "F.gelu(x)",
    "conv2d": "F.conv2d(im, k)",
}


def engine(name, house):
    """The `autograd_core` of that checkout, imported under `name`: two of them live side by side."""
    package = Path(house) / "autograd_core"
    spec = importlib.util.spec_from_file_location(
        name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checkout(commit, folder):
    """Write the engine of that commit into `folder`. Raises CalledProcessError where git does not
    have it.
    """
    archive = subprocess.run(
        ["git", "archive", commit, "autograd_core"], cwd=HOUSE, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")


def operands(T):
    """The tensors that OPERATIONS name, the same numbers for both engines; none is a leaf, so all
    are recorded.
    """
    rng = np.random.default_rng(0)

    def leaf(*shape):
        return T.tensor(rng.standard_normal(shape).astype(np.float32), requires_grad=True)

    a, b, X, Y, Z, v = leaf(32), leaf(32), leaf(4, 8), leaf(8, 5), leaf(2, 3, 4), leaf(8)
    return {
        "T": T,
        "F": T.nn.functional,
        "x": a * 1,
        "y": b * 1,
        "p": a * a + 0.1,
        "X": X * 1,
        "Y": Y * 1,
        "Z": Z * 1,
        "v": v * 1,
        "m": a > 0,
        "I": T.tensor(rng.integers(0, 8, (4, 3))),
        "L": T.tensor([1, 0, 3, 2]),
        "W": leaf(6, 8),
        "B": leaf(6),
        "im": leaf(1, 2, 6, 6),
        "k": leaf(3, 2, 3, 3),
    }


def seconds(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return time.perf_counter() - start


def fastest(now, then, calls, rounds=ROUNDS):
    """The fastest round of each of the two, in seconds."""
    spent = [[], []]
    for turn in range(rounds):
        for which in ((0, 1), (1, 0))[turn % 2]:
            spent[which].append(seconds((now, then)[which], calls))
    return min(spent[0]), min(spent[1])


def operation(T, expression):
    """(its forward, its backward): the latter asks for the gradients of everything that the
    expression reads.
    """
    names = operands(T)
    forward = eval(f"lambda: {expression}", names)
    result = forward()
    read = [
        names[n]
        for n in compile(expression, "", "eval").co_names
        if n in names and getattr(names[n], "requires_grad", False)
    ]
    cotangent = T.ones_like(result)
    return forward, lambda: T.autograd.grad(result, read, cotangent, retain_graph=True)


def chain(T, length=250):
    """Of four operations each: a function that computes it."""
    w = T.tensor(np.linspace(-1, 1, 32, dtype=np.float32), requires_grad=True)
    small = T.tensor(np.linspace(-0.1, 0.1, 32, dtype=np.float32))

    def forward():
        h = w
        for _ in range(length):
            h = (T.tanh(h * w) + small) * w
        return h.sum()

    return forward


def chain_ratios(now, then, rounds=ROUNDS):
    """(forward, backward) of the chain, now divided by then."""
    spent, makes = (
        {(which, part): [] for which in (0, 1) for part in (0, 1)},
        (chain(now), chain(then)),
    )
    for turn in range(rounds):
        for which in ((0, 1), (1, 0))[turn % 2]:
            gc.collect()
            start = time.perf_counter()
            loss = makes[which]()
            middle = time.perf_counter()
            loss.backward()
            spent[which, 1].append(time.perf_counter() - middle)
            spent[which, 0].append(middle - start)
            del loss
    return tuple(min(spent[0, part]) / min(spent[1, part]) for part in (0, 1))


def report(commit, names, say=print, rounds=ROUNDS, calls=CALLS):
    """The table, line by line."""
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        checkout(commit, folder)
        now, then = engine("engine_now", HOUSE), engine("engine_then", folder)
        say(f"| operation, now / {commit} | forward | backward |")
        say("| --- | --- | --- |")
        if not names:
            forward, backward = chain_ratios(now, then, rounds)
            say(f"| chain of 1,000 operations on 32 numbers | {forward:.2f} | {backward:.2f} |")
        for name in names or OPERATIONS:
            parts = zip(operation(now, OPERATIONS[name]), operation(then, OPERATIONS[name]))
            ratios = [a / b for a, b in (fastest(*pair, calls, rounds) for pair in parts)]
            say(f"| {name} | {ratios[0]:.2f} | {ratios[1]:.2f} |")


if __name__ == "__main__":
    if len(sys.argv) < 2 or {*sys.argv[2:]} - {*OPERATIONS}:
        sys.exit(
            f"python -m tests.benchmarks.against COMMIT [operation ...]; operations: {', '.join(OPERATIONS)}"
        )
    report(sys.argv[1], sys.argv[2:])

"""The same expression on both engines: what it gives, its graph, and what each node received and
sent.

Independent of `autograd_core.trace` and of the two-engine cell, which are tested with it.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

import autograd_core
from autograd_core.core.public import found_under

ENGINES = (autograd_core, torch)
BOTH = (np.float64, np.float32)
ROOMS = ("autograd_core.ops", "autograd_core.compat.sampling")
FUNCTIONS = {
    name: record.function
    for name, record in found_under("T").items()
    if record.function.__module__.startswith(ROOMS)
}
"""autograd_core's functions of tensors, as `T.name`."""


@dataclass(frozen=True)
class Case:
    """An expression in T, F, nn and the names of `inputs`.

    inputs   {name: function of a random generator}; floating-point arrays become leaves that
             require a gradient.
    smooth   whether finite differences hold at the inputs; False at kinks, ties and poles.
    twice    whether PyTorch has second derivatives of it.
    dtypes   the floating-point types to compare with PyTorch in.
    """

    expression: str
    inputs: dict[str, Callable]
    smooth: bool = True
    twice: bool = True
    dtypes: tuple = (np.float64,)

    def arrays(self, dtype):
        """The inputs' numbers: the same for every type, up to rounding."""
        rng = np.random.default_rng(zlib.crc32(self.expression.encode()))
        made = {name: np.asarray(draw(rng)) for name, draw in self.inputs.items()}
        return {name: a.astype(dtype) if a.dtype.kind == "f" else a for name, a in made.items()}

    def __str__(self):
        return self.expression


def case(expression, smooth=True, twice=True, dtypes=(np.float64,), **inputs):
    """A `Case`; an input is a shape (normal numbers), a list of values, or a function of a random
    generator.
    """

    def as_draw(spec):
        if callable(spec):
            return spec
        return normal(*spec) if isinstance(spec, tuple) else lambda rng: np.array(spec)

    return Case(
        expression, {name: as_draw(spec) for name, spec in inputs.items()}, smooth, twice, dtypes
    )


def edge(expression, twice=True, **inputs):
    """A case at kinks, ties and poles, where finite differences don't hold."""
    return case(expression, smooth=False, twice=twice, **inputs)


def normal(*shape):
    return lambda rng: rng.standard_normal(shape)


def uniform(low, high, *shape):
    return lambda rng: rng.uniform(low, high, shape)


def distinct(*shape):
    """Numbers at least 0.1 apart and 0.05 away from whole numbers of tenths' halves: no ties, no
    kinks at 0.
    """
    return lambda rng: (
        rng.permutation(np.prod(shape, dtype=int)).reshape(shape) * 0.1
        + 0.05
        - 0.1 * (np.prod(shape, dtype=int) // 2)
    )


class Run:
    """One engine's evaluation of a case."""

    def __init__(self, engine, expression, arrays):
        self.engine = engine
        self.inputs = {
            name: engine.tensor(a, requires_grad=a.dtype.kind == "f") for name, a in arrays.items()
        }
        self.leaves = [t for t in self.inputs.values() if t.requires_grad]
        names = {"T": engine, "F": engine.nn.functional, "nn": engine.nn, **self.inputs}
        result = eval(expression, names)
        self.results = tuple(result) if isinstance(result, (tuple, list)) else (result,)

    @property
    def roots(self):
        return [r for r in self.results if isinstance(r, self.engine.Tensor) and r.requires_grad]

    def cotangents(self, seed=0, requires_grad=False):
        """A random gradient for each root: an all-ones one would hide wrong rules, softmax's for
        example.
        """
        rng = np.random.default_rng(seed)
        return [
            self.engine.tensor(
                rng.standard_normal(tuple(r.shape)).astype(numbers(r).dtype),
                requires_grad=requires_grad,
            )
            for r in self.roots
        ]


def numbers(tensor):
    """A tensor of either engine as an array."""
    return np.asarray(tensor.detach().numpy(force=True))


def differing(ours, theirs, magnitude=0.0):
    """Where two arrays of one type and shape are further apart than `assert_close` says. nan equals
    nan.
    """
    if ours.dtype.kind not in "fc":
        return ours != theirs
    largest = max(float(np.abs(x[np.isfinite(x)]).max(initial=magnitude)) for x in (ours, theirs))
    relative = (
        1e-10 if ours.dtype in (np.float64, np.complex128) else 4 * float(np.finfo(ours.dtype).eps)
    )
    with np.errstate(invalid="ignore"):
        # np.isclose takes three times as long
        near = (ours == theirs) | (np.abs(ours - theirs) <= largest * relative)
    return ~(near | (ours != ours) & (theirs != theirs))


def assert_close(ours, theirs, what, magnitude=0.0):
    """Same shape and type; float64 to 1e-10, float32 to 4 units in the last place, of the largest
    magnitude.

    `magnitude` is the largest one that took part in the computation, where that is more than what
    is left of it."""
    if ours is None or theirs is None:
        assert ours is None and theirs is None, f"{what}: {ours} here, {theirs} in PyTorch"
        return
    ours, theirs = (numbers(x) if hasattr(x, "detach") else np.asarray(x) for x in (ours, theirs))
    assert ours.dtype == theirs.dtype, f"{what}: {ours.dtype} here, {theirs.dtype} in PyTorch"
    assert ours.shape == theirs.shape, f"{what}: {ours.shape} here, {theirs.shape} in PyTorch"
    apart = differing(ours, theirs, magnitude)
    assert not apart.any(), (
        f"{what} at {np.argwhere(apart)[0].tolist()}: {ours} here, {theirs} in PyTorch"
    )


def walk(roots):
    """The nodes below `roots`, breadth first, each once."""
    nodes, queue = {}, [r.grad_fn if r.grad_fn is not None else edge_of(r) for r in roots]
    for node in queue:
        if node not in nodes:
            nodes[node] = len(nodes)
            queue += [producer for producer, _ in node.next_functions if producer is not None]
    return nodes


def edge_of(leaf):
    """The AccumulateGrad of a leaf, by the route that both engines have."""
    return leaf.expand(leaf.shape).grad_fn.next_functions[0][0]


def graph(roots):
    """The graph as data: for each node its name and its edges, as (number of the node, output)."""
    nodes = walk(roots)
    return [
        (
            node.name(),
            [
                (None if producer is None else nodes[producer], output)
                for producer, output in node.next_functions
            ],
        )
        for node in nodes
    ]


@dataclass(frozen=True)
class Step:
    """One node's turn in a backward pass; what PyTorch computes for a constant and then drops is
    left out.
    """

    name: str
    received: tuple
    sent: tuple


def backward(engine, roots, gradients=None, **options):
    """Run backward and return its steps in order, as PyTorch's own hooks on nodes see them."""
    steps, handles = [], []

    def watch(node):
        def note(sent, received):
            sent = [
                g if producer is not None else None
                for g, (producer, _) in zip(sent, node.next_functions)
            ]
            steps.append(
                Step(
                    node.name(),
                    *(
                        tuple(None if g is None else numbers(g).copy() for g in group)
                        for group in (received, sent)
                    ),
                )
            )

        handles.append(node.register_hook(note))

    for node in walk(roots):
        watch(node)
    engine.autograd.backward(roots, gradients, **options)
    for handle in handles:
        handle.remove()
    return steps


def assert_same_steps(ours, theirs):
    """Two lists of `Step`: the same nodes in the same order, with the same gradients in and out."""
    assert [s.name for s in ours] == [s.name for s in theirs]
    for i, (mine, other) in enumerate(zip(ours, theirs)):
        for kind in ("received", "sent"):
            here, there = getattr(mine, kind), getattr(other, kind)
            assert len(here) == len(there), f"step {i}, {mine.name}, {kind}"
            for slot, pair in enumerate(zip(here, there)):
                assert_close(*pair, f"step {i}, {mine.name}, {kind} {slot}")


# ---- programs ------------------------------------------------------------------------------------


def on_both(program):
    """Decorator: a test that `program(T)` returns the same on both engines.

    It may return tensors, nodes, numbers, text, None, an exception that it caught, and lists,
    tuples, dicts of these."""

    def test():
        ours, theirs = (program(engine) for engine in ENGINES)
        assert_same(ours, theirs)

    test.__name__, test.__doc__ = program.__name__, program.__doc__
    return test


def leaves(T, count, *shape, seed=0):
    """Leaves with random numbers, the same on both engines."""
    rng = np.random.default_rng(seed)
    return [T.tensor(rng.standard_normal(shape), requires_grad=True) for _ in range(count)]


def raised(function, *args, **kwargs):
    """The exception that a call raises; None if it raises none."""
    try:
        function(*args, **kwargs)
    except Exception as error:  # whatever it is, it is compared
        return error
    return None


def assert_same(ours, theirs, what="result"):
    """Two values of the two engines, compared to the bottom of every list, tuple and dict."""
    if isinstance(ours, autograd_core.Tensor):
        assert isinstance(theirs, torch.Tensor), f"{what}: {ours} here, {theirs} in PyTorch"
        assert (ours.requires_grad, ours.is_leaf) == (theirs.requires_grad, theirs.is_leaf), what
        assert_close(ours, theirs, what)
    elif isinstance(ours, dict):
        assert list(ours) == list(theirs), what
        for key in ours:
            assert_same(ours[key], theirs[key], f"{what}[{key!r}]")
    elif isinstance(ours, (list, tuple)):
        assert (type(ours), len(ours)) == (type(theirs), len(theirs)), (
            f"{what}: {ours} here, {theirs} in PyTorch"
        )
        for i, pair in enumerate(zip(ours, theirs)):
            assert_same(*pair, f"{what}[{i}]")
    elif isinstance(ours, Step):
        assert_same_steps([ours], [theirs])
    elif isinstance(ours, Exception):
        assert type(ours) is type(theirs), f"{what}: {ours!r} here, {theirs!r} in PyTorch"
    elif hasattr(ours, "next_functions"):
        assert ours.name() == theirs.name(), what
    elif isinstance(ours, float):
        assert ours == theirs or abs(ours - theirs) <= 1e-6 * abs(theirs), (
            f"{what}: {ours} here, {theirs} in PyTorch"
        )
    else:
        assert ours == theirs, f"{what}: {ours!r} here, {theirs!r} in PyTorch"

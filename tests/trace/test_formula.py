"""What the view shows as a node's rule is what the node does: the text, worked out with its
numbers, is what was sent.
"""

import functools
import inspect
import math
import re
import sys

import numpy as np
import pytest

import autograd_core as T
from autograd_core.core.operation import REGISTRY
from autograd_core.core.recording import recording
from autograd_core.ops.reduction import normal_dims
from autograd_core.ops.table import recorded_ops
from autograd_core.trace.formula import rules_of
from tests.engines import Run, case
from tests.ops.cases import CASES

POLES = r"log\(|\*\*|/"
"""In a formula: what is not defined everywhere. It is worked out where it is."""


class Listener:
    """{node: its operation, the names that its formulas may use, what it received and what it
    sent}.
    """

    def __init__(self):
        self.known, self.received, self.sent = {}, {}, {}

    def on_operation(self, operation, node, args, outs):
        if node is None:
            return
        before = [x.detach().clone() if isinstance(x, T.Tensor) else x for x in args]
        names = dict(zip(operation.parameters, before))
        shapes = {f"{x}_shape": tuple(t.shape) for x, t in names.items() if isinstance(t, T.Tensor)}
        results = {f"result{i}": out.detach() for i, out in enumerate(outs)}
        names |= shapes | {"result": outs[0].detach().clone()} | results
        if operation.variadic:
            names["tensors_shape"] = [tuple(x.shape) for x in args[0]]
        if {"dim", "keepdim"} <= names.keys():
            names |= {x: with_dims(names[x], names) for x in names if x.startswith("result")}
        self.known[node] = operation, names
        node.register_prehook(lambda gradients: self.received.update({node: detached(gradients)}))

    def on_node_ran(self, node, sent):
        self.sent[node] = detached(sent)


def detached(gradients):
    return [g.detach() if isinstance(g, T.Tensor) else g for g in gradients]


def with_dims(x, known):
    """What a reduction left, with the dimensions that it reduced as dimensions of size 1."""
    dims = normal_dims(known["dim"], len(known["input_shape"]))
    return x.reshape([1 if i in dims else n for i, n in enumerate(known["input_shape"])])


# ---- what the words in formulas mean -------------------------------------------------------------


def number(known):
    """Over how many, or how much, a loss or a deviation is a mean: 1 where it is none."""
    if "correction" in known:
        return known["input"].numel() // known["result"].numel()
    if known.get("reduction") != "mean":
        return 1
    if "ignore_index" in known:
        kept = (known["target"] != known["ignore_index"]).numpy()
        return np.sum(kept if known["weight"] is None else weight_of(known).numpy()[kept])
    return known["input"].numel()


def weight_of(known):
    """Of each element; of classes that of each target."""
    if "ignore_index" not in known:
        return known["weight"]
    return T.tensor(known["weight"].numpy()[known["target"].numpy() % len(known["weight"])])


def put(known):
    """Zeros in the shape of the input, with the values added at the places that the node keeps."""

    def put(values, places, indices=None):
        if indices is not None:
            return recorded_ops.put(values, places, indices)
        shape, indices, kept = places_in(known, places.numpy())
        out = np.zeros(shape)
        np.add.at(out, indices, np.where(kept, values.numpy(), 0))
        return T.tensor(out)

    return put


def places_in(known, places):
    """(the shape of the input, where in it `places` are, which of them count)"""
    if "weight_shape" in known and "indices" in known:  # rows
        return known["weight_shape"], places, True
    shape = known["input_shape"]
    if "mask" in known:
        shape = np.broadcast_shapes(shape, places.shape)
        return shape, np.nonzero(np.broadcast_to(places, shape)), True
    where = [*np.indices(places.shape)]
    if "kernel" in known:  # numbers of elements in pictures
        return shape, (*where[:-2], *np.unravel_index(places, shape[-2:])), True
    where.insert(min(1, len(shape) - 1), places % shape[min(1, len(shape) - 1)])  # classes
    return shape, tuple(where), places != known["ignore_index"]


def split(known):
    """Cut into pieces in the shapes of the tensors."""
    shapes, dim = known["tensors_shape"], known["dim"]

    def split(g):
        ends = np.cumsum([shape[dim] if len(shape) == g.ndim else 0 for shape in shapes])
        pieces = np.split(g.numpy(), ends[:-1], dim)
        return [T.tensor(piece.reshape(shape)) for piece, shape in zip(pieces, shapes)]

    return split


def gelu_slope(known):
    """The derivative of `gelu`, found by the engine from what it consists of."""

    def slope(x):
        with T.enable_grad():
            x = x.detach().requires_grad_()
            return T.autograd.grad((0.5 * x * (1 + T.erf(x / math.sqrt(2)))).sum(), x)[0]

    return slope


def mean(known):
    """Over what a normalization takes its statistics of; 0 where they were given."""

    def mean(x):
        if known.get("given") is not None:
            return 0
        return recorded_ops.mean_dim(x, known.get("dims", known.get("dim")), True)

    return mean


def deviation(known):
    x = known["input"]
    variance = mean(known)((x - mean(known)(x)) ** 2)
    return (
        (variance if known.get("given") is None else T.tensor(known["given"][1])) + known["eps"]
    ) ** 0.5


def standard(known):
    """x̂: the input with mean 0 and deviation 1."""
    x = known["input"]
    centre = mean(known)(x) if known.get("given") is None else T.tensor(known["given"][0])
    return (x - centre) / deviation(known)


def sharing(known):
    """The dimensions that share an entry of the weight and of the bias."""
    every = range(known["input"].ndim)
    return known.get("shared", tuple(dim for dim in every if dim != 1))


def weighted(known):
    """g * weight"""
    weight, shape = known["weight"], known["input_shape"]
    if weight is None:
        return known["g"]
    sizes = [1 if dim in sharing(known) else n for dim, n in enumerate(shape)]
    return known["g"] * weight.reshape(sizes)


def sum_of(known):
    """Over all that share an entry of what a normalization learns; of everything elsewhere."""
    if "eps" not in known:
        return T.sum
    return lambda x: recorded_ops.sum_dim(x, sharing(known)) if sharing(known) else x


WORDS = {
    "n": number,
    "weight": weight_of,
    "put": put,
    "split": split,
    "inverse": lambda known: lambda dims: tuple(np.argsort(normal_dims(dims, len(dims))).tolist()),
    "count": lambda known: lambda chosen: recorded_ops.sum_dim(chosen, known.get("dim", ()), True),
    "gelu_slope": gelu_slope,
    "mean": mean,
    "deviation": deviation,
    "normal": standard,
    "v": weighted,
    "sum": sum_of,
}
"""{word: function of what the operation was given, of its results and of g}"""


FILLED = case("(a * 1).fill_(b)", a=(2, 3), b=())
SQUARES = [
    case("F.relu(a) ** 2", a=(2, 3)),
    case("a.clamp(0, 1) ** 2", a=(2, 3)),
    case("a[[0, 1]] ** 2", a=(2, 3)),
    case("T.index_put(a, (T.tensor([0]),), b) ** 2", a=(2, 3), b=(3,)),
    case("F.avg_pool2d(a, 2) ** 2", a=(1, 2, 4)),
    case("F.conv2d(a, w) ** 2", a=(1, 2, 4, 4), w=(2, 2, 3, 3)),
]
"""In their second derivatives are the nodes that only rules record."""


# ---- what is shown and what is sent --------------------------------------------------------------


@functools.cache
def scope_of(operation):
    """What the formulas of `operation` may call: the table of operations, and the functions of the
    file where they stand.
    """
    found = {**vars(math), **vars(T)}
    for name, value in vars(sys.modules[operation.forward.__module__]).items():
        takes_ops = inspect.isfunction(value) and [*inspect.signature(value).parameters][:1] == [
            "ops"
        ]
        found[name.lstrip("_")] = functools.partial(value, recorded_ops) if takes_ops else value
    found |= vars(recorded_ops)
    of_numbers = {name: of_either(found[name], getattr(math, name)) for name in ("log", "sqrt")}
    return found | of_numbers | {"ops_index": recorded_ops.index}


def of_either(of_tensor, of_number):
    return lambda x: (
        of_tensor(x) if isinstance(x, T.Tensor) else of_number(x) if x > 0 else -math.inf
    )


def worked_out(text, operation, names):
    text = text.replace("index(g", "ops_index(g")  # also the name of an argument
    words = {word: WORDS[word](names) for word in {*re.findall(r"\w+", text)} & WORDS.keys()}
    with T.no_grad():
        return eval(text, {**scope_of(operation), **names, **words})


def as_it_is_sent(gradient, like):
    """`gradient` summed over what was stretched, as it is sent to an input of the shape of `like`."""
    gradient = np.asarray(gradient.numpy(), dtype=like.dtype)
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - like.ndim)))
    stretched = tuple(i for i, n in enumerate(like.shape) if n == 1 and gradient.shape[i] != 1)
    return np.broadcast_to(gradient.sum(axis=stretched, keepdims=True), like.shape)


def shown_and_sent(case, rules=rules_of, twice=False):
    """For each rule that ran: (node, text, what the text gives, what was sent)."""
    listener = Listener()
    with recording.subscribed(listener):
        run = Run(T, case.expression, case.arrays(np.float64))
        if run.roots:
            T.autograd.backward(run.roots, run.cotangents(), create_graph=twice)
        again = [
            leaf.grad for leaf in run.leaves if leaf.grad is not None and leaf.grad.requires_grad
        ]
        if twice and again:  # rules record nodes too
            T.autograd.backward(again, [T.randn(g.shape, dtype=g.dtype) for g in again])
    for node, sent in listener.sent.items():
        if node not in listener.known:
            continue
        operation, names = listener.known[node]
        g = listener.received[node]
        if len(g) > 1:  # zeros for outputs that got none
            g = [T.zeros(shape) if x is None else x for x, shape in zip(g, node.shape)]
        if operation.outputs or "eps" in names:  # only the first is differentiable
            (g, *_) = g
        names["g"] = with_dims(g, names) if {"dim", "keepdim"} <= names.keys() else g
        numbers = tuple(
            (name, x) for name, x in names.items() if x is None or isinstance(x, (int, float))
        )
        for (_, text), gradient in zip(rules(node.name(), numbers), sent):
            if operation.variadic:
                for shown, each in zip(worked_out(text, operation, names), sent, strict=True):
                    yield node.name(), text, shown, each
            elif gradient is not None:
                yield node.name(), text, worked_out(text, operation, names), gradient


def differences(case, rules=rules_of):
    found = []
    for name, text, shown, sent in shown_and_sent(case, rules):
        if sent is None:
            continue
        shown = as_it_is_sent(shown, sent)
        near = np.isclose(shown, sent, rtol=1e-9, atol=1e-12, equal_nan=True)
        if not np.all(near | ~np.isfinite(shown) if re.search(POLES, text) else near):
            found.append((name, text))
    return found


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{c}-{i}") for i, c in enumerate(CASES)])
def test_the_formula_is_what_runs(case):
    assert not differences(case)


def test_every_formula_is_worked_out():
    """Of every operation, somewhere in full: not where it has a pole. Some are those of rules."""
    found = [shown for each in [*CASES, FILLED] for shown in shown_and_sent(each)]
    found += [shown for each in SQUARES for shown in shown_and_sent(each, twice=True)]
    worked_out = {name for name, _, shown, _ in found if np.isfinite(shown.numpy()).all()}
    assert {name for name in REGISTRY if rules_of(name)} - worked_out == set()


@pytest.mark.parametrize(
    "wrong", [lambda text: text.replace("other", "input"), lambda text: text + " * 2"]
)
def test_a_planted_formula_is_found(wrong):
    mul = next(c for c in CASES if c.expression == "a * b")
    assert differences(mul, lambda *given: [(name, wrong(text)) for name, text in rules_of(*given)])


def test_whole_and_other_numbers_are_shown_as_they_were_written():
    assert [rules_of("PowBackward0", (("exponent", x),))[0][1] for x in (3, 3.0)] == [
        "g * 3 * input ** 2",
        "g * 3.0 * input ** 2.0",
    ]

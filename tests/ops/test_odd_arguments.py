"""Right calls, of the tables of cases and some more, with one argument that is odd: nothing is
silently different.
"""

import ast
import collections
import re
import types
import zlib

import numpy as np
import pytest
import torch

import autograd_core
from tests.budget import SEED, budget

from .cases import CASES
from .odd_calls import SILENT, compare

COUNT, MOST = budget(1_000, 20_000), 0.01

ODD = """None True False 0 1 2 -1 5 -9 0.5 1.0 -2.5 30 1e300 -1e300 10**30 2**70 1e-300 INF -INF NAN 'a' 'mean' [] () {}
    [1] (0,1) (0,0) [0] T.tensor(1) T.tensor(1.5) T.tensor([1.0,2.0]) T.ones(1) T.ones(0) np.float32(1.5) np.int64(1) object()
    T.float64 T.int64 T.bool T [T.ones(1),T.ones(1)] [T.ones(2)] 1j (1,) (2,2) [None] [1.5] np.True_""".split()
OPTIONS = """requires_grad training unbiased keepdim dim dtype reduction inplace eps momentum correction alpha value descending
    largest stable bias weight ignore_index label_smoothing align_corners ceil_mode count_include_pad stride padding
    retain_graph as_tuple accumulate copy min max rtol atol equal_nan""".split()
MORE = [  # a is a vector of 3, m a matrix of 2 x 3
    "T.zeros(2, 3)",
    "T.ones(2, requires_grad=True)",
    "T.rand(2, 3)",
    "T.full((2,), 1.5)",
    "T.linspace(0, 1, 4)",
    "T.eye(3)",
    "T.tensor([1.0, 2.0])",
    "T.tensor([a[0], a[1]])",
    "T.allclose(a, a, 1e-5, 1e-8, False)",
    "T.equal(a, a)",
    "T.zeros_like(a)",
    "a.new_tensor([1.0])",
    "T.as_tensor([1.0])",
    "T.Tensor([1.0, 2.0])",
    "a.var(0, unbiased=False)",
    "a.std(unbiased=True)",
    "T.var(a, 0, False, True)",
    "F.dropout(a, 0.5, False)",
    "F.batch_norm(m, None, None, training=True)",
    "F.layer_norm(m, (3,))",
    "nn.Dropout(0.5).eval()(a)",
    "nn.LeakyReLU(0.1)(a)",
    "nn.Softmax(dim=1)(m)",
    "nn.MSELoss(reduction='sum')(m, m)",
    "T.set_grad_enabled(True)",
    "(a * a).sum().backward(retain_graph=True)",
    "T.autograd.grad((a * a).sum(), a, create_graph=True)",
    "a.detach().clone().clamp_(0, 1)",
    "a.detach().clone().add_(a, alpha=2)",
    "a.to(T.float64, copy=True)",
    "T.where(a > 0, a, 1.0)",
    "T.where(a > 0, 0.0, 1.0)",
    "m.max(dim=1, keepdim=True)",
    "m.norm(2, dim=1)",
    "m.split(2, dim=0)",
    "m.chunk(2, dim=0)",
    "m.unbind(0)",
    "m.roll(1, 0)",
    "m.cumsum(0)",
    "m.prod(1)",
    "m.transpose(0, 1)",
    "T.multinomial(a.detach() * a.detach(), 2)",
    "m.reshape(2, -1)",
    "m[0, 1]",
    "m[:, 1:]",
    "m[m > 0]",
]
_INPUTS = {"a": np.array([0.3, -0.8, 1.5]), "m": np.arange(6.0).reshape(2, 3) - 2.5}


def calls():
    """(call, {name: array}): floating-point arrays are float32 in one half of them."""
    made = {
        c.expression: c.arrays((np.float32, np.float64)[zlib.crc32(c.expression.encode()) % 2])
        for c in CASES
        if len(c.expression) < 90
    }
    more = [
        (call, {name: array for name, array in _INPUTS.items() if re.search(rf"\b{name}\b", call)})
        for call in MORE
    ]
    return [*made.items(), *more, *more, *more]


CALLS = calls()


def with_one_odd(rng):
    """A call in which one argument, index or operand has been replaced or added, and its arrays."""
    while True:
        call, arrays = CALLS[rng.integers(len(CALLS))]
        tree = ast.parse(call, mode="eval")
        places = [
            node
            for node in ast.walk(tree)
            if isinstance(node, (ast.Call, ast.Subscript, ast.BinOp))
            # 2 ** 2 ** 70 is Python's, and has no end
            and not isinstance(getattr(node, "left", None), ast.Constant)
        ]
        if not places:
            continue
        node, odd = (
            places[rng.integers(len(places))],
            ast.parse(ODD[rng.integers(len(ODD))], mode="eval").body,
        )
        option = OPTIONS[rng.integers(len(OPTIONS))]
        if isinstance(node, ast.Subscript):
            node.slice = odd
        elif isinstance(node, ast.BinOp):
            node.right = odd
        elif rng.random() < 0.2 and option not in [given.arg for given in node.keywords]:
            node.keywords.append(ast.keyword(option, odd))
        elif node.args + node.keywords:
            place = rng.integers(len(node.args + node.keywords))
            if place < len(node.args):
                node.args[place] = odd
            else:
                node.keywords[place - len(node.args)].value = odd
        return ast.unparse(tree), arrays


def run(count, seed, engines=(autograd_core, torch)):
    """{kind: calls}, and those that are silently different."""
    rng, kinds, silent = np.random.default_rng(seed), collections.Counter(), []
    for _ in range(count):
        call, arrays = with_one_odd(rng)
        try:
            kind, ours, theirs = compare(
                call, engines, {name: array.copy() for name, array in arrays.items()}
            )
        finally:
            for T in (autograd_core, torch):
                T.set_grad_enabled(True)
        if kind == "value" and not isinstance(
            theirs.result, (torch.Tensor, int, float, str, tuple, list, type(None))
        ):
            # an object of the engine's own, which nobody can compare
            kind = "agree"
        kinds[kind] += 1
        if kind in SILENT:
            silent.append(
                (
                    kind,
                    call,
                    repr(ours.error or ours.result)[:150],
                    repr(theirs.error or theirs.result)[:150],
                )
            )
    return kinds, silent


@pytest.mark.parametrize("seed", [SEED, 777])
def test_hardly_any_call_is_silently_different(seed):
    kinds, silent = run(COUNT, seed)
    assert len(silent) < MOST * COUNT, "\n".join(map(str, silent))
    assert kinds["agree"] > 0.1 * COUNT and kinds["both raise"] > 0.4 * COUNT, kinds


def test_a_planted_silence_is_found():
    """Of an engine that takes any flag for requires_grad."""
    planted = types.SimpleNamespace(
        **{
            **vars(autograd_core),
            **{
                name: lambda *args, requires_grad=False, f=f, **options: f(
                    *args, requires_grad=bool(requires_grad), **options
                )
                for name, f in vars(autograd_core).items()
                if name in ("zeros", "ones", "rand", "full", "eye")
            },
        }
    )
    assert sum("requires_grad" in found[1] for found in run(9_000, 3, (planted, torch))[1]) > 3

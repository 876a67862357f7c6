"""Wrong calls: one odd argument in a call from the table either raises, or gives PyTorch's result.

What PyTorch refuses may have a result here. `MUST_RAISE` lists the calls for which that result
would be wrong.
"""

import ast
import re
import types
import warnings

import numpy as np
import pytest
import torch
from hypothesis import assume, given, seed, settings
from hypothesis import strategies as st

import autograd_core
from tests.budget import SEED, budget
from tests.engines import ENGINES, Run, numbers

from .cases import CASES

ODD = """None True False 0 1 2 -1 5 -9 0.5 1.0 -2.5 30 300 1e300 10**30 1e-300 'a' 'mean' [] () [1] (0,1) (0,0) [0]
    T.tensor(1) T.tensor(1.5) T.tensor([1.0,2.0]) T.ones(1) T.ones(0) T.ones(2,3) np.float32(1.5) np.float64(0.5)
    np.int64(1) object() T.float64 T.int64 T.bool [T.ones(1),T.ones(1)] (1,) (2,2) [None] [1.5] np.ones(3)""".split()
# PyTorch's own gradient is wrong here: of `a.std(())` it is inf, of a boolean exponent nan
EXCUSED = re.compile(r"(std|var)\((a, )?(dim=)?(\(\)|\[\])|\*\* (True|False)")
CALLS = [case for case in CASES if len(case.expression) < 90 and "1e300" not in case.expression]


@st.composite
def odd_calls(draw):
    """A case, and its expression with one argument, index or operand replaced by an odd one."""
    case = draw(st.sampled_from(CALLS))
    tree = ast.parse(case.expression, mode="eval")
    places = [n for n in ast.walk(tree) if isinstance(n, (ast.Call, ast.Subscript, ast.BinOp))]
    assume(places)
    node = draw(st.sampled_from(places))
    odd = ast.parse(draw(st.sampled_from(ODD)), mode="eval").body
    if isinstance(node, ast.Subscript):
        node.slice = odd
    elif isinstance(node, ast.BinOp):
        node.right = odd
    else:
        assume(node.args or node.keywords)
        place = draw(st.integers(0, len(node.args + node.keywords) - 1))
        if place < len(node.args):
            node.args[place] = odd
        else:
            node.keywords[place - len(node.args)].value = odd
    assume(not EXCUSED.search(ast.unparse(tree)))
    return case, ast.unparse(tree)


def result_of(T, case, expression):
    """The results and the gradients of a call, or None if it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = Run(T, expression, case.arrays(np.float64))
            if run.roots:
                T.autograd.backward(run.roots, run.cotangents())
            return [*run.results, *(x.grad for x in run.leaves)]
        except Exception:  # whatever it is, the call was refused
            return None


def same(ours, theirs):
    """Whether two results are equal in type and shape, and in numbers up to rounding."""
    if not (isinstance(ours, autograd_core.Tensor) and isinstance(theirs, torch.Tensor)):
        return (ours is None) == (theirs is None)
    ours, theirs = numbers(ours), numbers(theirs)
    alike = (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    with np.errstate(all="ignore"):
        return alike and np.allclose(ours, theirs, 1e-5, 1e-6, equal_nan=True)


def agree(case, expression, engines=ENGINES):
    """Whether the call raises on one engine at least, or gives the same on both."""
    ours, theirs = (result_of(T, case, expression) for T in engines)
    return (
        ours is None
        or theirs is None
        or all(same(*pair) for pair in zip(ours, theirs, strict=True))
    )


@seed(SEED)
@settings(max_examples=budget(600, 20_000), deadline=None, database=None)
@given(odd_calls())
def test_an_odd_call_raises_or_agrees(call):
    assert agree(*call), call[1]


# ---- calls that would give a wrong number --------------------------------------------------------

MUST_RAISE = [
    "F.cross_entropy(m, T.tensor([0, 5]))",
    "F.cross_entropy(m, T.tensor([0, -1]))",
    "F.cross_entropy(m, T.tensor([0, 1, 1]))",
    "F.cross_entropy(m, T.tensor([0, 1]), label_smoothing=2)",
    "F.cross_entropy(m, T.tensor([0, 1]), T.ones(1))",
    "F.nll_loss(m, T.tensor([[0], [1]]))",
    "F.binary_cross_entropy(v, v)",
    "F.binary_cross_entropy(v.sigmoid(), T.ones(1))",
    "F.mse_loss(v, v, reduction='x')",
    "F.embedding(T.tensor([-1]), m)",
    "F.embedding(T.tensor([1.0]), m)",
    "F.one_hot(T.tensor([-1]))",
    "F.batch_norm(T.ones(1, 3), None, None, training=True)",
    "F.batch_norm(m, v, v, T.ones(1))",
    "F.layer_norm(m, (3,), T.ones(1))",
    "F.layer_norm(m, (2,))",
    "F.dropout(v, 1.5)",
    "F.conv2d(T.ones(1, 2, 4, 4), T.ones(1, 3, 2, 2))",
    "F.conv2d(T.ones(1, 2, 4, 4), T.ones(1, 2, 5, 5))",
    "F.conv2d(T.ones(1, 2, 4, 4), T.ones(3, 2, 2, 2), T.ones(1))",
    "F.conv2d(T.ones(1, 2, 4, 4), T.ones(3, 2, 2, 2), stride=2, dilation=-1)",
    "F.conv2d(T.ones(1, 2, 4, 4), T.ones(3, 2, 4, 4), stride=-1)",
    "F.max_pool2d(T.ones(1, 2, 2), 2, padding=2)",
    "F.max_pool2d(T.ones(1, 2, 2), 2, stride=-1)",
    "T.where(v, v, v)",
    "T.masked_fill(v, v, 0.0)",
    "T.masked_select(v, v)",
    "v.gather(0, T.tensor([-1]))",
    "v.scatter_add(0, T.tensor([3]), v)",
    "m.gather(1, T.tensor([0]))",
    "v[v]",
    "v[3]",
    "T.dot(m, m)",
    "T.mv(m, m.t())",
    "T.bmm(T.ones(1, 2, 3), T.ones(4, 3, 2))",
    "T.outer(m, v)",
    "T.tensor([7]) // T.tensor([0])",
    "T.tensor([7]) % 0",
    "T.tensor([1], dtype=T.uint8) + 300",
    "T.tensor([1], dtype=T.uint8) < 300",
    "T.tensor([float('nan')], dtype=T.int64)",
    "T.tensor([1.0, None])",
    "T.exp(2.0)",
    "T.add(v, [1.0, 2.0, 3.0])",
    "F.leaky_relu(v, T.tensor(0.1, requires_grad=True))",
    "m.sum(2)",
    "m.t().view(6)",
    "m.reshape(4, -1)",
    "m.split([1, 2])",
    "F.adaptive_avg_pool2d(T.ones(1, 5, 5), 2)",
    "p // 2",
    "v.norm(3)",
    "v.clamp(min=v)",
    "m.topk(4)",
    "nn.Dropout(2)(v)",
    "nn.BatchNorm2d(3)(m)",
    "nn.ModuleList([1])",
    "nn.ModuleDict({'a.b': nn.ReLU()})",
]


def named(T):
    v = T.tensor([0.5, -1.0, 2.0])
    m = T.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    p = T.ones(3, requires_grad=True)
    used = (p * p).sum()
    used.backward()
    h = p + 1
    stale = (h * h).sum()
    h.add_(1)
    return dict(T=T, F=T.nn.functional, nn=T.nn, v=v, m=m, p=p, used=used, stale=stale)


@pytest.mark.parametrize("call", MUST_RAISE)
def test_a_call_that_would_give_a_wrong_number_raises(call):
    """Of PyTorch's, only `uint8` with a number beyond it has a result: it wraps around."""
    with pytest.raises(Exception):
        eval(call, named(autograd_core))


# ---- the messages that keep PyTorch's words ------------------------------------------------------

MESSAGES = {
    "used.backward()": "Trying to backward through the graph a second time",
    "stale.backward()": "has been modified by an inplace operation: [torch.FloatTensor [3]], which is"
    " output 0 of Add",
    "p.add_(1)": "a leaf Variable that requires grad is being used in an in-place operation.",
    "p[0].add_(1)": "a view of a leaf Variable that requires grad is being used in an in-place",
    "(p * 2).backward()": "grad can be implicitly created only for scalar outputs",
    "v.sum().backward()": "element 0 of tensors does not require grad and does not have a grad_fn",
    "T.autograd.grad((p * 2).sum(), v.clone().requires_grad_())": "appears to not have been used in"
    " the graph",
    "T.tensor([1], requires_grad=True)": "can require gradients",
    "v + T.ones(2)": "The size of tensor a (3) must match the size of tensor b (2) at non-singleton"
    " dimension 0",
    "m @ m": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    "nn.Linear(2, 1)(m)": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x1)",
    "F.cross_entropy(m, T.ones(2))": "expected target dtype to be Long or Byte, but got Float",
    "v.topk(4)": "selected index k out of range",
}


@pytest.mark.parametrize("call", MESSAGES)
def test_a_message_has_pytorchs_words(call):
    for T in ENGINES:
        with pytest.raises(RuntimeError) as caught:
            eval(call, named(T))
        assert MESSAGES[call] in str(caught.value)


def test_a_failed_call_changes_nothing():
    names = named(autograd_core)
    before = [names[name].tolist() for name in "vmp"]
    for call in [*MUST_RAISE, *MESSAGES]:
        with pytest.raises(Exception):
            eval(call, names)
    assert [names[name].tolist() for name in "vmp"] == before and autograd_core.is_grad_enabled()


@pytest.mark.parametrize("name, wrong", [("exp", 1.001), ("mul", 1.001), ("relu", 0.5)])
def test_a_wrong_value_would_be_found(name, wrong):
    planted = vars(autograd_core) | {
        name: lambda *args: getattr(autograd_core, name)(*args) * wrong
    }
    case = next(case for case in CALLS if case.expression.startswith(f"T.{name}("))
    assert agree(case, case.expression)
    assert not agree(case, case.expression, (types.SimpleNamespace(**planted), torch))

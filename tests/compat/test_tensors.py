"""Numbers and tensors of other kinds as arguments, shared memory and warnings, against PyTorch."""

import warnings

import numpy as np
import pytest
import torch

import autograd_core
from tests.engines import ENGINES, assert_same, on_both

NUMBERS = (
    """
T.mul(x, {}) | T.mul({}, x) | T.mul(n, {}) | T.div(x, {}) | T.where(n > 1, {}, x) | T.where(n > 1, {}, 0.0) | (x * 1).mul_({})
x.add({}) | T.add(x, x, alpha={}) | T.sub(x, n, alpha={}) | (x * 1).add_(x, alpha={})
T.pow(x, {}) | T.pow({}, x) | T.pow({}, n) | T.pow(n, {}) | {} - n | {} ** n | n % {} | T.remainder(x, {}) | T.remainder(n, {})
T.clamp(x, {}) | T.clamp(n, max={}) | T.nn.functional.leaky_relu(x, {})
T.nn.functional.smooth_l1_loss(x, x * x, beta={}) | T.masked_fill(x, n > 1, {}) | T.lt(x, {})
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)


TYPED = [
    f"T.ones({shape}, dtype=T.{dtype})"
    for dtype in ("bool", "uint8", "int32", "int64", "float32", "float64")
    for shape in ("2", "()")
]


@pytest.mark.parametrize("left", TYPED)
def test_mixed_types(left):
    """Any two types, with and without dimensions, and a type with a number of Python or NumPy."""
    pairs = [(right, sign) for right in TYPED for sign in ("+", "*", "/")]
    pairs += [(number, sign) for number in ("True", "2", "2.5") for sign in ("+", "/", "**", "==")]
    pairs += [("np.float64(2.5)", "+"), ("np.int64(2)", "+")]
    for right, sign in pairs:
        if (sign, right) != ("**", "True") or "bool" not in left:  # a whole number here
            assert_same(*(eval(f"{left} {sign} {right}", {"T": T, "np": np}) for T in ENGINES))
    for number in ("True", "2", "2.5"):
        assert_same(*(eval(f"{number} / {left}", {"T": T}) for T in ENGINES))


@pytest.mark.parametrize("number", ["2.5", "np.float64(2.5)", "np.float32(2.5)", "np.int64(2)"])
@pytest.mark.parametrize("expression", NUMBERS)
def test_numbers_of_numpy_bring_no_type_along(expression, number):
    assert_same(*(derived(T, expression.format(number)) for T in ENGINES))


@pytest.mark.parametrize(
    "expression",
    ["T.add(x, x, alpha={})", "(x * 1).add_(n, alpha={})", "T.nn.functional.leaky_relu(x, {})"],
)
def test_a_tensor_may_stand_for_a_number(expression):
    """It is read at once: the graph does not notice when it changes."""
    for number in "T.tensor(2)", "T.tensor(2.5)", "T.tensor(2.5, dtype=T.float64)":
        assert_same(*(derived(T, expression.format("number"), number) for T in ENGINES))


def derived(T, expression, number="None"):
    """The value of an expression in x and n, and its slope in x."""
    names = {
        "T": T,
        "np": np,
        "x": T.tensor([0.5, -1.25, 3.0], requires_grad=True),
        "n": T.tensor([1, 2, 3]),
    }
    names["number"] = eval(number, names)
    result = eval(expression, names)
    if isinstance(names["number"], T.Tensor):
        names["number"].fill_(7)
    if result.requires_grad:
        result.sum().backward()
    return result, names["x"].grad


@on_both
def test_from_numpy_shares_memory(T):
    array = np.array([[1, 2], [3, 4]], dtype=np.float32)
    shared, copied = T.from_numpy(array), T.tensor(array)
    array[0, 0] = 9
    return shared, copied, T.tensor([shared[0, 0], 2.0])


@on_both
def test_default_dtype(T):
    try:
        T.set_default_dtype(T.float64)
        return (
            T.tensor([1.0]),
            T.zeros(2),
            T.nn.Linear(1, 1).weight.dtype == T.float64,
            repr(T.ones(1)),
            T.tensor(1) / 2,
        )
    finally:
        T.set_default_dtype(T.float32)


def test_the_same_code_runs_on_either():
    """Arrays beside tensors, and tensors of the other engine, which are refused."""
    assert_same(autograd_core.ones(2) + np.ones(2), torch.ones(2) + np.ones(2))
    with pytest.raises(TypeError):
        autograd_core.ones(2) + torch.ones(2)


@pytest.mark.parametrize(
    "read, warned",
    [
        ("(a * 2).grad", True),
        ("a[0].grad", True),
        ("a.grad", False),
        ("h.grad", False),
        ("(a * 2).detach().grad", False),
    ],
)
@pytest.mark.parametrize("T", ENGINES, ids=lambda T: T.__name__)
def test_the_grad_that_a_computed_tensor_does_not_keep_is_warned_of(T, read, warned):
    a = T.ones(2, requires_grad=True)
    h = a * 2
    h.retain_grad()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch._C._set_warnAlways(True)
        try:
            assert eval(read) is None
        finally:
            torch._C._set_warnAlways(False)
    told = ["is not a leaf Tensor is being accessed" in str(w.message) for w in caught]
    assert told == [True] * warned

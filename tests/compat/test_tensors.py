"""Tensors as values: how they are made, printed and mixed, against PyTorch."""

import numpy as np
import pytest
import torch

import autograd_core
from tests.engines import ENGINES, assert_same, on_both

SETUP = {
    "x": "T.tensor([0.5, -1.25, 3.0], requires_grad=True)",
    "w": "T.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=T.float64, requires_grad=True)",
    "n": "T.tensor([1, 2, 3])",
}
PRINTED = (
    """
x | w | n | x[0] | x * 2 | x.sum() | x.detach() | x.data | x.grad | w @ w | w.t() | w[0] | w.exp().mean() | w.softmax(1)
n * 2 | n / 2 | n > 1 | n.float() | n + 0.5 | n * x | x.long() | T.tensor(3) | T.tensor(True) | T.tensor([]) | T.zeros(0, 3)
T.zeros(2, 2) | T.ones(3, dtype=T.int64) | T.full((2, 2), 7) | T.eye(3) | T.arange(5) | T.arange(0, 1, 0.25) | -x | 1 / x
T.linspace(0, 1, 5) | T.zeros_like(w) | T.tensor([1e-8, 1.0]) | T.tensor([1e10, 1.0]) | T.tensor([0.1, 1000.5]) | x ** 2
T.tensor([float("nan"), float("inf")]) | T.tensor([[1, 2], [3, 4]], dtype=T.uint8)
T.stack([x, x]) | x.unbind()[1] | x.split(2)[0] | (x * 1).add_(1) | (x * 1).zero_() | x.view(3, 1) | x.expand(2, 3)
x.clone() | x.relu() | x.sigmoid() | T.where(x > 0, x, 0.0) | x[x > 0] | x.max() | T.cat([x, x]) | w.mean(0) | x.dot(x)
nn.Parameter(x.detach()) | nn.Parameter(w.detach(), requires_grad=False) | x.requires_grad | x.grad_fn | x.shape | w.size()
x.dtype | n.dtype | w.device | x.shape[0] | w.T.shape | tuple(w.shape) | w.stride() | w.t().stride() | x.is_leaf | (x * 1).is_leaf
(x * 1).output_nr | x.unbind()[2].output_nr | x.tolist() | n.sum().item() | x[0].item() | len(w) | w.ndim | w.numel()
f"{x[0]:.3f}" | f"{n}" | str(w) | 2.0 in x | bool(n[0]) | int(n[1]) | float(w[0, 0]) | [1, 2, 3][n[0]] | w.dim()
x.is_floating_point() | n.is_floating_point() | T.is_grad_enabled() | T.get_default_dtype() | x.is_contiguous()
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)


@pytest.mark.parametrize("expression", PRINTED)
def test_prints_alike(expression):
    texts = []
    for T in ENGINES:
        names = {"T": T, "nn": T.nn}
        names.update({name: eval(source, names) for name, source in SETUP.items()})
        texts.append(repr(eval(expression, names)))
    assert texts[0] == texts[1]


pytestmark = [
    # both are PyTorch's own
    pytest.mark.filterwarnings("ignore:__array_wrap__"),
]

DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_mixed_types(first, second):
    """The type of a sum, a product and a quotient of any two types, with and without dimensions."""
    for shapes in (((2,), (2,)), ((2,), ()), ((), (2,)), ((), ())):
        for sign in ("+", "*", "/"):
            results = []
            for T in ENGINES:
                a, b = (
                    T.ones(*shape, dtype=getattr(T, d))
                    if shape
                    else T.ones((), dtype=getattr(T, d))
                    for shape, d in zip(shapes, (first, second))
                )
                results.append(str(eval(f"a {sign} b").dtype))
            assert results[0] == results[1], f"{first} {shapes[0]} {sign} {second} {shapes[1]}"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 2, 2.5])
def test_types_beside_numbers(dtype, number):
    expressions = ["a + n", "n * a", "a / n", "n / a", "a ** n", "a == n", "a + np.float64(n)"]
    if (dtype, number) == ("bool", True):
        # PyTorch's is a boolean; here it is a whole number
        expressions.remove("a ** n")
    for expression in expressions:
        results = []
        for T in ENGINES:
            a = T.ones(2, dtype=getattr(T, dtype))
            results.append(eval(expression, {"a": a, "n": number, "np": np}))
        assert_same(*results)


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


@pytest.mark.parametrize("number", ["2.5", "np.float64(2.5)", "np.float32(2.5)", "np.int64(2)"])
@pytest.mark.parametrize("expression", NUMBERS)
def test_numbers_of_numpy_bring_no_type_along(expression, number):
    assert_same(*(derived(T, expression.format(number)) for T in ENGINES))


@pytest.mark.parametrize(
    "expression",
    [
        "T.add(x, x, alpha={})",
        "(x * 1).add_(n, alpha={})",
        "T.nn.functional.leaky_relu(x, {})",
    ],
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
def test_how_tensors_are_made(T):
    array = np.array([[1, 2], [3, 4]], dtype=np.float32)
    shared = T.from_numpy(array)
    array[0, 0] = 9
    return (
        shared,
        T.tensor(array),
        T.tensor([shared[0, 0], 2.0]),
        T.tensor(((1, 2), (3, 4))),
        T.tensor(np.float64(2.5)),
        T.tensor([True, False]),
        T.tensor([1, 2.5]),
        T.tensor([[], []]),
        T.Tensor([1, 2]),
        T.tensor(range(3)),
        T.ones((2, 3)),
        T.zeros(2, 3),
        T.zeros(()),
        T.full_like(shared, 3),
        T.ones_like(shared, dtype=T.int64),
        T.arange(2, 10, 3),
        T.arange(1.0, 0.0, -0.25),
        T.eye(2, 3),
        T.linspace(-1, 1, 7),
        T.tensor(1.0, dtype=T.int64),
    )


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

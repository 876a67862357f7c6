"""An operation that is defined wrongly is found when it is defined, or named when it runs."""

import inspect
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import autograd_core as T
from autograd_core.core.operation import REGISTRY, operation
from autograd_core.trace.formula import rules_of
from tests.engines import FUNCTIONS


@pytest.fixture
def definitions():
    """Operations defined in a test are forgotten after it."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def test_a_rule_for_no_argument(definitions):
    with pytest.raises(TypeError, match="there is a rule for 'x', but the forward takes input"):

        @operation(x=lambda g: g)
        def twice(input):
            return 2 * input


def test_a_rule_that_asks_for_what_is_not_there(definitions):
    with pytest.raises(
        TypeError, match="a rule asks for 'other', which is neither an argument nor the result"
    ):

        @operation(input=lambda g, other: g * other)
        def twice(input):
            return 2 * input


def test_a_node_name_that_another_operation_has(definitions):
    with pytest.raises(TypeError, match="exponential: exp has node ExpBackward0 already"):

        @operation(node="ExpBackward0", input=lambda g, result: g * result)
        def exponential(input):
            return np.exp(input)


def test_a_rule_that_returns_the_wrong_shape_is_named(definitions):
    @operation(input=lambda g: g)
    def total(input):
        return np.sum(input)

    with pytest.raises(
        RuntimeError,
        match=r"Function TotalBackward0 returned an invalid gradient: got \[\] but "
        r"expected shape compatible with \[3\]",
    ):
        total(T.ones(3, requires_grad=True)).backward()


def test_a_new_operation_is_a_node_and_has_every_derivative(definitions):
    @operation(input=lambda g, input: 3 * g * input * input)
    def cube(input):
        return input * input * input

    x = T.tensor(2.0, requires_grad=True)
    y = cube(x)
    assert y.grad_fn.name() == "CubeBackward0" and "<CubeBackward0 object at" in repr(y.grad_fn)
    (slope,) = T.autograd.grad(y, x, create_graph=True)
    (curvature,) = T.autograd.grad(slope, x)
    assert (slope.item(), curvature.item()) == (12.0, 12.0)
    assert rules_of("CubeBackward0") == (("input", "3 * g * input * input"),)


# ---- what runs is what stands there --------------------------------------------------------------


def entered(function):
    """(file, name) of each Python function that is entered while `function` runs, in order."""
    frames = []

    def trace(frame, event, arg):
        frames.append((frame.f_code.co_filename, frame.f_code.co_qualname))
        return

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return frames[1:]  # without `function` itself


def test_a_product_enters_files_on_disk_three_frames_deep():
    w, x = T.ones(3, requires_grad=True), T.ones(3, requires_grad=True)
    w * x  # a leaf's AccumulateGrad is made once
    frames = entered(lambda: w * x)
    assert [(Path(file).name, name) for file, name in frames[:2]] == [
        ("tensor.py", "_operator.<locals>.method"),
        ("calls.py", "make_call.<locals>.call"),
    ]
    assert ("arithmetic.py", "mul") in [(Path(file).name, name) for file, name in frames]
    assert all(Path(file).is_file() for file, _ in frames)


@pytest.mark.parametrize("name", REGISTRY)
def test_the_source_of_a_node_is_what_runs(name):
    """The source of the class is the operation with its rules; how they are run is a method."""
    node_type = REGISTRY[name].node_type
    operation = inspect.getsource(node_type)
    assert f"def {REGISTRY[name].forward.__name__}(" in operation
    assert "rule" in inspect.getsource(node_type.apply)


@pytest.mark.parametrize(
    "name, source",
    [
        ("exp", "def exp(input):"),
        ("sum", "def sum(input, dim=None"),
        ("__add__", "def add(input, other, alpha=1):"),
        ("__mul__", "other=lambda g, input: g * input"),
        ("__rsub__", "def rsub(input, other):"),
        ("topk", "def topk(input, k"),
        ("backward", "def backward(self, gradient=None"),
    ],
)
def test_a_method_leads_to_its_source(name, source):
    method = getattr(T.Tensor, name)
    assert source in inspect.getsource(method)
    assert method.__name__ == name and method.__doc__


# ---- how it is called ----------------------------------------------------------------------------


def test_functions_are_called_as_python_functions_are(definitions):
    @operation(input=lambda g, factor: g * factor)
    def multiple(input, factor=3):
        """`factor * input`."""
        return factor * input

    x = T.tensor(2.0, requires_grad=True)
    results = [multiple(factor=2, input=x), multiple(x), multiple(x, factor=2)]
    assert [result.item() for result in results] == [4, 6, 4]
    assert str(inspect.signature(multiple)) == "(input, factor=3)"
    assert (multiple.__name__, multiple.__doc__) == ("multiple", "`factor * input`.")
    for wrong in (lambda: multiple(), lambda: multiple(x, 1, 2), lambda: multiple(x, other=1)):
        with pytest.raises(TypeError, match=r"multiple\(input, factor\) was called"):
            wrong()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_its_name_and_can_be_pickled(name):
    function = FUNCTIONS[name]
    assert pickle.loads(pickle.dumps(function)) is function
    assert "<" not in function.__qualname__


# ---- rules and their formulas --------------------------------------------------------------------


def test_every_rule_has_a_formula():
    for name, op in REGISTRY.items():
        assert [argument for argument, text in rules_of(name) if text] == list(op.rules)


def test_a_formula_has_its_numbers_filled_in():
    assert rules_of("AddBackward0", (("alpha", 1),)) == (("input", "g"), ("other", "g"))
    assert rules_of("AddBackward0", (("alpha", 3),))[1] == ("other", "g * 3")
    assert rules_of("PowBackward0", (("exponent", 3),)) == (("input", "g * 3 * input ** 2"),)
    assert rules_of("NoSuchBackward0") == ()

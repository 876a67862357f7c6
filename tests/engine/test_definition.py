"""An operation that is defined wrongly is found when it is defined, or named when it runs."""

import inspect
import pickle
import sys

import numpy as np
import pytest

import autograd_core as T
from autograd_core.graph import arrays, tensors
from autograd_core.formula import rules_of
from autograd_core.ops import FUNCTIONS
from autograd_core.ops.operation import REGISTRY, Operation, operation


@pytest.fixture
def definitions():
    """Operations defined in a test are forgotten after it."""
    spaces = [REGISTRY, vars(arrays), vars(tensors)]
    before = [dict(space) for space in spaces]
    yield
    for space, old in zip(spaces, before):
        space.clear()
        space.update(old)


def test_a_rule_for_no_argument(definitions):
    with pytest.raises(TypeError, match="there is a rule for 'x', but the forward takes input"):
        @operation(x=lambda g: g)
        def twice(input):
            return 2 * input


def test_a_rule_that_asks_for_what_is_not_there(definitions):
    with pytest.raises(TypeError, match="a rule asks for 'other', which is neither an argument nor the result"):
        @operation(input=lambda g, other: g * other)
        def twice(input):
            return 2 * input


def test_a_node_name_that_another_operation_has(definitions):
    with pytest.raises(TypeError, match="exponential: exp has a node named ExpBackward0 already"):
        @operation(node="ExpBackward0", input=lambda g, result: g * result)
        def exponential(input):
            return np.exp(input)


def test_a_rule_that_returns_the_wrong_shape_is_named(definitions):
    @operation(input=lambda g: g)
    def total(input):
        return np.sum(input)
    with pytest.raises(RuntimeError, match=r"Function TotalBackward0 returned an invalid gradient: got \[\] but "
                                           r"expected shape compatible with \[3\]"):
        total(T.ones(3, requires_grad=True)).backward()


def test_a_new_operation_is_a_node_and_has_every_derivative(definitions):
    @operation(input=lambda g, input: 3 * g * input * input)
    def cube(input):
        return input * input * input
    x = T.tensor(2.0, requires_grad=True)
    y = cube(x)
    assert y.grad_fn.name() == "CubeBackward0" and "<CubeBackward0 object at" in repr(y.grad_fn)
    slope, = T.autograd.grad(y, x, create_graph=True)
    curvature, = T.autograd.grad(slope, x)
    assert (slope.item(), curvature.item()) == (12.0, 12.0)
    assert rules_of("CubeBackward0") == (("input", "3 * g * input * input"),)


def test_a_debugger_finds_the_lines_of_an_operation():
    x = T.tensor(2.0, requires_grad=True)
    T.mul(x, 3.0).backward()
    assert x.grad.item() == 3
    written = {T.mul: "def mul(input, other):",
               REGISTRY["MulBackward0"].node_type.apply: "def mul_backward(node, ops, g, keep=True):"}
    for function, first in written.items():
        assert inspect.getsource(function.__code__).splitlines()[0] == first


def test_another_thread_may_call_while_the_lines_are_written(definitions):
    """Between any two instructions of `write_forward` it may; here it does so at each in turn."""
    x, moments = T.tensor(2.0), 0
    while True:
        @operation(node=f"Multiple{moments}")
        def multiple(input, factor=3):
            return factor * input
        instructions = 0

        def look(frame, event, arg):
            nonlocal instructions
            if frame.f_code is not Operation.write_forward.__code__:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                instructions += 1
                if instructions == moments:
                    assert multiple(x).item() == 6
            return look
        before = sys.gettrace()
        sys.settrace(look)
        try:
            assert multiple(x).item() == 6
        finally:
            sys.settrace(before)
        if moments > instructions:
            break
        moments += 1
    assert moments > 10


def test_functions_are_what_they_are_before_and_after_their_first_call(definitions):
    @operation(input=lambda g, factor: g * factor)
    def multiple(input, factor=3):
        """`factor * input`."""
        return factor * input

    def seen():
        errors = []
        for wrong in (lambda: multiple(), lambda: multiple(x, 1, 2), lambda: multiple(x, other=1)):
            with pytest.raises(TypeError) as caught:
                wrong()
            errors.append(str(caught.value))
        return errors, str(inspect.signature(multiple)), multiple.__doc__, multiple.__name__
    x, stored = T.tensor(2.0, requires_grad=True), multiple
    signature, doc = inspect.signature(multiple), inspect.getdoc(multiple)
    assert [stored(factor=2, input=x).item(), stored(x).item(), stored(x, factor=2).item()] == [4, 6, 4]
    assert (inspect.signature(multiple), inspect.getdoc(multiple)) == (signature, doc) and stored is multiple
    assert seen()[1:] == ("(input, factor=3)", "`factor * input`.", "multiple")
    assert all("multiple() " in error for error in seen()[0])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_its_name_and_can_be_pickled(name):
    function = FUNCTIONS[name]
    assert pickle.loads(pickle.dumps(function)) is function
    assert "<" not in function.__qualname__


def test_every_rule_can_be_read():
    for name, op in REGISTRY.items():
        for (argument, text), rule in zip(rules_of(name), op.rules, strict=True):
            assert (text != "") == (rule is not None), f"{name}: {argument}"


def test_a_formula_has_its_numbers_filled_in():
    assert rules_of("AddBackward0", (("alpha", 1),)) == (("input", "g"), ("other", "g"))
    assert rules_of("AddBackward0", (("alpha", 3),))[1] == ("other", "g * 3")
    assert rules_of("PowBackward0", (("exponent", 3),)) == (("input", "g * 3 * input ** 2"),)
    assert rules_of("NoSuchBackward0") == ()

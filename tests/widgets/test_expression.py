"""Typed expressions: what is understood, what is refused and how, and that nothing is ever
evaluated as Python.
"""

import math
import sys
from contextlib import contextmanager

import pytest
import torch
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

import autograd_core
from autograd_core.widgets.graph import expression
from autograd_core.widgets.graph.expression import FUNCTIONS, ExpressionError, parse

ENGINES = {"autograd_core": autograd_core, "torch": torch}

_heard: list[str] | None = None


def _listen(event: str, _arguments):
    if _heard is not None and event in ("exec", "import", "open", "os.system", "subprocess.Popen"):
        _heard.append(event)


sys.addaudithook(_listen)


@contextmanager
def nothing_runs():
    """Fail when anything is executed, imported, opened or started inside the block."""
    global _heard
    _heard = []
    try:
        yield
        heard = _heard
    finally:
        _heard = None
    assert heard == []


def compute(T, text: str, **values: float):
    known = {"dtype": T.float64, "requires_grad": True}
    leaves = {name: T.tensor(value, **known) for name, value in values.items()}
    result = parse(text).evaluate(T, **leaves)
    result.backward()
    return result.item(), [leaf.grad.item() for leaf in leaves.values()]


UNDERSTOOD = {
    "a * b + sin(a)": lambda a, b: a * b + math.sin(a),
    "  a - b ": lambda a, b: a - b,
    "-a ** 2 / b": lambda a, b: -(a**2) / b,
    "a ** -2 + b": lambda a, b: a**-2 + b,
    "2 ** a * b": lambda a, b: 2**a * b,
    "a ** b ** 0.5": lambda a, b: a**b**0.5,
    "(a + b) * (a - b)": lambda a, b: (a + b) * (a - b),
    "1e-3 * a + .5 * b": lambda a, b: 1e-3 * a + 0.5 * b,
    "2 ** 3 ** 2 * a * b": lambda a, b: 2**3**2 * a * b,
    "sin(2) * a * b": lambda a, b: math.sin(2) * a * b,
    "exp(cos(a)) + log(b) + tanh(a)": lambda a, b: (
        math.exp(math.cos(a)) + math.log(b) + math.tanh(a)
    ),
    "sigmoid(a) + relu(-b) + relu(a)": lambda a, b: 1 / (1 + math.exp(-a)) + a,
    "sqrt(abs(-a * b))": lambda a, b: math.sqrt(a * b),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", UNDERSTOOD)
def test_values_and_gradients(text, engine):
    value, gradients = compute(ENGINES[engine], text, a=0.7, b=1.9)
    assert value == pytest.approx(UNDERSTOOD[text](0.7, 1.9), rel=1e-12)
    assert gradients == pytest.approx(compute(torch, text, a=0.7, b=1.9)[1], rel=1e-12)


def test_names_come_in_the_order_of_their_first_appearance():
    assert parse("b * a + sin(c2) - b / x_1").names == ("b", "a", "c2", "x_1")


REFUSED = {
    "": (None, "write at least one operation, such as a * b"),
    "   ": (None, "write at least one operation, such as a * b"),
    "2 * 3": (None, "at least one name"),
    "a": (None, "there is no operation; write at least one, such as a * b"),
    "import os": (1, "`import` is not allowed here; use names, numbers, + - * / **, parentheses"),
    "__import__('os')": (12, "`'` is not allowed"),
    "lambda * a": (1, "`lambda` is not allowed"),
    "a * _b": (5, "`_b` is not allowed"),
    "a if b else c": (3, "`if` is not allowed"),
    "True * a": (1, "`True` is not allowed"),
    "a.real + 1": (1, "`a.real` is not allowed"),
    "  a.real + 1": (3, "`a.real` is not allowed"),
    "a[0] * b": (2, "`[` is not allowed"),
    "a, b": (2, "`,` is not allowed"),
    "y = a * b": (3, "without a name and ="),
    "a ^ 2": (3, "write ** for a power"),
    "2 × a": (3, "write *"),
    "a − b": (3, "write the hyphen -"),
    "α * 2": (1, "`α` is not allowed"),
    "a\nb": (2, r"`\n` is not allowed"),
    "a\x00 * b": (2, r"`\x00` is not allowed"),
    "a // b": (1, "`a // b` is not allowed"),
    "+a * b": (1, "`+a` is not allowed"),
    "a b": (3, "put one operator"),
    "a +": (4, "something is missing here"),
    "a + * b": (5, "put one operator"),
    "(a * b": (1, "add a )"),
    "a * b)": (6, "`)` can't be here"),
    "() * a": (1, "`()` is not allowed"),
    "2 a": (3, "put one operator"),
    "a * 0777": (5, "`0777` isn't a number"),
    "1j * a": (1, "`1j` is not allowed"),
    "eval(a)": (1, "`eval` isn't a function here; use sin, cos"),
    "a(b)": (1, "`a` isn't a function here"),
    "sin(a)(b)": (1, "`sin(a)(b)` is not allowed"),
    "sin() + a": (1, "write sin(a)"),
    "sin + a": (1, "`sin` is a function of one value; write sin(a)"),
    "sin(*a)": (5, "`*a` is not allowed"),
    "a * " * 30 + "a": (None, "stay within 120"),
    "+".join("abcdefghi"): (None, "9 names are too many"),
    "+".join(["(a*a*a*a*a*a*a*a*a*a*a)"] * 3): (None, "32 operations are too many"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_with_the_column_and_what_to_do(text):
    column, message = REFUSED[text]
    with nothing_runs(), pytest.raises(ExpressionError) as error:
        parse(text)
    assert isinstance(error.value, ValueError)
    assert error.value.column == column
    assert message in str(error.value)
    assert str(error.value).startswith(f"column {column}: " if column else "")
    assert len(str(error.value)) < 220


@pytest.mark.parametrize(
    "text", ["1 / 0 * a", "(-8) ** 0.5 * a", "9 ** 9 ** 9 ** 9 * a", "0 ** -1 * a"]
)
def test_numbers_without_a_result(text):
    with pytest.raises(ExpressionError, match="has no result; change its numbers"):
        compute(autograd_core, text, a=1.0)


def test_a_name_without_a_value():
    with pytest.raises(ExpressionError, match="`b` has no value"):
        parse("a * b").evaluate(autograd_core, a=autograd_core.tensor(1.0))


HOSTILE = [
    "__import__('os').system('true')",
    "open('x', 'w')",
    "().__class__.__base__.__subclasses__()",
    "a.__class__.__mro__[1]",
    "exec('a')",
    "[a for a in b]",
    "(lambda: a)()",
    "f'{a}'",
    "a or print(a)",
    "(a := b)",
    "9 ** 9 ** 9 ** 9 ** 9 * a",
    "a" * 10_000,
    "(" * 119 + "a",
    "-" * 119 + "a",
    "a" + "**a" * 39,
    "a\\\n+b",
    "a # b",
    "\ud800a",
    "a;b",
    "await a",
    "print(a)",
]

PIECES = st.sampled_from(
    [*"ab_ .,()[]'\"+-*/%^=:@#\\\n\t019", "**", "//", "import", "lambda", "sin", "(a", "__", "e9"]
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=140), st.lists(PIECES, max_size=40).map("".join)))
@example("a*b")
def test_whatever_is_typed_is_understood_or_refused_and_never_run(text):
    check(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_refused_or_stays_small(text):
    check(text)


def check(text: str):
    with nothing_runs():
        try:
            understood = parse(text)
            leaf = autograd_core.tensor(0.5, requires_grad=True)
            understood.evaluate(autograd_core, **dict.fromkeys(understood.names, leaf))
        except ExpressionError:
            return
    assert 1 <= len(understood.names) <= expression.MOST_NAMES


leaves = st.sampled_from(["a", "b", "c", "2", "0.5", "3"])
functions = st.sampled_from(["sin", "cos", "tanh", "sigmoid", "abs"])


def larger(inner):
    binary = st.tuples(inner, st.sampled_from("+-*/"), inner).map("({0[0]} {0[1]} {0[2]})".format)
    call = st.tuples(functions, inner).map("{0[0]}({0[1]})".format)
    return st.one_of(binary, call, inner.map("(-{})".format), inner.map("({} ** 2)".format))


grown = st.recursive(leaves, larger, max_leaves=8)


@settings(max_examples=150, deadline=None)
@given(grown)
def test_both_engines_compute_what_was_typed(text):
    try:
        values = dict(zip(parse(text).names, (0.7, -1.3, 2.1)))
        ours, theirs = (compute(T, text, **values) for T in ENGINES.values())
    except ExpressionError:
        reject()
    assert ours[0] == pytest.approx(theirs[0], rel=1e-10, nan_ok=True)
    assert ours[1] == pytest.approx(theirs[1], rel=1e-10, nan_ok=True)


def test_a_planted_eval_is_heard(monkeypatch):
    """The listener is not deaf: a parser that asked `eval` would be found out."""

    def tree(source, offset, tree=expression._tree):
        eval("2 * 3")
        return tree(source, offset)

    monkeypatch.setattr(expression, "_tree", tree)
    with pytest.raises(AssertionError, match="exec"):
        check("a * b")


def test_every_function_exists_on_both_engines():
    for T in ENGINES.values():
        assert all(callable(getattr(T, name)) for name in FUNCTIONS)

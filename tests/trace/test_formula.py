"""What the view shows as a node's rule is what the node does: the text, worked out with its
numbers, is what was sent.
"""

import ast
import functools
import inspect
import math
import sys

import numpy as np
import pytest

import autograd_core as T
from autograd_core.core.recording import recording
from autograd_core.ops.table import recorded_ops
from autograd_core.trace.formula import rules_of
from tests.engines import Run
from tests.ops.cases import CASES

WORDS = {"count", "inverse", "split", "unfold", "taps", "gelu_slope", "n", "normal", "correction"}
"""What stands in some formulas in place of a few lines, as a word for them: these cannot be worked
out as they stand.
"""
SHORT = {
    "EmbeddingBackward0",
    "MaxPool2DWithIndicesBackward0",
    "DiagonalBackward0",
    "DiagonalBackward0_copy",
    "MaskedSelectBackward0",
    "MaxBackward0",
    "MinBackward0",
    "LinalgVectorNormBackward0",
    "ProdBackward1",
}
"""Formulas that leave out along which dimensions they work: the place of `put`, what stretches a
reduced result.
"""
POLES = {"PowBackward1", "PowBackward2"}
"""Formulas that leave out what is defined at 0, where log is not."""


class Listener:
    """{node: its operation, the names that its formulas may use, what it received and what it
    sent}.
    """

    def __init__(self):
        self.known, self.received, self.sent = {}, {}, {}

    def on_operation(self, operation, node, args, outs):
        if node is None or operation.variadic:
            return
        before = [x.detach().clone() if isinstance(x, T.Tensor) else x for x in args]
        names = dict(zip(operation.parameters, before))
        names |= {
            f"{name}_shape": tuple(x.shape) for name, x in names.items() if isinstance(x, T.Tensor)
        }
        names |= {
            "result": outs[0].detach().clone(),
            **{f"result{i}": out.detach() for i, out in enumerate(outs)},
        }
        self.known[node] = operation, names
        node.register_prehook(lambda gradients: self.received.setdefault(node, gradients))

    def on_node_ran(self, node, sent):
        self.sent[node] = sent


@functools.cache
def scope_of(operation):
    """What the formulas of `operation` may call: the table of operations, and the functions of the
    file where they stand.
    """
    found = {**vars(T.nn.functional), **vars(T), "pi": math.pi}
    for name, value in vars(sys.modules[operation.forward.__module__]).items():
        takes_ops = inspect.isfunction(value) and [*inspect.signature(value).parameters][:1] == [
            "ops"
        ]
        found[name.lstrip("_")] = functools.partial(value, recorded_ops) if takes_ops else value
    found |= vars(recorded_ops)
    return (
        found
        | {"ops_index": recorded_ops.index}
        | {name: of_either(found[name], getattr(math, name)) for name in ("log", "sqrt")}
    )


def of_either(of_tensor, of_number):
    return lambda x: (
        of_tensor(x) if isinstance(x, T.Tensor) else of_number(x) if x > 0 else -math.inf
    )


def as_it_is_sent(gradient, like):
    """`gradient` summed over what was stretched, as it is sent to an input of the shape of `like`."""
    gradient = np.asarray(gradient.numpy(), dtype=like.dtype)
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - like.ndim)))
    stretched = tuple(i for i, n in enumerate(like.shape) if n == 1 and gradient.shape[i] != 1)
    return np.broadcast_to(gradient.sum(axis=stretched, keepdims=True), like.shape)


def shown_and_sent(case, rules=rules_of):
    """For each rule that ran, and is said in a formula alone: (node, text, what the text gives,
    what was sent).
    """
    listener = Listener()
    with recording.subscribed(listener):
        run = Run(T, case.expression, case.arrays(np.float64))
        if run.roots:
            T.autograd.backward(run.roots, run.cotangents())
    for node, sent in listener.sent.items():
        if node not in listener.known or len(listener.received[node]) > 1:
            continue
        operation, names = listener.known[node]
        numbers = tuple(
            (name, x) for name, x in names.items() if x is None or isinstance(x, (int, float))
        )
        for (_, text), gradient in zip(rules(node.name(), numbers), sent):
            in_words = (
                node.name() in SHORT
                or WORDS & {*compile(text, "", "eval").co_names}
                or not case.smooth
                and node.name() in POLES
                or "sum(g)" in text
                and "Norm" in node.name()
            )
            text = text.replace("index(g", "ops_index(g")  # also the name of an argument
            if gradient is not None and not in_words:
                with T.no_grad():
                    shown = eval(
                        text, scope_of(operation), {**names, "g": listener.received[node][0]}
                    )
                yield node.name(), text, shown, gradient


def differences(case, rules=rules_of):
    found = []
    for name, text, shown, sent in shown_and_sent(case, rules):
        if not np.allclose(as_it_is_sent(shown, sent), sent, rtol=1e-9, atol=1e-12, equal_nan=True):
            found.append((name, text))
    return found


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{c}-{i}") for i, c in enumerate(CASES)])
def test_the_formula_is_what_runs(case):
    assert not differences(case)


def test_most_rules_are_worked_out():
    rules = {(name, text) for case in CASES for name, text, *_ in shown_and_sent(case)}
    assert len({name for name, _ in rules}) > 90


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


def test_a_formula_is_not_slower_once_a_traceback_was_shown(monkeypatch):
    """IPython's traceback leaves a whole tree at a node that all trees share: who copies such a
    node copies the tree.
    """

    class Tree:
        def __deepcopy__(self, memo):
            raise AssertionError("the tree is copied")

    monkeypatch.setattr(ast.parse("x").body[0].value.ctx, "parent", Tree(), raising=False)
    assert ast.parse("y").body[0].value.ctx.parent, "the node is shared"
    assert rules_of("MulBackward0", (("exponent", 5.5),))[0][1] == "g * other"

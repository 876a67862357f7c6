"""Random programs on both engines: values, graph, order of nodes, the gradient at each edge and at
each leaf.

Each batch of programs is drawn from the day's seed and its own number. A program on which the
engines differ is shrunk and printed as a PyTorch script.

Three exceptions, none of them silent for a learner:

- When memory is changed outside of the graph (under `no_grad`, or through `detach()`), PyTorch
  replaces the node of every view of it by `AsStridedBackward0`, when it is asked for. autograd_core
  keeps the node, which sends the same gradients. In such programs nodes and steps are not compared,
  everything else is.
- Where inputs lie in memory in different orders, NumPy and PyTorch may choose different orders for
  the result. Whether a later `reshape` copies depends on it, and so does its node. Such a program,
  one in fifty or so, is left out.
- autograd_core refuses to write to any part of what `expand()` gave, also to one that is no wider
  than it was.
"""

import itertools
import random
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from autograd_core.core.graph import Node
from autograd_core.core.operation import REGISTRY
from autograd_core.ops import inplace
from autograd_core.ops.table import numpy_ops
from tests.budget import SEED, budget
from tests.engines import ENGINES, assert_close, backward, graph, numbers

from .random_programs import BITS, STATEMENTS, write

PROGRAMS, BATCHES = budget(100, 20_000), 10
PLANTS = 1_000
"""Programs among which each planted error is found."""
EXPANDED = "more than one element of the written-to tensor refers to a single memory location"
# the one error that a program may end with, on both engines
REFUSED = "modified by an inplace operation"
# start values, 10 to 30 statements
INTEGERS = st.lists(st.integers(0, 2**BITS - 1), min_size=11, max_size=31)


class Evaluation:
    """What one engine makes of a program: values, graph, steps and gradients, or the error that
    backward raises.
    """

    def __init__(self, engine, program):
        self.engine, self.names, self.outside = engine, program.start(engine), False

    @property
    def values(self):
        return {
            name: value
            for name, value in self.names.items()
            if isinstance(value, self.engine.Tensor)
        }

    def run(self, line):
        """How the newest value lies in memory after this line; the stride along a dimension of one
        element says nothing.
        """
        changed = self.names.get(re.search(r"[vx]\d+", line)[0])
        if changed is not None:
            self.outside |= changed.is_leaf and not changed.requires_grad or "no_grad" in line
        exec(line, self.names)
        newest = [*self.values.values()][-1]
        return [stride for stride, size in zip(newest.stride(), newest.shape) if size > 1]

    def backward(self, program):
        engine = self.engine
        roots = [self.values[name] for name in program.roots]
        self.graph = graph(roots)
        self.views_seen_again = sum(name == "AsStridedBackward0" for name, _ in self.graph)
        self.steps, self.error = [], None
        try:
            self.steps = backward(engine, roots, [engine.tensor(g) for g in program.roots.values()])
        except RuntimeError as error:
            self.error = error
        self.gradients = {
            name: self.values[name].grad for name in program.leaves if self.values[name].is_leaf
        }


def magnitude(tensors):
    """The largest absolute value; at least 1."""
    return max((np.abs(numbers(t)).max(initial=0) for t in tensors if t is not None), default=0) + 1


def compare(program):
    """Whether the program could be compared. Raises AssertionError, with the program as a script,
    where the engines differ.
    """
    try:
        ours, theirs = (Evaluation(engine, program) for engine in ENGINES)
        for line in program.lines:
            if ours.run(line) != theirs.run(line):
                return False
        for side in (ours, theirs):
            side.backward(program)
        scale = magnitude(theirs.values.values())
        for name, value in theirs.values.items():
            assert_close(ours.values[name], value, name, scale)
            assert ours.values[name].requires_grad == value.requires_grad, f"{name}.requires_grad"
            assert ours.values[name].is_leaf == value.is_leaf, f"{name}.is_leaf"
        renamed = theirs.views_seen_again > (0 if theirs.outside else ours.views_seen_again)
        for here, there in itertools.zip_longest(ours.graph, theirs.graph):
            assert renamed or here == there, f"node {here} here, {there} in PyTorch"
        if theirs.error is not None:
            assert REFUSED in str(theirs.error) and REFUSED in str(ours.error), (
                f"{ours.error} here, {theirs.error} in PyTorch"
            )
            return True
        assert ours.error is None, f"refused here: {ours.error}"
        scale *= magnitude(theirs.gradients.values())
        for i, (mine, other) in enumerate(itertools.zip_longest(ours.steps, theirs.steps)):
            if renamed:
                break
            assert mine.name == other.name, f"step {i}: {mine.name} here, {other.name} in PyTorch"
            for here, there in zip(
                mine.received + mine.sent, other.received + other.sent, strict=True
            ):
                assert_close(here, there, f"step {i}, {other.name}", scale)
        for name, gradient in theirs.gradients.items():
            assert_close(ours.gradients[name], gradient, f"{name}.grad", scale)
    except Exception as error:
        if EXPANDED in str(error):
            return False
        raise AssertionError(f"{type(error).__name__}: {error}\n\n{program}") from error
    return True


@pytest.mark.parametrize("batch", range(BATCHES))
def test_both_engines_agree(batch):
    @seed(SEED * BATCHES + batch)
    @settings(
        max_examples=PROGRAMS // BATCHES,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(INTEGERS)
    def run(integers):
        compared.append(compare(write(integers)))

    compared = []
    run()
    assert sum(compared) > len(compared) / 2, "too many are left out"


def test_few_programs_are_left_out():
    """The same programs every day, because the number left out of a small batch varies."""
    compared = [compare(write(integers)) for integers in drawn(11, 50)]
    assert sum(compared) > 0.9 * len(compared)


def drawn(number, programs):
    """The integers of so many programs: what hypothesis draws depends on which modules are loaded,
    these do not.
    """
    rng = random.Random(number)
    for _ in range(programs):
        yield [rng.randrange(2**BITS) for _ in range(rng.randint(11, 31))]


def test_a_program_is_a_pytorch_script(capsys):
    program = write([6, *range(1, 2**BITS, 2**BITS // 12)])
    exec(str(program), {})
    assert "tensor(" in capsys.readouterr().out


def test_every_statement_of_the_table_is_used():
    count = {}
    for integers in drawn(2, 1_500):
        write(integers, count)
        if not (unused := {*STATEMENTS} - {*count}):
            return
    assert not [statement.text for statement in unused]


# ---- planted errors ------------------------------------------------------------------------------


def changed_apply(monkeypatch, node, change):
    """Let `change` have the list of gradients that nodes of this kind send, and send what it
    returns.
    """
    kind = REGISTRY[node].node_type
    monkeypatch.setattr(kind, "apply", lambda *given, right=kind.apply: change(list(right(*given))))


def slightly_wrong(monkeypatch, node):
    """The rule for the first input gives 0.1 % too much."""
    changed_apply(monkeypatch, node, lambda sent: [sent[0] * 1.001, *sent[1:]])


def swapped(monkeypatch, node):
    """The rules of the two inputs have changed places."""
    changed_apply(monkeypatch, node, lambda sent: sent[::-1])


def dropped_accumulation(monkeypatch):
    """The last gradient that arrives at a node replaces those before."""
    monkeypatch.setattr(numpy_ops, "add", lambda before, gradient: gradient)


def unnoticed_change(monkeypatch):
    """A saved tensor that was changed since is used without a word."""
    monkeypatch.setattr(Node, "check_saved", lambda node: node.saved)


def stale_result(monkeypatch):
    """An in-place operation saves its result as numbers of their own: later changes pass unnoticed."""
    monkeypatch.setattr(inplace, "_adopt_result", lambda node, tensor: None)


PLANTED = [
    *(
        (slightly_wrong, node)
        for node in (
            "MulBackward0",
            "TanhBackward0",
            "SumBackward1",
            "SoftmaxBackward0",
            "MmBackward0",
            "IndexBackward0",
            "SliceBackward0",
            "ConvolutionBackward0",
        )
    ),
    *((swapped, node) for node in ("SubBackward0", "DivBackward0", "MulBackward0")),
    (dropped_accumulation,),
    (unnoticed_change,),
    (stale_result,),
]


@pytest.mark.parametrize(
    "plant, node",
    [pytest.param(plant, node, id="-".join([plant.__name__, *node])) for plant, *node in PLANTED],
)
def test_a_planted_error_is_found(plant, node, monkeypatch):
    plant(monkeypatch, *node)
    with pytest.raises(AssertionError, match="import torch as T"):
        for integers in drawn(10, PLANTS):
            compare(write(integers))

"""Every operation against PyTorch: value, type, printing, graph, order of nodes, and the gradient
at each edge.

In float64. In float32 too where a case says so: where a rule or the expression names a type.
Elsewhere it is enough that float32 stays what it is.
"""

import re

import numpy as np
import pytest

from autograd_core.core.operation import REGISTRY
from autograd_core.core.recording import recording
from autograd_core.ops import convolution
from tests.engines import (
    ENGINES,
    FUNCTIONS,
    Run,
    assert_close,
    assert_same,
    assert_same_steps,
    backward,
    graph,
    numbers,
    raised,
)

from .cases import CASES
from .neural_cases import CONVOLUTION

# nan and inf are results here
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning:autograd_core")

NAMED = [pytest.param(c, id=f"{c}-{i}") for i, c in enumerate(CASES)]


# Where PyTorch also saves what no rule needs, and views of a leaf, whose changes are tested in
# test_inplace_views.py
PYTORCH_SAVES_MORE = re.compile(r"(?i)nll_?loss|layer_norm|conv2d|expand|split|chunk|unbind")


def both(case, dtype=np.float64):
    return [Run(engine, case.expression, case.arrays(dtype)) for engine in ENGINES]


@pytest.mark.parametrize("case", NAMED)
def test_operation(case):
    """All witnesses of one run: PyTorch's first and second derivatives, and finite differences."""
    for dtype in case.dtypes:
        ours, theirs = both(case, dtype)
        first_order(ours, theirs)
        if dtype == np.float64 and ours.roots:
            if case.smooth and all(numbers(root).dtype == np.float64 for root in ours.roots):
                finite_differences(case, ours)
            if case.twice and ours.leaves:
                second_order(ours, theirs)
            assert_same(*(errors_of_backward(engine, case) for engine in ENGINES))
    if np.float32 not in case.dtypes:
        stays_single(case, ours)


def first_order(ours, theirs):
    """Value, printing, graph, the order of nodes and what each of them received and sent, `.grad`."""
    assert len(ours.results) == len(theirs.results)
    for mine, other in zip(ours.results, theirs.results):
        assert_close(mine, other, "value")
        if np.array_equal(numbers(mine), numbers(other), equal_nan=numbers(mine).dtype.kind == "f"):
            assert repr(mine) == repr(other)
        assert (mine.requires_grad, mine.is_leaf) == (other.requires_grad, other.is_leaf)
    assert graph(ours.roots) == graph(theirs.roots)
    if ours.roots:
        assert_same_steps(
            *(
                backward(r.engine, r.roots, r.cotangents(), retain_graph=True)
                for r in (ours, theirs)
            )
        )
        for name in ours.inputs:
            assert_close(ours.inputs[name].grad, theirs.inputs[name].grad, f"{name}.grad")


def second_order(ours, theirs):
    for i, pair in enumerate(
        zip(second_derivatives(ours), second_derivatives(theirs), strict=True)
    ):
        assert_close(*pair, f"second derivative {i}")


def second_derivatives(run):
    """Gradients of a random sum of the first gradients: in the inputs, and in what arrived first."""
    cotangents = run.cotangents(requires_grad=True)
    variables = [*run.leaves, *cotangents]
    grad = run.engine.autograd.grad
    first = grad(run.roots, run.leaves, cotangents, create_graph=True, allow_unused=True)
    first = [g for g in first if g is not None and g.requires_grad]
    rng = np.random.default_rng(1)
    weights = [run.engine.tensor(rng.standard_normal(tuple(g.shape))) for g in first]
    return (
        grad(first, variables, weights, allow_unused=True, materialize_grads=True) if first else ()
    )


def errors_of_backward(engine, case):
    """The errors of a second pass through the graph, and of a pass after each leaf and result was set
    to 0: they tell what the nodes saved.
    """
    run = Run(engine, case.expression, case.arrays(np.float64))
    count = len(run.leaves) + len(run.results)
    errors = [raised(engine.autograd.backward, run.roots, run.cotangents()) for _ in range(2)]
    for i in range(0 if PYTORCH_SAVES_MORE.search(case.expression) else count):
        run = Run(engine, case.expression, case.arrays(np.float64))
        with engine.no_grad():
            errors.append(raised([*run.leaves, *run.results][i].zero_))
        errors.append(raised(engine.autograd.backward, run.roots, run.cotangents()))
    return errors


def finite_differences(case, ours):
    """The change of the output along a random direction, against the gradient along it."""
    cotangents, rng, step = ours.cotangents(), np.random.default_rng(2), 1e-6
    for name, leaf in [i for i in ours.inputs.items() if i[1].requires_grad]:
        gradient = numbers(leaf.grad) if leaf.grad is not None else np.zeros(leaf.shape)
        direction = rng.standard_normal(tuple(leaf.shape))

        def along(t):
            moved = {**case.arrays(np.float64), name: numbers(leaf) + t * direction}
            run = Run(ENGINES[0], case.expression, moved)
            return sum(np.sum(numbers(r) * numbers(v)) for r, v in zip(run.roots, cotangents))

        slope = (along(step) - along(-step)) / (2 * step)
        if "detach" in case.expression and not gradient.any():
            continue
        assert slope == pytest.approx(np.sum(gradient * direction), rel=1e-6, abs=1e-7), name


def stays_single(case, double):
    """From float32 come float32 results and float32 gradients, where float64 gave float64."""
    single = Run(ENGINES[0], case.expression, case.arrays(np.float32))
    if single.roots:
        ENGINES[0].autograd.backward(single.roots, single.cotangents())
    for run in (double, single):
        run.all = [*run.results, *(t.grad for t in run.inputs.values() if t.grad is not None)]
    as_single = {np.dtype(np.float64): np.dtype(np.float32)}
    assert [numbers(t).dtype for t in single.all] == [
        as_single.get(d := numbers(t).dtype, d) for t in double.all
    ]


POINTWISE = (
    "T.relu(x)",
    "F.leaky_relu(x, 0.2)",
    "F.gelu(x)",
    "F.softplus(x)",
    "T.abs(x)",
    "T.sign(x)",
    "x.clamp(-1, 1)",
    "x.square()",
    "x * 2",
    "T.where(x > 0, x, x * 0)",
    "T.maximum(x, x * 0 + 0.1)",
    "x % 2",
)


@pytest.mark.parametrize("expression", POINTWISE)
def test_a_slope_that_does_not_change_has_a_graph_where_pytorchs_has(expression):
    """What arrives here is constant. So `relu`'s gradient is, and its derivative is 0; that of `x *
    2` has no graph.
    """

    def second(T):
        x = T.tensor([-1.5, -0.3, 0.2, 1.7], dtype=T.float64, requires_grad=True)
        (first,) = T.autograd.grad(
            eval(expression, {"T": T, "F": T.nn.functional, "x": x}).sum(), x, create_graph=True
        )
        if not first.requires_grad:
            return None
        weights = T.tensor([0.3, -1.1, 0.7, 2.0], dtype=T.float64)
        return T.autograd.grad(first, x, weights, materialize_grads=True)[0].add(0).tolist()

    ours, theirs = map(second, ENGINES)
    assert ours == (theirs if theirs is None else pytest.approx(theirs, rel=1e-10, abs=1e-12))


ZERO_SLOPES = (
    *(f"T.norm(x, {p}, 1)" for p in (1, 2, "float('inf')")),
    "T.max(x)",
    "T.min(x)",
    "T.amax(x, 1)",
    "T.maximum(x, x * 0)",
    "x ** T.tensor([0.0, 2.0])",
    "0 ** x",
    "x.std(1)",
    "T.nan_to_num(x.log())",
    "T.where(x > 0, x, x * 2)",
    "T.relu(x)",
    "x.clamp(-1, 1)",
)


@pytest.mark.parametrize("gradient", [float("inf"), float("nan")])
@pytest.mark.parametrize("expression", ZERO_SLOPES)
def test_zero_times_a_gradient_that_is_not_finite(expression, gradient):
    """Some rules of PyTorch give nan there, and others 0. The row of zeros has a norm of 0."""

    def first(T):
        x = T.tensor([[0.0, 0.0], [3.0, -4.0]], dtype=T.float64, requires_grad=True)
        y = eval(expression, {"T": T, "x": x})
        y.backward(T.full(y.shape, gradient, dtype=T.float64))
        return x.grad

    assert_close(*map(first, ENGINES), "gradient")


@pytest.mark.parametrize("case", CONVOLUTION, ids=str)
def test_a_batch_that_is_convolved_in_pieces(case, monkeypatch):
    """Some cases take one image at a time then, and one of them two of five."""
    monkeypatch.setattr(convolution, "CACHE", 2_600)
    first_order(*both(case))


# ---- completeness --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def computing():
    """{operation: {place of an input: cases that send a gradient to it, with the second
    derivatives}}
    """
    seen = {}

    class Places:
        def on_operation(self, operation, node, args, outs):
            places = seen.setdefault(operation, {})
            for place, (producer, _) in enumerate(node.next_functions if node else ()):
                if producer is not None:
                    places.setdefault(place, {})[id(case)] = case

    with recording.subscribed(Places()):
        for case in CASES:
            run = Run(ENGINES[0], case.expression, case.arrays(np.float64))
            if run.roots:
                second_derivatives(run)
    return seen


@pytest.mark.parametrize("name", REGISTRY)
def test_a_rule_that_is_wrong_by_a_thousandth_is_found(name, computing, monkeypatch):
    """Of every operation, and by each of its rules."""
    operation, apply = REGISTRY[name], REGISTRY[name].node_type.apply
    assert operation in computing, f"no case in the table computes {name}"
    for place in range(len(operation.slots)):

        def wrong(*given):
            sent = list(apply(*given))
            if sent[place] is not None:
                sent[place] = sent[place] * 1.001 + 0.001
            return sent

        cases = computing[operation].get(place, {})
        monkeypatch.setattr(operation.node_type, "apply", wrong)
        assert any(map(is_refused, cases.values())), f"no case finds a wrong rule for input {place}"


def is_refused(case):
    try:
        runs = both(case)
        first_order(*runs)
        if case.twice and runs[0].roots and runs[0].leaves:
            second_order(*runs)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_a_case(name):
    assert any(re.search(rf"(T|\w)\.{name}\(", case.expression) for case in CASES), (
        f"no case calls {name}"
    )


@pytest.mark.parametrize(
    "expression",
    ["a @ c", "c.mT @ a.mT", "a.detach() @ c", "v @ c", "c.mT @ v", "c.mT @ a.mT.contiguous()"],
)
def test_a_product_lies_in_memory_as_pytorchs(expression):
    strides = []
    for T in ENGINES:
        a, c, v = T.ones(2, 3, requires_grad=True), T.ones(4, 3, 5), T.ones(3, requires_grad=True)
        strides.append(eval(expression, {"a": a, "c": c, "v": v}).stride())
    assert strides[0] == strides[1]

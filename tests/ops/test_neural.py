"""Layers and the functions under them against PyTorch: option grids, errors, seeds, states, and
planted errors.
"""

import itertools
import math
import random
from collections import OrderedDict

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.core.operation import REGISTRY
from autograd_core.ops import convolution, pooling
from tests.engines import (
    ENGINES,
    Run,
    assert_close,
    assert_same,
    assert_same_steps,
    backward,
    case,
    graph,
    normal,
)

from .test_operations import both, first_order, second_order

# ---- option grids --------------------------------------------------------------------------------


def grid(count, **options):
    """`count` combinations of the options, drawn with a fixed seed, as keyword arguments in text."""
    every = [
        ", ".join(f"{name}={value!r}" for name, value in zip(options, values))
        for values in itertools.product(*options.values())
    ]
    return random.Random(0).sample(every, count)


GRID = [
    *(
        case(f"F.conv2d(a, w, b, {options})", a=(2, 4, 7, 6), w=(4, 2, 3, 2), b=(4,))
        for options in grid(
            16,
            stride=(1, 2, (2, 1), 3),
            padding=(0, 1, (2, 1)),
            dilation=(1, 2, (1, 3)),
            groups=(2,),
        )
    ),
    *(
        case(f"F.max_pool2d(a, {options})", a=(2, 2, 7, 9))
        for options in grid(
            10,
            kernel_size=(2, 3, (2, 4)),
            stride=(None, 1, (3, 2)),
            padding=(0, 1),
        )
    ),
    *(
        case(f"F.avg_pool2d(a, {options})", a=(2, 2, 7, 9))
        for options in grid(
            12,
            kernel_size=(2, 3, (2, 4)),
            stride=(None, 1, (3, 2)),
            padding=(0, 1),
            count_include_pad=(False, True),
        )
    ),
    *(
        case(f"F.adaptive_avg_pool2d(a, {size})", a=(2, 7, 9))
        for size in (1, (7, 3), (1, 9), (7, 1))
    ),
    *(
        case(f"F.pad(a, {pad})", a=(1, 2, 6, 5))
        for pad in ((1, 2, 3, 4), (0, 4, 5, 0), (-1, 3, 2, -2))
    ),
]


@pytest.mark.parametrize("case", GRID, ids=str)
def test_option_grid(case):
    """In float64: the value, the graph, each node's gradients. (Windows do not depend on the
    number's type.)
    """
    ours, theirs = (Run(engine, case.expression, case.arrays(np.float64)) for engine in ENGINES)
    assert_close(*(run.results[0] for run in (ours, theirs)), "value")
    assert graph(ours.roots) == graph(theirs.roots)
    assert_same_steps(
        *(backward(run.engine, run.roots, run.cotangents()) for run in (ours, theirs))
    )


# ---- layers --------------------------------------------------------------------------------------

IMAGE = normal(4, 4, 6, 6)
LAYERS = {
    "nn.Conv2d(4, 8, 3)": IMAGE,
    "nn.Conv2d(4, 8, (3, 2), stride=2, padding=(1, 0), dilation=2, groups=2, bias=False)": IMAGE,
    "nn.MaxPool2d(2)": IMAGE,
    "nn.MaxPool2d((2, 3), 1, (1, 0))": IMAGE,
    "nn.AvgPool2d(2)": IMAGE,
    "nn.AvgPool2d((2, 1), 2, (1, 0))": IMAGE,
    "nn.AdaptiveAvgPool2d(1)": IMAGE,
    "nn.AdaptiveAvgPool2d((3, 2))": IMAGE,
    "nn.BatchNorm1d(4)": normal(5, 4),
    "nn.BatchNorm2d(4)": IMAGE,
    "nn.BatchNorm2d(4, affine=False, track_running_stats=False)": IMAGE,
    "nn.LayerNorm(6)": IMAGE,
    "nn.LayerNorm((6, 6), elementwise_affine=False)": IMAGE,
    "nn.LayerNorm([6, 6], 0.1, bias=False)": IMAGE,
    "nn.Dropout()": IMAGE,
    "nn.Dropout(0.2)": IMAGE,
    "nn.Embedding(5, 3)": lambda rng: rng.integers(0, 5, (2, 3)),
    "nn.Flatten()": IMAGE,
    "nn.Flatten(0, 2)": IMAGE,
    "nn.Identity(1, two=2)": IMAGE,
    "nn.Softmax(1)": IMAGE,
    "nn.LogSoftmax(dim=-1)": IMAGE,
}


@pytest.mark.parametrize("expression", LAYERS)
def test_layer(expression):
    """The same seed: the same repr, first values bit for bit, two steps of training and one of
    evaluation.
    """
    numbers, seen = LAYERS[expression](np.random.default_rng(0)), []
    numbers = numbers.astype(np.float32) if numbers.dtype.kind == "f" else numbers
    for engine in ENGINES:
        engine.manual_seed(0)
        layer = eval(expression, {"nn": engine.nn})
        first = {name: value.numpy().tolist() for name, value in layer.state_dict().items()}
        passes = []
        for training in (True, True, False):
            layer.train(training)
            input = engine.tensor(numbers, requires_grad=numbers.dtype.kind == "f")
            output = layer(input)
            if output.requires_grad:
                output.backward(
                    engine.tensor(
                        np.random.default_rng(1).standard_normal(output.shape).astype(np.float32)
                    )
                )
            passes += [
                output.detach(),
                input.grad,
                *(p.grad for p in layer.parameters()),
                *layer.buffers(),
            ]
        seen.append((repr(layer), first, passes))
    (text, first, passes), (their_text, their_first, their_passes) = seen
    assert (text, list(first)) == (their_text, list(their_first))
    assert first == their_first
    for i, pair in enumerate(zip(passes, their_passes, strict=True)):
        assert_close(*pair, f"{expression}: result {i}")


def held(engine):
    nn = engine.nn
    several = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Linear(2, 2)])
    several += [nn.Sequential(nn.Tanh()), nn.Sequential(nn.Tanh())]
    several[0] = nn.Linear(1, 1)
    named = nn.ModuleDict({"a": nn.ReLU(), "b": several})
    named["c"] = nn.Linear(2, 3)
    named.update({"d": nn.Tanh()})
    return [repr(x) for x in (several, several[1:], nn.ModuleList(), named)] + [
        list(named.state_dict()),
        list(named),
        list(named.keys()),
        len(named),
        "c" in named,
        len(list(named.values())),
        [name for name, _ in named.items()],
        [repr(m) for m in several],
    ]


def test_containers():
    assert held(autograd_core) == held(torch)


def chained(engine):
    nn = engine.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    net[1] = nn.Tanh()
    net.append(nn.Sigmoid())
    net += nn.Sequential(nn.ReLU())
    named = nn.Sequential(OrderedDict(body=net[:2], head=nn.ReLU()))
    named[-1] = nn.GELU()
    return [repr(x) for x in (net, net[1:], named, named[1:])] + [
        list(net.state_dict()),
        list(net[2:].state_dict()),
        list(named.state_dict()),
        len(net),
    ]


def test_sequential_is_changed_as_a_list():
    assert chained(autograd_core) == chained(torch)


def test_a_layer_with_something_to_say_and_children():
    for engine in ENGINES:

        class Block(engine.nn.Module):
            def __init__(self):
                super().__init__()
                self.act = engine.nn.ReLU()

            def extra_repr(self):
                return "width=3"

        assert repr(Block()) == "Block(\n  width=3\n  (act): ReLU()\n)"


def statistics(engine):
    """Running statistics: 3 batches with each momentum, then evaluation."""
    result = []
    for momentum in (0.3, 0.9):
        norm = engine.nn.BatchNorm1d(3, momentum=momentum)
        for seed in range(3):
            norm(
                engine.tensor(
                    np.random.default_rng(seed).standard_normal((4, 3)).astype(np.float32)
                )
            )
        result += [norm.running_mean, norm.running_var, norm.num_batches_tracked]
        norm.eval()
        result.append(norm(engine.ones(2, 3)).detach())
    return result


def test_running_statistics():
    assert_same(statistics(autograd_core), statistics(torch))


# ---- the checks can fail -------------------------------------------------------------------------


def plant(monkeypatch, node, place, change):
    """Make a rule wrong: `change(gradient)` takes the place of what rule number `place` sends."""
    kind = REGISTRY[node].node_type
    monkeypatch.setattr(
        kind,
        "apply",
        lambda *given, sound=kind.apply: [
            change(sent) if i == place else sent for i, sent in enumerate(sound(*given))
        ],
    )


CONVOLVED = case("F.conv2d(a, w, b)", a=(2, 2, 4, 4), w=(2, 2, 2, 2), b=(2,))
BATCH = case("F.batch_norm(a, None, None, w, b, True)", a=(4, 2), w=(2,), b=(2,))
ROWS = case("F.layer_norm(a, (4,), w, b)", a=(2, 4), w=(4,), b=(4,))
RULES = [
    *(("ConvolutionBackward0", place, CONVOLVED) for place in range(3)),
    *(("NativeBatchNormBackward0", place, BATCH) for place in range(2)),
    *(("NativeLayerNormBackward0", place, ROWS) for place in (0, 2)),
    ("MaxPool2DWithIndicesBackward0", 0, case("F.max_pool2d(a, 2)", a=(1, 4, 4))),
    ("AvgPool2DBackward0", 0, case("F.avg_pool2d(a, 2)", a=(1, 4, 4))),
    ("ConstantPadNdBackward0", 0, case("F.pad(a, (1, 1))", a=(2, 3))),
    ("LinalgVectorNormBackward0", 0, case("F.normalize(a)", a=(2, 4))),
]


@pytest.mark.parametrize("node, place, planted", RULES, ids=str)
def test_a_rule_wrong_by_a_thousandth_is_found(monkeypatch, node, place, planted):
    first_order(*both(planted))
    plant(monkeypatch, node, place, lambda sent: sent * 1.001)
    with pytest.raises(AssertionError):
        first_order(*both(planted))


def test_a_wrong_second_derivative_is_found(monkeypatch):
    """`convolution_weight` works only under `create_graph` in this program: an error in its rules
    shows there alone.
    """
    planted = case("F.conv2d(a, w)", a=(1, 1, 3, 3), w=(1, 1, 2, 2))
    plant(monkeypatch, "ConvolutionWeightBackward0", 1, lambda sent: sent * 1.001)
    first_order(*both(planted))
    with pytest.raises(AssertionError):
        second_order(*both(planted))


def test_a_tie_given_to_the_last_is_found(monkeypatch):
    """Of equal entries PyTorch takes the first. A pool that takes the last has the same values, and
    other gradients.
    """
    planted = case("F.max_pool2d(a, 2, 1)", smooth=False, a=[[[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]])
    first_order(*both(planted))
    monkeypatch.setattr(
        pooling.np, "ndindex", lambda *shape: reversed(list(itertools.product(*map(range, shape))))
    )
    with pytest.raises(AssertionError):
        first_order(*both(planted))


@pytest.mark.parametrize(
    "options",
    [{}, {"padding": 1}, {"stride": 2, "padding": 2}, {"dilation": 2, "padding": 1}, {"groups": 2}],
    ids=str,
)
def test_a_batch_too_large_for_one_piece(monkeypatch, options):
    """Five images, of which the columns of two are made at once: two whole pieces and a smaller
    one.
    """
    rng = np.random.default_rng(0)
    arrays = (
        rng.normal(size=(5, 4, 7, 6)),
        rng.normal(size=(6, 4 // options.get("groups", 1), 3, 2)),
        rng.normal(size=6),
    )
    answers = []
    for T in ENGINES:
        leaves = [T.from_numpy(array).requires_grad_() for array in arrays]
        result = T.nn.functional.conv2d(*leaves, **options)
        if T is autograd_core:
            # bytes of one image's columns
            size = 8 * 4 * 6 * math.prod(result.shape[2:])
            monkeypatch.setattr(convolution, "CACHE", 2 * size)
            result = T.nn.functional.conv2d(*leaves, **options)
        answers.append(
            [
                result,
                *T.autograd.grad(
                    result, leaves, T.from_numpy(np.random.default_rng(1).normal(size=result.shape))
                ),
            ]
        )
    for ours, theirs in zip(*answers):
        assert_close(ours.detach().numpy(), theirs.detach().numpy(), "convolution in pieces")


def test_a_sum_over_one_entry_has_memory_of_its_own():
    x = autograd_core.ones(4, 1)
    x.sum(1).add_(1)
    x.sum(1, keepdim=True).zero_()
    assert x.flatten().tolist() == [1, 1, 1, 1]

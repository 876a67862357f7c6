"""Layers against PyTorch: the same seed gives the same numbers, and training changes them alike."""

from collections import OrderedDict

import numpy as np
import pytest

from tests.engines import ENGINES, assert_close, normal, on_both

IMAGE = normal(4, 4, 6, 6)
LAYERS = {
    "nn.Linear(6, 16)": IMAGE,
    "nn.Linear(6, 1, bias=False)": IMAGE,
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


@on_both
def test_containers(T):
    nn = T.nn
    several = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Linear(2, 2)])
    several += [nn.Sequential(nn.Tanh()), nn.Sequential(nn.Tanh())]
    several[0] = nn.Linear(1, 1)
    named = nn.ModuleDict({"a": nn.ReLU(), "b": several})
    named["c"] = nn.Linear(2, 3)
    named.update({"d": nn.Tanh()})
    keys = list(named), list(named.keys()), [name for name, _ in named.items()]
    counts = len(named), len(list(named.values())), "c" in named
    texts = [repr(x) for x in (several, several[1:], nn.ModuleList(), named, *several)]
    return texts, list(named.state_dict()), keys, counts


@on_both
def test_sequential_is_changed_as_a_list(T):
    nn = T.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    net[1] = nn.Tanh()
    net.append(nn.Sigmoid())
    net += nn.Sequential(nn.ReLU())
    named = nn.Sequential(OrderedDict(body=net[:2], head=nn.ReLU()))
    named[-1] = nn.GELU()
    states = [list(part.state_dict()) for part in (net, net[2:], named)]
    return [repr(x) for x in (net, net[1:], named, named[1:])], states, len(net)


def test_a_layer_with_something_to_say_and_children():
    for engine in ENGINES:

        class Block(engine.nn.Module):
            def __init__(self):
                super().__init__()
                self.act = engine.nn.ReLU()

            def extra_repr(self):
                return "width=3"

        assert repr(Block()) == "Block(\n  width=3\n  (act): ReLU()\n)"


@on_both
def test_running_statistics(T):
    """Three batches with each momentum, then evaluation."""
    results = []
    for momentum in (0.3, 0.9):
        norm = T.nn.BatchNorm1d(3, momentum=momentum)
        for seed in range(3):
            numbers = np.random.default_rng(seed).standard_normal((4, 3)).astype(np.float32)
            norm(T.tensor(numbers))
        results += [norm.running_mean, norm.running_var, norm.num_batches_tracked]
        results.append(norm.eval()(T.ones(2, 3)).detach())
    return results

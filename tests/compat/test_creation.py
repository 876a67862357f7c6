"""How tensors are made of other tensors, and of chance, against PyTorch; and how layers without
parameters print.
"""

import pytest

from tests.engines import ENGINES, assert_same, on_both

FROM_A_TENSOR = [
    "x.new_zeros(2, 3)",
    "x.new_ones((2,))",
    "x.new_full((2, 2), 7)",
    "x.new_tensor([1, 2])",
    "n.new_tensor([1.5, 2])",
    "x.new_zeros(2, dtype=T.int64)",
    "n.new_ones(3)",
    "x.new_tensor([1.0], requires_grad=True)",
    "x.new_empty(0, 2)",
    "x.new([1, 2])",
    "n.new([[1, 2]])",
    "x.new()",
    "x.new(0, 3)",
    "tuple(x.new(x.shape).shape)",
    "T.randint_like(x, 10)",
    "T.randint_like(n, 2, 10)",
    "x.new_ones(2).requires_grad",
    "T.as_tensor(x) is x",
    "T.cuda.is_available()",
    "T.cuda.device_count()",
    "T.randint_like(x, 2, dtype=T.uint8)",
    "T.full_like(x, 7)",
    "T.full_like(n, fill_value=2)",
    "T.arange(n[1])",
    "T.arange(x[0], x[2])",
    "T.full((2,), True)",
    "T.full((), 3)",
    "T.full_like(n[0], 3)",
    "T.randint(9, ())",
    "T.tensor([n[0], n[1]])",
    "T.tensor([n[0], x[1]])",
    "T.tensor([[x[0]], [2.5]])",
    "T.tensor([n[0].int(), 2])",
    "T.tensor([n[0].int(), n[1].short()])",
    "T.tensor([n[0], 2.5])",
    "T.tensor([x[0].half(), 2])",
    "T.tensor([T.ones(1), T.ones(1)])",
    "T.tensor([[T.ones(1)], [n[:1]]])",
    "T.tensor([n[:1], 2.5])",
    "T.tensor([2, n[:1] > 0])",
    "T.tensor([x[:1], x[:1].half()])",
    "T.tensor([T.ones(1, 1), True])",
    "T.tensor([n[:1].byte(), n[:1].to(T.int8)])",
    "T.tensor([[1.0, 2, 3], x])",
    "T.tensor([x[:1], x[1:2]], requires_grad=True)",
    "T.tensor([n[:1]], dtype=T.bool)",
    "T.Tensor([T.ones(1), n[0]])",
    "T.Tensor(range(3))",
    "T.LongTensor([n[:1], 1.5])",
    "n.new_tensor([n[:1], 2.5])",
    "x.new_tensor([n[:1], T.ones(1)])",
    "x.new([T.ones(1), T.ones(1)])",
    "T.as_tensor([T.ones(1), T.ones(1)])",
    "T.tensor([10 ** 30, 1.5])",
    "T.tensor(2 ** 70, dtype=T.bool)",
    "T.tensor([x[0].half(), 2.5])",
    "T.tensor([n[0] > 1, True])",
    "T.tensor([True, 2])",
]


@pytest.mark.parametrize("expression", FROM_A_TENSOR)
def test_made_of_a_tensor(expression):
    results = []
    for T in ENGINES:
        T.manual_seed(5)
        names = {"T": T, "x": T.tensor([0.5, 1.5, 2.0], dtype=T.float64), "n": T.tensor([1, 2])}
        results.append(eval(expression, names))
    assert_same(*results)


@on_both
def test_drawing_counts_as_a_change(T):
    """The version goes up, and the gradient of what was there before is zero."""
    x = T.ones(3, requires_grad=True)
    y = x * 2
    y.uniform_()
    (y * y).sum().backward()
    return y._version, x.grad


@on_both
def test_sampling_moves_the_generator_alike(T):
    T.manual_seed(0)
    weights = T.tensor([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    return (
        T.multinomial(weights, 2),
        T.multinomial(weights, 4, replacement=True),
        T.bernoulli(weights),
        T.rand(2),
        T.zeros(40).normal_(),
        T.zeros(3).bernoulli_(0.3),
        T.randn(3),
    )


LAYERS = [
    "GELU()",
    "GELU('tanh')",
    "SiLU()",
    "SiLU(inplace=True)",
    "ReLU()",
    "ReLU(True)",
    "LeakyReLU()",
    "LeakyReLU(0.2, inplace=True)",
    "Tanh()",
    "Sigmoid()",
    "MSELoss()",
    "L1Loss(reduction='sum')",
    "SmoothL1Loss(beta=2)",
    "HuberLoss()",
    "BCELoss()",
    "BCEWithLogitsLoss()",
    "NLLLoss(ignore_index=1)",
    "CrossEntropyLoss(label_smoothing=0.1)",
]


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_print_alike(layer):
    ours, theirs = (eval(f"nn.{layer}", {"nn": T.nn}) for T in ENGINES)
    assert repr(ours) == repr(theirs)


@on_both
def test_the_weights_of_a_loss_are_its_state(T):
    nn = T.nn
    losses = [
        nn.CrossEntropyLoss(T.tensor([1.0, 2.0])),
        nn.BCEWithLogitsLoss(pos_weight=T.ones(2)),
        nn.NLLLoss(T.ones(2)),
        nn.BCELoss(),
        nn.L1Loss(),
    ]
    return [dict(loss.state_dict()) for loss in losses], [loss.reduction for loss in losses]


@on_both
def test_pairs_have_names(T):
    x = T.tensor([[1.0, 3.0], [2.0, 0.0]])
    pairs = [x.max(0), x.min(dim=1, keepdim=True), x.sort(), x.topk(1)]
    values, indices = x.max(1)
    return [repr(pair) for pair in pairs], pairs[0].values, pairs[1].indices, values, indices


@on_both
def test_what_is_chosen_of_one_number_has_its_own_memory(T):
    x = T.tensor(1.5)
    for chosen in (
        x.max(0)[0],
        x.min(0)[0],
        x.sort()[0],
        x.topk(1)[0],
        x.cumsum(0),
        x.prod(0),
        x.amax(),
    ):
        chosen.add_(1)
    return x

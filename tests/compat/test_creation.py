"""How tensors are made of other tensors, and of chance, against PyTorch."""

import inspect

import pytest

import autograd_core
from tests.engines import ENGINES, assert_same, on_both

FROM_A_TENSOR = [
    "x.new(2, 3) * 0",
    "x.new(x.size()).fill_(1.0)",
    "n.new(3) * 0",
    "n.new([1, 2])",
    "x.new((2, 3))",
    "x.new(x)",
    "x.new()",
    "x.new_tensor([1, 2])",
    "n.new_tensor([1.5, 2])",
    "x.new_tensor([1.0], requires_grad=True)",
    "T.cuda.is_available()",
    "T.cuda.device_count()",
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
    "T.tensor([n[0], 2.5])",
    "T.tensor([T.ones(1), T.ones(1)])",
    "T.tensor([[T.ones(1)], [n[:1]]])",
    "T.tensor([n[:1], 2.5])",
    "T.tensor([2, n[:1] > 0])",
    "T.tensor([T.ones(1, 1), True])",
    "T.tensor([[1.0, 2, 3], x])",
    "T.tensor([x[:1], x[1:2]], requires_grad=True)",
    "T.tensor([n[:1]], dtype=T.bool)",
    "T.Tensor([T.ones(1), n[0]])",
    "T.Tensor(range(3))",
    "n.new_tensor([n[:1], 2.5])",
    "x.new_tensor([n[:1], T.ones(1)])",
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


TAIL = "dtype device requires_grad"
SIGNATURES = {
    "tensor": f"data {TAIL}",
    "from_numpy": "array",  # documented as `ndarray`, by position only
    "zeros": TAIL,
    "ones": TAIL,
    "empty": TAIL,
    "full": f"size fill_value {TAIL}",
    "eye": f"n m {TAIL}",
    "arange": f"start end step {TAIL}",
    "linspace": f"start end steps {TAIL}",
    "rand": f"generator {TAIL}",
    "randn": f"generator {TAIL}",
    "normal": f"mean std size generator {TAIL}",
    "randint": f"low high size generator {TAIL}",
    "randperm": f"n generator {TAIL}",
    "zeros_like": f"input {TAIL}",
    "ones_like": f"input {TAIL}",
    "full_like": f"input fill_value {TAIL}",
    "randn_like": f"input {TAIL}",
    "Tensor.new": "self",
    "Tensor.new_tensor": f"self data {TAIL}",
}
"""Each creating function, and the names of its arguments in PyTorch's documentation, in order."""


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_pytorchs(name):
    """What `help` and an editor show; a size may be given as several numbers, `*sizes`."""
    function = autograd_core
    for part in name.split("."):
        function = getattr(function, part)
    shown = inspect.signature(function).parameters.values()
    assert " ".join(p.name for p in shown if p.kind is not p.VAR_POSITIONAL) == SIGNATURES[name]
    assert not [p.name for p in shown if p.kind is p.VAR_KEYWORD or p.name.startswith("_")]
    options = [p for p in shown if p.kind is p.KEYWORD_ONLY and p.name in TAIL.split()]
    assert all(p.default is (False if p.name == "requires_grad" else None) for p in options)
    assert function.__name__ == name.split(".")[-1] and inspect.getdoc(function)
    assert inspect.getsourcefile(function).endswith("creation.py")


def test_the_table_of_signatures_is_whole():
    from autograd_core.compat import creation

    made_here = {
        name
        for name, x in vars(creation).items()
        if inspect.isfunction(x) and x.__module__ == creation.__name__ and name[0] != "_"
    }
    assert made_here - {"array_from", "array_of"} == {name.split(".")[-1] for name in SIGNATURES}


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

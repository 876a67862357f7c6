"""How tensors are made of other tensors, and of chance, against PyTorch."""

import inspect

import pytest

import autograd_core
from tests.engines import on_both


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


@on_both
def test_what_is_made_of_one_number_has_its_own_memory(T):
    x, column = T.tensor(1.5), T.ones(2, 1)
    results = [
        x.max(0)[0],
        x.min(0)[0],
        x.sort()[0],
        x.topk(1)[0],
        x.cumsum(0),
        x.prod(0),
        x.amax(),
    ]
    for result in (*results, column.sum(1), column.sum(1, keepdim=True)):
        result.add_(1)
    return x, column

"""What scripts write beside the plainest form: arguments by name, NumPy's names, older names. Alike
on both engines.
"""

import warnings

import numpy as np
import pytest
import torch

from tests.engines import ENGINES, on_both

SPELLED = (
    """
x.flip(dims=[1]) | T.flip(x, dims=(0, 1)) | x.permute(dims=(1, 0)) | T.reshape(x, shape=(2, 6)) | T.where(x > 0)
T.where(condition=x > 0) | x.to("cpu", non_blocking=True) | T.device(type="cpu") | T.is_tensor(x) | T.numel(x)
T.is_tensor([1]) | T.is_floating_point(i) | T.randint(5, size=(3,)) | T.randint(low=1, high=5, size=(3,))
T.randint(2, 9, size=(2,)) | T.normal(0, 1, (2, 3)) | T.normal(2.0, 0.01, size=(20,), dtype=T.float64)
T.normal(mean=0.0, std=2.0, size=(3,), generator=g) | T.Tensor(2, 3).shape | T.Tensor(np.arange(3))
x.shape[1:] | x.shape[:-1] | x.shape + (1,) | x.shape[0] | T.zeros(x.shape[1:]) | x[None].size()[::2] | x.shape[-1:] + x.shape
np.sin(x) | np.abs(x) > 1 | np.sqrt(i.double()) | T.e | T.cuda.empty_cache() | F.leaky_relu(x, negative_slope=0.2) + x
net.load_state_dict(net.state_dict()) | net[:2].load_state_dict({"0.bias": T.zeros(3), "b": T.zeros(1)}, strict=False)
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)


def both(expression):
    """What the expression gives on each engine: its text, and the warnings on the way."""
    for T in ENGINES:
        T.manual_seed(0)
        nn, F = T.nn, T.nn.functional
        names = {
            "T": T,
            "nn": nn,
            "F": F,
            "np": np,
            "x": T.randn(3, 4),
            "i": T.tensor([[0, 1], [1, 2], [2, 0]]),
            "g": T.Generator().manual_seed(3),
            "net": nn.Sequential(
                nn.Linear(4, 3), nn.Sequential(nn.Linear(3, 2)), nn.BatchNorm1d(2)
            ),
        }
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield (
                repr(eval(expression, names)),
                [str(w.message) for w in caught if w.category is not DeprecationWarning],
            )


@pytest.mark.parametrize("expression", SPELLED)
def test_spelled_alike(expression):
    ours, theirs = both(expression)
    assert ours == theirs


@on_both
def test_what_is_missing_is_said_before_what_is_unexpected(T):
    layer = T.nn.Linear(2, 2)
    with pytest.raises(RuntimeError) as caught:
        layer.load_state_dict({"weight": T.zeros(2, 2), "b": T.zeros(2)})
    return str(caught.value).rstrip()


@pytest.mark.parametrize(
    "read, warned",
    [
        ("(a * 2).grad", True),
        ("a[0].grad", True),
        ("a.grad", False),
        ("h.grad", False),
        ("(a * 2).detach().grad", False),
    ],
)
@pytest.mark.parametrize("T", ENGINES, ids=lambda T: T.__name__)
def test_the_grad_that_a_computed_tensor_does_not_keep_is_warned_of(T, read, warned):
    a = T.ones(2, requires_grad=True)
    h = a * 2
    h.retain_grad()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch._C._set_warnAlways(True)
        try:
            assert eval(read) is None
        finally:
            torch._C._set_warnAlways(False)
    assert ["is not a leaf Tensor is being accessed" in str(w.message) for w in caught] == [
        True
    ] * warned

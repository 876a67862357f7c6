"""What scripts write in many spellings: each expression gives the same on both engines and prints
alike.
"""

import warnings

import numpy as np
import pytest

from tests.engines import ENGINES, assert_close

TENSORS = """
x | w | n | x[0] | x * 2 | x.sum() | x.detach() | x.data | x.grad | w @ w | w.t() | w[0] | w.exp().mean() | w.softmax(1)
n * 2 | n / 2 | n > 1 | n.float() | n + 0.5 | n * x | x.long() | -x | 1 / x | x ** 2 | x.clone() | x.relu() | x.sigmoid()
T.stack([x, x]) | x.unbind()[1] | x.split(2)[0] | (x * 1).add_(1) | (x * 1).zero_() | x.view(3, 1) | x.expand(2, 3)
T.where(x > 0, x, 0.0) | x[x > 0] | x.max() | T.cat([x, x]) | w.mean(0) | x.dot(x)
nn.Parameter(x.detach()) | nn.Parameter(w.detach(), requires_grad=False) | nn.Parameter(T.tensor(3.0))
x.requires_grad | x.grad_fn | x.shape | w.size()
x.dtype | n.dtype | w.device | x.shape[0] | w.T.shape | tuple(w.shape) | w.stride() | w.t().stride() | x.is_leaf
(x * 1).is_leaf | (x * 1).output_nr | x.unbind()[2].output_nr | x.tolist() | n.sum().item() | x[0].item() | len(w) | w.ndim
f"{x[0]:.3f}" | f"{n}" | str(w) | 2.0 in x | bool(n[0]) | int(n[1]) | float(w.detach()[0, 0]) | [1, 2, 3][n[0]] | w.dim() | w.numel()
x.is_floating_point() | n.is_floating_point() | T.is_grad_enabled() | T.get_default_dtype() | x.is_contiguous()
"""
MADE = """
T.tensor(3) | T.tensor(True) | T.tensor([]) | T.zeros(0, 3) | T.zeros(2, 2) | T.ones(3, dtype=T.int64) | T.full((2, 2), 7)
T.eye(3) | T.arange(5) | T.arange(0, 1, 0.25) | T.linspace(0, 1, 5) | T.zeros_like(w) | T.tensor([1e-8, 1.0])
T.tensor([1e10, 1.0]) | T.tensor([0.1, 1000.5]) | T.tensor([float("nan"), float("inf")])
T.tensor([[1, 2], [3, 4]], dtype=T.uint8) | T.tensor(array) | T.from_numpy(array) | T.tensor(((1, 2), (3, 4)))
T.tensor(np.float64(2.5)) | T.tensor([True, False]) | T.tensor([1, 2.5]) | T.tensor([[], []]) | T.Tensor([1, 2])
T.tensor(range(3)) | T.ones((2, 3)) | T.zeros(()) | T.ones_like(d, dtype=T.int64) | T.arange(2, 10, 3)
T.arange(1.0, 0.0, -0.25) | T.eye(2, 3) | T.linspace(-1, 1, 7) | T.tensor(1.0, dtype=T.int64)
d.new(2, 3).fill_(0.0) | d.new(d.size()).fill_(1.0) | n.new(3).fill_(0) | n.new([1, 2]) | d.new((2, 3)) | d.new(d) | d.new()
d.new_tensor([1, 2]) | n.new_tensor([1.5, 2]) | d.new_tensor([1.0], requires_grad=True) | T.full_like(d, 7)
T.full_like(n, fill_value=2) | T.arange(n[1]) | T.arange(d[0], d[2]) | T.full((2,), True) | T.full((), 3)
T.full_like(n[0], 3) | T.randint(9, ()) | T.tensor([n[0], n[1]]) | T.tensor([n[0], d[1]]) | T.tensor([[d[0]], [2.5]])
T.tensor([n[0].int(), 2]) | T.tensor([n[0], 2.5]) | T.tensor([T.ones(1), T.ones(1)]) | T.tensor([[T.ones(1)], [n[:1]]])
T.tensor([n[:1], 2.5]) | T.tensor([2, n[:1] > 0]) | T.tensor([T.ones(1, 1), True]) | T.tensor([[1.0, 2, 3], d])
T.tensor([d[:1], d[1:2]], requires_grad=True) | T.tensor([n[:1]], dtype=T.bool) | T.Tensor([T.ones(1), n[0]])
T.Tensor(range(3)) | n.new_tensor([n[:1], 2.5]) | d.new_tensor([n[:1], T.ones(1)]) | T.tensor([n[0] > 1, True])
T.tensor([True, 2])
"""
SPELLED = """
m.flip(dims=[1]) | T.flip(m, dims=(0, 1)) | m.permute(dims=(1, 0)) | T.reshape(m, shape=(2, 6)) | T.where(m > 0)
T.where(condition=m > 0) | m.to("cpu", non_blocking=True) | T.device(type="cpu") | T.is_tensor(m) | T.numel(m)
T.is_tensor([1]) | T.is_floating_point(n) | T.randint(5, size=(3,)) | T.randint(low=1, high=5, size=(3,))
T.randint(2, 9, size=(2,)) | T.normal(0, 1, (2, 3)) | T.normal(2.0, 0.01, size=(20,), dtype=T.float64)
T.normal(mean=0.0, std=2.0, size=(3,), generator=g) | T.Tensor(2, 3).shape | T.Tensor(np.arange(3))
m.shape[1:] | m.shape[:-1] | m.shape + (1,) | m.shape[0] | T.zeros(m.shape[1:]) | m[None].size()[::2] | m.shape[-1:] + m.shape
np.sin(m) | np.abs(m) > 1 | np.sqrt(n.double()) | T.e | F.leaky_relu(m, negative_slope=0.2) + m
T.cuda.empty_cache() | T.cuda.is_available() | T.cuda.device_count()
m.max(0) | m.min(dim=1, keepdim=True) | m.sort() | m.topk(1) | m.max(0).values | m.min(1).indices | [*m.max(1)]
"""
MODULES = """
net | net.load_state_dict(net.state_dict()) | net[:2].load_state_dict({"0.bias": T.zeros(3), "b": T.zeros(1)}, strict=False)
nn.Module() | nn.Sequential() | nn.ReLU() | nn.ReLU(inplace=True) | nn.Tanh() | nn.GELU() | nn.SiLU() | nn.LeakyReLU(0.2)
nn.MSELoss() | nn.SmoothL1Loss(beta=2) | nn.CrossEntropyLoss(label_smoothing=0.1) | nn.BCELoss() | nn.BCEWithLogitsLoss()
nn.Conv2d(2, 4, 3, padding=1, bias=False) | nn.Linear(np.prod((2, 3)), 4) | nn.Linear(3, 1, bias=False)
nn.CrossEntropyLoss(T.tensor([1.0, 2.0])).state_dict() | nn.BCEWithLogitsLoss(pos_weight=T.ones(2)).state_dict()
[net.eval() is net, net[0].training, net.train()[1][0].training, net.train(False).training, net[2].training]
[net[0].requires_grad_(False) is net[0], [p.requires_grad for p in net.parameters()]]
[seen := [], net.apply(lambda m: seen.append(type(m).__name__)) is net, seen][1:]
nn.NLLLoss(T.ones(2)).state_dict() | nn.L1Loss().state_dict() | nn.L1Loss().reduction
"""
EXPRESSIONS = [
    expression
    for table in (TENSORS, MADE, SPELLED, MODULES)
    for expression in table.strip().replace("\n", " | ").split(" | ")
]


def names_for(T):
    T.manual_seed(0)
    nn = T.nn
    return {
        "T": T,
        "nn": nn,
        "F": nn.functional,
        "np": np,
        "x": T.tensor([0.5, -1.25, 3.0], requires_grad=True),
        "w": T.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=T.float64, requires_grad=True),
        "n": T.tensor([1, 2, 3]),
        "d": T.tensor([0.5, 1.5, 2.0], dtype=T.float64),
        "m": T.randn(3, 4),
        "array": np.array([[1, 2], [3, 4]], np.float32),
        "g": T.Generator().manual_seed(3),
        "net": nn.Sequential(nn.Linear(4, 3), nn.Sequential(nn.Linear(3, 2)), nn.BatchNorm1d(2)),
    }


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression(expression):
    results, texts, warned = [], [], []
    for T in ENGINES:
        names = names_for(T)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results.append(eval(expression, names))
            texts.append(repr(results[-1]))
        warned.append([str(w.message) for w in caught if w.category is not DeprecationWarning])
    assert texts[0] == texts[1] and warned[0] == warned[1]
    if isinstance(results[0], ENGINES[0].Tensor):
        assert_close(*results, "value")

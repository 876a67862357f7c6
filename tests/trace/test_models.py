"""Models that exist: each is watched or refused at once; no number of its training changes, and no
hook is left.
"""

import contextlib
import gc
import json
import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from autograd_core.parity import watching
from autograd_core.trace import report
from autograd_core.widgets import watch

from .models import gpt_loss, resnet_loss


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Weight(nn.Module):
    def __init__(self, *shape, dtype=None):
        super().__init__()
        self.w = nn.Parameter(torch.randn(*shape, dtype=dtype))


def resnet():
    return resnet_loss(32, width=16)


def gpt():
    return gpt_loss(layers=2, length=8)


def frozen_backbone():
    net, loss = resnet()
    net.requires_grad_(False)
    net.fc.requires_grad_(True)
    return net, loss


def compiled():
    # after eight compilations of one forward PyTorch runs it as it is written
    torch._dynamo.reset()
    net = torch.compile(
        nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)), backend="aot_eager"
    )
    return net, lambda: net(torch.ones(2, 3)).sum()


def data_parallel():
    net = nn.DataParallel(nn.Linear(3, 1))
    return net, lambda: net(torch.ones(2, 3)).sum()


def checkpointed(reentrant=False):
    net = nn.Linear(3, 3)
    return net, lambda: checkpoint(
        lambda x: net(x).tanh(), torch.ones(2, 3, requires_grad=True), use_reentrant=reentrant
    ).sum()


def checkpointed_reentrant():
    return checkpointed(True)


def autocast():
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))

    def loss():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return net(torch.ones(2, 3)).float().sum()

    return net, loss


def sparse():
    net = nn.Embedding(5, 3, sparse=True)
    indices = torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2), check_invariants=False)
    return net, lambda: torch.sparse.mm(indices, net(torch.tensor([0, 1]))).sum()


def hooks_of_others():
    net = nn.Linear(3, 3)
    net.register_forward_hook(lambda module, inputs, out: out * 2)
    net.register_full_backward_hook(lambda module, before, after: None)
    net.weight.register_hook(lambda g: g * 2)
    return net, lambda: net(torch.ones(2, 3, requires_grad=True)).sum()


def complex_numbers():
    net = Weight(3, dtype=torch.complex64)
    return net, lambda: (net.w * net.w.conj()).abs().sum()


def fourier():
    net = Weight(300)
    return net, lambda: torch.fft.fft(net.w).abs().pow(2).sum()


def double_backward():
    net = nn.Linear(3, 1)

    def loss():
        x = torch.ones(2, 3, requires_grad=True)
        y = net(x).tanh().sum()
        return y + torch.autograd.grad(y, x, create_graph=True)[0].pow(2).sum()

    return net, loss


def lstm():
    net = nn.LSTM(3, 4, 2)
    return net, lambda: net(torch.ones(5, 2, 3))[0].sum()


def packed():
    net = nn.GRU(3, 4)
    rows = [torch.ones(4, 3), torch.ones(2, 3)]
    return net, lambda: net(nn.utils.rnn.pack_sequence(rows))[0].data.sum()


def transformer():
    net = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False
    )
    return net, lambda: net(torch.ones(2, 5, 8)).pow(2).sum()


def fused_attention():
    net = nn.Linear(8, 24)

    def loss():
        q, k, v = (
            part.view(2, 5, 2, 4).transpose(1, 2) for part in net(torch.ones(2, 5, 8)).chunk(3, -1)
        )
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).sum()

    return net, loss


def unet():
    down, up = nn.Conv2d(1, 4, 3, 2, 1), nn.ConvTranspose2d(4, 1, 2, 2)
    return nn.ModuleList([down, up]), lambda: (
        up(down(torch.ones(1, 1, 8, 8))) + torch.cat([torch.ones(1, 1, 8, 8)], 1)
    ).sum()


def vae():
    net = nn.Linear(3, 4)

    def loss():
        mean, scale = net(torch.ones(2, 3)).chunk(2, 1)
        code = mean + torch.randn_like(scale) * scale.exp()
        return code.pow(2).sum() + (mean**2 + scale.exp() - scale - 1).sum()

    return net, loss


def gan():
    net = nn.ModuleList([nn.Linear(2, 3), nn.Linear(3, 1)])
    return net, lambda: F.binary_cross_entropy_with_logits(
        net[1](net[0](torch.randn(4, 2))), torch.ones(4, 1)
    )


def tied():
    net = nn.Embedding(5, 3)
    return net, lambda: F.linear(net(torch.tensor([1, 2])), net.weight).sum()


def in_place():
    net = nn.Linear(3, 4)

    def loss():
        x = net(torch.ones(2, 3))
        x[:, 0] = 0
        x[:, 1].mul_(2)
        return x.sum()

    return net, loss


def vmapped():
    net = nn.Linear(3, 1)
    parameters = dict(net.named_parameters())
    return net, lambda: torch.func.vmap(
        lambda x: torch.func.functional_call(net, parameters, (x,))
    )(torch.ones(4, 3)).sum()


def custom_function():
    net = nn.Linear(3, 1)
    return net, lambda: Twice.apply(net(torch.ones(2, 3))).sum()


def weight_norm():
    net = nn.utils.parametrizations.weight_norm(nn.Linear(3, 1))
    return net, lambda: net(torch.ones(2, 3)).sum()


def nested():
    net = nn.Linear(3, 2)
    rows = [torch.ones(2, 3), torch.ones(1, 3)]
    return net, lambda: net(torch.nested.nested_tensor(rows, layout=torch.jagged)).values().sum()


MODELS = [
    resnet,
    gpt,
    frozen_backbone,
    compiled,
    data_parallel,
    checkpointed,
    checkpointed_reentrant,
    autocast,
    sparse,
    hooks_of_others,
    complex_numbers,
    fourier,
    double_backward,
    lstm,
    packed,
    transformer,
    fused_attention,
    unet,
    vae,
    gan,
    tied,
    in_place,
    vmapped,
    custom_function,
    weight_norm,
    nested,
]


def hooks_on(net):
    kinds = (
        "_forward_hooks",
        "_forward_pre_hooks",
        "_backward_hooks",
        "_backward_pre_hooks",
        "_post_accumulate_grad_hooks",
    )
    return [
        len(getattr(owner, kind, None) or {})
        for owner in (*net.modules(), *net.parameters())
        for kind in kinds
    ]


def training(net, make_loss, around, look):
    """Two steps: losses and gradients, all that could change."""
    torch.manual_seed(1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, foreach=False)
    numbers = []
    for _ in range(2):
        with around():
            loss = make_loss()
        look(loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        numbers += [loss.detach(), *(p.grad for p in net.parameters() if p.grad is not None)]
        numbers += [x.detach().clone() for x in (*net.parameters(), *net.buffers())]
    return [x.to_dense().clone() if x.is_sparse else x.clone() for x in numbers]


@pytest.fixture(autouse=True)
def heap():
    """What a model has imported is not searched for tensors with the next ones."""
    gc.collect()
    gc.freeze()


def looked_at(loss):
    report(loss)
    watch(loss).close()


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_a_model_is_watched_and_nothing_changes(make):
    runs = []
    for around, look in (
        (contextlib.nullcontext, lambda loss: None),
        (watching, looked_at),
        (contextlib.nullcontext, looked_at),
    ):
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PyTorch, on prototypes
            net, make_loss = make()
            before = hooks_on(net)
            runs.append(training(net, make_loss, around, look))
        assert hooks_on(net) == before and not torch._C._len_torch_dispatch_stack()
    for run in runs[1:]:
        assert len(run) == len(runs[0]) and all(map(torch.equal, run, runs[0]))


def test_a_planted_change_is_found():
    def plant(loss):
        torch.rand(1)

    plain, changed = (
        training(*vae(), contextlib.nullcontext, look) for look in (lambda loss: None, plant)
    )
    assert not all(map(torch.equal, plain, changed))


def test_what_cannot_be_shown_is_said_at_once():
    net = nn.Linear(3, 1, device="meta")
    with watching():
        loss = net(torch.ones(2, 3, device="meta")).sum()
    for look in (report, watch):
        with pytest.raises(RuntimeError, match="the device 'meta'.*no numbers to show"):
            look(loss)
    net, make_loss = checkpointed_reentrant()
    assert "use_reentrant=False" in report(make_loss()).trace.note
    net, make_loss = compiled()
    # compiled for one pass back, as in any training
    make_loss().backward()
    assert "compiled" in report(make_loss()).trace.note
    with watching():
        loss = make_loss()
        loss.backward()
    assert report(loss).verdicts.range, "the pass that ran is recorded"


def test_compiled_code_that_does_not_run_while_recording_is_told():
    torch._dynamo.reset()
    net, x, ran = nn.Linear(3, 1), torch.ones(2, 3), []

    def backend(graph, inputs):
        def run(*given):
            ran.append(1)
            return graph(*given)

        return run

    def kept(model):
        with watching():
            loss = model(x).sum()
        return report(loss).trace.kept

    outer = torch.compile(net, backend=backend)
    outer(x)
    assert ran == [1] and kept(net) == ""
    assert "as it is written" in kept(outer)
    net.compile(backend=backend)
    assert "as it is written" in kept(net) and ran == [1]
    with pytest.raises(RuntimeError, match="scalar outputs"):
        report(nn.Linear(3, 2)(torch.ones(2, 3)))


def test_complex_numbers_are_shown_by_their_norm():
    net, make_loss = complex_numbers()
    view = watch(make_loss())
    leaf = next(i for i, node in enumerate(view.trace.nodes) if node.kind == "leaf")
    sent = json.loads(view.numbers)[0]
    shape, cells, norm = sent["values"][leaf]
    assert (shape, cells, norm) == ([3], None, pytest.approx(net.w.norm().item()))
    assert isinstance(view.svg(), str)

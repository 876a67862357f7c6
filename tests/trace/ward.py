"""The patients: small networks with one planted fault each, and healthy ones that look ill.

A patient is the forward of a module, and its decorator has the parts: two widths are a linear
layer, three and more a network with SiLU between, all else is called. What is `frozen` is frozen,
`fill` says with what number parameters are filled. `# here` marks lines that a report may point at.
"""

import inspect
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
X, Y, REAL = torch.randn(8, 6), torch.arange(8) % 3, torch.randn(8, 1)
BUGS, HEALTHY = [], []
FATES = "cut lost unused frozen zero".split()


def part_of(widths):
    if not isinstance(widths, tuple):
        return widths()
    linear = [nn.Linear(*pair) for pair in zip(widths, widths[1:])]
    return (
        nn.Sequential(*[m for x in linear for m in (x, nn.SiLU())][:-1])
        if linear[1:]
        else linear[0]
    )


@dataclass
class Patient:
    """raises  the names with which `raise_if` must raise
    says    what must be in the report
    fates   {status: the beginnings of its parameters}, "lost" for one that is cut or unused
    maybe   what is only rounding, or 0 by chance
    loose   how many parameters are registered nowhere; `init` makes them
    """

    forward: object
    parts: dict
    raises: str = ""
    says: str = ""
    fates: dict = field(default_factory=dict)
    maybe: str = "?"
    fill: dict = field(default_factory=dict)
    init: object = None
    loose: int = 0

    def made(self):
        """(the module, what computes its loss)"""
        torch.manual_seed(0)
        net = type(self.forward.__name__, (nn.Module,), {"forward": self.forward})()
        for name, part in self.parts.items():
            setattr(net, name, part_of(part))
        if self.init:
            self.init(net)
        for name, parameter in net.named_parameters():
            parameter.requires_grad_(self.fate(name) != "frozen")
            for start, number in self.fill.items():
                if name.startswith(start):
                    nn.init.constant_(parameter, number)
        return net, lambda: loss_of(net)

    def fate(self, name):
        """What is expected of a parameter, None where it may be trained or zero."""
        if name.startswith(self.maybe):
            return None
        found = (s for s, starts in self.fates.items() if name.startswith(tuple(starts.split())))
        return next(found, "zero" if self.fates.get("zero") == "*" else "trained")

    @property
    def usual(self):
        return self.forward.__qualname__.startswith("Usual")

    @property
    def places(self):
        lines, first = inspect.getsourcelines(self.forward)
        return {f"ward.py:{first + at}" for at, text in enumerate(lines) if "# here" in text}


def loss_of(net):
    out = net(X)
    return F.cross_entropy(out, Y) if out.ndim else out


def entered(ward, **options):
    fates = {status: options.pop(status) for status in FATES if status in options}
    known = {k: options.pop(k) for k in [*options] if k in Patient.__dataclass_fields__}

    def enter(forward):
        ward.append(Patient(forward, options, fates=fates, **known))
        return forward

    return enter


def bug(raises, says="", **options):
    return entered(BUGS, raises=raises, says=says, **options)


def healthy(**options):
    return entered(HEALTHY, **options)


def codes(many, width, **options):
    return lambda: nn.Embedding(many, width, **options)


def norm(width):
    return lambda: nn.BatchNorm1d(width)


def several(many, width):
    return lambda: nn.ModuleList(nn.Linear(width, width) for _ in range(many))


class BirthsOfNan:
    @bug("nan inf", "inf at SqrtBackward0 | nan at PowBackward0 | backward", head=(6, 3))
    def distance_to_itself(net, x):
        out = net.head(x)
        return (out[:, None] - out).pow(2).sum(-1).sqrt().mean()  # here

    @bug("nan", "LogBackward0 | backward", head=(6, 1))
    def log_behind_where(net, x):
        share = x[:, :1].relu() / net.head(x).sigmoid()
        return torch.where(x[:, :1] > 0, share.log(), 0.0).mean()  # here

    @bug("nan", "SoftmaxBackward0", qkv=(6, 18), head=(6, 3))
    def row_masked_everywhere(net, x):
        q, k, v = net.qkv(x).chunk(3, -1)
        seen = torch.ones(8, 8, dtype=torch.bool).tril(-1)
        weights = (q @ k.T).masked_fill(~seen, -torch.inf).softmax(-1)  # here
        return net.head(weights @ v)

    @bug("nan inf", "LogBackward0 | MulBackward0", head=(6, 3))
    def entropy_of_a_sure_one(net, x):
        p = (net.head(x) * 1e4).softmax(-1)
        return (p * p.log()).sum()  # here

    @bug("nan inf", "AddmmBackward0 | .a", a=(6, 4), head=(4, 3), fill={"a.weight": 6e4})
    def overflow_of_half(net, x):
        with torch.autocast("cpu", dtype=torch.float16):
            h = net.a(x)  # here
        return net.head(h.float())

    @bug("nan", "AddmmBackward0 | holds it from the start", head=(6, 3))
    def nan_in_a_pixel(net, x):
        image = x.clone()
        image[2, 3] = torch.nan
        return net.head(image)  # here

    @bug("nan", "head.weight holds it from the start", head=(6, 3), fill={"head.weight": torch.nan})
    def nan_in_a_weight(net, x):
        return net.head(x)  # here

    @bug("nan", "RndBackward | backward", a=(6, 4), head=(4, 3))
    def wrong_rule(net, x):
        class Rnd(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x.round()

            @staticmethod
            def backward(ctx, g):
                return g * ctx.saved_tensors[0] / ctx.saved_tensors[0].abs()  # here

        h = net.a(x).relu()
        return net.head(Rnd.apply(h))  # here

    @bug("nan zero", "NllLossBackward0", zero="head", head=(6, 3))
    def every_label_ignored(net, x):
        out = net.head(x)
        return F.cross_entropy(out, torch.full((8,), -100))  # here

    @bug("nan", "SqrtBackward0", a=(6, 4), b=(4, 4), head=(4, 3))
    def root_in_a_checkpoint(net, x):
        def part(h):
            return (net.b(h) - 10).sqrt()  # here

        return net.head(checkpoint(part, net.a(x), use_reentrant=False))


class WrongSizes:
    @bug("zero", "r", zero="a. head.w", a=(6, 4), r=nn.ReLU, head=(4, 3), fill={"a.bias": -99})
    def dead_relu(net, x):
        return net.head(net.r(net.a(x)))  # here

    @bug("zero", "SoftmaxBackward0", zero="*", net=(6, 4, 1))
    def softmax_over_one(net, x):
        p = F.softmax(net.net(x), dim=1)  # here
        return F.binary_cross_entropy(p, REAL.sigmoid())

    @bug("zero", "Clamp", zero="*", net=(6, 4, 1))
    def hinge_that_is_satisfied(net, x):
        score = net.net(x) + 50
        return (1 - score).clamp(min=0).mean()  # here

    @bug("zero", "MulBackward0", zero="aux", a=(6, 4), head=(4, 3), aux=(4, 1))
    def aux_times_zero(net, x):
        h = net.a(x).relu()
        return F.cross_entropy(net.head(h), Y) + 0.0 * net.aux(h).pow(2).mean()  # here

    @bug("zero", "RoundBackward0", zero="enc", enc=(6, 4), head=(4, 3))
    def round_without_straight_through(net, x):
        return net.head(net.enc(x).round())  # here

    @bug("zero", "IndexBackward0", zero="*", a=(6, 3))
    def nothing_selected(net, x):
        return net.a(x)[x[:, 0] > 99].pow(2).sum()  # here

    @bug("zero", zero="A. B.w", a=(6, 4), A=(6, 2), B=(2, 4), head=(4, 3), fill={"A.": 0, "B.": 0})
    def lora_of_two_zeros(net, x):
        low = net.B(net.A(x))  # here
        return net.head(net.a(x) + low)

    @bug("zero", zero="body", frozen="head.w", body=(6, 4), head=(4, 3), fill={"head.w": 0})
    def frozen_at_zero(net, x):
        return net.head(net.body(x))  # here

    @bug("zero", zero="q. k.", q=(6, 4), k=(6, 4), v=(6, 3), fill={"q.": 0, "k.": 0})
    def queries_and_keys_of_zero(net, x):
        scores = net.q(x) @ net.k(x).T  # here
        return scores.softmax(-1) @ net.v(x)

    def muted(net):
        net.a.weight.register_hook(torch.zeros_like)

    @bug("zero", zero="a.weight", a=(6, 4), head=(4, 3), init=muted)
    def hook_that_clears(net, x):
        return net.head(net.a(x).relu())


class NoGradient:
    @bug("cut", "detach()", cut="down", inc=(6, 4), down=(4, 4), up=(4, 4), out=(8, 3))
    def detached_bottleneck(net, x):
        skip = net.inc(x)
        h = net.down(skip).detach()  # here
        return net.out(torch.cat([skip, net.up(h)], 1))

    @bug("cut", "argmax", cut="enc", enc=(6, 5), codes=codes(5, 4), head=(4, 3))
    def codebook_by_argmax(net, x):
        index = net.enc(x).argmax(-1)  # here
        return net.head(net.codes(index))

    @bug("cut", cut="enc", enc=(6, 1), codes=codes(5, 3))
    def codebook_by_long(net, x):
        index = (net.enc(x).sigmoid() * 5).long()  # here
        return net.codes(index[:, 0])

    @bug("cut", "item", lost="aux", head=(6, 3), aux=(6, 1))
    def aux_by_item(net, x):
        aux = net.aux(x).pow(2).mean().item()  # here
        return F.cross_entropy(net.head(x), Y) + aux

    @bug("cut", lost="enc", enc=(6, 4), head=(4, 3))
    def through_numpy(net, x):
        h = torch.from_numpy(np.tanh(net.enc(x).detach().numpy()))  # here
        return net.head(h)

    @bug("cut", "sample", cut="policy", policy=(6, 3), value=(3, 3))
    def sampled_action(net, x):
        action = Categorical(logits=net.policy(x)).sample()  # here
        return net.value(F.one_hot(action, 3).float())

    @bug("cut", "no_grad", cut="bb", bb=(6, 5, 4), head=(4, 3))
    def backbone_under_no_grad(net, x):
        with torch.no_grad():  # here
            h = net.bb(x)
        return net.head(h)

    @bug("cut", lost="bb", bb=(6, 5, 4), head=(4, 3))
    def graph_begun_again(net, x):
        with torch.no_grad():  # here
            h = net.bb(x)
        return net.head(h.requires_grad_())

    @bug("cut", "checkpoint", cut="bb", bb=(6, 5, 4), head=(4, 3))
    def reentrant_checkpoint_of_data(net, x):
        h = checkpoint(net.bb, x, use_reentrant=True)  # here
        return net.head(h)

    @bug("cut", "RndBackward", lost="enc", enc=(6, 4), head=(4, 3))
    def rule_that_returns_none(net, x):
        class Rnd(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.round()

            @staticmethod
            def backward(ctx, g):
                return None  # here

        return net.head(Rnd.apply(net.enc(x)))  # here

    @bug("cut unused", "aux", unused="aux", a=(6, 4), head=(4, 3), aux=(4, 1))
    def head_never_used(net, x):
        return net.head(net.a(x).relu())

    @bug("cut", "b", lost="b.", a=(6, 3), b=(6, 3))
    def second_loss_forgotten(net, x):
        losses = F.cross_entropy(net.a(x), Y), F.cross_entropy(net.b(x), Y)
        return losses[0]

    @bug("frozen", "a.weight | requires_grad=False", frozen="a.weight", a=(6, 4), head=(4, 3))
    def frozen_by_accident(net, x):
        return net.head(net.a(x).relu())

    def tied(net):
        net.head.weight = net.codes.weight

    @bug(
        "frozen", "codes", frozen="codes head", codes=codes(3, 6), a=(6, 6), head=(6, 3), init=tied
    )
    def frozen_half_of_a_tied_weight(net, x):
        return net.head(net.a(net.codes(Y)))

    def in_a_list(net):
        net.layers = [nn.Linear(6, 6) for _ in range(2)]

    @bug("cut", "registered nowhere", head=(6, 3), init=in_a_list, loose=4)
    def list_for_module_list(net, x):
        for layer in net.layers:
            x = layer(x).relu()
        return net.head(x)

    def in_no_parameter(net):
        net.scale = torch.ones(6, requires_grad=True)

    @bug("cut", "registered nowhere", head=(6, 3), init=in_no_parameter, loose=1)
    def tensor_for_parameter(net, x):
        return net.head(x * net.scale)


def branches():
    return nn.ModuleList(nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 6)) for _ in range(6))


def gates(value):
    return lambda: nn.ParameterList(torch.full((6,), value) for _ in range(6))


class ZeroOrApartOnPurpose:
    @healthy(
        zero="a. n. b.",
        a=(6, 6),
        n=norm(6),
        b=(6, 6),
        last=norm(6),
        head=(6, 3),
        fill={"last.w": 0},
    )
    def zero_init_residual(net, x):
        h = net.b(net.n(net.a(x)).relu())
        return net.head((x + net.last(h)).relu())

    @healthy(zero="f.", f=branches, g=gates(0.0), head=(6, 3))
    def rezero(net, x):
        for f, g in zip(net.f, net.g):
            x = x + g * f(x)
        return net.head(x)

    @healthy(frozen="base", zero="A.", base=(6, 4), A=(6, 2), B=(2, 4), head=(4, 3), fill={"B.": 0})
    def lora(net, x):
        return net.head((net.base(x) + net.B(net.A(x))).relu())

    @healthy(zero="body.", body=(6, 5, 4), head=(4, 3), fill={"head.w": 0})
    def zero_init_head(net, x):
        return net.head(net.body(x))

    @healthy(frozen="body.", body=(6, 5, 4), head=(4, 3))
    def frozen_backbone(net, x):
        return net.head(net.body(x))

    @healthy(cut="G.", G=(6, 6), D=(6, 5, 1))
    def discriminator_step(net, x):
        fake = net.G(torch.randn(8, 6)).detach()
        return F.softplus(net.D(fake)).mean() + F.softplus(-net.D(x)).mean()

    @healthy(unused="skipped", a=(6, 6), skipped=(6, 6), head=(6, 3))
    def stochastic_depth(net, x):
        x = x + net.a(x).relu()
        if torch.tensor(0.9) < 0.5:
            x = x + net.skipped(x)
        return net.head(x)

    @healthy(maybe="a.bias", a=(6, 4), n=norm(4), head=(4, 3))
    def bias_before_batch_norm(net, x):
        return net.head(net.n(net.a(x)).relu())

    @healthy(enc=(6, 4), codes=codes(5, 4), dec=(4, 6))
    def vq_vae(net, x):
        z = net.enc(x)
        q = net.codes(torch.cdist(z, net.codes.weight).argmin(-1))
        out = net.dec(z + (q - z).detach())
        return F.mse_loss(out, x) + F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())

    @healthy(cell=lambda: nn.GRUCell(6, 5), head=(5, 3))
    def truncated_through_time(net, x):
        h, outs = torch.zeros(1, 5), []
        for step, row in enumerate(x):
            h = net.cell(row[None], h.detach() if step % 3 == 0 else h)
            outs.append(h)
        return net.head(torch.cat(outs))

    @healthy(f=(6, 6), head=(6, 3))
    def deep_equilibrium(net, x):
        z = torch.zeros_like(x)
        with torch.no_grad():
            for _ in range(4):
                z = (net.f(z) + x).tanh()
        return net.head((net.f(z) + x).tanh())


class InfinityOnPurpose:
    @healthy(head=(6, 4))
    def ctc(net, x):
        logp = net.head(x)[:, None].log_softmax(-1)
        return F.ctc_loss(logp, torch.tensor([[1, 2, 2]]), torch.tensor([8]), torch.tensor([3]))

    @healthy(head=(6, 4))
    def least_of_the_allowed(net, x):
        return torch.where(x[:, :4] > -1, net.head(x), torch.inf).min(1).values.clamp(max=5).mean()

    @healthy(t=lambda: nn.Transformer(6, 2, 1, 1, 8, 0.1, batch_first=True), head=(6, 3))
    def padded_transformer(net, x):
        causal = torch.full((4, 4), -torch.inf).triu(1)
        padded = torch.arange(4) > torch.tensor([[3], [1]])
        padded = torch.zeros(2, 4).masked_fill(padded, -torch.inf)
        x = x.view(2, 4, 6)
        return net.head(net.t(x, x, tgt_mask=causal, src_key_padding_mask=padded)).flatten(0, 1)

    @healthy(emit=(6, 3), move=(3, 3))
    def crf(net, x):
        emitted, moves = net.emit(x), net.move(torch.eye(3))
        alpha = torch.full((3,), -torch.inf).index_fill(0, torch.tensor([0]), 0.0) + emitted[0]
        for scores in emitted[1:]:
            alpha = torch.logsumexp(alpha[:, None] + moves, 0) + scores
        return alpha.logsumexp(0) - emitted[:, 0].sum() - 7 * moves[0, 0]


class Usual:
    @healthy(d=(6, 5, 1))
    def gradient_penalty(net, x):
        x = x.clone().requires_grad_()
        score = net.d(x)
        (slope,) = torch.autograd.grad(score.sum(), x, create_graph=True)
        return score.mean() + ((slope.norm(2, 1) - 1) ** 2).mean()

    @healthy(gate=(6, 4), experts=several(4, 6), head=(6, 3))
    def mixture_of_experts(net, x):
        weight, best = net.gate(x).softmax(-1).topk(2, -1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(net.experts):
            row, place = (best == number).nonzero(as_tuple=True)
            out = out.index_add(0, row, expert(x[row]) * weight[row, place, None])
        return net.head(out)

    @healthy(enc=(6, 5, 4), dec=(2, 6))
    def vae(net, x):
        mean, scale = net.enc(x).chunk(2, -1)
        out = net.dec(mean + torch.randn_like(mean) * (scale / 2).exp())
        return F.mse_loss(out, x) - 0.1 * (1 + scale - mean**2 - scale.exp()).mean()

    @healthy(rnn=lambda: nn.LSTM(6, 5, 2, dropout=0.2, batch_first=True), head=(5, 3))
    def lstm(net, x):
        return net.head(net.rnn(x.view(2, 4, 6))[0]).flatten(0, 1)

    @healthy(codes=codes(3, 6, sparse=True), head=(6, 3))
    def sparse_embedding(net, x):
        return net.head(net.codes(Y))

    @healthy(codes=codes(3, 6), a=(6, 6), head=(6, 3), init=NoGradient.tied)
    def tied_weights(net, x):
        return net.head(net.a(net.codes(Y)))

    @healthy(a=(6, 6), b=(6, 5, 6), head=(6, 3))
    def checkpointed(net, x):
        return net.head(checkpoint(net.b, net.a(x), use_reentrant=False))

    @healthy(a=(6, 8), head=(8, 3))
    def mixed_precision(net, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net.head(net.a(x))
        return out.float()

    @healthy(a=(6, 3))
    def per_sample_gradients(net, x):
        def one(p, x, y):
            return F.cross_entropy(torch.func.functional_call(net.a, p, (x,)), y)

        each = torch.func.vmap(torch.func.grad(one), (None, 0, 0))
        return sum(g.pow(2).sum() for g in each(dict(net.a.named_parameters()), x, Y).values())

    @healthy(a=(6, 4), head=(4, 3))
    def written_in_place(net, x):
        h = net.a(x)
        h[:, 0] = 0
        h[:, 1:].mul_(2)
        return net.head(h.relu_())

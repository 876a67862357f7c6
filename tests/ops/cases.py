"""The table of operations: one line for each form that an operation has, with the inputs that could
go wrong.
"""

import numpy as np

from autograd_core.core.public import PUBLIC
from tests.engines import BOTH, case, distinct, edge, normal, uniform

from .neural_cases import NEURAL
from .numeric_cases import NUMERIC
from .place_cases import PLACED

NAN, INF = np.nan, np.inf

positive = lambda *shape: uniform(0.2, 3.0, *shape)  # noqa: E731
probability = lambda *shape: uniform(0.05, 0.95, *shape)  # noqa: E731

ARITHMETIC = [
    case("a + b", a=(2, 3), b=(2, 3)),
    case("a + b", a=(2, 3), b=(3,)),
    case("a + b", a=(2, 1, 3), b=(4, 1)),
    case("a + b", a=(), b=(2, 2)),
    case("a + b", a=(0, 3), b=(3,)),
    case("2 + a", a=(3,)),
    case("a + b", a=(2, 3), b=[1, 2, 3]),
    case("a - b", a=(2, 3), b=(2, 1)),
    case("2.5 - a", a=(2,)),
    case("a.sub(b, alpha=3)", a=(2, 3), b=(3,)),
    case("a * b", a=(2, 3), b=(1, 3)),
    case("a * a", a=()),
    case("3 * a.t()", a=(2, 3)),
    case("T.mul(a, b)", a=(3, 0), b=(1, 1)),
    case("a.t() * b", a=(3, 2), b=(2, 3)),
    case("a / b", a=(2, 3), b=positive(3)),
    case("2 / a", a=positive(2, 2)),
    edge("a / b", a=[1.0, 0.0, -1.0], b=[0.0, 0.0, 0.0]),
    case("-a", a=(2, 3)),
    case("abs(a)", a=distinct(3, 3)),
    edge("a.abs()", a=[-1.0, -0.0, 0.0, NAN, -INF]),
    edge("T.sign(a)", a=[-2.0, 0.0, 3.0]),
]

POWERS = [
    case("a ** 2", a=(2, 3)),
    case("a ** 0", a=(3,)),
    case("a ** 1", a=(3,)),
    case("a ** 0.5", a=positive(3)),
    case("a ** -2.5", a=positive(3)),
    edge("a ** 2", a=[0.0, -0.0, INF, NAN]),
    edge("a ** 0.5", twice=False, a=[0.0, -1.0]),
    case("T.pow(a, b)", a=positive(2, 3), b=(3,)),
    case("a ** b", a=positive(3), b=()),
    case("a ** b.detach()", a=positive(3), b=(3,)),
    case("a.detach() ** b", a=positive(3), b=(3,)),
    edge("a ** b", twice=False, a=[0.0, 0.0, 0.0, 2.0], b=[0.0, 2.0, 0.5, 0.0]),
    case("2 ** a", a=(2, 3)),
    case("2.5 ** a", a=()),
    edge("0 ** a", twice=False, a=[0.0, 2.0, 0.5]),
    edge("T.exp(a)", a=[-INF, 0.0, 1000.0, NAN]),
    edge("T.log(a)", a=[0.0, -1.0, INF]),
    edge("T.sqrt(a)", a=[0.0, 4.0]),
    edge("T.tanh(a)", a=[-50.0, 0.0, 50.0]),
    edge("T.sigmoid(a)", a=[-800.0, -30.0, 0.0, 30.0, 800.0]),
    case("F.sigmoid(F.tanh(a))", a=(3,)),
    edge("T.relu(a)", dtypes=BOTH, a=[-1.0, 0.0, 1.0, NAN]),
    case("F.relu(a)", a=distinct(2, 2)),
    case("a.clamp(min=0)", a=distinct(2, 2)),
    case("T.clamp(a, max=0.5)", a=distinct(2, 2)),
    edge("T.clamp(a, -1, 1)", dtypes=BOTH, a=[-1.0, 1.0, -2.0, 2.0, 0.0, NAN]),
    case("c.clamp(max=2.5)", c=[1, 5]),
    case("c.clamp(2, 3)", c=[1, 5]),
    edge("T.clamp(a, 1, -1)", a=[-2.0, 0.0, 2.0]),
]

CHOOSING = [
    case("T.where(a > 0, a, b)", dtypes=BOTH, a=distinct(2, 3), b=(3,)),
    case("T.where(c, a, 0.0)", a=(2, 3), c=[[True, False, True], [False, False, True]]),
    case("T.where(c, 1.0, a)", a=(3,), c=[True, False, True]),
    case("T.where(c, 1.0, 2)", c=[True, False]),
    case("a.where(c, b)", a=(3,), b=(), c=[True, False, True]),
    edge("T.where(c, a.log(), 0.0)", twice=False, a=[0.0, 0.5, 1.0], c=[False, True, True]),
    edge("T.maximum(a, b)", a=[1.0, 2.0, NAN, 0.0], b=[1.0, 1.0, 1.0, NAN]),
    edge("T.minimum(a, b)", a=[1.0, 2.0, NAN], b=[1.0, 1.0, 1.0]),
]

COMPARING = [
    *(
        case(f"a {sign} b", a=[1.0, 2.0, NAN, 3.0], b=[1.0, 3.0, NAN, 2.0])
        for sign in "== != < <= > >=".split()
    ),
    case("T.all(c)", c=[True, False]),
    case("c.all()", c=[1, 2]),
    case("a.any()", a=[0.0, 0.0]),
    case("T.argmax(a)", a=distinct(2, 3)),
    case("a.argmin(dim=0, keepdim=True)", a=distinct(2, 3)),
    case("a.argmax()", a=[1.0, NAN, 3.0]),
    case(
        "T.tensor([T.allclose(a, a + 1e-9), T.allclose(a, a + 1e-3), T.equal(a, a), T.equal(a, a + 1)])",
        a=(2,),
    ),
]

REDUCTIONS = [
    case("a.sum()", a=(2, 3)),
    case("a.sum()", a=()),
    case("a.sum()", a=(0, 3)),
    case("a.sum(dim=(0, 2))", a=(2, 3, 4)),
    case("a.sum(-1, keepdim=True)", a=(2, 3)),
    case("a.sum(0)", a=()),
    case("a.sum(dtype=T.float64)", dtypes=BOTH, a=(3,)),
    case("c.sum()", c=[1, 2, 3]),
    case("c.sum(0)", c=[[True], [True]]),
    case("a.mean()", a=(2, 3)),
    edge("a.mean()", a=(0,)),
    case("a.mean(dim=(0, -1), keepdim=True)", a=(2, 3, 4)),
    edge("a.max()", a=[[1.0, 3.0], [3.0, 2.0]]),
    edge("T.max(a)", twice=False, a=[1.0, NAN, 3.0]),
    edge("a.min()", a=[1.0, 1.0, 1.0]),
    case("T.max(a, b)", a=distinct(2, 3), b=(3,)),
    case("T.min(a, b)", a=distinct(2, 3), b=(3,)),
    case("a.softmax(0)", a=(2, 3)),
    case("T.softmax(a, dim=-1)", a=(2, 3, 2)),
    edge("F.softmax(a, dim=1)", a=[[0.0, 1000.0, -1000.0]]),
    edge("F.log_softmax(a, dim=1)", a=[[0.0, 1000.0, -INF]]),
    case("F.log_softmax(a, -1)", a=(2, 2, 3)),
]

SHAPES = [
    case("a.view(-1)", a=(2, 3)),
    case("a.view(())", a=(1, 1)),
    case("a.view(0, 5)", a=(0, 3)),
    case("a.reshape(2, -1)", a=(2, 3, 2)),
    case("a.t().reshape(6)", a=(2, 3)),
    case("a.t().reshape(3, 2, 1)", a=(2, 3)),
    case("a.flatten()", a=(2, 3, 2)),
    case("a.flatten()", a=()),
    case("a.flatten()", a=(3,)),
    case("a.T", a=(2, 3)),
    case("a.transpose(0, 2)", a=(2, 3, 4)),
    case("a.unsqueeze(1)", a=(2, 3)),
    case("T.unsqueeze(a, -1)", a=()),
    case("a.squeeze()", a=(1, 3, 1)),
    case("a.squeeze(0)", a=(2, 1)),
    case("a.squeeze()", a=()),
    case("a.expand(4, 2, 3) * b", a=(2, 1), b=(4, 1, 3)),
    case("a.expand(-1, 5)", a=(2, 1)),
    case("a.expand(3, 3)", a=()),
    case("T.clone(a.t())", a=(2, 3)),
    case("a.contiguous() * 2", a=(2, 3)),
    case("a.to(T.float64) * b", dtypes=BOTH, a=(3,), b=(3,)),
    case("a.double().float()", a=(3,)),
    case("a.long(), a.int(), a.bool(), a.byte()", twice=False, a=positive(3)),
    case("T.stack((a, b, a), dim=-1)", a=(2,), b=(2,)),
    case("T.stack([a, b])", a=(), b=()),
    case("T.stack([a, c])", a=(2,), c=[1, 2]),
    case("T.cat((a, b, a), dim=1)", a=(2, 1), b=(2, 3)),
    case("T.cat([a, b], dim=-1)", a=(2, 0), b=(2, 3)),
    case("T.cat([a, c])", a=(2,), c=[1, 2]),
    case("T.split(a, [1, 3], dim=1)", a=(2, 4)),
    case("T.split(a, 3, dim=1)", a=(2, 4)),
    case("a.split(2)[1]", a=(5,)),
    case("T.unbind(a, 1)[0] * 2", a=(3, 2)),
    case("T.stack([x * i for i, x in enumerate(a)])", a=(3, 2)),
]

INDEXING = [
    case("a[0]", a=(3, 2)),
    case("a[-1, 1]", a=(3, 2)),
    case("a[1:]", a=(4, 2)),
    case("a[:, ::2]", a=(2, 5)),
    case("a[1:3, 0]", a=(4, 2)),
    case("a[3:1]", a=(4, 2)),
    case("a[None, :, None]", a=(3,)),
    case("a[..., 0]", a=(2, 3, 4)),
    case("a[0, ..., 1:]", a=(2, 3, 4)),
    case("a[[0, 2, 2]]", a=(3, 2)),
    case("a[c]", a=(3, 2), c=[0, 0, 1]),
    case("a[c]", a=(3,), c=[[0, 2], [1, 1]]),
    case("a[c, d]", a=(3, 2), c=[0, 2, 0], d=[1, 1, 1]),
    case("a[:, c]", a=(2, 3), c=[2, 0]),
    case("a[T.arange(3), c]", a=(3, 4), c=[3, 0, 1]),
    case("a[c]", a=(3, 2), c=[True, False, True]),
    case("a[c]", a=(2, 2), c=[[True, False], [True, True]]),
    case("a[c]", a=(3,), c=[False, False, False]),
    case("a[a > 0]", a=distinct(2, 3)),
    case("a[c].log()", a=[0.0, 0.5, 1.0], c=[False, True, True]),
    *(case(f"a[{key}]", a=(3, 2)) for key in ("...", ":", ":, :", "()", "T.tensor(1)", "-7:10")),
    case("a[()]", a=()),
    case("a[:, [0, 1]].view(-1)", a=(2, 3)),
    case("a[None]", a=()),
]

PRODUCTS = [
    case("a.dot(a)", a=(3,)),
    case("T.mm(a.t(), b.t())", a=(3, 2), b=(4, 3)),
    case("a @ b", a=(0, 3), b=(3, 2)),
    case("a @ b", a=(2, 0), b=(0, 2)),
    case("T.addmm(a, b, c)", a=(2, 1), b=(2, 3), c=(3, 4)),
    case("a @ b", a=(3,), b=(3,)),
    case("a @ b", a=(2, 3), b=(3,)),
    case("a @ b", a=(3,), b=(3, 2)),
    case("a.matmul(b)", a=(2, 2, 3), b=(3, 4)),
    case("a @ b", a=(2, 2, 3), b=(3,)),
    case("a @ b", a=(2, 1, 2, 3), b=(3, 3, 2)),
    case("a @ b", a=(3,), b=(2, 3, 2)),
    case("a @ b", a=(2, 3), b=(2, 3, 2)),
    case("a @ b.detach()", a=(2, 2, 3), b=(3,)),
    case("a.transpose(1, 2) @ b.detach()", a=(2, 3, 2), b=(3,)),
    case("a.transpose(1, 2) @ b.detach()", a=(2, 3, 2), b=(3, 2)),
    case("a.detach() @ b", a=(2, 3), b=(2, 3, 2)),
    case("a.detach() @ b", a=(3,), b=(2, 3, 2)),
    case("a @ b", a=(1, 2, 3), b=(4, 3, 2)),
    case("a @ b", a=(4, 2, 3), b=(1, 3, 2)),
    case("a @ b", a=(0, 2, 3), b=(3, 2)),
    case("F.linear(a, w, b)", a=(4, 3), w=(2, 3), b=(2,)),
    case("F.linear(a, w, b)", a=(3,), w=(2, 3), b=(2,)),
    case("F.linear(a, w, b)", a=(2, 4, 3), w=(2, 3), b=(2,)),
    case("F.linear(a.transpose(0, 1), w, b)", a=(2, 4, 3), w=(2, 3), b=(2,)),
]

LOSSES = [
    *(
        case(f"F.mse_loss(a, b, reduction='{r}')", a=(2, 3), b=(2, 3))
        for r in ("mean", "sum", "none")
    ),
    case("F.mse_loss(a, c)", a=(2,), c=[1, 2]),
    edge("F.mse_loss(a, b)", twice=False, a=(0,), b=(0,)),
    *(
        case(
            f"F.binary_cross_entropy(a, b, reduction='{r}')",
            a=probability(2, 3),
            b=probability(2, 3),
        )
        for r in ("mean", "sum", "none")
    ),
    edge(
        "F.binary_cross_entropy(a, b.detach())",
        dtypes=BOTH,
        twice=False,
        a=[0.0, 0.0, 1.0, 1.0, 0.5],
        b=[0.0, 1.0, 0.0, 1.0, 0.5],
    ),
    case(
        "F.binary_cross_entropy(a, b, w.detach())",
        a=probability(2, 3),
        b=probability(2, 3),
        w=positive(3),
    ),
    *(
        case(
            f"F.binary_cross_entropy_with_logits(a, b, reduction='{r}')",
            a=(2, 3),
            b=probability(2, 3),
        )
        for r in ("mean", "sum", "none")
    ),
    edge(
        "F.binary_cross_entropy_with_logits(a, b.detach())",
        a=[-900.0, 900.0, 0.0],
        b=[1.0, 0.0, 0.5],
    ),
    case(
        "F.binary_cross_entropy_with_logits(a, b, w.detach(), pos_weight=p.detach())",
        a=(2, 3),
        b=probability(2, 3),
        w=positive(3),
        p=positive(3),
    ),
    *(
        case(f"F.cross_entropy(a, c, reduction='{r}')", a=(3, 4), c=[0, 3, 1])
        for r in ("mean", "sum", "none")
    ),
    case("F.cross_entropy(a, c)", a=(4,), c=2),
    *(
        case(f"F.cross_entropy(a, c, reduction='{r}')", a=(2, 3, 1, 2), c=[[[0, 2]], [[1, 1]]])
        for r in ("mean", "none")
    ),
    case("F.cross_entropy(a, c)", a=(2, 5, 3), c=[[0, 2, 4], [1, 1, 3]]),
    case("F.cross_entropy(a, c, ignore_index=1)", a=(3, 4), c=[0, 1, 3]),
    edge("F.cross_entropy(a, c)", a=(2, 3), c=[-100, -100]),
    case("F.cross_entropy(a, c, w.detach())", a=(3, 4), c=[0, 3, 1], w=positive(4)),
    case("F.nll_loss(a, c, w.detach(), reduction='sum')", a=(3, 4), c=[0, 3, 1], w=positive(4)),
    case("nn.MSELoss()(a, b)", a=(2, 3), b=(2, 3)),
    case("nn.BCELoss(reduction='sum')(a, b)", a=probability(2, 3), b=probability(2, 3)),
    case("nn.BCEWithLogitsLoss()(a, b)", a=(2, 3), b=probability(2, 3)),
    case("nn.CrossEntropyLoss(ignore_index=0)(a, c)", a=(3, 4), c=[0, 3, 1]),
]

IN_PLACE = [
    *(case(f"(a * 1).{name}_(b)", a=(2, 3), b=positive(3)) for name in "add sub mul div".split()),
    *(
        case(f"(a * 1).{name}_()", a=positive(2, 3))
        for name in "exp neg relu sigmoid tanh sqrt".split()
    ),
    case("(a * 1).clamp_(0.3, 0.8)", a=uniform(0.31, 0.79, 3)),
    case("(a * 1).add_(b, alpha=2)", a=(2, 3), b=(3,)),
    case("(a * 1).zero_()", a=(3,)),
    case("(a * 1).fill_(2.5) * a", a=(3,)),
    case("(a * 1).copy_(b)", a=(2, 3), b=(3,)),
    case("T.zeros(2, 3, dtype=b.dtype).copy_(b)", b=(3,)),
    case("T.zeros(3, dtype=b.dtype).add_(b)", b=(3,)),
    case("F.relu(a * 1, inplace=True)", a=distinct(2, 3)),
]

CHAINS = [
    case("((a @ b).relu().sum(1) ** 2).mean() + (a * a).sum()", a=normal(3, 4), b=normal(4, 5)),
    edge("a.log() * c", twice=False, a=[0.0, 0.5, 1.0], c=[0, 1, 1]),
    # `where` sends 0 to the logarithm, which makes nan of it: 0 divided by 0
    edge(
        "T.where((a**2).sum(1) > 0, a.norm(dim=1).log(), 0)",
        twice=False,
        a=[[0.0, 0.0], [3.0, 4.0]],
    ),
    case("[a.sum(), (a * b).mean(), b.exp()]", a=(3,), b=(3,)),
]

CASES = [
    *(case(each.example, **each.inputs) for each in PUBLIC if each.example),
    *ARITHMETIC,
    *POWERS,
    *CHOOSING,
    *COMPARING,
    *REDUCTIONS,
    *SHAPES,
    *INDEXING,
    *PRODUCTS,
    *LOSSES,
    *IN_PLACE,
    *CHAINS,
    *NEURAL,
    *NUMERIC,
    *PLACED,
]

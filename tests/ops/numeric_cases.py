"""The table of further functions of numbers: rounding, activations, reductions, sorting, chance, mixed
types.
"""

import numpy as np

from tests.engines import case, distinct, edge, uniform

NAN, INF = np.nan, np.inf

positive = lambda *shape: uniform(0.2, 3.0, *shape)  # noqa: E731

ELEMENTWISE = [
    *(edge(f"T.{name}(a)", twice=False, a=[0.0, -1.0, INF, NAN]) for name in ("erf", "rsqrt")),
    *(case(f"T.{name}(c)", c=[0, 1, 3]) for name in "erf rsqrt".split()),
    *(edge(f"T.{name}(a)", a=[-1.5, -0.5, 0.5, 1.5, 2.7, NAN, INF]) for name in ("floor", "round")),
    *(case(f"c.{name}()", c=[1, -2]) for name in ("floor", "round")),
    case("c // d", c=[7, -7], d=[2, 2]),
    case("a.detach() // b.detach()", a=distinct(3), b=positive(3)),
    case("a.detach() // 0.5", a=distinct(3)),
    case("c // 2.5", c=[7, -7]),
    case("a % b", a=distinct(2, 3), b=positive(3)),
    case("a % 0.3", a=distinct(2, 3)),
    case("T.remainder(c, d)", c=[7, -7, 7], d=[2, 2, -2]),
    edge("a.remainder(2)", a=[-3.0, 5.5, 2.0]),
    edge("T.nan_to_num(a)", a=[NAN, INF, -INF, 1.0]),
    edge("a.nan_to_num(nan=1.0, posinf=2.0, neginf=-3.0)", a=[NAN, INF, -INF, 1.0]),
    case("T.nan_to_num(c)", c=[1, 2]),
    case("T.clip(a, -0.2, 0.2)", a=distinct(3, 3)),
]

LOGIC = [
    *(case(f"T.{name}(a)", a=[1.0, NAN, INF, -INF]) for name in "isinf isfinite isnan".split()),
    *(case(f"c.{name}()", c=[0, 2]) for name in "isinf isfinite".split()),
    *(
        case(f"T.{name}(c, {dims})", c=[[0, 1], [1, 1]])
        for name in ("all", "any")
        for dims in ("0", "-1, True", "dim=(0, 1)")
    ),
    case("c.byte().any(), c.byte().all(0)", c=[[0, 1], [1, 1]]),
]

ACTIVATIONS = [
    *(
        edge(f"F.{name}(a)", twice=False, a=[-30.0, -1.0, 0.0, 1.0, 6.0, 30.0])
        for name in "gelu silu leaky_relu softplus".split()
    ),
    *(
        edge(f"F.{name}(a)", twice=False, a=[NAN, INF, -INF])
        for name in "leaky_relu softplus".split()
    ),
    case("F.softplus(a, beta=2, threshold=1)", a=distinct(3, 3)),
    *(case(f"nn.{layer}(a)", a=distinct(3, 3)) for layer in ("GELU()", "SiLU()", "LeakyReLU(0.2)")),
]

REDUCTIONS = [
    case("a.prod(-2, keepdim=True)", a=positive(2, 3)),
    case("a.prod()", a=[2.0, 0.0, 3.0]),
    case("a.prod(1)", a=[[2.0, 0.0, 3.0], [0.0, 0.0, 1.0], [1.0, 2.0, 3.0]]),
    case("a.prod()", a=()),
    case("a.prod(0)", a=0.0),
    case("T.prod(c)", c=[2, 3]),
    edge("a.prod()", a=(0,)),
    *(
        case(f"a.{name}({options})", a=(3, 4))
        for name in ("var", "std")
        for options in (
            "",
            "1",
            "0, keepdim=True",
            "unbiased=False",
            "False",
            "(0, 1), correction=0",
            "dim=-1, correction=0.5",
        )
    ),
    *(edge(f"T.{name}(a)", twice=False, a=[1.0, 1.0]) for name in ("var", "std")),
    *(
        case(f"a.norm({options})", a=distinct(2, 3))
        for options in (
            "",
            "2",
            "p=1",
            "dim=1",
            "dim=(0, 1)",
            "p=1, dim=0, keepdim=True",
            "'fro', dim=-1",
        )
    ),
    edge("T.norm(a)", twice=False, a=[0.0, 0.0]),
    edge("T.norm(a, p=1)", a=[0.0, -2.0]),
    case("a.norm(float('inf'))", a=positive(3)),
    edge("T.norm(a, float('inf'))", a=[2.0, -2.0, 1.0]),
    *(
        case(f"a.amax({options})", a=distinct(2, 3))
        for options in ("", "dim=(0, 1)", "0, keepdim=True")
    ),
    edge("T.amax(a, 1)", a=[[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]),
    case("T.amax(c)", c=[2, 3]),
    case("a.amax(0)", a=()),
    edge("T.amax(a)", twice=False, a=[1.0, NAN]),
    case("a.cumsum(dim=0)", a=(2, 3)),
    case("a.cumsum(-1)", a=(3,)),
    case("c.cumsum(0)", c=[True, True]),
    case("a.cumsum(0)", a=()),
    case("a.logsumexp(1)", a=(2, 3)),
    case("T.logsumexp(a, (0, 1), keepdim=True)", a=(2, 3)),
    edge("a.logsumexp(-1)", twice=False, a=[[1000.0, 0.0], [-INF, 0.0], [-INF, -INF], [INF, 0.0]]),
    case("c.logsumexp(0)", c=[1, 2]),
    edge("a.logsumexp(0)", a=(0, 2)),
]

SORTING = [
    *(
        case(f"a.{name}({options})", a=distinct(2, 3))
        for name in ("max", "min")
        for options in ("0", "-1, True", "dim=1")
    ),
    *(edge(f"T.{name}(a, 0)", a=[1.0, 3.0, 3.0, 1.0]) for name in ("max", "min")),
    *(edge(f"T.{name}(a, 0)", a=[1.0, NAN, 3.0]) for name in ("max", "min")),
    case("a.max(0).values * a.min(0)[0]", a=distinct(2, 3)),
    case("c.max(0)", c=[3, 5]),
    case("a.max(0)", a=()),
    case("a.sort()", a=distinct(2, 3)),
    case("T.sort(a, 0, descending=True)", a=distinct(2, 3)),
    edge("a.sort()", a=[2.0, NAN, 1.0, 2.0, -INF]),
    edge("a.sort(descending=True)", a=[2.0, NAN, 1.0, 2.0, -INF]),
    case("a.sort()", a=()),
    case("a.argsort(dim=0)", a=[2.0, 1.0, 2.0, 1.0]),
    case("T.argsort(a, -1, True), a.argsort(0)", a=distinct(2, 3)),
    case("T.topk(a, 2)", a=distinct(3, 4)),
    case("a.topk(2, dim=0, largest=False)", a=distinct(3, 4)),
    case("a.topk(1)[0].sum()", a=distinct(2, 3)),
    case("a.topk(0)", a=distinct(2, 3)),
    case("a.topk(1)", a=()),
    case("c.topk(2)", c=[3, 1, 2]),
]

CHANCE = [
    *(
        edge(f"(T.manual_seed(1), {draw})[1]", a=a, **more)
        for a, more in (((20,), {}), ((3, 2), {}))
        for draw in ("(a * 1).uniform_(-1, 2)", "(a * 1).normal_(0.5, 2)", "a.detach().normal_()")
    ),
    case("a.detach().normal_(generator=T.Generator().manual_seed(3))", a=(4,)),
]

REDUCTION = ("mean", "sum", "none")
SOFT = lambda rng: rng.dirichlet([1.0, 1.0, 1.0, 1.0], 3)  # noqa: E731
LOSSES = [
    *(
        case(f"F.{name}(a, b, reduction='{r}')", a=(2, 3), b=(2, 3))
        for r in REDUCTION
        for name in ("l1_loss", "smooth_l1_loss")
    ),
    case("F.smooth_l1_loss(a, b, beta=0.3)", a=(2, 3), b=(2, 3)),
    case("F.smooth_l1_loss(a, b, beta=0)", a=(2, 3), b=(2, 3)),
    case("F.smooth_l1_loss(3 * a, b)", a=[0.1, 0.6, -2.0], b=[0.2, 0.3, 1.0]),
    *(
        edge(
            f"F.{name}(a, b)",
            twice=False,
            a=[0.0, 1.0, -1.0, NAN, INF],
            b=[0.0, 0.0, 0.0, 0.0, 0.0],
        )
        for name in ("l1_loss", "smooth_l1_loss")
    ),
    *(case(f"F.cross_entropy(a, b, reduction='{r}')", a=(3, 4), b=SOFT) for r in REDUCTION),
    *(
        case(
            f"F.cross_entropy(a, b.detach(), w.detach(), reduction='{r}', label_smoothing={smoothing})",
            a=(3, 4),
            b=SOFT,
            w=positive(4),
        )
        for r in REDUCTION
        for smoothing in (0.0, 0.2)
    ),
    case("F.cross_entropy(a, b)", a=(2, 3, 4), b=positive(2, 3, 4)),
    case("F.cross_entropy(a, b)", a=(3,), b=positive(3)),
    *(
        case(
            f"F.cross_entropy(a, c, {weight}, reduction='{r}', label_smoothing=0.1, ignore_index=1)",
            a=(3, 4),
            c=[0, 1, 3],
            w=positive(4),
        )
        for r in REDUCTION
        for weight in ("None", "w.detach()")
    ),
    case("F.cross_entropy(a, c, label_smoothing=0.3)", a=(2, 3, 1, 2), c=[[[0, 2]], [[1, 1]]]),
    case("F.cross_entropy(a, c, label_smoothing=1.0)", a=(4,), c=2),
    case("nn.CrossEntropyLoss(label_smoothing=0.1)(a, c)", a=(3, 4), c=[0, 1, 3]),
    case("nn.NLLLoss(w.detach())(a, c)", a=(3, 4), c=[0, 1, 3], w=positive(4)),
    case("nn.L1Loss()(a, b) + nn.SmoothL1Loss(beta=0.5)(a, b)", a=(2, 3), b=(2, 3)),
]

# ---- mixed types, and sizes of 0 -----------------------------------------------------------------


def of(dtype, *values):
    """The values, in a type that is no floating-point one."""
    return lambda rng: np.array(values, dtype)


u8 = of("uint8", 1, 2, 200)
MIXED = [
    *(case(call, a=u8) for call in ("a / 300", "a < 2.5", "a.sum() + 300", "255 - a")),
    case("a == b", a=[16777216.0], b=[16777217]),
    case("a > b", a=of("uint8", 200), b=of("int32", -1)),
    *(case(f"a {sign} T.tensor(1)", a=of("int32", 5, 6)) for sign in "& | ^".split()),
    case("T.tensor(6) & T.tensor(3, dtype=T.int32)", a=(1,)),
    edge(
        "F.binary_cross_entropy_with_logits(a, b.float().detach())",
        twice=False,
        a=[0.5, -1.0],
        b=[1.0, 0.0],
    ),
    case("T.square(c)", c=[True, False]),
    case("T.arange(2.5, dtype=T.int64), T.arange(0.5, 3.5, dtype=T.int64)", a=(1,)),
    case("a[[0, 1]]", a=(3, 3)),
    *(
        case(f"T.{name}(a, {dim})", a=shape)
        for name in ("softmax", "log_softmax")
        for shape, dim in (((0, 3), 0), ((3, 0), 1), ((0,), 0))
    ),
    case("T.cat([a, b])", a=(0,), b=(2, 3)),
    case("T.cat([b, a], 1)", a=(0,), b=(2, 3)),
    case("T.cat([a, a])", twice=False, a=(0,)),
    case("F.linear(a, w, b)", a=(2, 0), w=(3, 0), b=(3,)),
]

NUMERIC = [*MIXED, *LOSSES, *ELEMENTWISE, *LOGIC, *ACTIVATIONS, *REDUCTIONS, *SORTING, *CHANCE]

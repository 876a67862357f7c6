"""The table of operations, continued: order within a shape, places named by tensors, masks, writes
into views.
"""

from tests.engines import case, distinct, edge, uniform

REARRANGING = [
    case("T.flip(a, (0, -1))", a=(2, 3, 2)),
    case("a.flip([1])", a=(2, 3)),
    case("a.roll(1)", a=(2, 3)),
    case("a.roll(-1, 0)", a=(3, 2)),
    case("a.tril(-1)", a=(2, 3, 4)),
    case("T.triu(a, diagonal=1)", a=(3, 4)),
    case("a.triu()", a=(3, 2)),
    case("a.chunk(3, dim=1)", a=(2, 4)),
]

PLACES = [
    case("a.gather(-2, c)", a=(3, 2), c=[[2, 0], [2, 1], [2, 1], [0, 0]]),
    case("a.gather(0, c)", a=(3, 2), c=[[2], [2]]),
    case("a.t().gather(0, c)", a=(2, 3), c=[[0, 2], [1, 1]]),
    case("a.gather(0, c[:0])", a=(3,), c=[1]),
    case("a.scatter_add(0, c, b)", a=(3,), b=(3,), c=[1, 1, 1]),
    case("a.index_put((c,), b)", a=(3, 2), b=(2, 2), c=[2, 0]),
    case("a.index_put((c,), b, accumulate=True)", a=(3,), b=(4,), c=[2, 2, 0, 2]),
    case("a.index_put((c,), b, True)", a=(3,), b=(), c=[True, False, True]),
    case("a.masked_select(a > 0)", a=distinct(3, 3)),
    case("a.masked_select(c)", a=(3,), c=[[True, False, True], [True, True, False]]),
    case("a.masked_fill(c, 2)", a=(3,), c=[[True, False, True], [True, True, False]]),
    edge("a.log().masked_fill(a == 0, 0.0)", twice=False, a=[0.0, 0.5, 1.0]),
    case("c.masked_fill(c > 1, 7)", c=[1, 2, 3]),
    case("c.nonzero(as_tuple=True)", c=[[True, False], [True, True]]),
    case("a.nonzero()", a=()),
    case("F.one_hot(c, num_classes=4) * a", a=(4,), c=[3, 0]),
    case("F.one_hot(c, 3)", c=1),
    case("a[True]", a=(3, 2)),
    case("a[:, False]", a=(3, 2)),
    case("a[T.tensor(True)]", a=(2,)),
    case("a[c, None]", a=(3, 2), c=[0, 0]),
    case("a[None, c, 1:]", a=(3, 3), c=[True, False, True]),
    case("a[c, :, d]", a=(3, 2, 4), c=[0, 0, 2], d=[3, 3, 1]),
    case("a[:, c, 0]", a=(2, 3, 2), c=[2, 2]),
    case("a[c, ..., [1, 0]]", a=(2, 3, 4), c=[[0], [1]]),
    case("a[1, c]", a=(2, 2, 2), c=[[True, False], [True, True]]),
    case("a[c.byte()]", a=(3,), c=[True, False, True]),
    case("a[c][d]", a=(3, 2), c=[2, 2, 0], d=[True, True, False]),
    case("a[range(2)]", a=(3,)),
    case("a[..., ...]", a=(2, 3)),
    case("a[..., 1, ..., 0]", a=(2, 3)),
]

WRITES = [
    case("[h := a * 1, v := h[0], h.mul_(b), v * h[0]][-1]", a=(2, 3), b=(3,)),
    case("[h := a * 1, v := h[:, 1].mul_(b), h.t() * v][-1]", a=(3, 3), b=(3,)),
    case("[h := a * 1, h[0].fill_(b), h][-1]", a=(2, 3), b=()),
    case("[h := a * 1, h.__setitem__((c, 0), b), h][-1]", a=(3, 2), b=(2,), c=[0, 2]),
    *(
        case(f"(a * 1).{name}_()", a=uniform(0.2, 3.0, 2, 3))
        for name in "reciprocal abs log sin cos square".split()
    ),
    case("(a * 1).pow_(3)", a=(3,)),
    *(
        edge(f"(a * 1).{name}_()", a=(2, 3))
        for name in "sign floor round nan_to_num tril triu".split()
    ),
    case("(a * 1).rsqrt_()", a=uniform(0.2, 3.0, 2, 3)),
    edge("(a * 1).clip_(min=-0.5, max=0.5)", a=(3, 3)),
    edge("(a * 1).remainder_(0.7)", a=(3, 3)),
    case("(a * 1).pow_(b)", a=uniform(0.2, 3.0, 3), b=(3,)),
    case("(a * 1).masked_fill_(c, 2.5)", a=(3,), c=[True, False, True]),
]

PLACED = [*REARRANGING, *PLACES, *WRITES]

"""Cases of odd arguments for which there is an answer: mixed types, empty tensors, lists as indices."""

import numpy as np

from tests.engines import case, edge

NAN, INF = np.nan, np.inf


def of(dtype, *values):
    """The values, in a type that is no floating-point one."""
    return lambda rng: np.array(values, dtype)


u8 = of("uint8", 1, 2, 200)
SAMPLES = [
    *(case(call, a=u8) for call in ("a / 300", "a < 2.5", "a.sum() + 300", "255 - a")),
    case("a == b", a=[16777216.0], b=[16777217]),
    case("a > b", a=of("uint8", 200), b=of("int32", -1)),
    *(case(f"a {sign} T.tensor(1)", a=of("int32", 5, 6)) for sign in "& | ^".split()),
    case("T.tensor(6) & T.tensor(3, dtype=T.int32)", a=(1,)),
    edge(
        "F.binary_cross_entropy_with_logits(a, b.float().detach())",
        twice=False,
        a=lambda rng: np.array([0.5, -1.0]),
        b=lambda rng: np.array([1.0, 0.0]),
    ),
    case("T.square(c)", c=[True, False]),
    case("T.arange(2.5, dtype=T.int64), T.arange(0.5, 3.5, dtype=T.int64)", a=(1,)),
    *(case(f"a[{key}]", a=(3, 3)) for key in ("[0, 1]",)),
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

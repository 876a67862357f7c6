"""Cases of what public samples use beside the lessons: groups, grids, entries repeated.

And of odd arguments for which there is an answer: numbers beyond a type, mixed types, empty
tensors, lists as indices."""

import numpy as np

from tests.engines import case

NAN, INF = np.nan, np.inf


def of(dtype, *values):
    """The values, in a type that is no floating-point one."""
    return lambda rng: np.array(values, dtype)


GROUPS = [
    *(case(f"F.normalize(a, {p})", a=[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]) for p in (0.5, 4)),
]

ASSEMBLED = [
    case("T.meshgrid(a, b, indexing='ij')", a=(3,), b=(2,)),
    case("T.meshgrid(a, b, c, indexing='xy')", a=(3,), b=(2,), c=()),
]

u8 = of("uint8", 1, 2, 200)
i8 = of("int8", 100, 2, -3)
LIKE_PYTORCH = [
    *(
        case(f"a {sign} {number}", a=a)
        for a in (u8, i8)
        for sign in "+ - * // % < == >=".split()
        for number in (300, -1)
    ),
    *(
        case(expression, a=u8)
        for expression in (
            "300 - a",
            "300 ** a",
            "a & 300",
            "a / 300",
            "a == 257",
            "T.full((2,), -1, dtype=a.dtype)",
            "a.clone().fill_(-1)",
            "T.tensor([-1], dtype=a.dtype)",
            "a < 2.5",
            "a.sum() + 300",
        )
    ),
    case("a == b", a=[16777216.0], b=[16777217]),
    case("a > b", a=of("uint8", 200), b=of("int8", -1)),
    *(case(f"a {sign} T.tensor(1)", a=of("int32", 5, 6)) for sign in "& | ^".split()),
    case("T.tensor(6) & T.tensor(3, dtype=T.int32)", a=(1,)),
    case(
        "F.binary_cross_entropy_with_logits(a, b.float().detach())",
        twice=False,
        smooth=False,
        a=lambda rng: np.array([0.5, -1.0]),
        b=lambda rng: np.array([1.0, 0.0]),
    ),
    case("T.square(c)", c=[True, False]),
    case("T.arange(2.5, dtype=T.int64), T.arange(0.5, 3.5, dtype=T.int64)", a=(1,)),
    *(
        case(f"a[{key}]", a=(3, 3))
        for key in (
            "[[0], [1]]",
            "[0, None]",
            "[slice(0, 2), [1]]",
            "[T.tensor(0), 1]",
            "[[]]",
            "[0, 1]",
        )
    ),
    *(case(f"T.{name}(c, ())", c=[[True, False]]) for name in ("all", "any")),
    case("T.max(a, dim=T.tensor(1))", a=(2, 3)),
    case("T.max(a, other=b) + T.min(a, other=b)", a=(2, 3), b=(2, 3)),
    *(
        case(f"T.{name}(a, {dim})", a=shape)
        for name in ("softmax", "log_softmax")
        for shape, dim in (((0, 3), 0), ((3, 0), 1), ((0,), 0))
    ),
    case("T.cat([a, b])", a=(0,), b=(2, 3)),
    case("T.cat([b, a], 1)", a=(0,), b=(2, 3)),
    case("T.cat([a, a])", twice=False, a=(0,)),
    case("F.linear(a, w, b)", a=(2, 0), w=(3, 0), b=(3,)),
    case("reversed(a), list(reversed(a))[0]", a=(2, 3)),
    # Each of the four faults that random mutants planted and no test found.
]

# What both engines refuse alike: expression, then a phrase of both messages. `a` is a vector of 3
# floats.
REFUSED_ALIKE = {
    "F.mse_loss(T.tensor([1]), T.tensor([2]))": "\"mse_cpu\" not implemented for 'Long'",
    "F.smooth_l1_loss(T.tensor([1]), T.tensor([2]))": "\"smooth_l1_cpu\" not implemented for 'Long'",
    "F.binary_cross_entropy_with_logits(T.tensor([1]), T.ones(1))": "\"log_sigmoid_cpu\" not implemented for 'Long'",
    **dict.fromkeys(
        (
            "T.full((2,), 1e300)",
            "T.ones(2).fill_(1e300)",
            "F.pad(T.ones(1, 2), (1, 1), value=1e300)",
            "T.masked_fill(a, a > 0, 1e300)",
            "T.where(a > 0, a, 1e300)",
        ),
        "value cannot be converted to type float without overflow",
    ),
    **dict.fromkeys(
        (
            "T.full((2,), 300, dtype=T.uint8)",
            "T.ones(2, dtype=T.uint8).fill_(300)",
            "T.ones(2, dtype=T.uint8).clamp(300)",
            "T.ones(2, dtype=T.uint8) ** 300",
            "T.ones(2, dtype=T.uint8).scatter(0, T.tensor([0]), 300)",
        ),
        "value cannot be converted to type uint8_t without overflow",
    ),
    **dict.fromkeys(
        (
            "T.full((2,), float('nan'), dtype=T.int64)",
            "T.ones(2).long().fill_(float('nan'))",
            "F.pad(T.tensor([1]), (1, 1), value=float('nan'))",
        ),
        "value cannot be converted to type int64_t without overflow",
    ),
    "T.tensor([1]) * 2 ** 70": "int too big to convert",
    "T.Tensor([None])": "must be real number, not NoneType",
    "T.Tensor(['1.5'])": "too many dimensions 'str'",
    "T.ones(1, 1).bool() @ T.ones(1, 1).bool()": "\"addmm_impl_cpu_\" not implemented for 'Bool'",
    "T.ones(1, 1).bool().mv(T.ones(1).bool())": "\"addmv_impl_cpu\" not implemented for 'Bool'",
    "T.ones(1, 1, 1).bool().bmm(T.ones(1, 1, 1).bool())": "\"bmm\" not implemented for 'Bool'",
    **{
        f"T.{name}(T.tensor([True]))": f"\"{name}_vml_cpu\" not implemented for 'Bool'"
        for name in ("ceil", "floor", "round")
    },
    **{
        f"T.{name}(a.numpy()[::-1])": "At least one stride in the given numpy array is negative"
        for name in ("tensor", "from_numpy", "as_tensor")
    },
    **{f"a.numpy() {sign} a": "'numpy.ndarray' and 'Tensor'" for sign in "- *".split()},
    "a < a.numpy()": "not supported between instances of 'Tensor' and 'numpy.ndarray'",
    "T.unsqueeze(a, ())": "argument 'dim'",
    "T.numel('0')": "argument 'input' (position 1) must be Tensor, not str",
    "T.is_floating_point(3)": "argument 'input' (position 1) must be Tensor, not int",
    "a.size(1.5)": "must be int, not float",
    "a.norm('x')": "linalg.matrix_norm: Order x not supported.",
    "T.ones(0).norm(float('inf'))": "cannot compute the inf norm on an empty tensor",
    "F.batch_norm(a, a, a)": "running_mean should contain 0 elements",
    "T.meshgrid(T.ones(2, 2))": "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got:",
    "T.meshgrid(a, indexing='yx')": 'indexing must be one of "xy" or "ij", but received: yx',
}

SAMPLES = [*GROUPS, *ASSEMBLED, *LIKE_PYTORCH]

"""The table of what layers compute: convolution, pooling, padding, normalization,
embedding.
"""

import itertools
import random

import numpy as np

from tests.engines import BOTH, case, distinct, edge

NAN, INF = np.nan, np.inf


def grid(count, **options):
    """`count` combinations of the options, drawn with a fixed seed, as keyword arguments in text."""
    every = [
        ", ".join(f"{name}={value!r}" for name, value in zip(options, values))
        for values in itertools.product(*options.values())
    ]
    return random.Random(0).sample(every, count)


GRID = [
    *(
        case(f"F.conv2d(a, w, b, {options})", a=(2, 4, 7, 6), w=(4, 2, 3, 2), b=(4,))
        for options in grid(
            16,
            stride=(1, 2, (2, 1), 3),
            padding=(0, 1, (2, 1)),
            dilation=(1, 2, (1, 3)),
            groups=(2,),
        )
    ),
    *(
        case(f"F.max_pool2d(a, {options})", a=(2, 2, 7, 9))
        for options in grid(
            10, kernel_size=(2, 3, (2, 4)), stride=(None, 1, (3, 2)), padding=(0, 1)
        )
    ),
    *(
        case(f"F.avg_pool2d(a, {options})", a=(2, 2, 7, 9))
        for options in grid(
            12,
            kernel_size=(2, 3, (2, 4)),
            stride=(None, 1, (3, 2)),
            padding=(0, 1),
            count_include_pad=(False, True),
        )
    ),
    *(
        case(f"F.adaptive_avg_pool2d(a, {size})", a=(2, 7, 9))
        for size in (1, (7, 3), (1, 9), (7, 1))
    ),
    *(
        case(f"F.pad(a, {pad})", a=(1, 2, 6, 5))
        for pad in ((1, 2, 3, 4), (0, 4, 5, 0), (-1, 3, 2, -2))
    ),
]

CONVOLUTION = [
    case("F.conv2d(a, w, b)", a=(2, 3, 5, 6), w=(4, 3, 3, 2), b=(4,)),
    case("F.conv2d(a.detach(), w, b.detach())", a=(1, 2, 4, 4), w=(2, 2, 2, 2), b=(2,)),
    case("F.conv2d(a, w.detach(), b)", a=(1, 2, 4, 4), w=(2, 2, 2, 2), b=(2,)),
    case(
        "F.conv2d(a, w, b, stride=2, padding=1)",
        dtypes=BOTH,
        a=(2, 2, 7, 6),
        w=(3, 2, 3, 3),
        b=(3,),
    ),
    case(
        "F.conv2d(a, w, stride=(2, 3), padding=(2, 0), dilation=(1, 2))",
        a=(2, 2, 6, 8),
        w=(2, 2, 2, 3),
    ),
    case("F.conv2d(a, w, groups=4, stride=2)", a=(2, 4, 5, 5), w=(8, 1, 2, 3)),
    case("F.conv2d(a, w, b)", a=(2, 4, 5), w=(3, 2, 2, 3), b=(3,)),
    case("F.conv2d(a, w)", a=(1, 2, 4, 5), w=(3, 2, 1, 1)),
    case("F.conv2d(a, w, padding=1)", a=(5, 2, 3, 3), w=(2, 2, 3, 3)),
    case("F.conv2d(a.transpose(1, 3), w.transpose(0, 1))", a=(2, 5, 4, 3), w=(3, 2, 2, 2)),
    case("F.conv2d(a, w, b)", a=(0, 2, 4, 4), w=(3, 2, 2, 2), b=(3,)),
    case(
        "F.conv2d(F.conv2d(a, w, padding=1).tanh(), w, padding=1)", a=(1, 2, 4, 4), w=(2, 2, 3, 3)
    ),
    edge("F.conv2d(a, w)", a=[[[[NAN, 1.0, 2.0], [0.0, 1.0, 3.0]]]], w=[[[[1.0, 2.0]]]]),
]

POOLING = [
    case("F.max_pool2d(a, 2)", a=distinct(2, 3, 4, 5)),
    case("F.max_pool2d(a, 3, 1, 1)", a=distinct(2, 4, 4)),
    edge("F.max_pool2d(a, 2, 1)", a=[[[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]]),
    case("F.max_pool2d(c, 2)", c=[[[1, 5], [-3, 2]]]),
    case("F.avg_pool2d(a, (3, 2), 2, 1)", dtypes=BOTH, a=(1, 2, 6, 5)),
    edge("F.avg_pool2d(a, 2, 1)", a=[[[NAN, 1.0, 2.0, INF], [0.0, 1.0, 3.0, 4.0]]]),
    case("F.adaptive_avg_pool2d(a, 1)", a=(2, 3, 4, 4)),
    edge("F.adaptive_avg_pool2d(a, 2)", a=[[[NAN, 1.0, 2.0, INF], [0.0, 1.0, 3.0, 4.0]]]),
]

PADDING = [
    case("F.pad(a, (1, 2))", a=(2, 3)),
    case("F.pad(a, (1, 2, 0, 1), value=2.5)", a=(2, 2, 3)),
    case("F.pad(a, [0, 0, -1, 2, 1, -1], 'constant', -1)", a=(2, 3, 3)),
    case("F.pad(a, (-3, 1))", a=(2, 3)),
    case("F.pad(a, ())", a=(2, 3)),
    case("F.pad(c, (1, 0))", c=[True, False]),
]

RUNNING = "T.tensor([0.1, -0.2, 0.3], dtype=a.dtype), T.tensor([0.5, 1.0, 2.0], dtype=a.dtype)"

NORMALIZATION = [
    case("F.batch_norm(a, None, None, w, b, training=True)", a=(4, 3, 2, 3), w=(3,), b=(3,)),
    case("F.batch_norm(a, None, None, training=True, eps=0.1)", a=(5, 3)),
    case("F.batch_norm(a, None, None, w, training=True)", a=(3, 2, 4), w=(2,)),
    case(f"F.batch_norm(a, {RUNNING}, w, b, True)", a=(4, 3, 2), w=(3,), b=(3,)),
    case(f"F.batch_norm(a, {RUNNING}, w, b)", a=(4, 3, 2, 2), w=(3,), b=(3,)),
    case(f"F.batch_norm(a, {RUNNING}, bias=b)", twice=False, a=(1, 3), b=(3,)),
    case("F.layer_norm(a, (3,), w, b)", a=(2, 4, 3), w=(3,), b=(3,)),
    case("F.layer_norm(a, [4, 3], w, eps=0.01)", a=(2, 4, 3), w=(4, 3)),
    case("F.layer_norm(a, (3,), bias=b)", twice=False, a=(3,), b=(3,)),
    case("F.dropout(a, 0.3, False)", a=(2, 3)),
    case("F.dropout(a, 1.0)", a=(2, 3)),
    case("F.dropout(a * 1, 1.0, inplace=True)", a=(2, 3)),
    *(
        case(f"[T.manual_seed({seed}), F.dropout(a, p={p})][1]", a=(4, 5))
        for seed, p in ((0, 0.5), (1, 0.3), (2, 0.9))
    ),
    case("[T.manual_seed(3), F.dropout(a * 1, 0.3, inplace=True)][1]", a=(3, 5)),
    case("[T.manual_seed(3), F.dropout(a.t(), 0.3)][1]", a=(3, 5)),
    edge("F.embedding(c, a)", a=(4, 3), c=[0, 1, 2, 1]),
    case("F.embedding(c, a)", a=(4, 3), c=2),
    case("F.embedding(c, a)", a=(4, 0), c=[[1, 2]]),
    case("F.normalize(a, p=1, dim=-1)", a=distinct(2, 3)),
    case("F.normalize(a, dim=0, eps=10.0)", a=(3, 2)),
    edge("F.normalize(a, dim=1)", twice=False, a=[[0.0, 0.0], [3.0, 4.0]]),
]

NEURAL = [*GRID, *CONVOLUTION, *POOLING, *PADDING, *NORMALIZATION]

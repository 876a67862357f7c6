"""Calls with odd arguments, drawn from a seed: wrong types, wrong sizes, numbers beyond a type,
empty and 0-d tensors.

A call is a line of Python in which `T`, `F` and the tensors of `POOL` stand, so that a failing one
can be pasted. `SIGNATURES` says of each function which kinds of argument it takes; most arguments
are drawn from what is usual, some from what is not."""

import re
import warnings
import zlib

import numpy as np
import torch

import autograd_core
from tests.engines import differing, numbers

INF, NAN = float("inf"), float("nan")
DTYPES = "float32 float64 int64 int32 uint8 int8 bool float32 float32".split()
SHAPES = ((3,), (2, 3), (3, 3), (), (0,), (0, 3), (2, 1), (1, 3), (2, 3, 3), (1,))


def pool():
    """{name: array}: for each type and shape one, named as in `f32_2x3`."""
    made = {}
    for dtype in dict.fromkeys(DTYPES):
        kind = np.dtype(dtype).kind
        for shape in SHAPES:
            name = (
                f"{dtype[0] if kind == 'f' else dtype[: -len(dtype.lstrip('uintbolf'))] or dtype}"
                if kind == "b"
                else dtype
            )
            name = (
                f"{name.replace('float', 'f').replace('uint', 'u').replace('int', 'i').replace('bool', 'b')}_"
                + ("x".join(map(str, shape)) or "0d")
            )
            rng = np.random.default_rng(zlib.crc32(name.encode()))
            array = (
                rng.standard_normal(shape) * 2
                if kind == "f"
                else rng.integers(0 if kind in "bu" else -3, 2 if kind == "b" else 6, shape)
            )
            made[name] = np.asarray(array).astype(dtype)
    return made


POOL = pool()
_NAME = re.compile(rf"\b({'|'.join(sorted(POOL, key=len, reverse=True))})\b")
FLOATS = [name for name in POOL if name[0] == "f"]
WHOLE = [name for name in POOL if name[0] in "iu"]
MASKS = [name for name in POOL if name[0] == "b"]
INDICES = [
    "T.tensor([0, 1])",
    "T.tensor([[0, 1], [1, 0]])",
    "T.tensor([2, 0])",
    "T.tensor(1)",
    "T.tensor([], dtype=T.int64)",
    "T.tensor([[0, 0, 1]])",
    "T.tensor([0, 1], dtype=T.int32)",
    "T.tensor([-1])",
    "T.tensor([9])",
]
STRANGE = ["None", "'a'", "[]", "{}", "object()", "1.5", "T", "(1, 2)", "True"]

# kind: (usual, odd)
KINDS = {
    "x": ([*POOL], STRANGE + ["[1.0, 2.0]", "np.ones(3)", "2"]),
    "f": (FLOATS, [*WHOLE, *MASKS, *STRANGE, "2"]),
    "m": (MASKS, ["u8_3", "f32_2x3", "i64_3", "None", "True"]),
    "i": (INDICES, ["f32_3", "b_3", "u8_3", "[0, 1]", "0", "None"]),
    "n": (
        ["0", "1", "2", "-1", "0.5", "-2.5", "3.0"],
        [
            "300",
            "-300",
            "1e300",
            "INF",
            "-INF",
            "NAN",
            "True",
            "False",
            "None",
            "'a'",
            "np.float32(1.5)",
            "np.int64(2)",
            "T.tensor(2)",
            "T.tensor(1.5)",
            "[1]",
            "2 ** 40",
            "2 ** 70",
            "1e-300",
        ],
    ),
    "xn": (
        [*POOL, "2", "0.5", "-1"],
        [
            "300",
            "1e300",
            "True",
            "None",
            "'a'",
            "NAN",
            "np.float64(2)",
            "np.int64(3)",
            "[1]",
            "np.ones(3)",
            "2 ** 40",
        ],
    ),
    "d": (
        ["0", "1", "-1", "-2"],
        [
            "2",
            "5",
            "-4",
            "True",
            "1.0",
            "None",
            "'a'",
            "(0, 1)",
            "(0,)",
            "()",
            "[0]",
            "(0, 0)",
            "T.tensor(0)",
            "np.int64(1)",
            "(0, 9)",
        ],
    ),
    "D": (
        ["0", "1", "-1", "(0, 1)", "(0,)", "()", "[1]", "None"],
        [
            "2",
            "-4",
            "True",
            "1.0",
            "'a'",
            "(0, 0)",
            "(0, 9)",
            "T.tensor(0)",
            "(0, 1.5)",
            "np.int64(1)",
        ],
    ),
    "k": (
        ["1", "2", "0", "3"],
        ["-1", "9", "1.0", "'a'", "None", "True", "T.tensor(1)", "np.int64(2)"],
    ),
    "b": (["True", "False"], ["0", "1", "None", "'a'", "1.0"]),
    "t": (
        ["T.float32", "T.float64", "T.int64", "None"],
        ["'float32'", "float", "np.float32", "3", "T.bool", "T.uint8"],
    ),
    "s": (
        ["(2, 3)", "(3,)", "(6,)", "(-1,)", "(3, -1)", "()", "(1, 3)", "(2, 2, 3)"],
        [
            "(-1, -1)",
            "(0,)",
            "(5, 7)",
            "(2.0, 3)",
            "'a'",
            "None",
            "3",
            "(-3,)",
            "(True, 3)",
            "[3, 3]",
            "T.ones(2, 3).shape",
            "(0, -1)",
        ],
    ),
    "p": (
        ["(1, 1)", "(0, 2)", "(1, 0, 2, 1)", "(-1, 0)"],
        ["(1,)", "(1, 1, 1, 1, 1, 1, 1, 1)", "()", "'a'", "(1.0, 1)", "1", "(-9, 0)", "None"],
    ),
    "r": (["'mean'", "'sum'", "'none'"], ["'x'", "None", "0", "True"]),
    "l": (
        ["[{x}, {x}]", "({x}, {x})", "[{x}]"],
        ["[]", "{x}", "[1, 2]", "[{x}, None]", "None", "[{x}, 2]"],
    ),
    "K": (
        [
            "0",
            "1",
            "-1",
            "None",
            "...",
            "slice(None, 2)",
            "slice(None, None, 2)",
            "(0, 1)",
            "(slice(None), 0)",
            "[0, 1]",
            "T.tensor([0, 1])",
            "(None, 0)",
            "b_3",
            "b_2x3",
        ],
        [
            "1.0",
            "'a'",
            "slice(None, None, -1)",
            "(0, 0, 0, 0)",
            "[True, False]",
            "[[0], [1]]",
            "True",
            "False",
            "9",
            "[0, None]",
            "T.tensor(1)",
            "T.tensor([1.0])",
            "u8_3",
            "np.int64(0)",
            "np.array([0, 1])",
            "(..., ...)",
            "[]",
            "(0, [0, 1])",
            "()",
            "T.tensor([5])",
            "slice(1, 0)",
            "(slice(None), [0, 1], None)",
            "range(2)",
            "[slice(0, 1), [1]]",
        ],
    ),
}

_BINARY = (
    "add sub mul div pow remainder floor_divide maximum minimum eq ne lt le gt ge "
    "bitwise_and bitwise_or bitwise_xor"
)
_UNARY = (
    "neg abs sign exp log log1p sqrt sin cos tanh sigmoid relu square reciprocal floor ceil round isnan isinf isfinite "
    "bitwise_not rsqrt atan erf nan_to_num clone t nonzero "
    "count_nonzero flatten squeeze numel is_floating_point"
)
_SIGNS = "+ - * / // % ** < <= > >= == != & | ^ @".split()
SIGNATURES = {
    **{f"T.{name}({{x}}, {{xn}})": 3 for name in _BINARY.split()},
    **{f"T.{name}({{x}})": 1 for name in _UNARY.split()},
    **{f"{{x}} {sign} {{xn}}": 3 for sign in _SIGNS},
    **{f"{{xn}} {sign} {{x}}": 2 for sign in _SIGNS},
    **{
        f"T.{name}({{x}})": 2
        for name in "sum mean prod max min amax amin argmax argmin all any var std norm".split()
    },
    **{
        f"T.{name}({{x}}, {{D}}, {{b}})": 3
        for name in "sum mean amax amin all any logsumexp".split()
    },
    **{f"T.{name}({{x}}, {{d}}, {{b}})": 3 for name in "prod max min argmax argmin".split()},
    **{
        f"T.{name}({{x}}, {{d}})": 3
        for name in "softmax log_softmax cumsum sort argsort unbind unsqueeze squeeze".split()
    },
    **{f"T.{name}({{x}}, dim={{D}}, correction={{n}})": 1 for name in ("var", "std")},
    "T.sum({x}, {D}, dtype={t})": 2,
    "T.mean({x}, dtype={t})": 2,
    "T.cumsum({x}, {d}, dtype={t})": 1,
    "T.softmax({x}, {d}, dtype={t})": 1,
    "T.norm({f}, {n}, {D}, {b})": 3,
    "T.topk({x}, {k}, {d}, {b})": 3,
    "T.sort({x}, {d}, {b})": 1,
    "T.clamp({x}, {n}, {n})": 4,
    "T.add({x}, {xn}, alpha={n})": 2,
    "T.sub({x}, {xn}, alpha={n})": 2,
    "T.div({x}, {xn}, rounding_mode='floor')": 2,
    "T.div({x}, {xn}, rounding_mode='trunc')": 2,
    "T.where({m}, {x}, {xn})": 4,
    "T.where({m}, {xn}, {x})": 2,
    "T.matmul({x}, {x})": 3,
    "T.mm({x}, {x})": 2,
    "T.mv({x}, {x})": 1,
    "T.dot({x}, {x})": 1,
    "T.bmm({x}, {x})": 1,
    "T.outer({x}, {x})": 1,
    "T.addmm({x}, {x}, {x})": 1,
    "T.cat({l}, {d})": 4,
    "T.stack({l}, {d})": 3,
    "T.transpose({x}, {d}, {d})": 2,
    "T.permute({x}, {s})": 1,
    "T.reshape({x}, {s})": 3,
    "{x}.view({s})": 2,
    "{x}.expand({s})": 2,
    "{x}.repeat({s})": 1,
    "{x}.repeat({k})": 1,
    "{x}.view({k}, {k})": 1,
    "T.flatten({x}, {d}, {d})": 2,
    "T.split({x}, {k}, {d})": 2,
    "T.chunk({x}, {k}, {d})": 2,
    "T.roll({x}, {k}, {d})": 1,
    "T.flip({x}, {D})": 1,
    "T.tril({x}, {k})": 1,
    "T.triu({x}, {k})": 1,
    "T.gather({x}, {d}, {i})": 2,
    "T.scatter({x}, {d}, {i}, {xn})": 2,
    "T.masked_fill({x}, {m}, {xn})": 3,
    "T.masked_select({x}, {m})": 2,
    "{x}[{K}]": 6,
    "T.full({s}, {n})": 2,
    "T.full({s}, {n}, dtype={t})": 2,
    "T.zeros({s}, dtype={t})": 1,
    "T.arange({n}, {n})": 2,
    "T.arange({n}, {n}, {n}, dtype={t})": 2,
    "T.linspace({n}, {n}, {k})": 1,
    "T.eye({k}, {k})": 1,
    "T.full_like({x}, {n})": 2,
    "T.tensor([{n}, {n}])": 2,
    "T.tensor({n}, dtype={t})": 2,
    "T.tensor([{n}], dtype=T.uint8)": 1,
    "T.zeros_like({x})": 1,
    "{x}.to({t})": 1,
    "{x}.size({d})": 1,
    "{x}.item()": 1,
    "{x}.tolist()": 1,
    "bool({x})": 1,
    "float({x})": 1,
    "len({x})": 1,
    "{x}.clone().fill_({n})": 2,
    "{x}.clone().add_({xn})": 2,
    "{x}.clone().mul_({xn})": 2,
    "{x}.clone().copy_({x})": 1,
    "{x}.clone().clamp_({n}, {n})": 1,
    "{x}.clone().masked_fill_({m}, {n})": 1,
    "{x}.type_as({x})": 1,
    **{
        f"F.{name}({{x}}, {{x}}, reduction={{r}})": 2
        for name in "mse_loss l1_loss smooth_l1_loss binary_cross_entropy_with_logits".split()
    },
    "F.cross_entropy({f}, {i}, reduction={r})": 3,
    "F.cross_entropy({f}, {f})": 1,
    "F.nll_loss({f}, {i}, reduction={r})": 2,
    **{f"F.{name}({{x}})": 1 for name in "relu gelu silu leaky_relu softplus logsigmoid".split()},
    "F.leaky_relu({f}, {n})": 1,
    "F.softplus({f}, {n}, {n})": 1,
    "F.linear({x}, {x})": 2,
    "F.linear({f}, {f}, {f})": 1,
    "F.pad({x}, {p})": 2,
    "F.pad({x}, {p}, value={n})": 2,
    "F.one_hot({i}, {k})": 1,
    "F.embedding({i}, {f})": 2,
    "F.layer_norm({f}, {s})": 2,
    "F.normalize({f}, {n}, {d})": 2,
    "F.dropout({f}, {n}, False)": 1,
    "F.cosine_similarity({f}, {f}, {d})": 1,
}


_FORMS = [form for form, weight in SIGNATURES.items() for _ in range(weight)]


def draw(rng, odd=0.12):
    """One call: a line of Python, each of whose arguments is odd with this probability."""
    form = _FORMS[rng.integers(len(_FORMS))]

    def argument(kind):
        usual, strange = KINDS[kind]
        given = strange if rng.random() < odd else usual
        text = given[rng.integers(len(given))]
        while "{x}" in text:
            text = text.replace("{x}", [*POOL][rng.integers(len(POOL))], 1)
        return text

    text = ""
    while "{" in form:
        before, _, rest = form.partition("{")
        kind, _, form = rest.partition("}")
        text += before + argument(kind)
    return text + form


class Outcome:
    """What a call gave on one engine: an exception, or a result with its gradients under random
    cotangents.
    """

    def __init__(self, engine, call, arrays=None):
        self.error = self.result = None
        self.gradients = []
        arrays = {name: POOL[name] for name in _NAME.findall(call)} if arrays is None else arrays
        leaves = {
            name: engine.tensor(a, requires_grad=a.dtype.kind == "f") for name, a in arrays.items()
        }
        names = {
            "T": engine,
            "F": engine.nn.functional,
            "nn": engine.nn,
            "np": np,
            "INF": INF,
            "NAN": NAN,
            **leaves,
        }
        engine.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.result = eval(call, names)
            except Exception as error:  # whatever it is, it is compared
                self.error = error
                return
            several = self.result if isinstance(self.result, (tuple, list)) else [self.result]
            roots = [
                r for r in several if isinstance(r, engine.Tensor) and r.requires_grad and r.numel()
            ]
            wanted = [leaf for leaf in leaves.values() if leaf.requires_grad]
            if roots:
                rng = np.random.default_rng(0)
                cotangents = [
                    engine.tensor(rng.standard_normal(tuple(r.shape)).astype(numbers(r).dtype))
                    for r in roots
                ]
                try:
                    self.gradients = engine.autograd.grad(
                        roots, wanted, cotangents, allow_unused=True
                    )
                except Exception as error:  # so is this
                    self.gradients = [error]

    @property
    def refuses_backward(self):
        return any(isinstance(gradient, Exception) for gradient in self.gradients)


def same(ours, theirs):
    """Whether two values of the two engines agree in kind, type, shape and numbers."""
    if isinstance(ours, autograd_core.Tensor) or isinstance(theirs, torch.Tensor):
        if not (isinstance(ours, autograd_core.Tensor) and isinstance(theirs, torch.Tensor)):
            return False
        mine, other = numbers(ours), numbers(theirs)
        if mine.dtype != other.dtype or mine.shape != other.shape:
            return False
        with np.errstate(all="ignore"):
            return not differing(mine, other).any() or bool(
                np.allclose(mine, other, 1e-5, 1e-6, equal_nan=True)
            )
    if isinstance(ours, (tuple, list)):
        return (
            isinstance(theirs, (tuple, list))
            and len(ours) == len(theirs)
            and all(map(same, ours, theirs))
        )
    if isinstance(ours, Exception):
        return isinstance(theirs, Exception)
    if isinstance(ours, float) and isinstance(theirs, float):
        return (
            ours == theirs
            or ours != ours
            and theirs != theirs
            or abs(ours - theirs) <= 1e-5 * abs(theirs)
        )
    if isinstance(ours, np.ndarray) or isinstance(theirs, np.ndarray):
        return type(ours) is type(theirs) and np.array_equal(ours, theirs)
    return ours == theirs and (
        type(ours) is type(theirs) or not isinstance(ours, (int, bool, str, type(None)))
    )


def compare(call, engines=(autograd_core, torch), arrays=None):
    """How a call went on both: "agree", "both raise", "other type", "only we raise", and what is
    SILENT.

    arrays  its tensors, by default those of `POOL`.
    """
    ours, theirs = (Outcome(engine, call, arrays) for engine in engines)
    if ours.error is None and theirs.error is None:
        if not same(ours.result, theirs.result):
            return "value", ours, theirs
        if ours.refuses_backward != theirs.refuses_backward:
            return (
                "only we raise" if ours.refuses_backward else "only PyTorch's backward raises",
                ours,
                theirs,
            )
        return (
            "agree" if same(list(ours.gradients), list(theirs.gradients)) else "gradient",
            ours,
            theirs,
        )
    if ours.error is None:
        return "only PyTorch raises", ours, theirs
    if theirs.error is None:
        return "only we raise", ours, theirs
    return (
        "both raise" if isinstance(ours.error, type(theirs.error)) else "other type",
        ours,
        theirs,
    )


SILENT = ("value", "gradient", "only PyTorch raises", "only PyTorch's backward raises")

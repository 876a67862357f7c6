"""Random PyTorch programs, written from integers: one integer, one statement.

A statement is drawn from the table `STATEMENTS` and applied to values drawn from those that exist:
the start values `x0 … x3` and the results `v0, v1 …` so far. So programs have fan-out, views of
views, values that nobody uses. PyTorch runs each statement while the program is written: the table
asks it which values fit, and numbers stay moderate and away from kinks and ties, where two correct
engines may differ by one rounding."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

LARGEST, MOST_ELEMENTS, MOST_DIMENSIONS = 50.0, 64, 4
# of the integer for one statement; hypothesis draws these evenly, longer ones not
BITS = 24
SHAPES = [(3,), (), (2, 3), (3, 3), (4,), (3, 1), (2, 3, 2), (3, 4)]


@dataclass(frozen=True)
class Statement:
    """A line of the table: `text` with places {a}, {b} for values, {d} for a dimension of a, {c}
    for a number.

    fits    of PyTorch's tensors a and b: whether the statement may be applied to them.
    writes  whether it changes a in place. Otherwise it is an expression, and its result becomes a
            new value.
    """

    text: str
    fits: Callable = lambda a, b: True
    writes: bool = False


@dataclass(frozen=True)
class Program:
    """Start values, statements, and the names that backward starts from.

    leaves  {name: numbers}; all but x3 require a gradient.
    roots   {name: cotangent}: the computed values that require a gradient and that nothing else was
            computed from.
    """

    leaves: dict[str, np.ndarray]
    lines: tuple[str, ...]
    roots: dict[str, np.ndarray]

    def __str__(self):
        """The program as a PyTorch script."""

        def made(array):
            return f"T.tensor({array.tolist()}, dtype=T.float64"

        return "\n".join(
            [
                "import torch as T, torch.nn.functional as F",
                *(
                    f"{name} = {made(a)}{', requires_grad=True' if name != 'x3' else ''})"
                    for name, a in self.leaves.items()
                ),
                *self.lines,
                f"T.autograd.backward([{', '.join(self.roots)}], [{', '.join(made(a) + ')' for a in self.roots.values())}])",
                "print(" + ", ".join(f"{name}.grad" for name in self.leaves) + ")",
            ]
        )

    def start(self, engine):
        """The names that the lines find: the engine and the start values."""
        return {"T": engine, "F": engine.nn.functional} | {
            name: engine.tensor(a, requires_grad=name != "x3") for name, a in self.leaves.items()
        }


# ---- what fits -----------------------------------------------------------------------------------


def array(t):
    return t.detach().numpy()


def below(limit):
    return lambda a, b: not a.numel() or np.abs(array(a)).max() < limit


def above(limit):
    return lambda a, b: array(a).min() > limit


def clear(t, *kinks):
    """No element is within rounding of a kink."""
    return all((np.abs(array(t) - kink) > 1e-6).all() for kink in kinks)


def clear_of(*kinks):
    return lambda a, b: clear(a, *kinks)


def far_from_zero(t):
    return np.abs(array(t)).min() > 0.3


def distinct(a, b=None):
    """No two elements are equal, or nearly so."""
    return a.numel() < 2 or np.diff(np.sort(array(a), axis=None)).min() > 1e-6


def spread(a, b=None):
    """There is more than one element in the last dimension, and they differ."""
    return a.ndim > 0 and a.shape[-1] > 1 and array(a).var(axis=-1).min() > 0.01


def broadcast(a, b):
    """The common shape of a and b; None if there is none."""
    try:
        return np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return None


def together(a, b):
    return broadcast(a, b) is not None


def alike(a, b):
    return a.shape == b.shape


def dims(*counts):
    return lambda a, b: a.ndim in counts and a.numel() > 0


def matrices(a, b):
    return a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]


def may_change(a):
    """PyTorch lets this tensor be changed where that is recorded, and each element is a place of
    its own.
    """
    base = a if a._base is None else a._base
    return not any(t.is_leaf and t.requires_grad for t in (a, base)) and separate(a)


def separate(a):
    """Each element of a has a place of its own in memory. Nothing of `expand()` may be written to
    in autograd_core.
    """
    return 0 not in a.stride()


def receives(a, b):
    """b can be written into a, which keeps its shape; they share no memory, unless a is b."""
    return (
        may_change(a)
        and broadcast(a, b) == tuple(a.shape)
        and (a is b or a.untyped_storage().data_ptr() != b.untyped_storage().data_ptr())
    )


# ---- the table -----------------------------------------------------------------------------------

ELEMENTWISE = [
    Statement("{a}.tanh()"),
    Statement("{a} * {c}"),
    Statement("{c} - {a}"),
    Statement("-{a}"),
    Statement("{a}.sigmoid()"),
    Statement("{a}.square()"),
    Statement("{a} ** 3", below(3)),
    Statement("{a}.exp()", below(3)),
    Statement("{a}.log()", above(0.2)),
    Statement("{a}.sqrt()", above(0.1)),
    Statement("{a}.reciprocal()", lambda a, b: far_from_zero(a)),
    Statement("{a}.abs()", clear_of(0)),
    Statement("{a}.relu()", clear_of(0)),
    Statement("{a}.clamp(-0.6, 0.7)", clear_of(-0.6, 0.7)),
    Statement("F.gelu({a})"),
]

TWO_VALUES = [
    Statement("{a} + {b}", together),
    Statement("{a} - {b}", together),
    Statement("{a} * {b}", together),
    Statement("{a} / {b}", lambda a, b: together(a, b) and far_from_zero(b)),
    Statement("{a} / ({b} * {b} + 1)", together),
    Statement("T.add({a}, {b}, alpha={c})", together),
    Statement(
        "{a} ** {b}",
        lambda a, b: together(a, b) and above(0.2)(a, b) and below(4)(a, b) and below(3)(b, a),
    ),
    Statement("T.maximum({a}, {b})", lambda a, b: together(a, b) and clear(a - b, 0)),
    Statement("T.where({a} > 0.2, {a}, {b})", lambda a, b: together(a, b) and clear(a, 0.2)),
    Statement(
        "T.where({b} > {c}, {a}, {c})",
        lambda a, b: together(a, b) and clear(b, 0.4, -0.7, 1.3, 0.9),
    ),
    Statement("{a} * ({b} > 0.1).to({a}.dtype)", lambda a, b: together(a, b) and clear(b, 0.1)),
    Statement("T.cat([{a}, {b}, {a}], {d})", lambda a, b: alike(a, b) and a.ndim > 0),
    Statement("T.stack([{a}, {b}], -1)", alike),
    Statement("F.mse_loss({a}, {b})", alike),
    Statement("F.smooth_l1_loss({a}, {b})", lambda a, b: alike(a, b) and clear(a - b, -1, 0, 1)),
    Statement(
        "F.binary_cross_entropy_with_logits({a}, {b}.detach().sigmoid())",
        lambda a, b: alike(a, b) and clear(a, 0),
    ),
]

REDUCTIONS = [
    Statement("{a}.sum()"),
    Statement("{a}.sum({d})"),
    Statement("{a}.sum({d}, keepdim=True)"),
    Statement("{a}.mean()"),
    Statement("{a}.var(-1)", spread),
    Statement("{a}.norm()", lambda a, b: far_from_zero(a)),
    Statement("{a}.max()", distinct),
    Statement("{a}.max({d})[0]", distinct),
    Statement("{a}.prod({d})", below(3)),
    Statement("{a}.cumsum({d})"),
    Statement("{a}.softmax({d})"),
    Statement("{a}.topk(1, {d})[0]", distinct),
    Statement("F.layer_norm({a}, {a}.shape[-1:])", spread),
]

SHAPE = [
    Statement("{a}.reshape(-1)"),
    Statement("{a}.view(-1)", lambda a, b: a.is_contiguous()),
    Statement("{a}.t()", dims(1, 2)),
    Statement("{a}.transpose(0, -1)", dims(2, 3)),
    Statement("{a}.permute(-1, 0)", dims(2)),
    Statement("{a}.unsqueeze({d})"),
    Statement("{a}.squeeze()"),
    Statement("{a}.expand(2, *{a}.shape)"),
    Statement("{a}.flip({d})", dims(1, 2, 3)),
    Statement("{a}.contiguous()"),
    Statement("{a}.clone()"),
    Statement("T.cat({a}.split(2, {d})[::-1], {d})", dims(1, 2)),
    Statement("sum({a}.unbind({d}))", dims(1, 2, 3)),
    Statement("{a}.chunk(2, {d})[-1] * {c}", dims(1, 2)),
]

INDEXING = [
    Statement("{a}[0]", dims(1, 2, 3)),
    Statement("{a}[-1:]", dims(1, 2, 3)),
    Statement("{a}[..., ::2]", dims(1, 2, 3)),
    Statement("{a}[:, None]", dims(1, 2, 3)),
    Statement("{a}[[0, -1, 0]]", dims(1, 2)),
    Statement("{a}.transpose({d}, 0)[:1]", dims(1, 2)),
    Statement("{a}.transpose({d}, 0)[-1]", dims(1, 2, 3)),
    Statement("{a}[{b} > 0.3]", lambda a, b: alike(a, b) and clear(b, 0.3)),
    Statement(
        "{a}.masked_fill({b} > 0.3, {c})",
        lambda a, b: broadcast(a, b) == tuple(a.shape) and clear(b, 0.3),
    ),
    Statement(
        "{a}.gather({d}, {a}.detach().argsort({d}))", lambda a, b: distinct(a) and a.ndim > 0
    ),
    Statement(
        "{a}.scatter_add({d}, ({a} > 0).long() * 0, {b})", lambda a, b: alike(a, b) and a.ndim > 0
    ),
]

PRODUCTS = [
    Statement(
        "{a} @ {b}",
        lambda a, b: (
            a.ndim > 0 < b.ndim
            and a.shape[-1] == b.shape[max(b.ndim - 2, 0)]
            and together(
                a[..., 0, 0] if a.ndim > 2 else a.sum(), b[..., 0, 0] if b.ndim > 2 else b.sum()
            )
        ),
    ),
    Statement("T.mm({a}, {b})", matrices),
    Statement(
        "T.addmm({a}, {a}, {b})",
        lambda a, b: matrices(a, b) and broadcast(a, b) == tuple(b.shape) == tuple(a.shape),
    ),
    Statement(
        "F.linear({a}, {b})", lambda a, b: a.ndim > 0 and b.ndim == 2 and a.shape[-1] == b.shape[1]
    ),
    Statement("F.conv2d({a}[None, :, None], {a}[None, :, None, :2])", dims(2)),
    Statement("F.nll_loss({a}.log_softmax(1), T.arange({a}.shape[0]) % {a}.shape[1])", dims(2)),
]

OUTSIDE = [  # of the graph
    Statement("{a}.detach()"),
    Statement("{a}.detach() * {b}", together),
    Statement("{a}.data + {b}", together),
    Statement("T.no_grad()(lambda: {a} * 0.5)()"),
]

IN_PLACE = [
    Statement(*s, writes=True)
    for s in (
        ("{a}.mul_({c})", lambda a, b: may_change(a)),
        ("{a} += {b}", receives),
        ("{a}.sub_({b})", receives),
        ("{a} *= {b}", lambda a, b: receives(a, b) and below(2)(b, a)),
        ("{a}.tanh_()", lambda a, b: may_change(a)),
        ("{a}.sigmoid_()", lambda a, b: may_change(a)),
        ("{a}.neg_()", lambda a, b: may_change(a)),
        ("{a}.relu_()", lambda a, b: may_change(a) and clear(a, 0)),
        ("{a}.zero_()", lambda a, b: may_change(a)),
        ("{a}.copy_({b})", receives),
        ("{a}.fill_({c})", lambda a, b: may_change(a)),
        ("{a}.clamp_(-0.6, 0.7)", lambda a, b: may_change(a) and clear(a, -0.6, 0.7)),
        ("{a}[0] = {b}", lambda a, b: a.ndim > 0 and may_change(a) and receives(a[0].detach(), b)),
        ("{a}[-1] *= {c}", lambda a, b: a.ndim > 0 and may_change(a)),
        (
            "{a}[..., 0] += {b}",
            lambda a, b: a.ndim > 0 and may_change(a) and receives(a[..., 0].detach(), b),
        ),
        (
            "{a}[{b} > 0.3] = {c}",
            lambda a, b: alike(a, b) and a.ndim > 0 and may_change(a) and clear(b, 0.3),
        ),
        ("{a}[[0, -1]] = {c}", lambda a, b: a.ndim > 0 and may_change(a)),
        ("{a}.masked_fill_({b} > 0.3, {c})", lambda a, b: receives(a, b) and clear(b, 0.3)),
        ("with T.no_grad(): {a}.mul_(0.5)", lambda a, b: separate(a)),
    )
]

# A change in place is drawn half as often as the rest: programs that PyTorch refuses for one
# compare less.
STATEMENTS = (
    2 * (ELEMENTWISE + TWO_VALUES + REDUCTIONS + SHAPE + INDEXING + PRODUCTS + OUTSIDE) + IN_PLACE
)


# ---- writing a program ---------------------------------------------------------------------------


def write(integers: Sequence[int], count: dict[Statement, int] | None = None) -> Program:
    """The program that `integers` stand for: the first chooses the start values, each other one a
    statement.

    0 stands for no statement, so that a failing program shrinks by its lines. `count` counts what
    was used."""
    start, *rest = integers
    rng = np.random.default_rng(start)
    leaves = {
        f"x{i}": np.round(rng.standard_normal(SHAPES[(start >> 3 * i) % len(SHAPES)]), 3)
        for i in range(4)
    }
    program = Program(leaves, (), {})
    values = program.start(torch)
    names, lines, used = list(leaves), [], set()
    for integer in rest:
        if integer:
            statement, places = _choose(integer, names, values, len(lines))
            line = statement.text.format(**places)
            if not statement.writes:
                line = f"v{len(lines)} = {line}"
                names.append(f"v{len(lines)}")
            lines.append(line)
            used.update(
                places[p]
                for p in "ab"
                if f"{{{p}}}" in statement.text and (p == "b" or not statement.writes)
            )
            if count is not None:
                count[statement] = count.get(statement, 0) + 1
    with_gradient = [name for name in names if values[name].grad_fn]
    ends = [name for name in with_gradient if name not in used] or with_gradient[-1:]
    roots = {name: np.round(rng.standard_normal(tuple(values[name].shape)), 3) for name in ends}
    return Program(leaves, tuple(lines), roots)


def _choose(integer, names, values, number):
    """The first statement of the table, from a drawn place on, that fits the drawn values; it has
    run in `values`.
    """
    place, digits = integer % len(STATEMENTS), integer // len(STATEMENTS)
    a, b = (names[-1 - (digits >> shift & 15) % len(names)] for shift in (0, 4))
    places = {
        "a": a,
        "b": b,
        "d": (digits >> 8) % max(values[a].ndim, 1),
        "c": (0.4, -0.7, 1.3, 0.9)[digits >> 10 & 3],
    }
    for statement in STATEMENTS[place:] + STATEMENTS[:place]:
        if values[a].numel() and statement.fits(values[a], values[b]):
            text = statement.text.format(**places)
            if statement.writes:
                exec(text, values)
                return statement, places
            result = eval(text, values)
            if (
                0 < result.numel() <= MOST_ELEMENTS
                and result.ndim <= MOST_DIMENSIONS
                and result.isfinite().all()
                and below(LARGEST)(result, None)
            ):
                values[f"v{number}"] = result
                return statement, places
    raise AssertionError("the first statement of the table fits everything")

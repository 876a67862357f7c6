"""Losses: how far `input` is from `target`, as one number or one for each element.

`reduction` is "mean" (over all elements), "sum", or "none". The gradient of a mean is the gradient
of the sum, divided by the number of elements. In the formulas of the rules, n is that number for
"mean", and 1 for other reductions."""

import numpy as np

from ..core.operation import formula, operation
from ..core.tensor import TensorBase


def check_reduction(reduction):
    """Raise ValueError unless `reduction` is "mean", "sum" or "none"."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _reduce(losses, reduction, weight=None):
    check_reduction(reduction)
    losses = losses if weight is None else losses * weight
    if reduction == "none":
        return losses
    total = losses.sum()
    return total if reduction == "sum" else total / losses.dtype.type(losses.size)


def _share(g, input, reduction, weight=None):
    """The gradient for each element: for a mean, `g` divided by the number of elements."""
    share = g / int(np.prod(input.shape, dtype=int)) if reduction == "mean" else g
    return share if weight is None else share * weight


@operation(node="MulBackward1", input=lambda g, number: g * number, sign="×")
def scaled(input, number):
    """`input * number`, as PyTorch records it in its losses."""
    return input * number


@operation(node="DivBackward1", input=lambda g, number: g / number, sign="÷")
def divided(input, number):
    """`input / number`, as PyTorch records it in its losses."""
    return np.divide(input, input.dtype.type(number))


# ---- distances -----------------------------------------------------------------------------------


@formula("g * 2 * (input - target) / n")
def _mse_to_input(g, input, target, reduction):
    return 2 * (input - target) * _share(g, input, reduction)


@formula("g * 2 * (target - input) / n")
def _mse_to_target(g, input, target, reduction):
    return _mse_to_input(g, target, input, reduction)


@operation(input=_mse_to_input, target=_mse_to_target, promotes=True, sign="²")
def mse_loss(input, target, reduction="mean"):
    """The squared differences `(input - target) ** 2`."""
    difference = input - target
    return _reduce(difference * difference, reduction)


@formula("g * clamp(input - target, -beta, beta) / beta / n")
def _smooth_l1_to_input(ops, g, input, target, reduction, beta):
    return ops.clamp_number(input - target, -beta, beta) * _share(g / beta, input, reduction)


@formula("g * clamp(target - input, -beta, beta) / beta / n")
def _smooth_l1_to_target(ops, g, input, target, reduction, beta):
    return _smooth_l1_to_input(ops, g, target, input, reduction, beta)


@operation(input=_smooth_l1_to_input, target=_smooth_l1_to_target, promotes=True)
def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """Half of the squared difference divided by `beta`. Beyond `beta` it is linear with slope 1."""
    distance = np.abs(input - target)
    losses = np.where(distance < beta, distance * distance / 2, beta * (distance - beta / 2))
    return _reduce(losses, reduction) / beta


# ---- probabilities -------------------------------------------------------------------------------


def _log(array):
    """The logarithm, at least -100, as in PyTorch. So `binary_cross_entropy` is finite at 0 and 1."""
    return np.maximum(np.log(array), array.dtype.type(-100))


# PyTorch divides by at least this number, which it has in float32
_SMALLEST = float(np.float32(1e-12))


@formula("g * weight * (input - target) / (input * (1 - input)) / n")
def _bce_to_input(ops, g, input, target, weight, reduction):
    share = _share(g, input, reduction, weight)
    return share * (input - target) / ops.clamp_number(input * (1 - input), _SMALLEST)


@formula("g * weight * (log(1 - input) - log(input)) / n")
def _bce_to_target(ops, g, input, weight, reduction):
    return _share(g, input, reduction, weight) * (ops.log(1 - input) - ops.log(input))


@operation(input=_bce_to_input, target=_bce_to_target, constants=("weight",), sign="H")
def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """`-(target * log(input) + (1 - target) * log(1 - input))`. Logarithms are at least -100."""
    if not np.all((input >= 0) & (input <= 1)):
        raise RuntimeError("all elements of input should be between 0 and 1: use .sigmoid() first")
    return _reduce((target - 1) * _log(1 - input) - target * _log(input), reduction, weight)


@formula(
    "g * weight * ((1 - target + pos_weight * target) * sigmoid(input) - pos_weight * target) / n",
    pos_weight={None: "g * weight * (sigmoid(input) - target) / n"},
)
def _logits_to_input(ops, g, input, target, weight, pos_weight, reduction):
    positive = target if pos_weight is None else pos_weight * target
    share = 1 if pos_weight is None else positive + 1 - target
    return _share(g, input, reduction, weight) * (share * ops.sigmoid(input) - positive)


@formula(
    "g * weight * (log(1 - sigmoid(input)) - pos_weight * log(sigmoid(input))) / n",
    pos_weight={None: "g * weight * -input / n"},
)
def _logits_to_target(ops, g, input, weight, pos_weight, reduction):
    likely = None if pos_weight is None else ops.sigmoid(input)
    slope = -input if pos_weight is None else ops.log(1 - likely) - pos_weight * ops.log(likely)
    return _share(g, input, reduction, weight) * slope


@operation(
    input=_logits_to_input, target=_logits_to_target, constants=("weight", "pos_weight"), sign="H"
)
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction="mean"):
    """`binary_cross_entropy(sigmoid(input), target)`, stable for large logits, in `target`'s type."""
    softplus = np.log1p(np.exp(-np.abs(input))) + np.maximum(-input, input.dtype.type(0))
    softplus = softplus if pos_weight is None else softplus * ((pos_weight - 1) * target + 1)
    losses = (1 - target) * input + softplus
    return _reduce(losses.astype(target.dtype, copy=False), reduction, weight)


# ---- classes -------------------------------------------------------------------------------------


def _counted(shape, target, weight, ignore_index):
    """(the indices of the target classes in (N, C, …) or (C), any for ignored ones; which targets
    aren't ignored, None for all; their weights, None if all are 1).
    """
    target, classes = np.asarray(target, np.int64), shape[min(1, len(shape) - 1)]
    outside, kept = target.view(np.uint64) >= classes, None  # as unsigned, negative ones are large
    if 0 <= ignore_index < classes or outside.any():
        kept = target != ignore_index
        wrong = outside & kept
        if wrong.any():
            raise IndexError(f"Target {target[wrong].flat[0]} is out of bounds.")
        target = target % classes
    if len(shape) == 2:
        entries = np.arange(len(target)), target
    else:
        rows = np.indices(target.shape, sparse=True)
        entries = *rows[:1], target, *rows[1:]
    weights = kept if weight is None else np.asarray(weight)[target]
    return entries, kept, weights if weight is None or kept is None else weights * kept


@formula("put(-g * weight / n, target)")
def _to_classes(ops, g, input_shape, target, weight, reduction, ignore_index):
    """`n` is the sum of the weights of all targets that aren't ignored."""
    entries, kept, weights = _counted(input_shape, target, weight, ignore_index)
    dtype = g._array.dtype if isinstance(g, TensorBase) else g.dtype
    if weights is None:
        each = -g / np.asarray(target).size if reduction == "mean" else -g
    else:
        weights = weights.astype(dtype)
        each = -g * (weights / weights.sum() if reduction == "mean" else weights)
    each = each if kept is None else ops.masked(each, kept)
    return ops.put_at(ops.zeros(input_shape, dtype), entries, each)


@operation(input=_to_classes, constants=("target", "weight"), sign="H")
def nll_loss(input, target, weight=None, reduction="mean", ignore_index=-100):
    """The negative log-probability (N, C) of each target class (N). A mean is weighted by `weight`."""
    entries, _, weights = _counted(input.shape, target, weight, ignore_index)
    losses = -input[entries]
    if weights is None:
        return _reduce(losses, reduction)
    weights = weights.astype(input.dtype)
    losses = losses * weights
    return losses.sum() / weights.sum() if reduction == "mean" else _reduce(losses, reduction)


@operation(node="NllLoss2DBackward0", input=_to_classes, constants=("target", "weight"))
def nll_loss2d(input, target, weight=None, reduction="mean", ignore_index=-100):
    """`nll_loss` for images: log-probabilities (N, C, H, W) and target classes (N, H, W)."""
    return nll_loss.forward(input, target, weight, reduction, ignore_index)

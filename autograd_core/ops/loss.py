"""Losses: how far `input` is from `target`, as one number or one for each element.

`reduction` is "mean" (over all elements), "sum", or "none". The gradient of a mean is that of the sum, divided by the
number of elements: that is all `reduction` does to it.
"""

import numpy as np

from .operation import operation


def _reduce(losses, reduction):
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction: use 'mean', 'sum' or 'none'")
    total = np.sum(losses)
    return total if reduction == "sum" else total / losses.dtype.type(losses.size)


def _spread(g, shape, reduction):
    """What arrived, for each element: a mean hands each its share."""
    return g / int(np.prod(shape, dtype=int)) if reduction == "mean" else g


@operation(node="MulBackward1", input=lambda g, number: g * number)
def scaled(input, number):
    """`input * number`, as PyTorch records it inside of its losses."""
    return input * number


@operation(node="DivBackward1", input=lambda g, number: g / number)
def divided(input, number):
    """`input / number`, as PyTorch records it inside of its losses."""
    return np.divide(input, input.dtype.type(number))


@operation(
    input=lambda g, input, target, reduction: 2 * (input - target) * _spread(g, input.shape, reduction),
    target=lambda g, input, target, reduction: -2 * (input - target) * _spread(g, input.shape, reduction),
    promotes=True)
def mse_loss(input, target, reduction="mean"):
    """The squared differences, `(input - target) ** 2`."""
    difference = input - target
    return _reduce(difference * difference, reduction)


def _bounded_slope(ops, g, input, target, reduction, bound):
    return ops.clamp(input - target, -bound, bound) * _spread(g, input.shape, reduction)


def _bounded(input, target, bound):
    """`d * d / 2` for a distance d up to `bound`, from there on a straight line."""
    distance = np.abs(input - target)
    return np.where(distance < bound, distance * distance / 2, bound * (distance - bound / 2))


@operation(
    input=lambda ops, g, input, target, reduction, delta: _bounded_slope(ops, g, input, target, reduction, delta),
    target=lambda ops, g, input, target, reduction, delta: -_bounded_slope(ops, g, input, target, reduction, delta),
    promotes=True)
def huber_loss(input, target, reduction="mean", delta=1.0):
    """Half the squared differences; straight lines where a difference is above `delta`."""
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    return _reduce(_bounded(input, target, delta), reduction)


@operation(
    node="SmoothL1LossBackward0",
    input=lambda ops, g, input, target, reduction, beta: _bounded_slope(ops, g, input, target, reduction, beta) / beta,
    target=lambda ops, g, input, target, reduction, beta: -_bounded_slope(ops, g, input, target, reduction, beta) / beta,
    promotes=True)
def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """`huber_loss` divided by `beta`: the slope ends at 1."""
    return _reduce(_bounded(input, target, beta) / beta, reduction)


def _log(array):
    """The logarithm, not below -100: so PyTorch keeps `binary_cross_entropy` finite at 0 and 1."""
    return np.maximum(np.log(array), array.dtype.type(-100))


_SMALLEST = float(np.float32(1e-12))         # what PyTorch divides by at least; it keeps the number in float32


def _weighted(losses, weight):
    return losses if weight is None else losses * weight


@operation(
    input=lambda ops, g, input, target, weight, reduction: _weighted(
        _spread(g, input.shape, reduction) * (input - target) / ops.clamp(input * (1 - input), _SMALLEST), weight),
    target=lambda ops, g, input, weight, reduction: _weighted(
        _spread(g, input.shape, reduction) * (ops.log(1 - input) - ops.log(input)), weight))
def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """`-(target * log(input) + (1 - target) * log(1 - input))`, for probabilities `input`; logarithms end at -100."""
    if not np.all((input >= 0) & (input <= 1)):
        raise RuntimeError("all elements of input should be between 0 and 1: put the logits through sigmoid first, or "
                           "use binary_cross_entropy_with_logits")
    losses = (target - 1) * _log(1 - input) - target * _log(input)
    return _reduce(_weighted(losses, weight), reduction)


def _times_positive(target, pos_weight):
    """How much each element's positive part counts: `(pos_weight - 1) * target + 1`."""
    return 1 if pos_weight is None else (pos_weight - 1) * target + 1


def _bce_logits_slope(ops, input, target, pos_weight):
    if pos_weight is None:
        return ops.sigmoid(input) - target
    positive = pos_weight * target
    return (positive + 1 - target) * ops.sigmoid(input) - positive


@operation(
    input=lambda ops, g, input, target, weight, pos_weight, reduction: _weighted(
        _spread(g, input.shape, reduction) * _bce_logits_slope(ops, input, target, pos_weight), weight),
    target=lambda ops, g, input, weight, pos_weight, reduction: _weighted(
        _spread(g, input.shape, reduction) * (-input if pos_weight is None else
                                              ops.log(1 - ops.sigmoid(input)) - pos_weight * ops.log(ops.sigmoid(input))),
        weight))
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction="mean"):
    """`binary_cross_entropy(sigmoid(input), target)`, without leaving the range of numbers for large logits."""
    log_weight = _times_positive(target, pos_weight)
    softplus = np.log1p(np.exp(-np.abs(input))) + np.maximum(-input, input.dtype.type(0))
    return _reduce(_weighted((1 - target) * input + log_weight * softplus, weight), reduction)


def _chosen(shape, target, weight, ignore_index):
    """For log-probabilities (N, C, …) or (C): each target's index, whether it counts, its weight, the sum of weights."""
    kept = target != ignore_index
    classes = np.where(kept, target, 0)
    outside = (classes < 0) | (classes >= shape[min(1, len(shape) - 1)])
    if outside.any():
        raise IndexError(f"Target {np.atleast_1d(classes[outside])[0]} is out of bounds.")
    weights = kept * (1.0 if weight is None else weight[classes])
    grid = np.indices(target.shape)
    return (*grid[:1], classes, *grid[1:]), kept, weights, weights.sum()


def _nll(input, target, weight, reduction, ignore_index):
    index, _, weights, total = _chosen(input.shape, target, weight, ignore_index)
    losses = -input[index] * weights.astype(input.dtype)
    if reduction == "mean":
        return np.sum(losses) / input.dtype.type(total)
    return _reduce(losses, reduction)


@operation(input=lambda ops, g, input_shape, target, weight, reduction, ignore_index: ops.nll_loss_spread(
    g, input_shape, target, weight, reduction, ignore_index))
def nll_loss(input, target, weight=None, reduction="mean", ignore_index=-100):
    """Minus the log-probability (N, C) of each target class (N). The mean is over the weights that count."""
    return _nll(input, target, weight, reduction, ignore_index)


@operation(
    node="NllLoss2DBackward0",
    input=lambda ops, g, input_shape, target, weight, reduction, ignore_index: ops.nll_loss_spread(
        g, input_shape, target, weight, reduction, ignore_index))
def nll_loss2d(input, target, weight=None, reduction="mean", ignore_index=-100):
    """As `nll_loss`, for pictures: log-probabilities (N, C, H, W) and target classes (N, H, W)."""
    return _nll(input, target, weight, reduction, ignore_index)


@operation(gradient=lambda ops, g, target, weight, reduction, ignore_index: ops.nll_loss(
    g, target, weight, reduction, ignore_index))
def nll_loss_spread(gradient, shape, target, weight, reduction, ignore_index):
    """The transpose of `nll_loss`: zeros of `shape`, and minus the gradient at each target's entry."""
    index, kept, weights, total = _chosen(shape, target, weight, ignore_index)
    out = np.zeros(shape, gradient.dtype)
    out[index] = np.where(kept, -gradient * weights / (total if reduction == "mean" else 1), 0)
    return out

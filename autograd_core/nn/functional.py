"""Layers and losses as functions without state, with the names of `torch.nn.functional`."""

import warnings

from ..compat import sampling
from ..compat.dtypes import int64, uint8
from ..compat.tensor import Tensor
from ..core.graph import check
from ..core.public import found_under, offers, public
from ..ops import elementwise, loss
from ..ops.reduction import log_softmax


@public("F", example="F.relu(a)", a=(2, 3))
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(input, 0)`. Its slope at 0 is 0. Raises RuntimeError for booleans."""
    return input.relu_() if inplace else elementwise.relu(input)


def _stretched(input, target):
    """Broadcast both to one size, with PyTorch's warning if their sizes differ."""
    if input.shape == target.shape:
        return input, target
    words = (
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape})"
    )
    words += ". This will likely lead to incorrect results due to broadcasting. Please ensure they"
    warnings.warn(words + " have the same size.", UserWarning, stacklevel=3)
    shape = (input.detach() + target.detach()).shape
    return tuple(t if t.shape == shape else t.expand(shape) for t in (input, target))


def _check_alike(input, target):
    words = "Target size ({}) must be the same as input size ({})"
    check(target.shape == input.shape, words, target.shape, input.shape, error=ValueError)


def _reduced(losses, reduction):
    loss.check_reduction(reduction)
    return losses if reduction == "none" else getattr(losses, reduction)()


@public("F", example="F.mse_loss(a, b)", a=(), b=())
def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The squared differences. Different sizes are broadcast, with PyTorch's warning."""
    return loss.mse_loss(*_stretched(input, target), reduction)


@public("F", example="F.l1_loss(a, b)", a=(2, 3), b=(2, 3))
def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The absolute differences. Different sizes are treated as in `mse_loss`."""
    input, target = _stretched(input, target)
    return _reduced((input - target).abs(), reduction)


@public("F", example="F.smooth_l1_loss(a, b)", a=(2, 3), b=(2, 3))
def smooth_l1_loss(input, target, *, reduction="mean", beta=1.0) -> Tensor:
    """For differences d: `d * d / (2 * beta)` below `beta`, else `|d| - beta / 2`. See `mse_loss`."""
    input, target = _stretched(input, target)
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return loss.smooth_l1_loss(input, target, reduction, beta)


@public("F", example="F.binary_cross_entropy(a.sigmoid(), b.sigmoid())", a=(2, 3), b=(2, 3))
def binary_cross_entropy(input, target, weight=None, *, reduction="mean") -> Tensor:
    """The cross-entropy of probabilities in [0, 1] (or RuntimeError), for targets of their size."""
    _check_alike(input, target)
    check(target.dtype is input.dtype, "binary_cross_entropy() needs a target of the input's type")
    return loss.binary_cross_entropy(input, target, weight, reduction)


@public("F", example="F.binary_cross_entropy_with_logits(a, b)", a=(2, 3), b=(2, 3))
def binary_cross_entropy_with_logits(
    input, target, weight=None, *, reduction="mean", pos_weight=None
) -> Tensor:
    """`binary_cross_entropy(sigmoid(input), target)`. `pos_weight` weights the positive targets."""
    _check_alike(input, target)
    return loss.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


@public("F", example="F.nll_loss(a, c)", a=(3, 4), c=[0, 3, 1])
def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction="mean") -> Tensor:
    """The negative log-probability (N, C) or (N, C, …) of each target class (N) or (N, …), int64."""
    _check_classes(input, target, weight)
    if input.ndim < 3:
        return loss.nll_loss(input, target, weight, reduction, ignore_index)
    if input.ndim == 4:
        return loss.nll_loss2d(input, target, weight, reduction, ignore_index)
    rows, classes = input.contiguous(), target.reshape(len(target), 1, -1)
    rows = rows.view(*input.shape[:2], 1, -1)
    losses = loss.nll_loss2d(rows, classes, weight, reduction, ignore_index)
    return losses.view(target.shape) if reduction == "none" else losses


def _check_classes(input, target, weight):
    """Raise RuntimeError if the class numbers or weights don't fit the input."""
    if target.dtype is not int64 and target.dtype is not uint8:
        kind = target.dtype.short
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {kind}: use .long()")
    shape, given = input._array.shape, target._array.shape
    wanted = shape[:1] + shape[2:] if len(shape) > 1 else ()
    check(given == wanted, "Expected target size {}, got {}", list(wanted), list(given))
    classes = shape[min(1, len(shape) - 1)]
    fits = weight is None or weight.shape == (classes,)
    check(fits, "the weight must have one entry for each of {} classes", classes)


@public("F", example="F.cross_entropy(a, c)", a=(1, 3, 2, 1), c=[[[0], [2]]])
def cross_entropy(
    input, target, weight=None, *, ignore_index=-100, reduction="mean", label_smoothing=0.0
) -> Tensor:
    """The cross-entropy of logits (N, C) or (N, C, …) for target classes (N) or (N, …), or for target
    probabilities in the shape of `input`. `label_smoothing`, in [0, 1], is the fraction of the
    target probability that is spread evenly over all classes."""
    check(0 <= label_smoothing <= 1, "label_smoothing lies between 0 and 1")
    dim = 0 if input.ndim == 1 else 1
    logs = log_softmax(input, dim)
    words = "Expected floating point type for target with class probabilities, got {}"
    check(target.shape != input.shape or target.is_floating_point(), words, target.dtype.short)
    if not label_smoothing and not target.is_floating_point():
        return nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    classes = input.shape[dim]
    weights = None if weight is None else weight.view(-1, *(1,) * (input.ndim - 1 - dim))
    if target.is_floating_point() and target.shape == input.shape:
        check(ignore_index < 0, "ignore_index is not supported for floating point target")
        if label_smoothing:
            target = loss.scaled(target, 1 - label_smoothing) + label_smoothing / classes
        losses = logs * target if weight is None else logs * target * weights
        if reduction == "mean":
            return loss.divided(-losses.sum(), input.numel() // classes)
        return -_reduced(losses.sum(dim) if reduction == "none" else losses, reduction)
    losses = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing:
        return losses  # not reached: nll_loss raises for a floating point target of another size
    # mix it with the mean loss over all classes
    weighted, kept = logs if weight is None else logs * weights, target != ignore_index
    spread = (-weighted.sum(dim)).masked_fill(~kept, 0.0)
    spread = spread if reduction == "none" else spread.sum()
    if reduction == "mean":
        spread = spread / (kept.sum() if weight is None else (weight[target * kept] * kept).sum())
    spread = loss.scaled(spread, label_smoothing / classes)
    return loss.scaled(losses, 1 - label_smoothing) + spread


for _name, _record in found_under("F").items():
    globals()[_name] = _record.function
__all__ = sorted(found_under("F"))
__dir__, __getattr__ = offers(__name__, __all__)

"""Layers and losses as functions, under the names of `torch.nn.functional`. They keep nothing
between calls.
"""

import warnings

from ..compat import functions
from ..compat.dtypes import int64, uint8
from ..compat.sampling import dropout, dropout2d
from ..core.checks import check_flags, check_floats, check_tensors, dimension
from ..core.graph import check
from ..core.types import check_fits
from ..ops import activation, elementwise, linalg, loss
from ..ops.convolution import conv1d, conv2d, conv_transpose2d
from ..ops.gathering import one_hot
from ..ops.inplace import in_place
from ..ops.linalg import cosine_similarity, normalize
from ..ops.normalization import batch_norm, embedding, group_norm, layer_norm
from ..ops.pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from ..ops.resizing import interpolate
from ..ops.windows import pad

linear = linalg.linear
sigmoid = elementwise.sigmoid
tanh = elementwise.tanh
gelu, softplus, logsigmoid = activation.gelu, activation.softplus, activation.logsigmoid
softmax, log_softmax = functions.softmax, functions.log_softmax


def relu(input, inplace=False):
    """`max(input, 0)`."""
    return input.relu_() if inplace else elementwise.relu(input)


def _activation(operation, *names):
    """`operation` with its options `names`, then PyTorch's `inplace`."""

    def activate(input, *args, inplace=False, **options):
        check(
            len(args) <= len(names) + 1,
            "{}() takes {} positional arguments but {} were given",
            activate.__name__,
            len(names) + 2,
            len(args) + 1,
            error=TypeError,
        )
        *args, inplace = args if len(args) > len(names) else (*args, inplace)
        if args or options:
            check_tensors(activate.__name__, input=input)
            check_fits(input, *args, *options.values())
        return (in_place(operation) if inplace else operation)(input, *args, **options)

    activate.__name__, activate.__doc__ = operation.__name__, operation.__doc__
    return activate


silu, elu = _activation(activation.silu), _activation(activation.elu, "alpha")
leaky_relu = _activation(activation.leaky_relu, "negative_slope")


def _stretched(name, input, target):
    """Both in one size, with PyTorch's warning if they had two."""
    check_tensors(name, input=input, target=target)
    if input.shape == target.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape})."
        " This will likely lead to incorrect results due to broadcasting. Please ensure they have"
        " the same size.",
        UserWarning,
        stacklevel=3,
    )
    shape = (input.detach() + target.detach()).shape
    return tuple(t if t.shape == shape else t.expand(shape) for t in (input, target))


def _reduced(losses, reduction):
    loss.check_reduction(reduction)
    return losses if reduction == "none" else getattr(losses, reduction)()


def mse_loss(input, target, *, reduction="mean"):
    """The squared differences. Sizes should be equal; if not, they are stretched, with PyTorch's
    warning.
    """
    return loss.mse_loss(*_stretched("mse_loss", input, target), reduction)


def l1_loss(input, target, *, reduction="mean"):
    """The absolute differences. Sizes as in `mse_loss`."""
    input, target = _stretched("l1_loss", input, target)
    return _reduced((input - target).abs(), reduction)


def smooth_l1_loss(input, target, *, reduction="mean", beta=1.0):
    """Absolute differences, round below `beta`: `d * d / (2 * beta)`. Sizes as in `mse_loss`."""
    check(beta >= 0, "smooth_l1_loss does not support negative values for beta.")
    input, target = _stretched("smooth_l1_loss", input, target)
    return (
        loss.smooth_l1_loss(input, target, reduction, beta)
        if beta
        else l1_loss(input, target, reduction=reduction)
    )


def huber_loss(input, target, *, reduction="mean", delta=1.0):
    """Half the squared differences, straight lines beyond `delta`. Sizes as in `mse_loss`."""
    input, target = _stretched("huber_loss", input, target)
    check(
        input.is_floating_point() or not target.is_floating_point(),
        "result type {} can't be cast to the desired output type {}",
        target.dtype.short,
        input.dtype.short,
    )
    return loss.huber_loss(input, target, reduction, delta)


def binary_cross_entropy(input, target, weight=None, *, reduction="mean"):
    """For probabilities `input` in [0, 1] and targets of the same size. Raises RuntimeError outside
    [0, 1].
    """
    check_tensors("binary_cross_entropy", input=input, target=target)
    check(
        input.shape == target.shape,
        "Using a target size ({}) that is different to the input size ({}) is deprecated. "
        "Please ensure they have the same size.",
        target.shape,
        input.shape,
        error=ValueError,
    )
    check(
        input.dtype is target.dtype,
        "Found dtype {} but expected {}: bring the target to the input's type, with "
        "target.to(input.dtype)",
        target.dtype.short,
        input.dtype.short,
    )
    return loss.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input, target, weight=None, *, reduction="mean", pos_weight=None
):
    """`binary_cross_entropy(sigmoid(input), target)`; `pos_weight` multiplies the positive part."""
    weights = {} if weight is None else {"weight": weight}
    check_tensors("binary_cross_entropy_with_logits", input=input, target=target, **weights)
    check(
        target.is_floating_point(),
        "result type {} can't be cast to the desired output type {}: make the target "
        "floating point, with target.to(input.dtype)",
        input.dtype.short,
        target.dtype.short,
    )
    check(
        input.shape == target.shape,
        "Target size ({}) must be the same as input size ({})",
        target.shape,
        input.shape,
        error=ValueError,
    )
    return loss.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """Minus the log-probability of each target class. input (N, C) or (N, C, …), target (N) or (N,
    …), int64.
    """
    check_tensors("nll_loss", input=input, target=target)
    ignore_index = dimension(ignore_index, "ignore_index")
    check(
        target.dtype in (int64, uint8),
        "expected target dtype to be Long or Byte, but got {}: class numbers are "
        "integers, use target.long()",
        target.dtype.short,
    )
    check(input.ndim, "Expected 1 or more dimensions (got 0)", error=ValueError)
    check(
        input.ndim == 1 or input.shape[:1] == target.shape[:1],
        "Expected input batch_size ({}) to match target batch_size ({}).",
        input.shape[0],
        target.shape[0] if target.ndim else "none",
        error=ValueError,
    )
    check(
        weight is None or not weight.requires_grad,
        "The function 'nll_loss_forward' is not differentiable with respect to argument 'weight'."
        " This input cannot have requires_grad True: use weight.detach()",
    )
    check(
        input.ndim >= 3 or target.ndim <= 1,
        "0D or 1D target tensor expected, multi-target not supported",
    )
    wanted = () if input.ndim == 1 else (input.shape[0], *input.shape[2:])
    check(
        target.shape == wanted,
        "Expected target size {}, got {}: the input's shape without the dimension of the classes",
        list(wanted),
        list(target.shape),
    )
    classes = input.shape[min(1, input.ndim - 1)]
    check(
        weight is None or weight.shape == (classes,),
        "weight tensor should be defined either for all {} classes or no "
        "classes but got weight tensor of shape: {}",
        classes,
        getattr(weight, "shape", None),
    )
    if input.ndim < 3:
        return loss.nll_loss(input, target, weight, reduction, ignore_index)
    if input.ndim == 4:
        return loss.nll_loss2d(input, target, weight, reduction, ignore_index)
    rows = input.contiguous().view(*input.shape[:2], 1, -1)
    target_rows = target.reshape(len(target), 1, -1)
    losses = loss.nll_loss2d(rows, target_rows, weight, reduction, ignore_index)
    return losses.view(target.shape) if reduction == "none" else losses


def cross_entropy(
    input, target, weight=None, *, ignore_index=-100, reduction="mean", label_smoothing=0.0
):
    """How badly logits (N, C) or (N, C, …) foretell the target: class numbers (N) or (N, …), or
    probabilities like input.

    `label_smoothing`, in [0, 1], is the part of the target's probability that is spread over all
    classes alike."""
    check_tensors("cross_entropy_loss", input=input, target=target)
    check_floats("cross_entropy_loss", label_smoothing=label_smoothing)
    check(
        0 <= label_smoothing <= 1,
        "label_smoothing must be between 0.0 and 1.0. Got: {}",
        label_smoothing,
    )
    dim = 0 if input.ndim == 1 else 1
    logs, classes = log_softmax(input, dim), input.shape[dim]
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
        return losses
    weighted = logs if weight is None else logs * weights
    return _smoothed(
        losses, weighted, target, weight, ignore_index, reduction, label_smoothing, dim
    )


def _smoothed(losses, weighted, target, weight, ignore_index, reduction, label_smoothing, dim):
    """`losses` of the target classes, mixed with the mean loss over all classes."""
    kept = target != ignore_index
    spread = (-weighted.sum(dim)).masked_fill(~kept, 0.0)
    if reduction != "none":
        spread = spread.sum()
    if reduction == "mean":
        spread = spread / (kept.sum() if weight is None else (weight[target * kept] * kept).sum())
    spread = loss.scaled(spread, label_smoothing / weighted.shape[dim])
    return loss.scaled(losses, 1 - label_smoothing) + spread


def __getattr__(name):
    raise AttributeError(f"autograd_core has no nn.functional.{name}")

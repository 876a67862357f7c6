"""Layers and losses as functions, under the names of `torch.nn.functional`. They keep nothing between calls."""

import warnings

from ..dtypes import int64, uint8
from ..ops import elementwise, functions, linalg, loss
from ..ops.convolution import conv1d, conv2d, conv_transpose2d
from ..ops.normalization import batch_norm, cosine_similarity, dropout, embedding, layer_norm, normalize
from ..ops.pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from ..ops.resampling import interpolate, pad
from ..ops.checks import check_tensors

linear = linalg.linear
sigmoid = elementwise.sigmoid
tanh = elementwise.tanh


def _along_classes(function):
    """The form of softmax that guesses the dimension of the classes, with PyTorch's warning, if it is not given."""
    def along(input, dim=None, _stacklevel=3, dtype=None):
        if dim is None:
            warnings.warn(f"Implicit dimension choice for {function.__name__} has been deprecated. Change the call to "
                          "include dim=X as an argument.", UserWarning, stacklevel=_stacklevel)
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return function(input, dim, dtype)
    along.__name__, along.__doc__ = function.__name__, function.__doc__
    return along


softmax, log_softmax = map(_along_classes, (functions.softmax, functions.log_softmax))


def relu(input, inplace=False):
    """`max(input, 0)`."""
    return input.relu_() if inplace else elementwise.relu(input)


def _same_size(input, target):
    if input.shape != target.shape:
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is "
                         "deprecated. Please ensure they have the same size.")


def mse_loss(input, target, *, reduction="mean"):
    """The squared differences. Sizes should be equal; if not, they are stretched, with PyTorch's warning."""
    check_tensors("mse_loss", input=input, target=target)
    if input.shape != target.shape:
        warnings.warn(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This "
                      "will likely lead to incorrect results due to broadcasting. Please ensure they have the same "
                      "size.", UserWarning, stacklevel=2)
        shape = (input.detach() + target.detach()).shape
        input, target = input.expand(shape), target.expand(shape)
    return loss.mse_loss(input, target, reduction)


def binary_cross_entropy(input, target, weight=None, *, reduction="mean"):
    """For probabilities `input` in [0, 1] and targets of the same size. Raises RuntimeError outside [0, 1]."""
    check_tensors("binary_cross_entropy", input=input, target=target)
    _same_size(input, target)
    if input.dtype is not target.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.short} but expected {input.dtype.short}: bring the target to the "
                           "input's type, with target.to(input.dtype)")
    return loss.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, *, reduction="mean", pos_weight=None):
    """`binary_cross_entropy(sigmoid(input), target)`; `pos_weight` multiplies the positive part."""
    check_tensors("binary_cross_entropy_with_logits", input=input, target=target)
    if not target.is_floating_point():
        raise RuntimeError(f"result type {input.dtype.short} can't be cast to the desired output type "
                           f"{target.dtype.short}: make the target floating point, with target.to(input.dtype)")
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return loss.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """Minus the log-probability of each target class. input (N, C) or (N, C, …), target (N) or (N, …), int64."""
    check_tensors("nll_loss", input=input, target=target)
    if target.dtype not in (int64, uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.short}: class numbers are "
                           "integers, use target.long()")
    if not input.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.ndim > 1 and input.shape[:1] != target.shape[:1]:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
                         f"({target.shape[0] if target.ndim else 'none'}).")
    if input.ndim < 3 and target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    wanted = () if input.ndim == 1 else (input.shape[0], *input.shape[2:])
    if target.shape != wanted:
        raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target.shape)}: the input's shape without "
                           "the dimension of the classes")
    classes = input.shape[min(1, input.ndim - 1)]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes but got "
                           f"weight tensor of shape: {list(weight.shape)}")
    if input.ndim < 3:
        return loss.nll_loss(input, target, weight, reduction, ignore_index)
    if input.ndim == 4:
        return loss.nll_loss2d(input, target, weight, reduction, ignore_index)
    rows = input.contiguous().view(*input.shape[:2], 1, -1)
    losses = loss.nll_loss2d(rows, target.reshape(len(target), 1, -1), weight, reduction, ignore_index)
    return losses.view(target.shape) if reduction == "none" else losses


def cross_entropy(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """`nll_loss` of `log_softmax`: logits (N, C) or (N, C, …) against class numbers (N) or (N, …)."""
    check_tensors("cross_entropy_loss", input=input, target=target)
    if target.is_floating_point() and target.shape == input.shape:
        raise NotImplementedError("autograd_core takes class numbers as the target (int64), not class probabilities")
    return nll_loss(log_softmax(input, 0 if input.ndim == 1 else 1), target, weight, ignore_index=ignore_index,
                    reduction=reduction)


def __getattr__(name):
    raise AttributeError(f"autograd_core has no nn.functional.{name}")

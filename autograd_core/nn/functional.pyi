"""`torch.nn.functional`'s names: `F.relu(x)`. Written by `python -m tests.stubs`."""

from collections.abc import Sequence
from typing import Any

from ..compat.tensor import Tensor

_bool = bool
_float = float
_int = int
_str = str
Number = _int | _float | _bool

def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of `output_size` windows of equal size. Raises NotImplementedError if the windows would have different sizes. In autograd_core/ops/pooling.py."""
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, *, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window of (N, C, H, W). By default, zeros of the padding count. In autograd_core/ops/pooling.py."""
def batch_norm(input: Tensor, running_mean: Any, running_var: Any, weight: Tensor | Any | None = None, bias: Any = None, training: _bool = False, momentum: _float = 0.1, eps: _float = 1e-05) -> Tensor:
    """Normalize each channel of (N, C, …) to mean 0 and variance 1, times weight, plus bias. In autograd_core/ops/normalization.py."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | Any | None = None, *, reduction: _str = 'mean') -> Tensor:
    """The cross-entropy of probabilities in [0, 1] (or RuntimeError), for targets of their size. In autograd_core/nn/functional.py."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | Any | None = None, *, reduction: _str = 'mean', pos_weight: Any = None) -> Tensor:
    """`binary_cross_entropy(sigmoid(input), target)`. `pos_weight` weights the positive targets. In autograd_core/nn/functional.py."""
def conv2d(input: Tensor, weight: Tensor | Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Slide a weight (O, C / groups, kH, kW) over an input (N, C, H, W) or (C, H, W). In autograd_core/ops/convolution.py."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | Any | None = None, *, ignore_index: Any = -100, reduction: _str = 'mean', label_smoothing: _float = 0.0) -> Tensor:
    """The cross-entropy of logits (N, C) or (N, C, …) for target classes (N) or (N, …), or for target probabilities in the shape of `input`. `label_smoothing`, in [0, 1], is the fraction of the target probability that is spread evenly over all classes. In autograd_core/nn/functional.py."""
def dropout(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, set each number to 0 with probability `p`, and divide the others by 1 - p. In autograd_core/compat/sampling.py."""
def embedding(input: Tensor, weight: Tensor | Any) -> Tensor:
    """The rows (…, D) of `weight` (V, D) at the indices `input` (…). In autograd_core/ops/normalization.py."""
def gelu(input: Tensor) -> Tensor:
    """`input` times the probability that a standard normal variable is less than `input`. In autograd_core/ops/activation.py."""
def l1_loss(input: Tensor, target: Tensor, *, reduction: _str = 'mean') -> Tensor:
    """The absolute differences. Different sizes are treated as in `mse_loss`. In autograd_core/nn/functional.py."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | Any | None = None, bias: Any = None, eps: _float = 1e-05) -> Tensor:
    """Normalize over the last dimensions (of `normalized_shape`), times weight, plus bias. In autograd_core/ops/normalization.py."""
def leaky_relu(input: Tensor, negative_slope: _float = 0.01) -> Tensor:
    """`input` if it is above 0, else `negative_slope * input`. The slope at 0 is `negative_slope`. In autograd_core/ops/activation.py."""
def linear(input: Tensor, weight: Tensor | Any, bias: Any = None) -> Tensor:
    """`input @ weightᵀ + bias`: input (…, n), weight (m, n), bias (m) or None, result (…, m). In autograd_core/ops/linalg.py."""
def log_softmax(input: Tensor, dim: Any) -> Tensor:
    """The logarithm of `softmax`, computed without overflow. In autograd_core/ops/reduction.py."""
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Tensor:
    """The greatest element of each window of (N, C, H, W) or (C, H, W). Only it gets a gradient. In autograd_core/ops/pooling.py."""
def mse_loss(input: Tensor, target: Tensor, *, reduction: _str = 'mean') -> Tensor:
    """The squared differences. Different sizes are broadcast, with PyTorch's warning. In autograd_core/nn/functional.py."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | Any | None = None, *, ignore_index: Any = -100, reduction: _str = 'mean') -> Tensor:
    """The negative log-probability (N, C) or (N, C, …) of each target class (N) or (N, …), int64. In autograd_core/nn/functional.py."""
def normalize(input: Tensor, p: _float = 2.0, dim: Any = 1, eps: _float = 1e-12) -> Tensor:
    """`input` divided by its p-norm along `dim`, or by `eps` if the norm is less. In autograd_core/ops/linalg.py."""
def one_hot(input: Tensor, num_classes: Any = -1) -> Tensor:
    """The one-hot vector of each class number, of length `num_classes` (default: the greatest + 1). In autograd_core/ops/gathering.py."""
def pad(input: Tensor, pad: Any, mode: _str = 'constant', value: Any = None) -> Tensor:
    """Pad `input` with `value`, by default 0. Modes except "constant" raise NotImplementedError. In autograd_core/ops/windows.py."""
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """`max(input, 0)`. Its slope at 0 is 0. Raises RuntimeError for booleans. In autograd_core/nn/functional.py."""
def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-input))`, between 0 and 1. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def silu(input: Tensor) -> Tensor:
    """`input * sigmoid(input)`. In autograd_core/ops/activation.py."""
def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: _str = 'mean', beta: _float = 1.0) -> Tensor:
    """For differences d: `d * d / (2 * beta)` below `beta`, else `|d| - beta / 2`. See `mse_loss`. In autograd_core/nn/functional.py."""
def softmax(input: Tensor, dim: Any) -> Tensor:
    """`exp(input)` divided by its sum along `dim`: positive numbers with the sum 1. In autograd_core/ops/reduction.py."""
def softplus(input: Tensor, beta: _float = 1.0, threshold: _float = 20.0) -> Tensor:
    """`log(1 + exp(beta * input)) / beta`, or `input` if `beta * input > threshold`. In autograd_core/ops/activation.py."""
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent, between -1 and 1. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""

"""`torch.nn.functional`'s names: `F.relu(x)`. Written by `python -m tests.stubs`."""

from collections.abc import Sequence
from typing import Any

from ..compat.tensor import Tensor

_bool = bool
_float = float
_int = int
_str = str
Number = _int | _float | _bool

def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor: ...  # autograd_core/ops/pooling.py
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., ceil_mode: _bool = ..., count_include_pad: _bool = ...) -> Tensor: ...  # autograd_core/ops/pooling.py
def batch_norm(input: Tensor, running_mean: Any, running_var: Any, weight: Tensor | Any = ..., bias: Any = ..., training: _bool = ..., momentum: _float = ..., eps: _float = ...) -> Tensor: ...  # autograd_core/ops/normalization.py
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | Any = ..., *, reduction: _str = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | Any = ..., *, reduction: _str = ..., pos_weight: Any = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def conv1d(input: Tensor, weight: Tensor | Any, bias: Any = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ...) -> Tensor: ...  # autograd_core/ops/convolution.py
def conv2d(input: Tensor, weight: Tensor | Any, bias: Any = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ...) -> Tensor: ...  # autograd_core/ops/convolution.py
def conv_transpose2d(input: Tensor, weight: Tensor | Any, bias: Any = ..., stride: Any = ..., padding: Any = ..., output_padding: Any = ..., groups: Any = ..., dilation: Any = ...) -> Tensor: ...  # autograd_core/ops/convolution.py
def cosine_similarity(x1: Any, x2: Any, dim: Any = ..., eps: _float = ...) -> Tensor: ...  # autograd_core/ops/linalg.py
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | Any = ..., *, ignore_index: Any = ..., reduction: _str = ..., label_smoothing: _float = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def dropout(input: Tensor, p: _float = ..., training: _bool = ..., inplace: _bool = ...) -> Tensor: ...  # autograd_core/compat/sampling.py
def dropout2d(input: Tensor, p: _float = ..., training: _bool = ..., inplace: _bool = ...) -> Tensor: ...  # autograd_core/compat/sampling.py
def embedding(input: Tensor, weight: Tensor | Any, padding_idx: Any = ...) -> Tensor: ...  # autograd_core/ops/normalization.py
def gelu(input: Tensor, approximate: _str = ...) -> Tensor: ...  # autograd_core/ops/activation.py
def interpolate(input: Tensor, size: Any = ..., scale_factor: Any = ..., mode: _str = ..., align_corners: Any = ...) -> Tensor: ...  # autograd_core/ops/resizing.py
def l1_loss(input: Tensor, target: Tensor, *, reduction: _str = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | Any = ..., bias: Any = ..., eps: _float = ...) -> Tensor: ...  # autograd_core/ops/normalization.py
def leaky_relu(input: Tensor, negative_slope: _float = ..., inplace: _bool = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def linear(input: Tensor, weight: Tensor | Any, bias: Any = ...) -> Tensor: ...  # autograd_core/ops/linalg.py
def log_softmax(input: Tensor, dim: Any, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def logsigmoid(input: Tensor) -> Tensor: ...  # autograd_core/ops/activation.py
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., dilation: Any = ..., ceil_mode: _bool = ...) -> Tensor: ...  # autograd_core/ops/pooling.py
def mse_loss(input: Tensor, target: Tensor, *, reduction: _str = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | Any = ..., *, ignore_index: Any = ..., reduction: _str = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def normalize(input: Tensor, p: _float = ..., dim: Any = ..., eps: _float = ...) -> Tensor: ...  # autograd_core/ops/linalg.py
def one_hot(input: Tensor, num_classes: Any = ...) -> Tensor: ...  # autograd_core/ops/gathering.py
def pad(input: Tensor, pad: Any, mode: _str = ..., value: Any = ...) -> Tensor: ...  # autograd_core/ops/windows.py
def relu(input: Tensor, inplace: _bool = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def sigmoid(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def silu(input: Tensor, inplace: _bool = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: _str = ..., beta: _float = ...) -> Tensor: ...  # autograd_core/nn/functional.py
def softmax(input: Tensor, dim: Any, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def softplus(input: Tensor, beta: _float = ..., threshold: _float = ...) -> Tensor: ...  # autograd_core/ops/activation.py
def tanh(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py

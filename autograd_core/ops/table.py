"""The one table of what backward rules, and the engine, may call by name: `ops.exp(result)`.

numpy_ops       works on plain arrays. No node is made, so an ordinary backward is fast.
recorded_ops    works on tensors. Under `create_graph` the rule's own operations become a graph,
                and that can be differentiated again.
"""

from types import SimpleNamespace

import numpy as np

from ..core.graph import check
from ..core.tensor import TensorBase, wrap
from . import (
    comparison,
    convolution,
    elementwise,
    gathering,
    indexing,
    linalg,
    loss,
    reduction,
    shape,
    windows,
)
from .extended import activation, rearrange, resampling, rounding, statistics, transcendental

OPERATIONS = (
    elementwise.abs,
    elementwise.add,
    elementwise.clamp,
    elementwise.cos,
    elementwise.exp,
    elementwise.log,
    elementwise.masked,
    elementwise.mul,
    elementwise.pow,
    elementwise.pow_scalar,
    elementwise.sigmoid,
    elementwise.sign,
    elementwise.sin,
    elementwise.tanh,
    elementwise.threshold_backward,
    elementwise.where,
    comparison.isfinite,
    comparison.isnan,
    reduction.mean_dim,
    reduction.sum,
    reduction.sum_dim,
    shape.cat,
    shape.expand,
    shape.permute,
    shape.squeeze_dim,
    shape.stack,
    shape.t,
    shape.transpose,
    shape.unbind,
    shape.unsqueeze,
    linalg.bmm,
    linalg.mm,
    linalg.mv,
    gathering.drop,
    gathering.index,
    gathering.put,
    gathering.put_at,
    indexing.slice_dim,
    convolution.convolution,
    convolution.convolution_weight,
    windows.constant_pad_nd,
    loss.nll_loss,
    loss.nll_loss_spread,
    activation.leaky_relu_backward,
    rearrange.diagonal,
    rearrange.flip_dims,
    rearrange.roll_dims,
    rearrange.tril,
    rearrange.triu,
    resampling.resample,
    rounding.rounded_div,
    statistics.cumsum,
    statistics.prod_dim,
    transcendental.cosh,
    transcendental.erf,
    transcendental.sinh,
)


def _from_hook(returned):
    check(
        isinstance(returned, TensorBase),
        "expected Variable, but hook returned '{}': return a tensor, or None",
        type(returned).__name__,
        error=TypeError,
    )
    return returned


# Beside the operations: how a gradient of one type or of zeros is made, and how one is shown to a
# hook and taken back.
numpy_ops = SimpleNamespace(
    creates_graph=False,
    **{operation.__name__: operation.forward for operation in OPERATIONS},
    reshape=np.reshape,
    zeros=np.zeros,
    zeros_like=np.zeros_like,
    cast=lambda array, dtype: array if array.dtype == dtype else array.astype(dtype),
    as_tensor=wrap,
    from_tensor=lambda tensor: _from_hook(tensor)._array,
)

recorded_ops = SimpleNamespace(
    creates_graph=True,
    **{operation.__name__: operation for operation in OPERATIONS},
    reshape=shape.reshape,
    zeros=lambda size, dtype: wrap(np.zeros(size, dtype)),
    zeros_like=lambda tensor: wrap(np.zeros_like(tensor._array)),
    cast=lambda tensor, dtype: (
        tensor if tensor._array.dtype == dtype else shape.to_type(tensor, dtype)
    ),
    as_tensor=lambda tensor: tensor,
    from_tensor=_from_hook,
)

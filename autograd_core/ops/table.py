"""The operations that backward rules and the engine call by name: `ops.exp(result)`.

numpy_ops       works on plain arrays. It creates no nodes, so an ordinary backward pass is fast.
recorded_ops    works on tensors. Under `create_graph`, the operations of a rule are recorded, so
                gradients can be differentiated again.
"""

from types import SimpleNamespace

import numpy as np

from ..core.operation import REGISTRY
from ..core.tensor import TensorBase, wrap
from . import (  # noqa: F401  these import the other families
    activation,
    comparison,
    convolution,
    inplace,
    linalg,
    loss,
    normalization,
    pooling,
    sorting,
)
from .shape import expand, expand_to, reshape, to_type


def _from_hook(returned):
    if not isinstance(returned, TensorBase):
        kind = type(returned).__name__
        raise TypeError(f"expected Variable, but hook returned '{kind}': return a tensor, or None")
    return returned


# Besides the operations: how to create zeros and to convert a gradient's type, and how to pass a
# gradient to a hook and back.
numpy_ops = SimpleNamespace(
    creates_graph=False,
    **{operation.forward.__name__: operation.forward for operation in REGISTRY.values()},
    reshape=np.reshape,
    expand=expand_to.forward,
    zeros=np.zeros,
    zeros_like=np.zeros_like,
    cast=lambda array, dtype: array if array.dtype == dtype else array.astype(dtype),
    as_tensor=wrap,
    from_tensor=lambda tensor: _from_hook(tensor)._array,
)

recorded_ops = SimpleNamespace(
    creates_graph=True,
    **{operation.forward.__name__: operation.function for operation in REGISTRY.values()},
    reshape=reshape,
    expand=expand,
    zeros=lambda size, dtype: wrap(np.zeros(size, dtype)),
    zeros_like=lambda tensor: wrap(np.zeros_like(tensor._array)),
    cast=lambda tensor, dtype: tensor if tensor._array.dtype == dtype else to_type(tensor, dtype),
    as_tensor=lambda tensor: tensor,
    from_tensor=_from_hook,
)

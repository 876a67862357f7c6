"""The one table of what backward rules, and the engine, may call by name: `ops.exp(result)`.

numpy_ops       works on plain arrays. No node is made, so an ordinary backward is fast.
recorded_ops    works on tensors. Under `create_graph` the rule's own operations become a graph,
                and that can be differentiated again.
"""

from types import SimpleNamespace

import numpy as np

from ..core.operation import REGISTRY
from ..core.tensor import TensorBase, wrap
from . import (  # noqa: F401  these bring the other families along
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


# Beside the operations: how a gradient of one type or of zeros is made, and how one is shown to a
# hook and taken back.
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

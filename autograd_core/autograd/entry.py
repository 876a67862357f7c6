"""`backward` and `grad`: the two ways into the engine."""

import numpy as np

from ..core import engine
from ..core.graph import check
from ..core.recording import recording
from ..core.tensor import TensorBase, wrap
from ..ops.table import numpy_ops, recorded_ops


def as_tuple(x):
    """The elements of an iterable, or one object, as a tuple. A tensor counts as one object."""
    return tuple(x) if hasattr(x, "__iter__") and not isinstance(x, TensorBase) else (x,)


def _edges(inputs, unless_required):
    """The edges to which the gradients of `inputs` go. RuntimeError if one needs no gradient."""
    for x in inputs:
        check(x.requires_grad, unless_required)
    return [x._gradient_edge() for x in inputs]


def _started(i, output, gradient):
    """The first gradient at `output`, number `i`: `gradient`, or 1 for a single number."""
    if not output.requires_grad:
        words = "does not require grad and does not have a grad_fn"
        raise RuntimeError(f"element {i} of tensors {words}")
    array = output._array
    if gradient is None:
        if array.size != 1:
            words = f"{list(array.shape)}: reduce it to one number, or pass backward(gradient=...)"
            scalar = "grad can be implicitly created only for scalar outputs; this one has shape"
            raise RuntimeError(f"{scalar} {words}")
        return wrap(np.ones(array.shape, array.dtype)[()])
    if gradient._array.shape != array.shape:
        shapes = f"has a shape of {gradient.shape} and output[{i}] has a shape of {output.shape}"
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] {shapes}.")
    return gradient if gradient.dtype is output.dtype else gradient.to(output.dtype)


def _run(outputs, gradients, retain_graph, create_graph, wanted, accumulate=True):
    """Call `engine.run` from `outputs`. Returns the gradients at the edges `wanted`."""
    outputs = as_tuple(outputs)
    gradients = (None,) * len(outputs) if gradients is None else as_tuple(gradients)
    if len(gradients) != len(outputs):
        raise ValueError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    started = [_started(i, *pair) for i, pair in enumerate(zip(outputs, gradients))]
    with recording.during("during_backward", outputs, accumulate):
        return engine.run(
            recorded_ops if create_graph else numpy_ops,
            [output._gradient_edge() for output in outputs],
            started if create_graph else [g._array for g in started],
            retain_graph=create_graph if retain_graph is None else retain_graph,
            wanted=wanted,
            accumulate=accumulate,
        )


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, *, inputs=None
) -> None:
    """Send gradients back from `tensors`. Every leaf that they depend on, or only those in `inputs`,
    adds its gradient to its `.grad`. Like `torch.autograd.backward`. Errors as in `Tensor.backward`.

    grad_tensors  one gradient for each of `tensors`, of the same shape. None means 1, which is only
                  possible for single numbers."""
    wanted = None
    if inputs is not None:
        inputs = as_tuple(inputs)
        words = "can't retain_grad on Tensor that has requires_grad=False"
        wanted = _edges(inputs, words)
        for x in inputs:
            x.retain_grad()  # a computed tensor keeps its `.grad` from now on, as in PyTorch
    _run(tensors, grad_tensors, retain_graph, create_graph, wanted)


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    *,
    allow_unused=None,
    materialize_grads=False,
) -> tuple:
    """A tuple of the gradients of the sum of `outputs` for each of `inputs`. No `.grad` changes.

    grad_outputs       one gradient for each output. None means 1, only for single numbers.
    allow_unused       return None, instead of raising RuntimeError, for an input that isn't used.
    materialize_grads  return zeros for such an input.
    Like `torch.autograd.grad`.
    """
    inputs, result = as_tuple(inputs), []
    edges = _edges(inputs, "One of the differentiated Tensors does not require grad")
    arrived = _run(outputs, grad_outputs, retain_graph, create_graph, edges, accumulate=False)
    for i, (x, edge) in enumerate(zip(inputs, edges)):
        if edge in arrived:
            result.append(arrived[edge] if create_graph else wrap(arrived[edge]))
        elif materialize_grads:
            result.append(wrap(np.zeros_like(x._array)))
        else:
            words = (
                "The differentiated Tensor at index {} appears to not have been used in the graph."
            )
            check(
                allow_unused, words + " Set allow_unused=True if this is the desired behavior.", i
            )
            result.append(None)
    return tuple(result)

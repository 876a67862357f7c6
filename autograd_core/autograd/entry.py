"""`backward` and `grad`: the two ways into the engine."""

import numpy as np

from ..core import engine
from ..core.graph import check
from ..core.recording import recording
from ..core.tensor import TensorBase, wrap
from ..ops.table import numpy_ops, recorded_ops


def as_tuple(x):
    """One thing, or what a list or another iterable holds, as a tuple. A tensor is one thing."""
    return tuple(x) if hasattr(x, "__iter__") and not isinstance(x, TensorBase) else (x,)


def _edges(caller, inputs, unless_required):
    """The edges where the gradients of `inputs` arrive."""
    check(inputs, "`inputs` argument to `{}()` cannot be empty.", caller)
    for x in inputs:
        if not isinstance(x, TensorBase):
            kind = type(x).__name__
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {kind}")
        check(x.requires_grad, unless_required)
    return [x._gradient_edge() for x in inputs]


def _started(i, output, gradient):
    """What the pass starts with at `output`, the `i`th: `gradient`, or 1 for a single number."""
    if not isinstance(output, TensorBase):
        raise TypeError(f"backward starts at Tensors, not at {type(output).__name__}")
    if not output.requires_grad:
        words = "does not require grad and does not have a grad_fn"
        raise RuntimeError(f"element {i} of tensors {words}")
    if gradient is None:
        if output.numel() != 1:
            has = (
                f"this one has shape {list(output._array.shape)}: reduce it to one number, or pass"
            )
            words = "grad can be implicitly created only for scalar outputs"
            raise RuntimeError(f"{words}; {has} backward(gradient=...)")
        return wrap(np.ones(output._array.shape, output._array.dtype)[()])
    if gradient.shape != output.shape:
        shapes = f"has a shape of {gradient.shape} and output[{i}] has a shape of {output.shape}"
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] {shapes}.")
    return gradient if gradient.dtype is output.dtype else gradient.to(output.dtype)


def _run(outputs, gradients, retain_graph, create_graph, captures, accumulate=True):
    """`engine.run` from `outputs`: what arrives at the edges `captures`."""
    for flag in (retain_graph, create_graph):
        if flag not in (None, True, False):
            raise TypeError(f"{flag!r} cannot be interpreted as an integer: give True or False")
    outputs = as_tuple(outputs)
    gradients = (None,) * len(outputs) if gradients is None else as_tuple(gradients)
    for gradient in gradients:
        if not isinstance(gradient, (TensorBase, type(None))):
            kind = type(gradient).__name__
            raise TypeError(f"gradients can be either Tensors or None, but got {kind}")
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    started = [_started(i, *pair) for i, pair in enumerate(zip(outputs, gradients))]
    with recording.during("during_backward", outputs, accumulate):
        return engine.run(
            recorded_ops if create_graph else numpy_ops,
            [output._gradient_edge() for output in outputs],
            started if create_graph else [g._array for g in started],
            retain_graph=create_graph if retain_graph is None else retain_graph,
            captures=captures,
            accumulate=accumulate,
        )


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, *, inputs=None
) -> None:
    """Send gradients back from `tensors`; every leaf they depend on, or of `inputs` alone, adds what
    arrives to its `.grad`. As `torch.autograd.backward`.

    grad_tensors  one gradient for each of `tensors`, of its shape (None: 1, for single numbers).
    """
    captures = None
    if inputs is not None:
        inputs = as_tuple(inputs)
        words = "can't retain_grad on Tensor that has requires_grad=False"
        captures = _edges("backward", inputs, words)
        for x in inputs:
            # a computed one keeps its `.grad` from now on, as in PyTorch
            x.retain_grad()
    _run(tensors, grad_tensors, retain_graph, create_graph, captures)


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
    """The gradients of the sum of `outputs` for each of `inputs`, as a tuple; no `.grad` changes.

    grad_outputs       one gradient for each output (None: 1, for single numbers).
    allow_unused       None, and no RuntimeError, for an input that the outputs do not depend on.
    materialize_grads  zeros instead of those Nones.
    As `torch.autograd.grad`.
    """
    if materialize_grads and allow_unused is False:
        words = "Expected allow_unused to be True or not passed when"
        raise ValueError(f"{words} materialize_grads=True, but got: False.")
    inputs, result = as_tuple(inputs), []
    edges = _edges("grad", inputs, "One of the differentiated Tensors does not require grad")
    arrived = _run(outputs, grad_outputs, retain_graph, create_graph, edges, accumulate=False)
    for i, (x, edge) in enumerate(zip(inputs, edges)):
        if edge in arrived:
            result.append(arrived[edge] if create_graph else wrap(arrived[edge]))
        elif materialize_grads:
            result.append(wrap(np.zeros_like(x._array)))
        elif allow_unused:
            result.append(None)
        else:
            words = "appears to not have been used in the graph. Set allow_unused=True if this is"
            words = f"{words} the desired behavior."
            raise RuntimeError(f"The differentiated Tensor at index {i} {words}")
    return tuple(result)

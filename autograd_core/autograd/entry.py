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
    words = "all inputs have to be Tensors or GradientEdges, but got {}"
    for x in inputs:
        check(isinstance(x, TensorBase), words, type(x).__name__)
        check(x.requires_grad, unless_required)
    return [x._gradient_edge() for x in inputs]


def _started(i, output, gradient):
    """What the pass starts with at `output`, the `i`th: `gradient`, or 1 for a single number."""
    words = "backward starts at Tensors, not at {}"
    check(isinstance(output, TensorBase), words, type(output).__name__, error=TypeError)
    words = "element {} of tensors does not require grad and does not have a grad_fn"
    check(output.requires_grad, words, i)
    shape = output._array.shape
    if gradient is None:
        words = (
            "grad can be implicitly created only for scalar outputs; this one has shape {}: reduce"
        )
        words += " it to one number, or pass backward(gradient=...)"
        check(output.numel() == 1, words, list(shape))
        return wrap(np.ones(shape, output._array.dtype)[()])
    words = "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}."
    check(gradient.shape == shape, words, i, gradient.shape, i, output.shape)
    return gradient if gradient.dtype is output.dtype else gradient.to(output.dtype)


def _run(outputs, gradients, retain_graph, create_graph, captures, accumulate=True):
    """`engine.run` from `outputs`: what arrives at the edges `captures`."""
    words = "{!r} cannot be interpreted as an integer: give True or False"
    for flag in (retain_graph, create_graph):
        check(flag in (None, True, False), words, flag, error=TypeError)
    outputs = as_tuple(outputs)
    gradients = (None,) * len(outputs) if gradients is None else as_tuple(gradients)
    words = "gradients can be either Tensors or None, but got {}"
    for gradient in gradients:
        fits = gradient is None or isinstance(gradient, TensorBase)
        check(fits, words, type(gradient).__name__, error=TypeError)
    counts = len(outputs), len(gradients)
    check(counts[0] == counts[1], "got {} tensors and {} gradients", *counts)
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
            x.retain_grad()  # a computed one keeps its `.grad` from now on, as in PyTorch
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
    words = "Expected allow_unused to be True or not passed when materialize_grads=True, got False"
    check(not materialize_grads or allow_unused is not False, words, error=ValueError)
    inputs, result = as_tuple(inputs), []
    edges = _edges("grad", inputs, "One of the differentiated Tensors does not require grad")
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

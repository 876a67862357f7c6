"""`backward` and `grad`: the two ways into the engine."""

import numpy as np

from .. import engine, graph
from ..graph import NO_EDGE
from ..tensor import Tensor


def _tuple(x):
    return (x,) if isinstance(x, Tensor) or x is None else tuple(x)


def _edges(caller, inputs, unless_required):
    """The edges where the gradients of `inputs` arrive."""
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    for x in inputs:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(x).__name__}")
        if not x.requires_grad:
            raise RuntimeError(unless_required)
    return [x._gradient_edge() for x in inputs]


def _started(i, output, gradient):
    """The tensor that the pass starts with at `output`, the `i`th: `gradient`, or 1 for a single number."""
    if not isinstance(output, Tensor):
        raise TypeError(f"backward starts at Tensors, not at {type(output).__name__}")
    if not output.requires_grad:
        raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs; this one has shape "
                               f"{list(output.shape)}: reduce it to one number, or pass backward(gradient=...)")
        return Tensor._make(np.ones(output._array.shape, output._array.dtype)[()], NO_EDGE)
    if gradient.shape != output.shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and output[{i}] "
                           f"has a shape of {output.shape}.")
    return gradient if gradient.dtype is output.dtype else gradient.to(output.dtype)


def _run(outputs, gradients, retain_graph, create_graph, captures, accumulate=True):
    """`engine.run` from `outputs`: what arrives at the edges `captures`."""
    outputs = _tuple(outputs)
    gradients = (None,) * len(outputs) if gradients is None else _tuple(gradients)
    for gradient in gradients:
        if not isinstance(gradient, (Tensor, type(None))):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients: give one gradient for each")
    started = [_started(i, *pair) for i, pair in enumerate(zip(outputs, gradients))]
    return engine.run(
        [output._gradient_edge() for output in outputs], started if create_graph else [g._array for g in started],
        retain_graph=create_graph if retain_graph is None else retain_graph, create_graph=create_graph,
        captures=captures, accumulate=accumulate)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, *, inputs=None):
    """Send gradients back from `tensors`; every leaf they depend on adds what arrives to its `.grad`.

    tensors, grad_tensors  one or more tensors and as many gradients of the same shapes (None: 1, for single numbers).
    inputs                 accumulate into these tensors only.
    Raises RuntimeError as `Tensor.backward`. As `torch.autograd.backward`.
    """
    if inputs is None:
        _run(tensors, grad_tensors, retain_graph, create_graph, None)
        return
    inputs = _tuple(inputs)
    captures = _edges("backward", inputs, "can't retain_grad on Tensor that has requires_grad=False")
    for x in inputs:
        x.retain_grad()                 # a computed one keeps its `.grad` from now on, as in PyTorch
    _run(tensors, grad_tensors, retain_graph, create_graph, captures)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """The gradients of the sum of `outputs` for each of `inputs`, as a tuple; no `.grad` changes.

    grad_outputs       one gradient for each output (None: 1, for single numbers).
    allow_unused       None in place of the gradient of an input that the outputs do not depend on; otherwise that
                       raises RuntimeError.
    materialize_grads  zeros instead of those Nones.
    As `torch.autograd.grad`.
    """
    if is_grads_batched or not only_inputs:
        raise NotImplementedError("autograd_core's grad has neither is_grads_batched=True nor only_inputs=False")
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: False.")
    inputs = _tuple(inputs)
    edges, result = _edges("grad", inputs, "One of the differentiated Tensors does not require grad"), []
    arrived = _run(outputs, grad_outputs, retain_graph, create_graph, edges, accumulate=False)
    for i, (x, edge) in enumerate(zip(inputs, edges)):
        if edge in arrived:
            result.append(_namespace(create_graph).as_tensor(arrived[edge]))
        elif materialize_grads:
            result.append(Tensor._make(np.zeros_like(x._array), NO_EDGE))
        elif allow_unused:
            result.append(None)
        else:
            raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
                               "Set allow_unused=True if this is the desired behavior.")
    return tuple(result)


def _namespace(create_graph):
    return graph.tensors if create_graph else graph.arrays

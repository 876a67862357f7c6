"""`backward` and `grad`: the two ways into the engine."""

import numpy as np

from .. import engine, graph
from ..graph import NO_EDGE
from ..tensor import Tensor


def _tuple(x):
    return (x,) if isinstance(x, Tensor) or x is None else tuple(x)


def _roots(outputs, gradients, create_graph):
    """The edges to start from, and the gradient for each: an array, or a tensor under `create_graph`."""
    gradients = _tuple(gradients) if gradients is not None else (None,) * len(outputs)
    for output in outputs:
        if not isinstance(output, Tensor):
            raise TypeError(f"backward starts at Tensors, not at {type(output).__name__}")
    for gradient in gradients:
        if not isinstance(gradient, (Tensor, type(None))):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients: give one gradient for each")
    started = []
    for i, (output, gradient) in enumerate(zip(outputs, gradients)):
        if not output.requires_grad:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if gradient is None:
            if output.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs; this one has shape "
                                   f"{list(output.shape)}: reduce it to one number, or pass backward(gradient=...)")
            gradient = Tensor._make(np.ones_like(output._array), NO_EDGE)
        if gradient.shape != output.shape:
            raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and output[{i}] "
                               f"has a shape of {output.shape}.")
        if gradient.dtype is not output.dtype:
            gradient = gradient.to(output.dtype)
        started.append(gradient if create_graph else gradient._array)
    return [output._gradient_edge() for output in outputs], started


def _check_inputs(inputs, unless_required):
    for x in inputs:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(x).__name__}")
        if not x.requires_grad:
            raise RuntimeError(unless_required)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, *, inputs=None):
    """Send gradients back from `tensors`; every leaf they depend on adds what arrives to its `.grad`.

    tensors, grad_tensors  one or more tensors and as many gradients of the same shapes (None: 1, for single numbers).
    inputs                 accumulate into these tensors only.
    Raises RuntimeError as `Tensor.backward`. As `torch.autograd.backward`.
    """
    outputs = _tuple(tensors)
    roots, gradients = _roots(outputs, grad_tensors, create_graph)
    keep = create_graph if retain_graph is None else retain_graph
    captures = None
    if inputs is not None:
        inputs = _tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        _check_inputs(inputs, "can't retain_grad on Tensor that has requires_grad=False")
        captures = [x._gradient_edge() for x in inputs]
    arrived = engine.run(roots, gradients, retain_graph=keep, create_graph=create_graph, captures=captures)
    for x, edge in zip(inputs or (), captures or ()):
        if not x.is_leaf and edge in arrived:
            x._accumulate_grad(_namespace(create_graph), arrived[edge])


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
    outputs, inputs = _tuple(outputs), _tuple(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    _check_inputs(inputs, "One of the differentiated Tensors does not require grad")
    roots, gradients = _roots(outputs, grad_outputs, create_graph)
    captures = [x._gradient_edge() for x in inputs]
    keep = create_graph if retain_graph is None else retain_graph
    arrived = engine.run(roots, gradients, retain_graph=keep, create_graph=create_graph, captures=captures,
                         accumulate=False)
    result = []
    for i, (x, edge) in enumerate(zip(inputs, captures)):
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

"""Wrong use: both engines raise the same type of exception, with the same key phrase; nothing is silently different."""

import copy
import inspect
import pickle

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core import ops

from .engines import ENGINES, raised

# Expression, then what both messages must contain. `a` is a vector of 3, `p` and `q` are leaves that require gradients.
CREATION = {
    "T.tensor([[1.0], [1.0, 2.0]])": "expected sequence of length 1 at dim 1 (got 2)",
    "T.tensor([1.0, [2.0]])": "",
    "T.tensor('a')": "new(): invalid data type 'str'",
    "T.tensor([1.0, None])": "Could not infer dtype of NoneType",
    "T.tensor(None)": "Could not infer dtype of NoneType",
    "T.tensor({})": "Could not infer dtype of dict",
    "T.tensor(object())": "Could not infer dtype of object",
    "T.tensor([1.0, 'a'])": "invalid data type 'str'",
    "T.tensor(2 ** 70)": "Overflow when unpacking long",
    "T.tensor([300], dtype=T.uint8)": "without overflow",
    "T.tensor([1, 2], requires_grad=True)": "floating point",
    "T.tensor([True], requires_grad=True)": "floating point",
    "T.tensor([1.0], dtype='float32')": "torch.dtype",
    "T.tensor([1.0], 3)": "positional argument",
    "T.tensor()": "",
    "T.zeros(-1)": "Dimension size must be non-negative",
    "T.zeros(2, -3)": "Dimension size must be non-negative",
    "T.zeros(1.5)": "",
    "T.zeros('a')": "",
    "T.zeros()": 'missing 1 required positional arguments: "size"',
    "T.zeros(2 ** 40, 2 ** 40)": "",
    "T.zeros(10 ** 14)": "can't allocate memory",
    "T.zeros(2, dtype=T.int64, requires_grad=True)": "floating point",
    "T.full((2,), 'a')": "argument 'fill_value' (position 2) must be Number, not str",
    "T.full(2, 1.0)": "must be tuple of ints, not int",
    "T.randn(-2)": "negative dimension -2",
    "T.rand(2, dtype=T.int64)": "",
    "T.randint(5, 5, (2,))": "",
    "T.randperm(-1)": "",
    "T.arange(0, 5, 0)": "step must be nonzero",
    "T.arange(5, 0)": "upper bound and lower bound inconsistent with step sign",
    "T.arange(3, requires_grad=True)": "floating point",
    "T.linspace(0, 1, -1)": "number of steps must be non-negative",
    "T.eye(-1)": "n must be greater or equal to 0, got -1",
    "T.zeros_like(3)": "zeros_like(): argument 'input' (position 1) must be Tensor, not int",
    "T.from_numpy([1.0])": "expected np.ndarray (got list)",
    "T.set_default_dtype(T.int64)": "only floating-point types are supported as the default type",
    "T.Tensor(3.5)": "new(): data must be a sequence (got float)",
    "T.as_tensor([[1], [1, 2]])": "expected sequence of length 1 at dim 1 (got 2)",
}
ARITHMETIC = {
    "a + 'x'": "", "a + None": "", "a * object()": "", "a ** 'x'": "", "'x' + a": "", "None * a": "", "a < 'x'": "",
    "a @ 2": "unsupported operand type(s) for @: 'Tensor' and 'int'",
    "2 @ a": "unsupported operand type(s) for @",
    "a + T.ones(4)": "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0",
    "T.ones(2, 3) * T.ones(3, 2)": "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
    "a / T.ones(4, 4)": "must match the size of tensor b (4)",
    "T.maximum(a, T.ones(4))": "must match the size of tensor b (4)",
    "T.where(a > 0, a, T.ones(5))": "must match the size of tensor",
    "T.where(a, a, a)": "where expected condition to be a boolean tensor",
    "T.where([True, False, True], a, a)": "",
    "T.exp(1.0)": "exp(): argument 'input' (position 1) must be Tensor, not float",
    "T.relu(1.0)": "relu(): argument 'input' (position 1) must be Tensor, not float",
    "T.sigmoid([1.0])": "must be Tensor, not list",
    "T.add(a)": "", "T.add(a, a, a, a)": "", "T.exp()": "", "a.exp(3)": "", "a.exp(foo=1)": "",
    "T.eq(a, 'x')": "",
    "a.clamp()": "At least one of 'min' or 'max' must not be None",
    "a.clamp('x')": "",
    "a & a": "not implemented for", "a | 1.0": "not implemented for",
    "~a": "only implemented on integer and Boolean-type tensors",
    "-T.ones(2, dtype=T.bool)": "on a bool tensor is not supported",
    "T.ones(2, dtype=T.bool) - T.ones(2, dtype=T.bool)": "Subtraction, the `-` operator",
    "1 - T.ones(2, dtype=T.bool)": "Subtraction, the `-` operator, with a bool tensor is not supported",
    "T.tensor([2]) ** -1": "Integers to negative integer powers are not allowed",
    "T.allclose(a, 1.0)": "must be Tensor, not float",
    "T.allclose(a, T.ones(4))": "must match the size of tensor b (4)",
    "T.equal(a, 1.0)": "must be Tensor, not float",
}
REDUCTIONS = {
    "a.sum(5)": "Dimension out of range (expected to be in range of [-1, 0], but got 5)",
    "a.sum('x')": "", "a.sum(1.0)": "",
    "a.sum((0, 0))": "multiple times in the list of dims",
    "a.mean(3)": "Dimension out of range",
    "T.tensor([1, 2]).mean()": "dtype",
    "T.tensor([True]).mean(0)": "dtype",
    "a.argmax(4)": "Dimension out of range (expected to be in range of [-1, 0], but got 4)",
    "T.zeros(0).max()": "max(): Expected reduction dim to be specified for input.numel() == 0.",
    "T.zeros(0).argmax()": "argmax(): Expected reduction dim to be specified for input.numel() == 0.",
    "T.zeros(2, 0).argmin(1)": "argmin(): Expected reduction dim 1 to have non-zero size.",
    "a.softmax()": "", "a.softmax(3)": "Dimension out of range", "a.log_softmax('x')": "",
    "T.tensor([1, 2]).softmax(0)": "not implemented for",
    "T.sum([1.0])": "sum(): argument 'input' (position 1) must be Tensor, not list",
    "p.sum(dtype=T.int64)": "Autograd not support dtype: Long",
}
SHAPES = {
    "a.view(7)": "shape '[7]' is invalid for input of size 3",
    "a.view(-1, -1)": "only one dimension can be inferred",
    "a.view(2, -1)": "shape '[2, -1]' is invalid for input of size 3",
    "a.view('x')": "", "a.view(1.5)": "",
    "T.ones(2, 3).t().view(6)": "view size is not compatible with input tensor's size and stride",
    "a.reshape(4)": "shape '[4]' is invalid for input of size 3",
    "a.reshape('x')": "", "a.reshape()": "missing 1 required positional arguments",
    "T.ones(2, 3, 4).t()": "t() expects a tensor with <= 2 dimensions, but self is 3D",
    "a.transpose(0, 1)": "Dimension out of range", "a.transpose(0)": "",
    "T.ones(2, 3).permute(0)": "number of dimensions in the tensor input does not match the length of the desired ordering",
    "a.unsqueeze(3)": "Dimension out of range (expected to be in range of [-2, 1], but got 3)",
    "a.squeeze(2)": "Dimension out of range",
    "a.expand(2)": "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 0",
    "T.ones(2, 3).expand(3)": "must be greater or equal to the number of dimensions in the tensor (2)",
    "a.expand(-1, -1)": "isn't allowed in a leading, non-existing dimension 0",
    "T.ones(2, 3).flatten(1, 0)": "flatten() has invalid args: start_dim cannot come after end_dim",
    "T.stack([])": "stack expects a non-empty TensorList",
    "T.stack([a, T.ones(2)])": "stack expects each tensor to be equal size, but got [3] at entry 0 and [2] at entry 1",
    "T.stack(a)": "must be tuple of Tensors, not Tensor",
    "T.stack([a, 1.0])": "expected Tensor as element 1 in argument 0, but got float",
    "T.stack([a, a], dim=3)": "Dimension out of range (expected to be in range of [-2, 1], but got 3)",
    "T.cat([])": "expected a non-empty list of Tensors",
    "T.cat([a, T.ones(2, 2)])": "Tensors must have same number of dimensions: got 1 and 2",
    "T.cat([T.ones(2, 2), T.ones(3, 3)])": "Sizes of tensors must match except in dimension 0. Expected size 2 but got size 3",
    "T.cat([a, a], dim=1)": "Dimension out of range",
    "T.cat([a, 'x'])": "expected Tensor as element 1 in argument 0, but got str",
    "T.cat([T.tensor(1.0), T.tensor(2.0)])": "zero-dimensional tensor (at position 0) cannot be concatenated",
    "a.split(0)": "split_size can only be 0 if dimension size is 0",
    "a.split(-1)": "split expects split_size be non-negative, but got split_size=-1",
    "a.split([1, 1])": "split_with_sizes expects split_sizes to sum exactly to 3",
    "a.split([4, -1])": "split_with_sizes expects split_sizes have only non-negative entries",
    "T.tensor(1.0).unbind()": "Dimension specified as 0 but tensor has no dimensions",
    "a.type_as(3)": "must be Tensor, not int", "a.to(dtype='x')": "",
    "a.size(4)": "Dimension out of range", "len(T.tensor(1.0))": "len() of a 0-d tensor",
    "list(T.tensor(1.0))": "iteration over a 0-d tensor", "setattr(a, 'shape', (1, 3))": "",
}
INDEXING = {
    "a[3]": "index 3 is out of bounds for dimension 0 with size 3",
    "a[-4]": "index -4 is out of bounds",
    "a[0, 0]": "too many indices for tensor of dimension 1",
    "a[1.0]": "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got float)",
    "a[::-1]": "step must be greater than zero", "a[::0]": "step",
    "a[T.tensor([3])]": "out of bounds",
    "a[T.tensor([0.0])]": "tensors used as indices must be long, int, byte or bool tensors",
    "a[T.tensor([True, False])]": "indexed tensor",
    "T.tensor(1.0)[0]": "invalid index of a 0-dim tensor",
    "T.ones(3, 3)[T.tensor([0, 1]), T.tensor([0, 1, 2])]": "",
    "a.__setitem__(0, 'x')": "can't assign a str to a torch.FloatTensor",
    "a.__setitem__(0, T.ones(2))": "", "a.__setitem__(slice(0, 2), T.ones(3))": "",
    "a.__setitem__(5, 1.0)": "out of bounds",
    "[1, 2, 3][T.tensor([0, 1])]": "only integer tensors of a single element can be converted to an index",
}
PRODUCTS = {
    "T.dot(a, T.ones(2))": "inconsistent tensor size",
    "T.dot(T.ones(2, 2), T.ones(2, 2))": "1D tensors expected, but got 2D and 2D tensors",
    "T.dot(a, T.ones(3, dtype=T.float64))": "same dtype", "T.dot(a, 2.0)": "must be Tensor, not float",
    "T.mv(T.ones(2, 2), a)": "size mismatch, got input (2), mat (2x2), vec (3)",
    "T.mm(a, a)": "must be", "T.mm(T.ones(2, 3), T.ones(2, 3))": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    "T.mm(T.ones(2, 3), T.ones(3, 2, dtype=T.float64))": "",
    "T.bmm(T.ones(2, 3, 4), T.ones(2, 3, 2))": "Expected size for first two dimensions of batch2 tensor to be: [2, 4]",
    "T.ones(2, 3) @ T.ones(2, 3)": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    "T.ones(4) @ T.ones(2, 3)": "cannot be multiplied", "T.ones(2, 2, 3) @ T.ones(3, 3, 2)": "must match",
    "T.tensor(1.0) @ T.ones(2)": "both arguments to matmul need to be at least 1D, but they are 0D and 1D",
    "F.linear(T.ones(2, 3), T.ones(4, 2))": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x4)",
    "nn.Linear(2, 3)(T.ones(4, 5))": "mat1 and mat2 shapes cannot be multiplied (4x5 and 2x3)",
    "nn.Linear(2, 3)([1.0, 2.0])": "linear(): argument 'input' (position 1) must be Tensor, not list",
    "nn.Linear(2, 3)(T.ones(2, 2).long())": "dtype",
}
LOSSES = {
    "F.mse_loss(a, a, reduction='avg')": "avg is not a valid value for reduction",
    "F.binary_cross_entropy(a, a)": "all elements of input should be between 0 and 1",
    "F.binary_cross_entropy(a.sigmoid(), T.ones(2))": "Using a target size (torch.Size([2])) that is different to the input size",
    "F.binary_cross_entropy(a.sigmoid(), T.ones(3).long())": "Found dtype Long but expected Float",
    "F.binary_cross_entropy(T.tensor([float('nan')]), T.ones(1))": "all elements of input should be between 0 and 1",
    "F.binary_cross_entropy_with_logits(a, T.ones(2))": "Target size (torch.Size([2])) must be the same as input size (torch.Size([3]))",
    "F.binary_cross_entropy_with_logits(a, T.ones(3).long())": "result type Float can't be cast to the desired output type Long",
    "F.binary_cross_entropy_with_logits(a, T.ones(3), pos_weight=T.ones(2))": "must match the size of tensor b (3)",
    "F.cross_entropy(T.ones(2, 3), T.tensor([0, 3]))": "Target 3 is out of bounds",
    "F.cross_entropy(T.ones(2, 3), T.tensor([0, -1]))": "Target -1 is out of bounds",
    "F.cross_entropy(T.ones(2, 3), T.tensor([0, 1, 2]))": "Expected input batch_size (2) to match target batch_size (3)",
    "F.cross_entropy(T.ones(2, 3), T.tensor([0.0, 1.0]))": "expected target dtype to be Long or Byte, but got Float",
    "F.cross_entropy(T.ones(2, 3), T.tensor([[0], [1]]))": "0D or 1D target tensor expected, multi-target not supported",
    "F.cross_entropy(T.ones(2, 3), T.tensor([0, 1], dtype=T.int32))": "but got Int",
    "F.cross_entropy(T.ones(2, 3), T.tensor([0, 1]), T.ones(2))": "weight tensor should be defined either for all 3 classes",
    "F.cross_entropy(T.ones(2, 3), [0, 1])": "must be Tensor, not list",
    "F.cross_entropy(T.ones(2, 3, 4), T.tensor([0, 1]))": "Expected target size [2, 4], got [2]",
    "nn.CrossEntropyLoss(reduction='x')(T.ones(2, 3), T.tensor([0, 1]))": "x is not a valid value for reduction",
    "nn.MSELoss()(a)": "",
}
IN_PLACE = {
    **{f"p.{call}": "a leaf Variable that requires grad is being used in an in-place operation" for call in (
        "add_(1)", "zero_()", "fill_(1)", "copy_(a)", "relu_()", "__setitem__(0, 1.0)", "__iadd__(1)")},
    "a.add_(T.ones(2, 3))": "doesn't match the broadcast shape [2, 3]",
    "T.ones(3).long().add_(1.5)": "result type Float can't be cast to the desired output type Long",
    "T.ones(3).long().exp_()": "can't be cast", "a.mul_('x')": "",
    "a.fill_(T.ones(2))": "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions",
    "a.fill_('x')": "",
}
BACKWARD = {
    "a.backward()": "element 0 of tensors does not require grad and does not have a grad_fn",
    "(p * 2).backward()": "grad can be implicitly created only for scalar outputs",
    "(p * 2).backward(T.ones(2))": "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([3])",
    "(p * 2).backward([1.0, 1.0, 1.0])": "gradients can be either Tensors or None, but got float",
    "(p * 2).sum().backward(T.ones(1))": "Mismatch in shape",
    "(p * 2).sum().backward(inputs=[])": "`inputs` argument to `backward()` cannot be empty",
    "(p * 2).sum().backward(inputs=[a])": "requires_grad=False",
    "p.long().sum().backward()": "does not require grad",
    "twice.backward()": "Trying to backward through the graph a second time",
    "stale.backward()": "one of the variables needed for gradient computation has been modified by an inplace operation: "
                        "[torch.FloatTensor [3]], which is output 0 of Add, is at version 1; expected version 0",
    "twice.grad_fn._saved_result": "Trying to backward through the graph a second time (or directly access saved tensors",
    "T.autograd.grad(p.sum(), [])": "`inputs` argument to `grad()` cannot be empty",
    "T.autograd.grad(p.sum(), a)": "One of the differentiated Tensors does not require grad",
    "T.autograd.grad(p.sum(), 'x')": "all inputs have to be Tensors or GradientEdges, but got str",
    "T.autograd.grad(p * 2, p)": "grad can be implicitly created only for scalar outputs",
    "T.autograd.grad(p.sum(), q)": "appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior",
    "a.register_hook(print)": "cannot register a hook on a tensor that doesn't require gradient",
    "a.retain_grad()": "can't retain_grad on Tensor that has requires_grad=False",
    "(p * 2).register_post_accumulate_grad_hook(print)": "post accumulate grad hooks cannot be registered on non-leaf tensors",
    "a.long().requires_grad_()": "floating point", "a.requires_grad_('x')": "must be bool, not str",
    "setattr(a, 'requires_grad', 1)": "requires_grad must be a bool",
    "setattr(p * 2, 'requires_grad', False)": "you can only change requires_grad flags of leaf variables",
    "setattr(p, 'grad', 1.0)": "assigned grad expected to be a Tensor or None",
    "setattr(p, 'grad', T.ones(2))": "",
    "setattr(a, 'grad_fn', None)": "", "setattr(a, 'is_leaf', False)": "",
    "p.numpy()": "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    "copy.deepcopy(p * 2)": "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol",
    "T.ones(2).item()": "a Tensor with 2 elements cannot be converted to Scalar",
    "float(T.ones(2))": "only one element tensors can be converted to Python scalars",
    "bool(T.ones(2))": "Boolean value of Tensor with more than one value is ambiguous",
    "bool(T.zeros(0))": "Boolean value of Tensor with no values is ambiguous",
}
MODULES = {
    "nn.Module()(a)": 'is missing the required "forward" function',
    "nn.Parameter(T.ones(2).long())": "floating point",
    "nn.Linear(2)": "", "nn.Linear('x', 2)": "", "nn.Linear(-1, 2)": "negative dimension -1",
    "nn.Linear(2, 3)(a, a)": "", "nn.Linear(2, 3).foo": "'Linear' object has no attribute 'foo'",
    "nn.Linear(2, 3).load_state_dict({})": "Missing key(s) in state_dict",
    "nn.Linear(2, 3).load_state_dict({'weight': T.ones(2, 2), 'bias': T.ones(3)})": "size mismatch for weight",
    "nn.Linear(2, 3).load_state_dict({'weight': T.ones(3, 2), 'bias': T.ones(3), 'x': a})": "Unexpected key(s) in state_dict",
    "nn.Linear(2, 3).load_state_dict({'weight': 3, 'bias': T.ones(3)})": "expected torch.Tensor or Tensor-like object from checkpoint",
    "nn.Linear(2, 3).train('x')": "training mode is expected to be boolean",
    "nn.Linear(2, 3).register_parameter('weight', T.ones(2))": "torch.nn.Parameter or None required",
    "nn.Linear(2, 3).register_parameter('a.b', None)": "parameter name can",
    "nn.Linear(2, 3).register_parameter('', None)": "be empty string",
    "nn.Linear(2, 3).register_parameter('forward', None)": "attribute 'forward' already exists",
    "nn.Linear(2, 3).register_parameter(3, None)": "parameter name should be a string",
    "nn.Linear(2, 3).register_buffer('x', 3)": "cannot assign 'int' object to buffer 'x'",
    "nn.Linear(2, 3).add_module('weight', nn.ReLU())": "attribute 'weight' already exists",
    "nn.Linear(2, 3).add_module('x', 3)": "is not a Module subclass",
    "nn.Linear(2, 3).__setattr__('weight', T.ones(2))": "as parameter 'weight' (torch.nn.Parameter or None expected)",
    "nn.Linear(2, 3).__delattr__('nope')": "nope",
    "nn.Linear(2, 3).to(T.int64)": "nn.Module.to only accepts floating point",
    "nn.Sequential(3)": "is not a Module subclass", "nn.Sequential(nn.ReLU())[1]": "index 1 is out of range",
    "nn.init.kaiming_uniform_(a)": "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
    "nn.init.kaiming_uniform_(T.ones(2, 2), nonlinearity='x')": "Unsupported nonlinearity x",
}
TABLE = {**CREATION, **ARITHMETIC, **REDUCTIONS, **SHAPES, **INDEXING, **PRODUCTS, **LOSSES, **IN_PLACE, **BACKWARD,
         **MODULES}

# What PyTorch can do and autograd_core cannot: an error at once, never a different result.
UNSUPPORTED = {
    "T.conv2d": (AttributeError, "autograd_core has no conv2d"),
    "F.conv2d": (AttributeError, "autograd_core has no nn.functional.conv2d"),
    "nn.Conv2d": (AttributeError, "autograd_core has no nn.Conv2d"),
    "optim.LBFGS": (AttributeError, "autograd_core has no optim.LBFGS"),
    "T.tensor(1 + 2j)": (TypeError, "invalid data type 'complex'"),
    "T.tensor([1.0], device='cuda')": (RuntimeError, "runs on 'cpu' only"),
    "nn.Linear(2, 3).to('cuda')": (RuntimeError, "runs on 'cpu' only"),
    "a.to('cuda')": (RuntimeError, "runs on 'cpu' only"),
    "a.max(0)": (NotImplementedError, "argmax"),
    "a.clamp(min=a)": (NotImplementedError, "clamps to numbers"),
    "p.t()[0].add_(1)": (NotImplementedError, "in-place changes of a view"),
    "(p * 1).__setitem__(0, 1.0)": (NotImplementedError, "where"),
    "(a * 1).fill_(p[0])": (NotImplementedError, "copy_"),
    "F.cross_entropy(T.ones(2, 3), T.ones(2, 3))": (NotImplementedError, "class probabilities"),
    "nn.CrossEntropyLoss(label_smoothing=0.1)": (TypeError, "label_smoothing"),
    "T.stack([a, a], out=a)": (TypeError, "out"),
    "a.sum(0, keepdims=True)": (TypeError, "keepdims"),
    "T.autograd.grad(p.sum(), p, is_grads_batched=True)": (TypeError, "is_grads_batched"),
    "optim.Adam([p], differentiable=True)": (NotImplementedError, "no differentiable optimizers"),
    "optim.Adam([p], capturable=True)": (NotImplementedError, "no capturable optimizers"),
    "optim.SGD([p], lr=T.tensor(0.1))": (TypeError, "lr.item()"),
    "T.Tensor(2, 3)": (TypeError, ""),
    "T.add(1.0, 2.0)": (TypeError, "must be Tensor, not float"),
    "p.register_hook(3)": (TypeError, "must be callable"),
}


def namespace(T):
    a = T.tensor([0.5, -1.0, 2.0])
    p, q = (T.tensor(v, requires_grad=True) for v in ([1.0, 2.0, 3.0], [1.0]))
    twice = (p * p).sum().exp()
    twice.backward()
    h = p + 1
    stale = (h * h).sum()
    h.add_(1)
    p.grad = None
    return {"T": T, "F": T.nn.functional, "nn": T.nn, "optim": T.optim, "a": a, "p": p, "q": q, "copy": copy,
            "pickle": pickle, "twice": twice, "stale": stale}


def error_of(T, expression):
    """The exception of an expression, and its message; (None, the result) if there is none."""
    names = namespace(T)
    try:
        result = eval(expression, names)
    except Exception as error:          # whatever it is, it is compared
        return type(error), str(error)
    finally:
        T.set_default_dtype(T.float32)
    return None, repr(result)


@pytest.mark.parametrize("expression", TABLE)
def test_both_engines_raise_the_same(expression):
    (ours, mine), (theirs, other) = (error_of(T, expression) for T in ENGINES)
    assert theirs is not None, f"PyTorch raises nothing: {other}"
    assert ours is not None, f"autograd_core raises nothing: {mine}"
    assert issubclass(ours, theirs), f"{ours.__name__}: {mine}\n{theirs.__name__}: {other}"
    assert TABLE[expression] in other, "the phrase is not PyTorch's"
    assert TABLE[expression] in mine
    assert mine


@pytest.mark.parametrize("expression", UNSUPPORTED)
def test_what_is_not_supported_says_so(expression):
    kind, phrase = UNSUPPORTED[expression]
    with pytest.raises(kind) as caught:
        eval(expression, namespace(autograd_core))
    assert phrase in str(caught.value)


CLEAR = (TypeError, ValueError, RuntimeError, IndexError, NotImplementedError)
WRONG = ["x", None, [1.0], {}, object(), 1.5, -1, np.ones(2)]


@pytest.mark.parametrize("name", ops.FUNCTIONS)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: type(w).__name__)
def test_a_wrong_first_argument_is_refused_by_every_function(name, wrong):
    """Called with something else in the tensor's place: an error of a plain type, wherever PyTorch has an error."""
    others = [p for p in list(inspect.signature(ops.FUNCTIONS[name]).parameters.values())[1:]
              if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    ours, theirs = (raised(function, wrong, *[T.ones(2)] * len(others)) for T, function in zip(
        ENGINES, (ops.FUNCTIONS[name], getattr(torch, name, getattr(torch.Tensor, name, None)))))
    assert type(ours) in CLEAR and str(ours) or ours is None is theirs


def test_a_failed_call_changes_nothing():
    """After an error the tensors are as before, and recording is still on."""
    names = namespace(autograd_core)
    a, p = names["a"].tolist(), names["p"].tolist()
    for expression in [*TABLE, *UNSUPPORTED]:
        if "set_default" not in expression:
            with pytest.raises(Exception):
                eval(expression, names)
    assert names["a"].tolist() == a and names["p"].tolist() == p
    assert names["p"].grad is None and autograd_core.is_grad_enabled()

"""The operations, by family, and how they become functions, methods and signs (`+`, `@`, `x[0]`)."""

import functools

import numpy as np

from .. import dtypes
from ..graph import NO_EDGE, arrays, tensors
from ..tensor import Tensor
from . import (activation, comparison, drawing, einsum, elementwise, functions, gathering, indexing, inplace, linalg,
               loss, rearrange, reduction, rounding, shape, sorting, statistics, transcendental)
from .operation import REGISTRY

# Composed operations that rules call by name need an array form too.
arrays.reshape, tensors.reshape = np.reshape, shape.reshape
arrays.zeros = np.zeros
arrays.zeros_like = np.zeros_like
tensors.zeros_like = lambda t: Tensor._make(np.zeros_like(t._array), NO_EDGE)
tensors.zeros = lambda size, dtype: Tensor._make(np.zeros(size, dtype), NO_EDGE)
tensors.cast = lambda t, dtype: t if t._array.dtype == dtype else shape.to_type(t, dtype)

_FAMILIES = {
    functions: "add sub div floor_divide remainder pow square clamp maximum minimum where lerp sum mean max min softmax "
               "log_softmax view reshape flatten permute expand squeeze contiguous split to type_as matmul allclose "
               "equal prod cumsum var std norm outer",
    rounding: "floor ceil round nan_to_num",
    transcendental: "expm1 log2 log10 rsqrt tan sinh cosh atan erf xlogy",
    statistics: "logsumexp",
    sorting: "sort argsort topk",
    drawing: "bernoulli multinomial",
    einsum: "einsum",
    elementwise: "mul neg reciprocal abs sign exp log log1p sqrt sin cos tanh sigmoid relu addcmul addcdiv",
    comparison: "eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift "
                "bitwise_right_shift logical_and logical_or logical_xor logical_not isnan isinf isfinite",
    reduction: "argmax argmin all any amax amin count_nonzero",
    shape: "t transpose unsqueeze clone stack cat unbind",
    linalg: "dot mv mm bmm addmm",
    gathering: "gather scatter scatter_add index_select index_add take_along_dim masked_fill masked_select nonzero",
    indexing: "index_put",
    rearrange: "repeat flip roll tril triu diagonal diag diag_embed unflatten movedim moveaxis chunk "
               "expand_as view_as reshape_as swapaxes swapdims",
}
FUNCTIONS = {name: getattr(module, name) for module, names in _FAMILIES.items() for name in names.split()}
FUNCTIONS["clip"] = functions.clamp
IN_PLACE = {f"{name}_": inplace.in_place(FUNCTIONS[name]) for name in (
    "add sub mul div neg reciprocal abs exp log sqrt rsqrt sin cos tanh sigmoid relu square pow clamp clip sign floor "
    "ceil round remainder nan_to_num lerp addcmul addcdiv tril triu index_add scatter scatter_add masked_fill").split()}
IN_PLACE |= {name: getattr(inplace, name) for name in "zero_ copy_ fill_ index_put_".split()}
IN_PLACE |= {name: getattr(drawing, name) for name in "uniform_ normal_ bernoulli_".split()}
_NOT_METHODS = {"stack", "cat", "einsum"}


def _sign(function):
    """A binary sign: what is neither a tensor nor a number is left to the other operand."""
    def method(self, other):
        if not isinstance(other, Tensor):
            if isinstance(other, np.ndarray):
                other = Tensor._make(other, NO_EDGE)
            elif isinstance(other, np.generic):
                other = other.item()                    # a number of NumPy's counts as one of Python's
            elif not isinstance(other, (int, float)):
                return NotImplemented
        return function(self, other)
    return method


_NUMPYS = {"axis": "dim", "keepdims": "keepdim"}


def _named_as_numpy(function):
    """`function`, which takes NumPy's names for `dim` and `keepdim` too, as PyTorch's do."""
    @functools.wraps(function)
    def call(*args, **options):
        if options:
            options = {_NUMPYS.get(option, option): value for option, value in options.items()}
        return function(*args, **options)
    call.__module__, call.__qualname__ = Tensor.__module__.partition(".")[0], function.__name__
    return call


for _name in ("sum mean prod max min amax amin argmax argmin all any var std cumsum softmax log_softmax logsumexp cat "
              "stack").split():
    FUNCTIONS[_name] = _named_as_numpy(FUNCTIONS[_name])


def _attach():
    for name, function in FUNCTIONS.items():
        if name not in _NOT_METHODS:
            setattr(Tensor, name, function)
    for name, function in IN_PLACE.items():
        setattr(Tensor, name, function)
    for sign, function in {
            "add": elementwise.add, "radd": elementwise.add, "sub": functions.sub, "rsub": functions.rsub,
            "mul": elementwise.mul, "rmul": elementwise.mul, "truediv": elementwise.div, "pow": functions.pow,
            "floordiv": functions.floor_divide, "mod": functions.remainder,
            "and": comparison.bitwise_and, "or": comparison.bitwise_or, "xor": comparison.bitwise_xor,
            "rand": comparison.bitwise_and, "ror": comparison.bitwise_or, "rxor": comparison.bitwise_xor,
            "lshift": comparison.bitwise_left_shift, "rshift": comparison.bitwise_right_shift,
            "iadd": IN_PLACE["add_"], "isub": IN_PLACE["sub_"], "imul": IN_PLACE["mul_"], "itruediv": IN_PLACE["div_"],
            **{c: getattr(comparison, c) for c in ("eq", "ne", "lt", "le", "gt", "ge")}}.items():
        setattr(Tensor, f"__{sign}__", _sign(function))
    Tensor.__matmul__ = lambda self, other: linalg.matmul(self, other) if isinstance(other, Tensor) else NotImplemented
    Tensor.where = lambda input, condition, other: functions.where(condition, input, other)
    Tensor.__rpow__ = _sign(lambda self, other: functions.pow(other, self))
    Tensor.__rtruediv__ = _sign(lambda self, other: elementwise.mul(elementwise.reciprocal(self), other))
    Tensor.__neg__ = elementwise.neg
    Tensor.__abs__ = elementwise.abs
    Tensor.__invert__ = comparison.bitwise_not
    Tensor.__getitem__ = indexing.getitem
    Tensor.__setitem__ = inplace.setitem
    Tensor.T = property(lambda self: shape.permute(self, tuple(reversed(range(self.ndim)))))
    Tensor.mT = property(linalg.mT)
    for name in "float double half int long short bool".split():
        setattr(Tensor, name, lambda self, d=getattr(dtypes, name): functions.to(self, d))
    Tensor.byte = lambda self: functions.to(self, dtypes.uint8)


_attach()

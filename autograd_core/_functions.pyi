"""The functions of tensors: `T.exp(x)`. Written by `python -m tests.stubs`."""

from collections.abc import Sequence
from typing import Any

from .compat.tensor import Tensor

_bool = bool
_float = float
_int = int
_str = str
Number = _int | _float | _bool

__all__ = [
    "abs",
    "add",
    "addmm",
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "as_tensor",
    "atan",
    "bernoulli",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bmm",
    "cat",
    "ceil",
    "chunk",
    "clamp",
    "clip",
    "clone",
    "contiguous",
    "cos",
    "count_nonzero",
    "cumsum",
    "div",
    "dot",
    "einsum",
    "empty",
    "eq",
    "equal",
    "erf",
    "exp",
    "expand",
    "expand_as",
    "eye",
    "flatten",
    "flip",
    "floor",
    "floor_divide",
    "from_numpy",
    "full",
    "full_like",
    "gather",
    "ge",
    "get_default_dtype",
    "gt",
    "index_add",
    "index_put",
    "is_anomaly_enabled",
    "is_floating_point",
    "is_grad_enabled",
    "is_tensor",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "linspace",
    "load",
    "log",
    "log1p",
    "log_softmax",
    "logsumexp",
    "lt",
    "manual_seed",
    "masked_fill",
    "masked_select",
    "matmul",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mul",
    "multinomial",
    "mv",
    "nan_to_num",
    "ne",
    "neg",
    "nonzero",
    "norm",
    "normal",
    "numel",
    "ones",
    "ones_like",
    "outer",
    "permute",
    "pow",
    "prod",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "reciprocal",
    "relu",
    "remainder",
    "repeat",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "save",
    "scatter",
    "scatter_add",
    "set_default_dtype",
    "set_printoptions",
    "sigmoid",
    "sign",
    "sin",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "sub",
    "sum",
    "t",
    "tanh",
    "tensor",
    "to",
    "topk",
    "transpose",
    "tril",
    "triu",
    "type_as",
    "unbind",
    "unsqueeze",
    "use_deterministic_algorithms",
    "var",
    "view",
    "where",
    "zeros",
    "zeros_like",
]

def abs(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def add(input: Tensor, other: Tensor | Number, *, alpha: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def addmm(input: Tensor, mat1: Any, mat2: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
def all(input: Tensor, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
def allclose(input: Tensor, other: Tensor | Number, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _bool: ...  # autograd_core/compat/functions.py
def amax(input: Tensor, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
def amin(input: Tensor, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
def any(input: Tensor, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
def arange(start: Any, end: Any = ..., step: Any = ..., *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def argmax(input: Tensor, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
def argmin(input: Tensor, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
def argsort(input: Tensor, dim: Any = ..., descending: _bool = ..., stable: _bool = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def as_tensor(data: Any, dtype: Any = ..., device: Any = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def atan(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def bernoulli(input: Tensor, generator: Any = ...) -> Tensor: ...  # autograd_core/compat/sampling.py
def bitwise_and(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def bitwise_not(input: Tensor) -> Tensor: ...  # autograd_core/ops/comparison.py
def bitwise_or(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def bitwise_xor(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def bmm(input: Tensor, mat2: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
def cat(tensors: Sequence[Tensor], dim: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
def ceil(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def chunk(input: Tensor, chunks: Any, dim: Any = ...) -> tuple[Tensor, ...]: ...  # autograd_core/ops/shape.py
def clamp(input: Tensor, min: Tensor | Number | None = ..., max: Tensor | Number | None = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def clip(input: Tensor, min: Tensor | Number | None = ..., max: Tensor | Number | None = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def clone(input: Tensor, contiguous: _bool = ...) -> Tensor: ...  # autograd_core/ops/shape.py
def contiguous(input: Tensor) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
def cos(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def count_nonzero(input: Tensor, dim: Any = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
def cumsum(input: Tensor, dim: Any, *, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def div(input: Tensor, other: Tensor | Number, *, rounding_mode: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def dot(input: Tensor, tensor: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
def einsum(equation: Any, *operands: Any) -> Tensor: ...  # autograd_core/ops/einsum.py
def empty(*sizes: Any, size: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def eq(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def equal(input: Tensor, other: Tensor | Number) -> _bool: ...  # autograd_core/compat/functions.py
def erf(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def exp(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def expand(input: Tensor, *sizes: Any, size: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
def expand_as(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/shape.py
def eye(n: Any, m: Any = ..., *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def flatten(input: Tensor, start_dim: Any = ..., end_dim: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
def flip(input: Tensor, dims: Any) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
def floor(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def floor_divide(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
def from_numpy(array: Any) -> Tensor: ...  # autograd_core/compat/creation.py
def full(size: Any, fill_value: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def gather(input: Tensor, dim: Any, index: Tensor) -> Tensor: ...  # autograd_core/ops/gathering.py
def ge(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def get_default_dtype() -> Any: ...  # autograd_core/compat/dtypes.py
def gt(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def index_add(input: Tensor, dim: Any, index: Tensor, source: Tensor, alpha: Any = ...) -> Tensor: ...  # autograd_core/ops/gathering.py
def index_put(input: Tensor, indices: Any, values: Any, accumulate: _bool = ...) -> Tensor: ...  # autograd_core/ops/indexing.py
def is_anomaly_enabled() -> _bool: ...  # autograd_core/autograd/modes.py
def is_floating_point(input: Tensor) -> _bool: ...  # autograd_core/__init__.py
def is_grad_enabled() -> _bool: ...  # autograd_core/autograd/grad_mode.py
def is_tensor(obj: Any) -> _bool: ...  # autograd_core/__init__.py
def isfinite(input: Tensor) -> Tensor: ...  # autograd_core/ops/comparison.py
def isinf(input: Tensor) -> Tensor: ...  # autograd_core/ops/comparison.py
def isnan(input: Tensor) -> Tensor: ...  # autograd_core/ops/comparison.py
def le(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def linspace(start: Any, end: Any, steps: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def load(path: Any, map_location: Any = ..., *, weights_only: _bool = ...) -> Any: ...  # autograd_core/compat/saving.py
def log(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def log1p(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def log_softmax(input: Tensor, dim: Any, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def logsumexp(input: Tensor, dim: Any, keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
def lt(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def manual_seed(seed: _int) -> Any: ...  # autograd_core/compat/random.py
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor: ...  # autograd_core/ops/gathering.py
def masked_select(input: Tensor, mask: Tensor) -> Tensor: ...  # autograd_core/ops/gathering.py
def matmul(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
def max(input: Tensor, dim: Any = ..., keepdim: _bool = ..., *, other: Tensor | Number = ...) -> Any: ...  # autograd_core/compat/functions.py
def maximum(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
def mean(input: Tensor, dim: Any = ..., keepdim: _bool = ..., *, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def meshgrid(*tensors: Any, indexing: _str = ...) -> tuple[Tensor, ...]: ...  # autograd_core/ops/shape.py
def min(input: Tensor, dim: Any = ..., keepdim: _bool = ..., *, other: Tensor | Number = ...) -> Any: ...  # autograd_core/compat/functions.py
def minimum(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
def mm(input: Tensor, mat2: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
def mul(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/elementwise.py
def multinomial(input: Tensor, num_samples: Any, replacement: _bool = ..., generator: Any = ...) -> Tensor: ...  # autograd_core/compat/sampling.py
def mv(input: Tensor, vec: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
def nan_to_num(input: Tensor, nan: _float = ..., posinf: Any = ..., neginf: Any = ...) -> Tensor: ...  # autograd_core/ops/elementwise.py
def ne(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
def neg(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def nonzero(input: Tensor, as_tuple: _bool = ...) -> Any: ...  # autograd_core/ops/gathering.py
def norm(input: Tensor, p: _str = ..., dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def normal(mean: Any, std: Any, size: Any, *, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def numel(input: Tensor) -> _int: ...  # autograd_core/__init__.py
def ones(*sizes: Any, size: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def ones_like(input: Tensor, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def outer(input: Tensor, vec2: Any) -> Tensor: ...  # autograd_core/compat/functions.py
def permute(input: Tensor, *order: Any, dims: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
def pow(input: Tensor, exponent: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
def prod(input: Tensor, dim: Any = ..., keepdim: _bool = ..., *, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def rand(*sizes: Any, size: Any = ..., generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def rand_like(input: Tensor, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def randint(low: Any = ..., high: Any = ..., size: Any = ..., *, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def randn(*sizes: Any, size: Any = ..., generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def randn_like(input: Tensor, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def randperm(n: Any, *, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def reciprocal(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def relu(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def remainder(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
def repeat(input: Tensor, *sizes: Any, repeats: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
def reshape(input: Tensor, *sizes: Any, shape: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
def roll(input: Tensor, shifts: Any, dims: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
def round(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def rsqrt(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def save(obj: Any, path: Any) -> None: ...  # autograd_core/compat/saving.py
def scatter(input: Tensor, dim: Any, index: Tensor, src: Any = ..., *, value: Any = ...) -> Tensor: ...  # autograd_core/ops/gathering.py
def scatter_add(input: Tensor, dim: Any, index: Tensor, src: Any) -> Tensor: ...  # autograd_core/ops/gathering.py
def set_default_dtype(d: Any) -> None: ...  # autograd_core/compat/dtypes.py
def set_printoptions(precision: Any = ..., threshold: Any = ..., edgeitems: Any = ..., linewidth: Any = ..., *, sci_mode: Any = ...) -> None: ...  # autograd_core/compat/printing.py
def sigmoid(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def sign(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def sin(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def softmax(input: Tensor, dim: Any, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def sort(input: Tensor, dim: Any = ..., descending: _bool = ...) -> Any: ...  # autograd_core/compat/functions.py
def split(input: Tensor, split_size_or_sections: Any, dim: Any = ...) -> tuple[Tensor, ...]: ...  # autograd_core/compat/functions_of_shape.py
def sqrt(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def square(input: Tensor) -> Tensor: ...  # autograd_core/compat/functions.py
def squeeze(input: Tensor, dim: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
def stack(tensors: Sequence[Tensor], dim: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
def std(input: Tensor, dim: Any = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def sub(input: Tensor, other: Tensor | Number, *, alpha: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def sum(input: Tensor, dim: Any = ..., keepdim: _bool = ..., *, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def t(input: Tensor) -> Tensor: ...  # autograd_core/ops/shape.py
def tanh(input: Tensor) -> Tensor: ...  # autograd_core/ops/elementwise.py
def tensor(data: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def to(input: Tensor, *args: Any, dtype: Any = ..., device: Any = ..., non_blocking: _bool = ..., copy: _bool = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def topk(input: Tensor, k: Any, dim: Any = ..., largest: _bool = ..., sorted: _bool = ...) -> Any: ...  # autograd_core/compat/functions.py
def transpose(input: Tensor, dim0: Any, dim1: Any) -> Tensor: ...  # autograd_core/ops/shape.py
def tril(input: Tensor, diagonal: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
def triu(input: Tensor, diagonal: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
def type_as(input: Tensor, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
def unbind(input: Tensor, dim: Any = ...) -> tuple[Tensor, ...]: ...  # autograd_core/ops/shape.py
def unsqueeze(input: Tensor, dim: Any) -> Tensor: ...  # autograd_core/ops/shape.py
def use_deterministic_algorithms(mode: Any, *, warn_only: _bool = ...) -> Tensor: ...  # autograd_core/__init__.py
def var(input: Tensor, dim: Any = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
def view(input: Tensor, *sizes: Any, size: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
def where(condition: Tensor, input: Tensor = ..., other: Tensor | Number = ...) -> Any: ...  # autograd_core/compat/functions.py
def zeros(*sizes: Any, size: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
def zeros_like(input: Tensor, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py

"""The operations as methods of `Tensor`: `x.exp()`, `x.exp_()`. Written by `python -m tests.stubs`."""

from collections.abc import Sequence
from typing import Any

from .tensor import Tensor

_bool = bool
_float = float
_int = int
_str = str
Number = _int | _float | _bool

class Methods:
    def abs(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def add(self, other: Tensor | Number, *, alpha: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def addmm(self, mat1: Any, mat2: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
    def all(self, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
    def allclose(self, other: Tensor | Number, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _bool: ...  # autograd_core/compat/functions.py
    def amax(self, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
    def amin(self, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
    def any(self, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
    def argmax(self, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
    def argmin(self, dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
    def argsort(self, dim: Any = ..., descending: _bool = ..., stable: _bool = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def atan(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def bernoulli(self, generator: Any = ...) -> Tensor: ...  # autograd_core/compat/sampling.py
    def bitwise_and(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def bitwise_not(self) -> Tensor: ...  # autograd_core/ops/comparison.py
    def bitwise_or(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def bitwise_xor(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def bmm(self, mat2: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
    def bool(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def byte(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def ceil(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def chunk(self, chunks: Any, dim: Any = ...) -> tuple[Tensor, ...]: ...  # autograd_core/ops/shape.py
    def clamp(self, min: Tensor | Number | None = ..., max: Tensor | Number | None = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def clip(self, min: Tensor | Number | None = ..., max: Tensor | Number | None = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def clone(self, contiguous: _bool = ...) -> Tensor: ...  # autograd_core/ops/shape.py
    def contiguous(self) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
    def copy_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def cos(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def count_nonzero(self, dim: Any = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
    def cumsum(self, dim: Any, *, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def div(self, other: Tensor | Number, *, rounding_mode: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def dot(self, tensor: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
    def double(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def eq(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def equal(self, other: Tensor | Number) -> _bool: ...  # autograd_core/compat/functions.py
    def erf(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def exp(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def expand(self, *sizes: Any, size: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
    def expand_as(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/shape.py
    def fill_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def flatten(self, start_dim: Any = ..., end_dim: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
    def flip(self, *each: Any, dims: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
    def float(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def floor(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def floor_divide(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def gather(self, dim: Any, index: Tensor) -> Tensor: ...  # autograd_core/ops/gathering.py
    def ge(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def gt(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def half(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def index_add(self, dim: Any, index: Tensor, source: Tensor, alpha: Any = ...) -> Tensor: ...  # autograd_core/ops/gathering.py
    def index_add_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def index_put(self, indices: Any, values: Any, accumulate: _bool = ...) -> Tensor: ...  # autograd_core/ops/indexing.py
    def index_put_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def int(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def isfinite(self) -> Tensor: ...  # autograd_core/ops/comparison.py
    def isinf(self) -> Tensor: ...  # autograd_core/ops/comparison.py
    def isnan(self) -> Tensor: ...  # autograd_core/ops/comparison.py
    def le(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def log(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def log1p(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def log_softmax(self, dim: Any, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def logsumexp(self, dim: Any, keepdim: _bool = ...) -> Tensor: ...  # autograd_core/ops/reduction.py
    def long(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def lt(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def masked_fill(self, mask: Tensor, value: Any) -> Tensor: ...  # autograd_core/ops/gathering.py
    def masked_fill_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def masked_select(self, mask: Tensor) -> Tensor: ...  # autograd_core/ops/gathering.py
    def matmul(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def max(self, dim: Any = ..., keepdim: _bool = ..., *, other: Tensor | Number = ...) -> Any: ...  # autograd_core/compat/functions.py
    def maximum(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def mean(self, dim: Any = ..., keepdim: _bool = ..., *, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def min(self, dim: Any = ..., keepdim: _bool = ..., *, other: Tensor | Number = ...) -> Any: ...  # autograd_core/compat/functions.py
    def minimum(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def mm(self, mat2: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
    def mul(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def multinomial(self, num_samples: Any, replacement: _bool = ..., generator: Any = ...) -> Tensor: ...  # autograd_core/compat/sampling.py
    def mv(self, vec: Any) -> Tensor: ...  # autograd_core/ops/linalg.py
    def nan_to_num(self, nan: _float = ..., posinf: Any = ..., neginf: Any = ...) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def ne(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def neg(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def new_ones(self, *sizes: Any, size: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
    def new_tensor(self, data: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
    def new_zeros(self, *sizes: Any, size: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: _bool = ...) -> Tensor: ...  # autograd_core/compat/creation.py
    def nonzero(self, as_tuple: _bool = ...) -> Any: ...  # autograd_core/ops/gathering.py
    def norm(self, p: _str = ..., dim: Any = ..., keepdim: _bool = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def normal_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def outer(self, vec2: Any) -> Tensor: ...  # autograd_core/compat/functions.py
    def permute(self, *order: Any, dims: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
    def pow(self, exponent: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def prod(self, dim: Any = ..., keepdim: _bool = ..., *, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def reciprocal(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def relu(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def remainder(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def repeat(self, *sizes: Any, repeats: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
    def reshape(self, *sizes: Any, shape: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
    def roll(self, shifts: Any, dims: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
    def round(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def rsqrt(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def scatter(self, dim: Any, index: Tensor, src: Any = ..., *, value: Any = ...) -> Tensor: ...  # autograd_core/ops/gathering.py
    def scatter_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def scatter_add(self, dim: Any, index: Tensor, src: Any) -> Tensor: ...  # autograd_core/ops/gathering.py
    def scatter_add_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def short(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def sigmoid(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def sign(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def sin(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def softmax(self, dim: Any, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def sort(self, dim: Any = ..., descending: _bool = ...) -> Any: ...  # autograd_core/compat/functions.py
    def split(self, split_size_or_sections: Any, dim: Any = ...) -> tuple[Tensor, ...]: ...  # autograd_core/compat/functions_of_shape.py
    def sqrt(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def square(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def squeeze(self, dim: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
    def std(self, dim: Any = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def sub(self, other: Tensor | Number, *, alpha: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def sum(self, dim: Any = ..., keepdim: _bool = ..., *, dtype: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def t(self) -> Tensor: ...  # autograd_core/ops/shape.py
    def tanh(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def to(self, *args: Any, dtype: Any = ..., device: Any = ..., non_blocking: _bool = ..., copy: _bool = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def topk(self, k: Any, dim: Any = ..., largest: _bool = ..., sorted: _bool = ...) -> Any: ...  # autograd_core/compat/functions.py
    def transpose(self, dim0: Any, dim1: Any) -> Tensor: ...  # autograd_core/ops/shape.py
    def tril(self, diagonal: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
    def triu(self, diagonal: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
    def type_as(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def unbind(self, dim: Any = ...) -> tuple[Tensor, ...]: ...  # autograd_core/ops/shape.py
    def uniform_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def unsqueeze(self, dim: Any) -> Tensor: ...  # autograd_core/ops/shape.py
    def var(self, dim: Any = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def view(self, *sizes: Any, size: Any = ...) -> Tensor: ...  # autograd_core/compat/functions_of_shape.py
    def zero_(self, *args: Any, **kwargs: Any) -> Tensor: ...  # autograd_core/ops/inplace.py
    def abs_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def add_(self, other: Tensor | Number, *, alpha: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def bitwise_and_(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def bitwise_or_(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/comparison.py
    def ceil_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def clamp_(self, min: Tensor | Number | None = ..., max: Tensor | Number | None = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def clip_(self, min: Tensor | Number | None = ..., max: Tensor | Number | None = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def cos_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def div_(self, other: Tensor | Number, *, rounding_mode: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def exp_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def floor_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def floor_divide_(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def log_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def mul_(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def nan_to_num_(self, nan: _float = ..., posinf: Any = ..., neginf: Any = ...) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def neg_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def pow_(self, exponent: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def reciprocal_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def relu_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def remainder_(self, other: Tensor | Number) -> Tensor: ...  # autograd_core/compat/functions.py
    def round_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def rsqrt_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def sigmoid_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def sign_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def sin_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def sqrt_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def square_(self) -> Tensor: ...  # autograd_core/compat/functions.py
    def sub_(self, other: Tensor | Number, *, alpha: Any = ...) -> Tensor: ...  # autograd_core/compat/functions.py
    def tanh_(self) -> Tensor: ...  # autograd_core/ops/elementwise.py
    def tril_(self, diagonal: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
    def triu_(self, diagonal: Any = ...) -> Tensor: ...  # autograd_core/ops/shape.py
    def __add__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
    def __lt__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...

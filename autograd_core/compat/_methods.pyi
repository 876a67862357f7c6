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
    def abs(self) -> Tensor:
        """`|input|`. Its slope at 0 is 0. In autograd_core/ops/elementwise.py."""
    def add(self, other: Tensor | Number, alpha: Any = 1) -> Tensor:
        """`input + alpha * other`. In autograd_core/ops/arithmetic.py."""
    def addmm(self, mat1: Any, mat2: Any) -> Tensor:
        """`input + mat1 @ mat2`. `input` is broadcast to the product's shape (n, p). Errors as in `mm`. In autograd_core/ops/linalg.py."""
    def all(self, dim: Any = None, keepdim: _bool = False) -> Tensor:
        """Whether all elements are true, of the whole tensor or along `dim`. bool, or uint8 for uint8. In autograd_core/ops/reduction.py."""
    def allclose(self, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """Whether `|input - other| <= atol + rtol * |other|` for all elements. In autograd_core/ops/comparison.py."""
    def amax(self, dim: Any = ..., keepdim: _bool = False) -> Tensor:
        """The maximum along `dim` (one or several, () for all). Equal elements share the gradient. In autograd_core/ops/reduction.py."""
    def any(self, dim: Any = None, keepdim: _bool = False) -> Tensor:
        """Whether any element is true, of the whole tensor or along `dim`. bool, or uint8 for uint8. In autograd_core/ops/reduction.py."""
    def argmax(self, dim: Any = None, keepdim: _bool = False) -> Tensor:
        """The index (int64) of the greatest element (the first of equals), along `dim` or flattened. In autograd_core/ops/reduction.py."""
    def argmin(self, dim: Any = None, keepdim: _bool = False) -> Tensor:
        """The index of the smallest element, like `argmax`. In autograd_core/ops/reduction.py."""
    def argsort(self, dim: Any = -1, descending: _bool = False) -> Tensor:
        """The indices that sort the elements along `dim`. In autograd_core/ops/sorting.py."""
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """`input & other`. In autograd_core/ops/comparison.py."""
    def bitwise_not(self) -> Tensor:
        """`~input`: the negated booleans, or the integers with all bits inverted. In autograd_core/ops/comparison.py."""
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """`input | other`. In autograd_core/ops/comparison.py."""
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """`input ^ other`. In autograd_core/ops/comparison.py."""
    def bmm(self, mat2: Any) -> Tensor:
        """The products (b, n, p) of two batches of matrices (b, n, m) and (b, m, p). In autograd_core/ops/linalg.py."""
    def bool(self) -> Tensor:
        """The tensor in torch.bool: `to(input, torch.bool)`. In autograd_core/compat/dtypes.py."""
    def byte(self) -> Tensor:
        """The tensor in torch.uint8: `to(input, torch.uint8)`. In autograd_core/compat/dtypes.py."""
    def chunk(self, chunks: Any, dim: Any = 0) -> tuple[Tensor, ...]:
        """At most `chunks` pieces of equal size along `dim`. The last one may be smaller. In autograd_core/ops/shape.py."""
    def clamp(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """`input` clamped to [min, max]. One bound may be None. For tensors as bounds see `maximum`. In autograd_core/ops/elementwise.py."""
    def clip(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """`input` clamped to [min, max]. One bound may be None. For tensors as bounds see `maximum`. In autograd_core/ops/elementwise.py."""
    def clone(self, contiguous: _bool = False) -> Tensor:
        """A copy in the input's memory order, or in row-major order if `contiguous`. In autograd_core/ops/shape.py."""
    def contiguous(self) -> Tensor:
        """The tensor itself if its memory is contiguous, else a contiguous copy. In autograd_core/ops/shape.py."""
    def copy_(self, src: Any) -> Tensor:
        """As `copy`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/inplace.py."""
    def cos(self) -> Tensor:
        """The cosine of `input` in radians. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def cumsum(self, dim: Any) -> Tensor:
        """The cumulative sums along `dim`. The sums of integers are int64. In autograd_core/ops/reduction.py."""
    def div(self, other: Tensor | Number) -> Tensor:
        """`input / other`. Integers are converted to floating point. In autograd_core/ops/arithmetic.py."""
    def dot(self, tensor: Any) -> Tensor:
        """The sum of the products of two vectors of the same length. In autograd_core/ops/linalg.py."""
    def double(self) -> Tensor:
        """The tensor in torch.float64: `to(input, torch.float64)`. In autograd_core/compat/dtypes.py."""
    def eq(self, other: Tensor | Number) -> Tensor:
        """`input == other`, element by element. In autograd_core/ops/comparison.py."""
    def equal(self, other: Tensor | Number) -> _bool:
        """Whether `input` and `other` have the same shape and elements. In autograd_core/ops/comparison.py."""
    def erf(self) -> Tensor:
        """Error function, 2/√π ∫₀ˣ exp(−t²) dt. In autograd_core/ops/activation.py."""
    def exp(self) -> Tensor:
        """`e ** input`. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def expand(self, *sizes: Any) -> Tensor:
        """Expand dimensions of size 1 to `sizes` without copying. -1 keeps a dimension's size. In autograd_core/ops/shape.py."""
    def fill_(self, value: Any) -> Tensor:
        """As `fill`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/inplace.py."""
    def flatten(self, start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
        """Merge the dimensions from `start_dim` to `end_dim` (inclusive) to one. In autograd_core/ops/shape.py."""
    def flip(self, *each: Any, dims: Any = ...) -> Tensor:
        """Reverse the entries along the given dimensions, or along those in a tuple. It is a copy. In autograd_core/ops/shape.py."""
    def float(self) -> Tensor:
        """The tensor in torch.float32: `to(input, torch.float32)`. In autograd_core/compat/dtypes.py."""
    def floor(self) -> Tensor:
        """The greatest integer that isn't above `input`, in the type of `input`. In autograd_core/ops/elementwise.py."""
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """`input // other`. Raises RuntimeError if `input` or `other` requires a gradient. In autograd_core/ops/arithmetic.py."""
    def gather(self, dim: Any, index: Tensor) -> Tensor:
        """For each element of `index`, the element of `input` at that index along `dim`. In autograd_core/ops/gathering.py."""
    def ge(self, other: Tensor | Number) -> Tensor:
        """`input >= other`, element by element. In autograd_core/ops/comparison.py."""
    def gt(self, other: Tensor | Number) -> Tensor:
        """`input > other`, element by element. In autograd_core/ops/comparison.py."""
    def index_put(self, indices: Any, values: Any, accumulate: _bool = False) -> Tensor:
        """`input` with `values` at `indices`, integer or boolean tensors, at most one per dimension. In autograd_core/ops/indexing.py."""
    def int(self) -> Tensor:
        """The tensor in torch.int32: `to(input, torch.int32)`. In autograd_core/compat/dtypes.py."""
    def isfinite(self) -> Tensor:
        """True where `input` is neither infinite nor nan. In autograd_core/ops/comparison.py."""
    def isinf(self) -> Tensor:
        """True where `input` is infinite. In autograd_core/ops/comparison.py."""
    def isnan(self) -> Tensor:
        """True where `input` is nan. In autograd_core/ops/comparison.py."""
    def le(self, other: Tensor | Number) -> Tensor:
        """`input <= other`, element by element. In autograd_core/ops/comparison.py."""
    def log(self) -> Tensor:
        """The natural logarithm: -inf at 0, nan below 0. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def log1p(self) -> Tensor:
        """`log(1 + input)`, accurate even near 0. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def log_softmax(self, dim: Any) -> Tensor:
        """The logarithm of `softmax`, computed without overflow. In autograd_core/ops/reduction.py."""
    def logsumexp(self, dim: Any, keepdim: _bool = False) -> Tensor:
        """`log(sum(exp(input)))` along `dim` (one or several), computed without overflow. Integers are converted to floating point. In autograd_core/ops/reduction.py."""
    def long(self) -> Tensor:
        """The tensor in torch.int64: `to(input, torch.int64)`. In autograd_core/compat/dtypes.py."""
    def lt(self, other: Tensor | Number) -> Tensor:
        """`input < other`, element by element. In autograd_core/ops/comparison.py."""
    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """`input` with the number `value` where `mask` is true. In autograd_core/ops/gathering.py."""
    def masked_fill_(self, mask: Tensor, value: Any) -> Tensor:
        """As `masked_fill`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/gathering.py."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """A vector of the elements of `input` where `mask` is true. Both are broadcast to one shape. In autograd_core/ops/gathering.py."""
    def matmul(self, other: Tensor | Number) -> Tensor:
        """`input @ other` of vectors, matrices, or batches whose leading dimensions are broadcast. It is composed of other operations as in PyTorch. In autograd_core/ops/linalg.py."""
    def max(self, other: Tensor | Number | None = None, keepdim: _bool = False, *, dim: Any = None) -> Any:
        """The greatest element, or with `dim` a pair (values, indices), or `maximum(input, other)`. In autograd_core/ops/sorting.py."""
    def maximum(self, other: Tensor | Number) -> Tensor:
        """The greater of each pair, or nan if one is nan. Equal elements share the gradient. In autograd_core/ops/elementwise.py."""
    def mean(self, dim: Any = None, keepdim: _bool = False) -> Tensor:
        """The mean of all elements, or the means along `dim`. Raises RuntimeError for integers. In autograd_core/ops/reduction.py."""
    def min(self, other: Tensor | Number | None = None, keepdim: _bool = False, *, dim: Any = None) -> Any:
        """The smallest element, or with `dim` a pair (values, indices), or `minimum(input, other)`. In autograd_core/ops/sorting.py."""
    def minimum(self, other: Tensor | Number) -> Tensor:
        """The smaller of each pair, or nan if one is nan. Equal elements share the gradient. In autograd_core/ops/elementwise.py."""
    def mm(self, mat2: Any) -> Tensor:
        """The product (n, p) of matrices (n, m) and (m, p). RuntimeError if sizes or types don't fit. In autograd_core/ops/linalg.py."""
    def mul(self, other: Tensor | Number) -> Tensor:
        """`input * other`, with broadcasting and type promotion. In autograd_core/ops/arithmetic.py."""
    def mv(self, vec: Any) -> Tensor:
        """A matrix (n, m) times a vector (m). The result has the shape (n). In autograd_core/ops/linalg.py."""
    def nan_to_num(self, nan: _float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
        """Replace nan by `nan`, and infinities by `posinf` or `neginf`, by default the type's extremes. In autograd_core/ops/comparison.py."""
    def ne(self, other: Tensor | Number) -> Tensor:
        """`input != other`, element by element. In autograd_core/ops/comparison.py."""
    def neg(self) -> Tensor:
        """`-input`. In autograd_core/ops/arithmetic.py."""
    def new(self, *args: Any) -> Tensor:
        """A new tensor of this tensor's type: zeros for sizes, as in `x.new(2, 3)` or `x.new(x.size())`, or a copy of a list or tensor. In autograd_core/compat/creation.py."""
    def new_tensor(self, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
        """Like `tensor(data)`, but the default type is the type of this tensor. In autograd_core/compat/creation.py."""
    def nonzero(self, as_tuple: _bool = False) -> Any:
        """The indices of nonzero elements: one row for each, or with `as_tuple` a vector per dimension. In autograd_core/ops/gathering.py."""
    def norm(self, p: _str = 'fro', dim: Any = None, keepdim: _bool = False) -> Tensor:
        """`(sum of |input| ** p) ** (1 / p)` of all elements or along `dim`. p is 1, 2 ("fro") or inf. In autograd_core/ops/reduction.py."""
    def normal_(self, mean: _float = 0.0, std: _float = 1.0, generator: Any = None) -> Tensor:
        """As `normal`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/compat/sampling.py."""
    def outer(self, vec2: Any) -> Tensor:
        """The matrix (n, m) of all products of two vectors (n) and (m). In autograd_core/ops/linalg.py."""
    def permute(self, *order: Any, dims: Any = ...) -> Tensor:
        """Put the dimensions in another order: `permute(2, 0, 1)`, or a tuple `dims`. In autograd_core/ops/shape.py."""
    def pow(self, exponent: Tensor | Number) -> Tensor:
        """`input ** exponent`. One of them may be a number. In autograd_core/ops/arithmetic.py."""
    def prod(self, dim: Any = None, keepdim: _bool = False) -> Tensor:
        """The product of all elements, or along `dim`. The product of integers is int64. In autograd_core/ops/reduction.py."""
    def reciprocal(self) -> Tensor:
        """`1 / input`, infinite at 0. Integers are converted to floating point. In autograd_core/ops/arithmetic.py."""
    def relu(self) -> Tensor:
        """`max(input, 0)`. Its slope at 0 is 0. In autograd_core/ops/elementwise.py."""
    def remainder(self, other: Tensor | Number) -> Tensor:
        """`input % other`, with the sign of `other`. If `input` is a number, it isn't differentiable. In autograd_core/ops/arithmetic.py."""
    def reshape(self, *sizes: Any, shape: Any = ...) -> Tensor:
        """The same numbers in another shape: a view if that is possible, else a copy. In autograd_core/ops/shape.py."""
    def roll(self, shifts: Any, dims: Any = None) -> Tensor:
        """Shift the entries by `shifts` along `dims`, or in the flattened tensor. Entries shifted beyond one end reappear at the other end. In autograd_core/ops/shape.py."""
    def round(self) -> Tensor:
        """The nearest integer, halves to the even one, in the type of `input`. In autograd_core/ops/elementwise.py."""
    def rsqrt(self) -> Tensor:
        """`1 / sqrt(input)`: inf at 0, nan below 0. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def scatter_add(self, dim: Any, index: Tensor, src: Any) -> Tensor:
        """`input` with the elements of `src` added at the positions that `gather` would read. In autograd_core/ops/gathering.py."""
    def sigmoid(self) -> Tensor:
        """`1 / (1 + exp(-input))`, between 0 and 1. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def sign(self) -> Tensor:
        """-1 if `input` is negative, 1 if it is positive, else (0 or nan) 0. The derivative is 0. In autograd_core/ops/elementwise.py."""
    def sin(self) -> Tensor:
        """The sine of `input` in radians. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def softmax(self, dim: Any) -> Tensor:
        """`exp(input)` divided by its sum along `dim`: positive numbers with the sum 1. In autograd_core/ops/reduction.py."""
    def sort(self, dim: Any = -1, descending: _bool = False) -> Any:
        """A pair: the sorted elements along `dim`, and their indices. Equal ones keep their order. In autograd_core/ops/sorting.py."""
    def split(self, split_size_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
        """A tuple of pieces along `dim`: all of the given size, or with the sizes in a list. In autograd_core/ops/shape.py."""
    def sqrt(self) -> Tensor:
        """The square root: nan below 0, slope inf at 0. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def square(self) -> Tensor:
        """`input ** 2`. In autograd_core/ops/arithmetic.py."""
    def squeeze(self, dim: Any = None) -> Tensor:
        """Remove all dimensions of size 1, or only `dim` if its size is 1. In autograd_core/ops/shape.py."""
    def std(self, dim: Any = None, unbiased: _bool = True, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
        """The square root of `var`. In autograd_core/ops/reduction.py."""
    def sub(self, other: Tensor | Number, alpha: Any = 1) -> Tensor:
        """`input - alpha * other`. In autograd_core/ops/arithmetic.py."""
    def sum(self, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None) -> Tensor:
        """The sum of all elements, or along `dim` (one or several). The sum of integers is int64. In autograd_core/ops/reduction.py."""
    def t(self) -> Tensor:
        """The transpose of a matrix. A vector stays the same. In autograd_core/ops/shape.py."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent, between -1 and 1. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
    def to(self, *args: Any, dtype: Any = None, device: Any = None, non_blocking: _bool = False, copy: _bool = False) -> Tensor:
        """The tensor converted to another type: `x.to(float64)`. The device "cpu" has no effect. In autograd_core/compat/dtypes.py."""
    def topk(self, k: Any, dim: Any = -1, largest: _bool = True) -> Any:
        """A pair: the `k` greatest (or smallest) elements along `dim` in order, and their indices. In autograd_core/ops/sorting.py."""
    def transpose(self, dim0: Any, dim1: Any) -> Tensor:
        """Swap two dimensions. In autograd_core/ops/shape.py."""
    def tril(self, diagonal: Any = 0) -> Tensor:
        """The lower triangle up to diagonal number `diagonal` (0 is the main one), and zeros above it. In autograd_core/ops/shape.py."""
    def triu(self, diagonal: Any = 0) -> Tensor:
        """The upper triangle from diagonal number `diagonal` (0 is the main one), and zeros below it. In autograd_core/ops/shape.py."""
    def unbind(self, dim: Any = 0) -> tuple[Tensor, ...]:
        """A tuple of the slices along `dim`, without this dimension. In autograd_core/ops/shape.py."""
    def uniform_(self, low: _float = 0.0, high: _float = 1.0, generator: Any = None) -> Tensor:
        """As `uniform`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/compat/sampling.py."""
    def unsqueeze(self, dim: Any) -> Tensor:
        """Insert a dimension of size 1 at `dim`. In autograd_core/ops/shape.py."""
    def var(self, dim: Any = None, unbiased: _bool = True, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
        """The variance of all elements or along `dim`: the sum of the squared distances from the mean, divided by the count minus `correction`, by default 1 (0 if not `unbiased`). In autograd_core/ops/reduction.py."""
    def view(self, *sizes: Any) -> Tensor:
        """The same memory in another shape. One size may be -1, and it is computed. Raises RuntimeError if this would need a copy. In autograd_core/ops/shape.py."""
    def zero_(self) -> Tensor:
        """As `zero`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/inplace.py."""
    def abs_(self) -> Tensor:
        """As `abs`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def add_(self, other: Tensor | Number, alpha: Any = 1) -> Tensor:
        """As `add`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """As `bitwise_and`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/comparison.py."""
    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """As `bitwise_or`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/comparison.py."""
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """As `bitwise_xor`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/comparison.py."""
    def clamp_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """As `clamp`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def clip_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """As `clamp`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def cos_(self) -> Tensor:
        """As `cos`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def div_(self, other: Tensor | Number) -> Tensor:
        """As `div`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def exp_(self) -> Tensor:
        """As `exp`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def floor_(self) -> Tensor:
        """As `floor`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """As `floor_divide`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def log_(self) -> Tensor:
        """As `log`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def mul_(self, other: Tensor | Number) -> Tensor:
        """As `mul`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def nan_to_num_(self, nan: _float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
        """As `nan_to_num`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/comparison.py."""
    def neg_(self) -> Tensor:
        """As `neg`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """As `pow`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def reciprocal_(self) -> Tensor:
        """As `reciprocal`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def relu_(self) -> Tensor:
        """As `relu`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def remainder_(self, other: Tensor | Number) -> Tensor:
        """As `remainder`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def round_(self) -> Tensor:
        """As `round`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def rsqrt_(self) -> Tensor:
        """As `rsqrt`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def sigmoid_(self) -> Tensor:
        """As `sigmoid`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def sign_(self) -> Tensor:
        """As `sign`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def sin_(self) -> Tensor:
        """As `sin`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def sqrt_(self) -> Tensor:
        """As `sqrt`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def square_(self) -> Tensor:
        """As `square`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def sub_(self, other: Tensor | Number, alpha: Any = 1) -> Tensor:
        """As `sub`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def tanh_(self) -> Tensor:
        """As `tanh`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/elementwise.py."""
    def tril_(self, diagonal: Any = 0) -> Tensor:
        """As `tril`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/shape.py."""
    def triu_(self, diagonal: Any = 0) -> Tensor:
        """As `triu`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/shape.py."""
    def __add__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.add`, which says: `input + alpha * other`. In autograd_core/ops/arithmetic.py."""
    def __radd__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.add`, which says: `input + alpha * other`. In autograd_core/ops/arithmetic.py."""
    def __iadd__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.add_`, which says: As `add`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def __sub__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.sub`, which says: `input - alpha * other`. In autograd_core/ops/arithmetic.py."""
    def __rsub__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.rsub`, which says: `other - input`, for the operator `-`. In autograd_core/ops/arithmetic.py."""
    def __isub__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.sub_`, which says: As `sub`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def __mul__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.mul`, which says: `input * other`, with broadcasting and type promotion. In autograd_core/ops/arithmetic.py."""
    def __rmul__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.mul`, which says: `input * other`, with broadcasting and type promotion. In autograd_core/ops/arithmetic.py."""
    def __imul__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.mul_`, which says: As `mul`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def __truediv__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.div`, which says: `input / other`. Integers are converted to floating point. In autograd_core/ops/arithmetic.py."""
    def __rtruediv__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.reciprocal_times`, which says: `other / input` for a number `other`, computed by a reciprocal as in PyTorch. In autograd_core/ops/arithmetic.py."""
    def __itruediv__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.div_`, which says: As `div`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def __floordiv__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.floor_divide`, which says: `input // other`. Raises RuntimeError if `input` or `other` requires a gradient. In autograd_core/ops/arithmetic.py."""
    def __rfloordiv__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.floor_divide`, which says: The operands change places. `input // other`. Raises RuntimeError if `input` or `other` requires a gradient. In autograd_core/ops/arithmetic.py."""
    def __ifloordiv__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.floor_divide_`, which says: As `floor_divide`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def __mod__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.remainder`, which says: `input % other`, with the sign of `other`. If `input` is a number, it isn't differentiable. In autograd_core/ops/arithmetic.py."""
    def __rmod__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.remainder`, which says: The operands change places. `input % other`, with the sign of `other`. If `input` is a number, it isn't differentiable. In autograd_core/ops/arithmetic.py."""
    def __imod__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.remainder_`, which says: As `remainder`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def __pow__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.pow`, which says: `input ** exponent`. One of them may be a number. In autograd_core/ops/arithmetic.py."""
    def __rpow__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.arithmetic.pow`, which says: The operands change places. `input ** exponent`. One of them may be a number. In autograd_core/ops/arithmetic.py."""
    def __ipow__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.pow_`, which says: As `pow`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/arithmetic.py."""
    def __and__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.bitwise_and`, which says: `input & other`. In autograd_core/ops/comparison.py."""
    def __rand__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.bitwise_and`, which says: `input & other`. In autograd_core/ops/comparison.py."""
    def __iand__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.bitwise_and_`, which says: As `bitwise_and`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/comparison.py."""
    def __or__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.bitwise_or`, which says: `input | other`. In autograd_core/ops/comparison.py."""
    def __ror__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.bitwise_or`, which says: `input | other`. In autograd_core/ops/comparison.py."""
    def __ior__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.bitwise_or_`, which says: As `bitwise_or`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/comparison.py."""
    def __xor__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.bitwise_xor`, which says: `input ^ other`. In autograd_core/ops/comparison.py."""
    def __rxor__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.bitwise_xor`, which says: `input ^ other`. In autograd_core/ops/comparison.py."""
    def __ixor__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.inplace.bitwise_xor_`, which says: As `bitwise_xor`, in place. Returns the tensor itself. What it does beside: `in_place` in autograd_core/ops/inplace.py. In autograd_core/ops/comparison.py."""
    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        """As `autograd_core.ops.comparison.eq`, which says: `input == other`, element by element. In autograd_core/ops/comparison.py."""
    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        """As `autograd_core.ops.comparison.ne`, which says: `input != other`, element by element. In autograd_core/ops/comparison.py."""
    def __lt__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.lt`, which says: `input < other`, element by element. In autograd_core/ops/comparison.py."""
    def __le__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.le`, which says: `input <= other`, element by element. In autograd_core/ops/comparison.py."""
    def __gt__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.gt`, which says: `input > other`, element by element. In autograd_core/ops/comparison.py."""
    def __ge__(self, other: Any) -> Tensor:
        """As `autograd_core.ops.comparison.ge`, which says: `input >= other`, element by element. In autograd_core/ops/comparison.py."""

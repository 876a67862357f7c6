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
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bmm",
    "cat",
    "chunk",
    "clamp",
    "clip",
    "clone",
    "cos",
    "cumsum",
    "div",
    "dot",
    "empty",
    "eq",
    "equal",
    "erf",
    "exp",
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
    "min",
    "minimum",
    "mm",
    "mul",
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
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "reciprocal",
    "relu",
    "remainder",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "save",
    "scatter_add",
    "set_default_dtype",
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
    "topk",
    "transpose",
    "tril",
    "triu",
    "unbind",
    "unsqueeze",
    "var",
    "where",
    "zeros",
    "zeros_like",
]

def abs(input: Tensor) -> Tensor:
    """`|input|`. Its slope at 0 is 0. In autograd_core/ops/elementwise.py."""
def add(input: Tensor, other: Tensor | Number, alpha: Any = 1) -> Tensor:
    """`input + alpha * other`. In autograd_core/ops/arithmetic.py."""
def addmm(input: Tensor, mat1: Any, mat2: Any) -> Tensor:
    """`input + mat1 @ mat2`. `input` is broadcast to the product's shape (n, p). Errors as in `mm`. In autograd_core/ops/linalg.py."""
def all(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """Whether all elements are true, of the whole tensor or along `dim`. bool, or uint8 for uint8. In autograd_core/ops/reduction.py."""
def allclose(input: Tensor, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
    """Whether `|input - other| <= atol + rtol * |other|` for all elements. In autograd_core/ops/comparison.py."""
def amax(input: Tensor, dim: Any = ..., keepdim: _bool = False) -> Tensor:
    """The maximum along `dim` (one or several, () for all). Equal elements share the gradient. In autograd_core/ops/reduction.py."""
def any(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """Whether any element is true, of the whole tensor or along `dim`. bool, or uint8 for uint8. In autograd_core/ops/reduction.py."""
def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """`start`, `start + step`, … up to `end` (exclusive). One number is `end`, with `start` 0. In autograd_core/compat/creation.py."""
def argmax(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """The index (int64) of the greatest element (the first of equals), along `dim` or flattened. In autograd_core/ops/reduction.py."""
def argmin(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """The index of the smallest element, like `argmax`. In autograd_core/ops/reduction.py."""
def argsort(input: Tensor, dim: Any = -1, descending: _bool = False) -> Tensor:
    """The indices that sort the elements along `dim`. In autograd_core/ops/sorting.py."""
def bitwise_and(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input & other`. In autograd_core/ops/comparison.py."""
def bitwise_not(input: Tensor) -> Tensor:
    """`~input`: the negated booleans, or the integers with all bits inverted. In autograd_core/ops/comparison.py."""
def bitwise_or(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input | other`. In autograd_core/ops/comparison.py."""
def bitwise_xor(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input ^ other`. In autograd_core/ops/comparison.py."""
def bmm(input: Tensor, mat2: Any) -> Tensor:
    """The products (b, n, p) of two batches of matrices (b, n, m) and (b, m, p). In autograd_core/ops/linalg.py."""
def cat(tensors: Sequence[Tensor], dim: Any = 0) -> Tensor:
    """Concatenate tensors along `dim`. Their other dimensions must be equal. In autograd_core/ops/shape.py."""
def chunk(input: Tensor, chunks: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of equal size along `dim`. The last one may be smaller. In autograd_core/ops/shape.py."""
def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`input` clamped to [min, max]. One bound may be None. For tensors as bounds see `maximum`. In autograd_core/ops/elementwise.py."""
def clip(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`input` clamped to [min, max]. One bound may be None. For tensors as bounds see `maximum`. In autograd_core/ops/elementwise.py."""
def clone(input: Tensor, contiguous: _bool = False) -> Tensor:
    """A copy in the input's memory order, or in row-major order if `contiguous`. In autograd_core/ops/shape.py."""
def cos(input: Tensor) -> Tensor:
    """The cosine of `input` in radians. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def cumsum(input: Tensor, dim: Any) -> Tensor:
    """The cumulative sums along `dim`. The sums of integers are int64. In autograd_core/ops/reduction.py."""
def div(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input / other`. Integers are converted to floating point. In autograd_core/ops/arithmetic.py."""
def dot(input: Tensor, tensor: Any) -> Tensor:
    """The sum of the products of two vectors of the same length. In autograd_core/ops/linalg.py."""
def empty(*sizes: Any, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor of this size with arbitrary numbers. In autograd_core, they are zeros. In autograd_core/compat/creation.py."""
def eq(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input == other`, element by element. In autograd_core/ops/comparison.py."""
def equal(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether `input` and `other` have the same shape and elements. In autograd_core/ops/comparison.py."""
def erf(input: Tensor) -> Tensor:
    """Error function, 2/√π ∫₀ˣ exp(−t²) dt. In autograd_core/ops/activation.py."""
def exp(input: Tensor) -> Tensor:
    """`e ** input`. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def eye(n: Any, m: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A matrix (n, m) with ones on the diagonal and zeros elsewhere. By default, m is n. In autograd_core/compat/creation.py."""
def flatten(input: Tensor, start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` (inclusive) to one. In autograd_core/ops/shape.py."""
def flip(input: Tensor, *each: Any, dims: Any = ...) -> Tensor:
    """Reverse the entries along the given dimensions, or along those in a tuple. It is a copy. In autograd_core/ops/shape.py."""
def floor(input: Tensor) -> Tensor:
    """The greatest integer that isn't above `input`, in the type of `input`. In autograd_core/ops/elementwise.py."""
def floor_divide(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input // other`. Raises RuntimeError if `input` or `other` requires a gradient. In autograd_core/ops/arithmetic.py."""
def from_numpy(array: Any) -> Tensor:
    """A tensor that shares the memory of `array`, so changing one changes the other. In autograd_core/compat/creation.py."""
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor of this size, filled with `fill_value`. In autograd_core/compat/creation.py."""
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor filled with `fill_value`, in the shape and type of `input`. In autograd_core/compat/creation.py."""
def gather(input: Tensor, dim: Any, index: Tensor) -> Tensor:
    """For each element of `index`, the element of `input` at that index along `dim`. In autograd_core/ops/gathering.py."""
def ge(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input >= other`, element by element. In autograd_core/ops/comparison.py."""
def get_default_dtype() -> Any:
    """The type of `tensor(1.0)` and of new layers: float32, unless `set_default_dtype` changed it. In autograd_core/compat/dtypes.py."""
def gt(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input > other`, element by element. In autograd_core/ops/comparison.py."""
def index_put(input: Tensor, indices: Any, values: Any, accumulate: _bool = False) -> Tensor:
    """`input` with `values` at `indices`, integer or boolean tensors, at most one per dimension. In autograd_core/ops/indexing.py."""
def is_anomaly_enabled() -> _bool:
    """Whether anomaly mode is on. In autograd_core/autograd/modes.py."""
def is_floating_point(input: Tensor) -> _bool:
    """Whether the elements of a tensor are floating-point numbers. In autograd_core/__init__.py."""
def is_grad_enabled() -> _bool:
    """Whether operations on tensors that require gradients are recorded now. In autograd_core/autograd/grad_mode.py."""
def is_tensor(obj: Any) -> _bool:
    """Whether `obj` is a tensor. In autograd_core/__init__.py."""
def isfinite(input: Tensor) -> Tensor:
    """True where `input` is neither infinite nor nan. In autograd_core/ops/comparison.py."""
def isinf(input: Tensor) -> Tensor:
    """True where `input` is infinite. In autograd_core/ops/comparison.py."""
def isnan(input: Tensor) -> Tensor:
    """True where `input` is nan. In autograd_core/ops/comparison.py."""
def le(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input <= other`, element by element. In autograd_core/ops/comparison.py."""
def linspace(start: Any, end: Any, steps: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """`steps` evenly spaced numbers from `start` to `end` (inclusive). In autograd_core/compat/creation.py."""
def load(path: Any, map_location: Any = None, *, weights_only: _bool = True) -> Any:
    """Read the file `path` that `save` wrote. Tensors become leaves. `weights_only` has no effect, because reading a file never runs code. Raises RuntimeError for any other file. In autograd_core/compat/saving.py."""
def log(input: Tensor) -> Tensor:
    """The natural logarithm: -inf at 0, nan below 0. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def log1p(input: Tensor) -> Tensor:
    """`log(1 + input)`, accurate even near 0. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def log_softmax(input: Tensor, dim: Any) -> Tensor:
    """The logarithm of `softmax`, computed without overflow. In autograd_core/ops/reduction.py."""
def logsumexp(input: Tensor, dim: Any, keepdim: _bool = False) -> Tensor:
    """`log(sum(exp(input)))` along `dim` (one or several), computed without overflow. Integers are converted to floating point. In autograd_core/ops/reduction.py."""
def lt(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input < other`, element by element. In autograd_core/ops/comparison.py."""
def manual_seed(seed: _int) -> Any:
    """Seed the default generator, which every function without `generator=` uses, and return it. In autograd_core/compat/random.py."""
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`input` with the number `value` where `mask` is true. In autograd_core/ops/gathering.py."""
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """A vector of the elements of `input` where `mask` is true. Both are broadcast to one shape. In autograd_core/ops/gathering.py."""
def matmul(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input @ other` of vectors, matrices, or batches whose leading dimensions are broadcast. It is composed of other operations as in PyTorch. In autograd_core/ops/linalg.py."""
def max(input: Tensor, other: Tensor | Number | None = None, keepdim: _bool = False, *, dim: Any = None) -> Any:
    """The greatest element, or with `dim` a pair (values, indices), or `maximum(input, other)`. In autograd_core/ops/sorting.py."""
def maximum(input: Tensor, other: Tensor | Number) -> Tensor:
    """The greater of each pair, or nan if one is nan. Equal elements share the gradient. In autograd_core/ops/elementwise.py."""
def mean(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """The mean of all elements, or the means along `dim`. Raises RuntimeError for integers. In autograd_core/ops/reduction.py."""
def min(input: Tensor, other: Tensor | Number | None = None, keepdim: _bool = False, *, dim: Any = None) -> Any:
    """The smallest element, or with `dim` a pair (values, indices), or `minimum(input, other)`. In autograd_core/ops/sorting.py."""
def minimum(input: Tensor, other: Tensor | Number) -> Tensor:
    """The smaller of each pair, or nan if one is nan. Equal elements share the gradient. In autograd_core/ops/elementwise.py."""
def mm(input: Tensor, mat2: Any) -> Tensor:
    """The product (n, p) of matrices (n, m) and (m, p). RuntimeError if sizes or types don't fit. In autograd_core/ops/linalg.py."""
def mul(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input * other`, with broadcasting and type promotion. In autograd_core/ops/arithmetic.py."""
def mv(input: Tensor, vec: Any) -> Tensor:
    """A matrix (n, m) times a vector (m). The result has the shape (n). In autograd_core/ops/linalg.py."""
def nan_to_num(input: Tensor, nan: _float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Replace nan by `nan`, and infinities by `posinf` or `neginf`, by default the type's extremes. In autograd_core/ops/comparison.py."""
def ne(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input != other`, element by element. In autograd_core/ops/comparison.py."""
def neg(input: Tensor) -> Tensor:
    """`-input`. In autograd_core/ops/arithmetic.py."""
def nonzero(input: Tensor, as_tuple: _bool = False) -> Any:
    """The indices of nonzero elements: one row for each, or with `as_tuple` a vector per dimension. In autograd_core/ops/gathering.py."""
def norm(input: Tensor, p: _str = 'fro', dim: Any = None, keepdim: _bool = False) -> Tensor:
    """`(sum of |input| ** p) ** (1 / p)` of all elements or along `dim`. p is 1, 2 ("fro") or inf. In autograd_core/ops/reduction.py."""
def normal(mean: Any, std: Any, size: Any, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Random numbers from the normal distribution with mean `mean` and standard deviation `std`. In autograd_core/compat/creation.py."""
def numel(input: Tensor) -> _int:
    """How many elements a tensor has. In autograd_core/__init__.py."""
def ones(*sizes: Any, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor of ones with this size, `ones(2, 3)` or `ones((2, 3))`. In autograd_core/compat/creation.py."""
def ones_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Ones in the shape and type of `input`. In autograd_core/compat/creation.py."""
def outer(input: Tensor, vec2: Any) -> Tensor:
    """The matrix (n, m) of all products of two vectors (n) and (m). In autograd_core/ops/linalg.py."""
def permute(input: Tensor, *order: Any, dims: Any = ...) -> Tensor:
    """Put the dimensions in another order: `permute(2, 0, 1)`, or a tuple `dims`. In autograd_core/ops/shape.py."""
def pow(input: Tensor, exponent: Tensor | Number) -> Tensor:
    """`input ** exponent`. One of them may be a number. In autograd_core/ops/arithmetic.py."""
def prod(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """The product of all elements, or along `dim`. The product of integers is int64. In autograd_core/ops/reduction.py."""
def rand(*sizes: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Uniform random numbers from [0, 1). In autograd_core/compat/creation.py."""
def randint(low: Any = 0, high: Any = None, size: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Random integers from [low, high): `randint(10, (3,))`, `randint(2, 10, (3,))`. In autograd_core/compat/creation.py."""
def randn(*sizes: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and standard deviation 1. In autograd_core/compat/creation.py."""
def randn_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Random numbers as from `randn`, in the shape and type of `input`. In autograd_core/compat/creation.py."""
def randperm(n: Any, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """The integers from 0 to n - 1 in random order. In autograd_core/compat/creation.py."""
def reciprocal(input: Tensor) -> Tensor:
    """`1 / input`, infinite at 0. Integers are converted to floating point. In autograd_core/ops/arithmetic.py."""
def relu(input: Tensor) -> Tensor:
    """`max(input, 0)`. Its slope at 0 is 0. In autograd_core/ops/elementwise.py."""
def remainder(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input % other`, with the sign of `other`. If `input` is a number, it isn't differentiable. In autograd_core/ops/arithmetic.py."""
def reshape(input: Tensor, *sizes: Any, shape: Any = ...) -> Tensor:
    """The same numbers in another shape: a view if that is possible, else a copy. In autograd_core/ops/shape.py."""
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Shift the entries by `shifts` along `dims`, or in the flattened tensor. Entries shifted beyond one end reappear at the other end. In autograd_core/ops/shape.py."""
def round(input: Tensor) -> Tensor:
    """The nearest integer, halves to the even one, in the type of `input`. In autograd_core/ops/elementwise.py."""
def rsqrt(input: Tensor) -> Tensor:
    """`1 / sqrt(input)`: inf at 0, nan below 0. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def save(obj: Any, path: Any) -> None:
    """Write `obj` to the file `path`: tensors, numbers, strings, None, and lists, tuples and dicts of these; else TypeError. The old file stays until all is written. Unlike `torch.save`, it has its own format, and tensors that share memory don't share it after loading. In autograd_core/compat/saving.py."""
def scatter_add(input: Tensor, dim: Any, index: Tensor, src: Any) -> Tensor:
    """`input` with the elements of `src` added at the positions that `gather` would read. In autograd_core/ops/gathering.py."""
def set_default_dtype(d: Any) -> None:
    """Make `d` the type of new floating-point tensors. Raises TypeError for other types. In autograd_core/compat/dtypes.py."""
def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-input))`, between 0 and 1. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def sign(input: Tensor) -> Tensor:
    """-1 if `input` is negative, 1 if it is positive, else (0 or nan) 0. The derivative is 0. In autograd_core/ops/elementwise.py."""
def sin(input: Tensor) -> Tensor:
    """The sine of `input` in radians. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def softmax(input: Tensor, dim: Any) -> Tensor:
    """`exp(input)` divided by its sum along `dim`: positive numbers with the sum 1. In autograd_core/ops/reduction.py."""
def sort(input: Tensor, dim: Any = -1, descending: _bool = False) -> Any:
    """A pair: the sorted elements along `dim`, and their indices. Equal ones keep their order. In autograd_core/ops/sorting.py."""
def split(input: Tensor, split_size_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """A tuple of pieces along `dim`: all of the given size, or with the sizes in a list. In autograd_core/ops/shape.py."""
def sqrt(input: Tensor) -> Tensor:
    """The square root: nan below 0, slope inf at 0. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def square(input: Tensor) -> Tensor:
    """`input ** 2`. In autograd_core/ops/arithmetic.py."""
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Remove all dimensions of size 1, or only `dim` if its size is 1. In autograd_core/ops/shape.py."""
def stack(tensors: Sequence[Tensor], dim: Any = 0) -> Tensor:
    """Stack tensors of the same shape along a new dimension `dim`. In autograd_core/ops/shape.py."""
def std(input: Tensor, dim: Any = None, unbiased: _bool = True, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
    """The square root of `var`. In autograd_core/ops/reduction.py."""
def sub(input: Tensor, other: Tensor | Number, alpha: Any = 1) -> Tensor:
    """`input - alpha * other`. In autograd_core/ops/arithmetic.py."""
def sum(input: Tensor, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along `dim` (one or several). The sum of integers is int64. In autograd_core/ops/reduction.py."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix. A vector stays the same. In autograd_core/ops/shape.py."""
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent, between -1 and 1. Integers are converted to floating point. In autograd_core/ops/elementwise.py."""
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested lists of numbers, an array, or a tensor. In autograd_core/compat/creation.py."""
def topk(input: Tensor, k: Any, dim: Any = -1, largest: _bool = True) -> Any:
    """A pair: the `k` greatest (or smallest) elements along `dim` in order, and their indices. In autograd_core/ops/sorting.py."""
def transpose(input: Tensor, dim0: Any, dim1: Any) -> Tensor:
    """Swap two dimensions. In autograd_core/ops/shape.py."""
def tril(input: Tensor, diagonal: Any = 0) -> Tensor:
    """The lower triangle up to diagonal number `diagonal` (0 is the main one), and zeros above it. In autograd_core/ops/shape.py."""
def triu(input: Tensor, diagonal: Any = 0) -> Tensor:
    """The upper triangle from diagonal number `diagonal` (0 is the main one), and zeros below it. In autograd_core/ops/shape.py."""
def unbind(input: Tensor, dim: Any = 0) -> tuple[Tensor, ...]:
    """A tuple of the slices along `dim`, without this dimension. In autograd_core/ops/shape.py."""
def unsqueeze(input: Tensor, dim: Any) -> Tensor:
    """Insert a dimension of size 1 at `dim`. In autograd_core/ops/shape.py."""
def var(input: Tensor, dim: Any = None, unbiased: _bool = True, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
    """The variance of all elements or along `dim`: the sum of the squared distances from the mean, divided by the count minus `correction`, by default 1 (0 if not `unbiased`). In autograd_core/ops/reduction.py."""
def where(condition: Tensor, input: Tensor | None = None, other: Tensor | Number | None = None) -> Any:
    """`input` where `condition` is true, else `other`. Without both, the indices where it is true. In autograd_core/ops/elementwise.py."""
def zeros(*sizes: Any, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor of zeros with this size, `zeros(2, 3)` or `zeros((2, 3))`. In autograd_core/compat/creation.py."""
def zeros_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Zeros in the shape and type of `input`. In autograd_core/compat/creation.py."""

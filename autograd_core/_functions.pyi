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
    """`|input|`, with slope 0 at 0. In autograd_core/ops/elementwise.py."""
def add(input: Tensor, other: Tensor | Number, alpha: Any = 1) -> Tensor:
    """`input + alpha * other`. In autograd_core/ops/arithmetic.py."""
def addmm(input: Tensor, mat1: Any, mat2: Any) -> Tensor:
    """`input + mat1 @ mat2`; `input` is stretched to the product's shape (n, p). Errors as in `mm`. In autograd_core/ops/linalg.py."""
def all(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """Whether every element is true, of the whole tensor or along `dim`: bool, of bytes uint8. In autograd_core/ops/reduction.py."""
def allclose(input: Tensor, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
    """Whether all elements agree: `|input - other| <= atol + rtol * |other|`. In autograd_core/ops/comparison.py."""
def amax(input: Tensor, dim: Any = ..., keepdim: _bool = False) -> Tensor:
    """The greatest along `dim`, one or several; () means all. Equal ones share the gradient. In autograd_core/ops/reduction.py."""
def any(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """Whether some element is true, in the whole tensor or along `dim`: bool, of bytes uint8. In autograd_core/ops/reduction.py."""
def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """`start`, `start + step`, … up to `end`, without it; with one number, from 0 up to that. In autograd_core/compat/creation.py."""
def argmax(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """Where the greatest element is, the first of equal ones: its place along `dim`, or in the flattened tensor, int64. In autograd_core/ops/reduction.py."""
def argmin(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """Where the smallest element is, as `argmax`. In autograd_core/ops/reduction.py."""
def argsort(input: Tensor, dim: Any = -1, descending: _bool = False) -> Tensor:
    """The places along `dim` of the elements in order. In autograd_core/ops/sorting.py."""
def bitwise_and(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input & other`. In autograd_core/ops/comparison.py."""
def bitwise_not(input: Tensor) -> Tensor:
    """`~input`: the opposite booleans, or the integers with all bits turned. In autograd_core/ops/comparison.py."""
def bitwise_or(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input | other`. In autograd_core/ops/comparison.py."""
def bitwise_xor(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input ^ other`. In autograd_core/ops/comparison.py."""
def bmm(input: Tensor, mat2: Any) -> Tensor:
    """Batches of matrices (b, n, m) and (b, m, p): their products (b, n, p). In autograd_core/ops/linalg.py."""
def cat(tensors: Sequence[Tensor], dim: Any = 0) -> Tensor:
    """Tensors one after the other along `dim`; their other dimensions must agree. In autograd_core/ops/shape.py."""
def chunk(input: Tensor, chunks: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces along `dim`: all of one size, the last one perhaps smaller. In autograd_core/ops/shape.py."""
def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`input`, moved into [min, max], two numbers; one may be None. For tensors see `maximum`. In autograd_core/ops/elementwise.py."""
def clip(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`input`, moved into [min, max], two numbers; one may be None. For tensors see `maximum`. In autograd_core/ops/elementwise.py."""
def clone(input: Tensor, contiguous: _bool = False) -> Tensor:
    """A copy in memory of its own, in the input's order, or row by row if `contiguous`. In autograd_core/ops/shape.py."""
def cos(input: Tensor) -> Tensor:
    """The cosine, `input` in radians; integers give floating point. In autograd_core/ops/elementwise.py."""
def cumsum(input: Tensor, dim: Any) -> Tensor:
    """The running sums along `dim`. Integers add up as int64. In autograd_core/ops/reduction.py."""
def div(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input / other`; integers give floating point. In autograd_core/ops/arithmetic.py."""
def dot(input: Tensor, tensor: Any) -> Tensor:
    """Two vectors of one length: the sum of the products. In autograd_core/ops/linalg.py."""
def empty(*sizes: Any, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor of this size with any numbers; here they are zeros. In autograd_core/compat/creation.py."""
def eq(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input == other`, element by element. In autograd_core/ops/comparison.py."""
def equal(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether shape and all elements are the same. In autograd_core/ops/comparison.py."""
def erf(input: Tensor) -> Tensor:
    """Error function, 2/√π ∫₀ˣ exp(−t²) dt. In autograd_core/ops/activation.py."""
def exp(input: Tensor) -> Tensor:
    """`e ** input`; integers give floating point. In autograd_core/ops/elementwise.py."""
def eye(n: Any, m: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """The identity matrix (n, m). In autograd_core/compat/creation.py."""
def flatten(input: Tensor, start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
    """Dimensions `start_dim` to `end_dim` as one. In autograd_core/ops/shape.py."""
def flip(input: Tensor, *each: Any, dims: Any = ...) -> Tensor:
    """The entries along `each` dimension, or those of one tuple, in the opposite order. A copy. In autograd_core/ops/shape.py."""
def floor(input: Tensor) -> Tensor:
    """The greatest whole number not above `input`, of the same type. In autograd_core/ops/elementwise.py."""
def floor_divide(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input // other`. Raises RuntimeError if one of them requires a gradient. In autograd_core/ops/arithmetic.py."""
def from_numpy(array: Any) -> Tensor:
    """A tensor on the same memory as `array`: changing one changes the other. In autograd_core/compat/creation.py."""
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor of this size, every element `fill_value`. In autograd_core/compat/creation.py."""
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """As `full`, of the shape and type of `input`. In autograd_core/compat/creation.py."""
def gather(input: Tensor, dim: Any, index: Tensor) -> Tensor:
    """For each element of `index` the element of `input` whose number along `dim` it is. In autograd_core/ops/gathering.py."""
def ge(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input >= other`, element by element. In autograd_core/ops/comparison.py."""
def get_default_dtype() -> Any:
    """The type of `tensor(1.0)` and of new layers: float32 unless `set_default_dtype` changed it. In autograd_core/compat/dtypes.py."""
def gt(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input > other`, element by element. In autograd_core/ops/comparison.py."""
def index_put(input: Tensor, indices: Any, values: Any, accumulate: _bool = False) -> Tensor:
    """`input` with `values` at `indices`: integer or boolean tensors, one a dimension or fewer. In autograd_core/ops/indexing.py."""
def is_anomaly_enabled() -> _bool:
    """Whether a failing node names its forward line now. In autograd_core/autograd/modes.py."""
def is_floating_point(input: Tensor) -> _bool:
    """Whether the elements of a tensor are floating-point numbers. In autograd_core/__init__.py."""
def is_grad_enabled() -> _bool:
    """Whether operations on tensors that require gradients are recorded now. In autograd_core/autograd/grad_mode.py."""
def is_tensor(obj: Any) -> _bool:
    """Whether `obj` is a tensor. In autograd_core/__init__.py."""
def isfinite(input: Tensor) -> Tensor:
    """Where `input` is neither infinite nor nan. In autograd_core/ops/comparison.py."""
def isinf(input: Tensor) -> Tensor:
    """Where `input` is infinite. In autograd_core/ops/comparison.py."""
def isnan(input: Tensor) -> Tensor:
    """Where `input` is not a number. In autograd_core/ops/comparison.py."""
def le(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input <= other`, element by element. In autograd_core/ops/comparison.py."""
def linspace(start: Any, end: Any, steps: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """`steps` numbers from `start` to `end`, evenly spaced, both included. In autograd_core/compat/creation.py."""
def load(path: Any, map_location: Any = None, *, weights_only: _bool = True) -> Any:
    """What `save` wrote to the file `path`; tensors are leaves. `weights_only` changes nothing: no file runs code when it is read. Raises RuntimeError for any other file. In autograd_core/compat/saving.py."""
def log(input: Tensor) -> Tensor:
    """The natural logarithm; -inf at 0, nan below. Integers give floating point. In autograd_core/ops/elementwise.py."""
def log1p(input: Tensor) -> Tensor:
    """`log(1 + input)`, exact near 0. Integers give floating point. In autograd_core/ops/elementwise.py."""
def log_softmax(input: Tensor, dim: Any) -> Tensor:
    """The logarithm of `softmax`, computed without leaving the range of numbers. In autograd_core/ops/reduction.py."""
def logsumexp(input: Tensor, dim: Any, keepdim: _bool = False) -> Tensor:
    """`log(sum(exp(input)))` along `dim`, one or several, within the range of numbers. Integers give floating point. In autograd_core/ops/reduction.py."""
def lt(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input < other`, element by element. In autograd_core/ops/comparison.py."""
def manual_seed(seed: _int) -> Any:
    """Seed the generator that every function without a `generator=` draws from, and return it. In autograd_core/compat/random.py."""
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`input` with the number `value` where `mask` is true. In autograd_core/ops/gathering.py."""
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements of `input` where `mask`, stretched to its shape, is true, in a row. In autograd_core/ops/gathering.py."""
def matmul(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input @ other`: vectors, matrices, or batches whose leading dimensions are stretched to agree. Composed as in PyTorch. In autograd_core/ops/linalg.py."""
def max(input: Tensor, other: Tensor | Number | None = None, keepdim: _bool = False, *, dim: Any = None) -> Any:
    """The greatest element; with `dim` a pair (values, indices); or the greater of each two. In autograd_core/ops/sorting.py."""
def maximum(input: Tensor, other: Tensor | Number) -> Tensor:
    """The greater of each pair; nan wins. Equal elements share the gradient. In autograd_core/ops/elementwise.py."""
def mean(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """The mean of all elements, or the means along `dim`. Raises RuntimeError for integers. In autograd_core/ops/reduction.py."""
def min(input: Tensor, other: Tensor | Number | None = None, keepdim: _bool = False, *, dim: Any = None) -> Any:
    """The smallest element; with `dim` a pair (values, indices); or the smaller of each two. In autograd_core/ops/sorting.py."""
def minimum(input: Tensor, other: Tensor | Number) -> Tensor:
    """The smaller of each pair; nan wins. Equal elements share the gradient. In autograd_core/ops/elementwise.py."""
def mm(input: Tensor, mat2: Any) -> Tensor:
    """Matrices (n, m) and (m, p): their product (n, p). RuntimeError for other sizes and two types. In autograd_core/ops/linalg.py."""
def mul(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input * other`. Their shapes are broadcast and their types promoted. In autograd_core/ops/arithmetic.py."""
def mv(input: Tensor, vec: Any) -> Tensor:
    """A matrix (n, m) times a vector (m): (n). In autograd_core/ops/linalg.py."""
def nan_to_num(input: Tensor, nan: _float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """`input` with numbers in place of nan and of infinities: by default 0 and the type's greatest. In autograd_core/ops/comparison.py."""
def ne(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input != other`, element by element. In autograd_core/ops/comparison.py."""
def neg(input: Tensor) -> Tensor:
    """`-input`. In autograd_core/ops/arithmetic.py."""
def nonzero(input: Tensor, as_tuple: _bool = False) -> Any:
    """The places of what is not zero: one row each, or `as_tuple` a vector for each dimension. In autograd_core/ops/gathering.py."""
def norm(input: Tensor, p: _str = 'fro', dim: Any = None, keepdim: _bool = False) -> Tensor:
    """`(sum of |input| ** p) ** (1 / p)`, of all or along `dim`. p is 1, 2 ("fro") or inf. In autograd_core/ops/reduction.py."""
def normal(mean: Any, std: Any, size: Any, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Numbers from the normal distribution with this mean and deviation, two numbers. In autograd_core/compat/creation.py."""
def numel(input: Tensor) -> _int:
    """How many elements a tensor has. In autograd_core/__init__.py."""
def ones(*sizes: Any, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor of this size, `ones(2, 3)` or `ones((2, 3))`, every element 1. In autograd_core/compat/creation.py."""
def ones_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """As `ones`, of the shape and type of `input`. In autograd_core/compat/creation.py."""
def outer(input: Tensor, vec2: Any) -> Tensor:
    """Two vectors (n) and (m): the matrix (n, m) of all products. In autograd_core/ops/linalg.py."""
def permute(input: Tensor, *order: Any, dims: Any = ...) -> Tensor:
    """The dimensions in another order: `permute(2, 0, 1)`, or as one tuple `dims`. In autograd_core/ops/shape.py."""
def pow(input: Tensor, exponent: Tensor | Number) -> Tensor:
    """`input ** exponent`; either may be a number. In autograd_core/ops/arithmetic.py."""
def prod(input: Tensor, dim: Any = None, keepdim: _bool = False) -> Tensor:
    """The product of all elements, or the products along `dim`. Integers multiply as int64. In autograd_core/ops/reduction.py."""
def rand(*sizes: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Numbers from [0, 1). In autograd_core/compat/creation.py."""
def randint(low: Any = 0, high: Any = None, size: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Integers from [low, high): `randint(10, (3,))`, `randint(2, 10, (3,))`. In autograd_core/compat/creation.py."""
def randn(*sizes: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """Numbers from the normal distribution with mean 0 and deviation 1. In autograd_core/compat/creation.py."""
def randn_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """As `randn`, of the shape and type of `input`. In autograd_core/compat/creation.py."""
def randperm(n: Any, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """The integers from 0 to n - 1 in random order. In autograd_core/compat/creation.py."""
def reciprocal(input: Tensor) -> Tensor:
    """`1 / input`; integers give floating point. At 0 it is infinite. In autograd_core/ops/arithmetic.py."""
def relu(input: Tensor) -> Tensor:
    """`max(input, 0)`, with slope 0 at 0. In autograd_core/ops/elementwise.py."""
def remainder(input: Tensor, other: Tensor | Number) -> Tensor:
    """`input % other`, with the sign of `other`. If `input` is a number, this has no derivative. In autograd_core/ops/arithmetic.py."""
def reshape(input: Tensor, *sizes: Any, shape: Any = ...) -> Tensor:
    """The same numbers in another shape: a view where that is possible, else a copy. In autograd_core/ops/shape.py."""
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """The entries moved by `shifts` along `dims`, or along the flattened tensor. Entries that leave one end come in at the other end. In autograd_core/ops/shape.py."""
def round(input: Tensor) -> Tensor:
    """The nearest whole number, the even one of two equally near; same type. In autograd_core/ops/elementwise.py."""
def rsqrt(input: Tensor) -> Tensor:
    """`1 / sqrt(input)`; inf at 0, nan below. Integers give floating point. In autograd_core/ops/elementwise.py."""
def save(obj: Any, path: Any) -> None:
    """Write `obj` to the file `path`: tensors, numbers, strings, None, and lists, tuples and dicts of these; else TypeError. What was there before stays until all is written. As `torch.save`, but for the format, and that memory is no longer shared after loading. In autograd_core/compat/saving.py."""
def scatter_add(input: Tensor, dim: Any, index: Tensor, src: Any) -> Tensor:
    """`input` with the elements of `src` added where `gather` would read. In autograd_core/ops/gathering.py."""
def set_default_dtype(d: Any) -> None:
    """Make `d` the type of new floating-point tensors. Raises TypeError for other types. In autograd_core/compat/dtypes.py."""
def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-input))`, between 0 and 1; integers give floating point. In autograd_core/ops/elementwise.py."""
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1, as `input` is negative, zero (or nan) or positive; its derivative is zero. In autograd_core/ops/elementwise.py."""
def sin(input: Tensor) -> Tensor:
    """The sine, `input` in radians; integers give floating point. In autograd_core/ops/elementwise.py."""
def softmax(input: Tensor, dim: Any) -> Tensor:
    """Positive numbers that add up to 1 along `dim`: `exp(input)` divided by its sum. In autograd_core/ops/reduction.py."""
def sort(input: Tensor, dim: Any = -1, descending: _bool = False) -> Any:
    """A pair: the elements along `dim` in order, and the place of each. Equal ones stay in order. In autograd_core/ops/sorting.py."""
def split(input: Tensor, split_size_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """Pieces of `split_size_or_sections` entries along `dim`, or of as many as a list says. In autograd_core/ops/shape.py."""
def sqrt(input: Tensor) -> Tensor:
    """The square root; its slope at 0 is infinite, below 0 it is nan. Integers give floating point. In autograd_core/ops/elementwise.py."""
def square(input: Tensor) -> Tensor:
    """`input ** 2`. In autograd_core/ops/arithmetic.py."""
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without the dimensions of size 1, or without `dim`, if its size is 1. In autograd_core/ops/shape.py."""
def stack(tensors: Sequence[Tensor], dim: Any = 0) -> Tensor:
    """Tensors of one shape, one after the other along a new dimension `dim`. In autograd_core/ops/shape.py."""
def std(input: Tensor, dim: Any = None, unbiased: _bool = True, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
    """The square root of `var`. In autograd_core/ops/reduction.py."""
def sub(input: Tensor, other: Tensor | Number, alpha: Any = 1) -> Tensor:
    """`input - alpha * other`. In autograd_core/ops/arithmetic.py."""
def sum(input: Tensor, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or the sums along `dim` (one or several). Integers add up as int64. In autograd_core/ops/reduction.py."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector as it is. In autograd_core/ops/shape.py."""
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent, between -1 and 1; integers give floating point. In autograd_core/ops/elementwise.py."""
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested lists of numbers, an array, or a tensor. In autograd_core/compat/creation.py."""
def topk(input: Tensor, k: Any, dim: Any = -1, largest: _bool = True) -> Any:
    """A pair: the `k` greatest (or smallest) along `dim` in order, and their places. In autograd_core/ops/sorting.py."""
def transpose(input: Tensor, dim0: Any, dim1: Any) -> Tensor:
    """Two dimensions exchanged. In autograd_core/ops/shape.py."""
def tril(input: Tensor, diagonal: Any = 0) -> Tensor:
    """The lower triangle, up to the `diagonal`-th diagonal, and zeros above it. In autograd_core/ops/shape.py."""
def triu(input: Tensor, diagonal: Any = 0) -> Tensor:
    """The upper triangle, from the `diagonal`-th diagonal, and zeros below it. In autograd_core/ops/shape.py."""
def unbind(input: Tensor, dim: Any = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`, as a tuple. In autograd_core/ops/shape.py."""
def unsqueeze(input: Tensor, dim: Any) -> Tensor:
    """A dimension of size 1, put in at `dim`. In autograd_core/ops/shape.py."""
def var(input: Tensor, dim: Any = None, unbiased: _bool = True, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
    """The variance, of all or along `dim`: by the count less `correction`, 1 (0 if not `unbiased`). In autograd_core/ops/reduction.py."""
def where(condition: Tensor, input: Tensor | None = None, other: Tensor | Number | None = None) -> Any:
    """`input` where `condition`, else `other`. Without both, the places where it is true. In autograd_core/ops/elementwise.py."""
def zeros(*sizes: Any, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """A tensor of this size, `zeros(2, 3)` or `zeros((2, 3))`, every element 0. In autograd_core/compat/creation.py."""
def zeros_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: _bool = False) -> Tensor:
    """As `zeros`, of the shape and type of `input`. In autograd_core/compat/creation.py."""

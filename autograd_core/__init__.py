"""A small autograd engine in NumPy, with PyTorch's names, graph, numbers and messages.

    import autograd_core as torch

The engine itself is `core/`, which is read in one sitting: what is recorded, what a tensor is, what
an operation is, the walk back. `ops/` holds the operations, each with its rules; `nn/`, `optim/`,
`autograd/` and `utils/` what PyTorch's rooms of these names hold; `compat/` all else that is
likeness to PyTorch. `trace/` tells one pass as plain data."""

import warnings
from math import e, inf, nan, pi

from . import autograd, nn, optim, utils
from .autograd import (
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .compat import random
from .core import checks as _checks
from .compat.creation import (
    arange,
    as_tensor,
    empty,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    normal,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    tensor,
    zeros,
    zeros_like,
)
from .compat.dtypes import (
    Namespace as _Namespace,
    Size,
    bool,
    device,
    double,
    dtype,
    finfo,
    float,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    int,
    int16,
    int32,
    int64,
    int8,
    long,
    set_default_dtype,
    short,
    uint8,
)
from .compat.functions import (
    add,
    all,
    allclose,
    amax,
    amin,
    any,
    argmax,
    argmin,
    argsort,
    cat,
    clamp,
    clip,
    cumsum,
    div,
    equal,
    floor_divide,
    log_softmax,
    logsumexp,
    matmul,
    max,
    maximum,
    mean,
    min,
    minimum,
    norm,
    outer,
    pow,
    prod,
    remainder,
    softmax,
    sort,
    square,
    stack,
    std,
    sub,
    sum,
    to,
    topk,
    type_as,
    var,
    where,
)
from .compat.functions_of_shape import (
    contiguous,
    expand,
    flatten,
    flip,
    permute,
    reshape,
    split,
    squeeze,
    view,
)
from .compat.printing import set_printoptions
from .compat.random import Generator, manual_seed
from .compat.sampling import bernoulli, multinomial
from .compat.saving import load, save
from .compat.tensor import Tensor
from .ops.comparison import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    eq,
    ge,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    logical_and,
    logical_not,
    logical_or,
    lt,
    ne,
)
from .ops.elementwise import (
    abs,
    atan,
    ceil,
    cos,
    erf,
    exp,
    floor,
    log,
    log1p,
    mul,
    nan_to_num,
    neg,
    reciprocal,
    relu,
    round,
    rsqrt,
    sigmoid,
    sign,
    sin,
    sqrt,
    tanh,
)
from .ops.einsum import einsum
from .ops.gathering import (
    gather,
    index_add,
    index_select,
    masked_fill,
    masked_select,
    nonzero,
    scatter,
    scatter_add,
)
from .ops.indexing import index_put
from .ops.linalg import addmm, bmm, dot, mm, mv
from .ops.reduction import count_nonzero
from .ops.shape import (
    chunk,
    clone,
    expand_as,
    meshgrid,
    repeat,
    roll,
    t,
    transpose,
    tril,
    triu,
    unbind,
    unsqueeze,
    view_as,
)

cuda = _Namespace(
    "cuda",
    is_available=lambda: False,
    device_count=lambda: 0,
    manual_seed=lambda seed: None,
    manual_seed_all=lambda seed: None,
    empty_cache=lambda: None,
)
backends = _Namespace(
    "backends",
    cudnn=_Namespace("backends.cudnn", deterministic=False, benchmark=False, enabled=True),
    # no such devices: PyTorch's answers there
    mps=_Namespace("backends.mps", is_available=lambda: False),
)


def is_tensor(obj):
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input):
    """Whether the elements of a tensor are floating-point numbers."""
    _checks.check_tensors("is_floating_point", input=input)
    return input.is_floating_point()


def numel(input):
    """How many elements a tensor has."""
    _checks.check_tensors("numel", input=input)
    return input.numel()


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Nothing to do: every operation here is deterministic."""


# Infinities and nans are results here, as in PyTorch, not surprises to warn of.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_core\.")

__version__ = "0.1.0"


def __getattr__(name):
    raise AttributeError(f"autograd_core has no {name}")

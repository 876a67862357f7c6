"""A small autograd engine in NumPy, with PyTorch's names, graph, numbers and messages.

    import autograd_core as torch

Read it in the order of the story: `tensor.py` (what a tensor is), `ops/` (what can be done with one, and the rule back),
`graph.py` (what is recorded), `recording.py` (when), `engine.py` (the walk back), `optim/` (the step), `trace/` (all of
it as plain data).
"""

import os
import warnings
from math import e, inf, nan, pi
from types import SimpleNamespace

# Small matrices are multiplied fastest by one thread: two mostly wait for each other. NumPy reads this when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from . import autograd, nn, ops, optim, utils
from .autograd import (enable_grad, inference_mode, is_anomaly_enabled, is_grad_enabled, is_inference,
                       is_inference_mode_enabled, no_grad, set_grad_enabled)
from .creation import (BoolTensor, ByteTensor, DoubleTensor, FloatTensor, IntTensor, LongTensor, arange, as_tensor,
                       empty, empty_like, eye, from_numpy, full, full_like, linspace, normal, ones, ones_like, rand,
                       rand_like, randint, randint_like, randn, randn_like, randperm, tensor, zeros, zeros_like)
from .dtypes import (Size, bool, device, double, dtype, finfo, float, float16, float32, float64, get_default_dtype,
                     half, int, int16, int32, int64, int8, long, set_default_dtype, short, uint8)
from .printing import set_printoptions
from .random import Generator, manual_seed
from .saving import load, save
from .tensor import Tensor

globals().update(ops.FUNCTIONS)
is_tensor, is_floating_point, numel = (lambda obj: isinstance(obj, Tensor)), Tensor.is_floating_point, Tensor.numel
cuda = SimpleNamespace(is_available=lambda: False, device_count=lambda: 0, manual_seed=lambda seed: None,
                       manual_seed_all=lambda seed: None, empty_cache=lambda: None)
backends = SimpleNamespace(cudnn=SimpleNamespace(deterministic=False, benchmark=False, enabled=True),
                           mps=SimpleNamespace(is_available=lambda: False))    # no such devices: PyTorch's answers there


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Nothing to do: every operation here is deterministic."""


# Infinities and nans are results here, as in PyTorch, not surprises to warn of.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_core\.")

__version__ = "0.1.0"


def __getattr__(name):
    raise AttributeError(f"autograd_core has no {name}")

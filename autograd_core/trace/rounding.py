"""Gradients that are 0 except for rounding.

The numbers that a node receives have relative errors of a few roundings. If the node adds up numbers
that cancel, the small sum still has the errors of the large numbers. To measure how large they are,
the node runs again on what it received, but with random signs, so that its numbers don't cancel.
"""

import functools
import math
import sys
import weakref
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from .nodes import engine_of, has_packed, key_of, numbers_of
from .summary import norm

SINGLE = 2.0**-23  # one rounding in float32, which also sums up 16-bit numbers
OTHERS = {"float64": 2.0**-52, "complex128": 2.0**-52, "bfloat16": 2.0**-9, "float16": 2.0**-12}
ROUNDINGS = 4  # relative error of each number that a node receives, in roundings
SUSPICIOUS = 1_000  # roundings of the received gradient: a smaller sent gradient is measured
MOST = 0.05  # times the received gradient: no larger sent gradient is measured
DRAWS = 2  # random signs
LARGE = 0.3  # share of rounding errors in a gradient that is "only rounding"
BIASES = {"AddmmBackward0": 0, "ConvolutionBackward0": 2}  # the edge on which a plain sum is sent
BATCH_NORMS = "NativeBatchNormBackward0", "CudnnBatchNormBackward0"

Norm = Callable[[Any], float]


@functools.cache
def one_rounding(dtype: Any) -> float:
    """The relative size of one rounding in a dtype of either engine."""
    return OTHERS.get(str(dtype).removeprefix("torch."), SINGLE)


class Origin(NamedTuple):
    """The first node at which a gradient is only rounding: numbers cancel there to the norm `left`,
    and their rounding errors have the norm `errors`.
    """

    node: int
    left: float
    errors: float


class _Sent(NamedTuple):
    """A gradient on its way: its norm, the norm of the errors in it, and where these became large."""

    norm: float
    errors: float
    origins: tuple[Origin, ...]


class Rounding:
    """The rounding errors in the gradients of a backward pass, while it runs. From node to node,
    errors are carried on in proportion to the gradient.

    found  {key of a node that received only rounding: where it begins}
    """

    def __init__(self) -> None:
        self.found: dict[int, tuple[Origin, ...]] = {}
        self._arrived: dict[int, list[_Sent]] = defaultdict(list)
        # returns the gradient that the latest batch norm sent to its input
        self._centered: Callable[[], Any] = lambda: None

    def share_in(self, key: int, size: float) -> float:
        """The share of errors in the gradient of the norm `size` that a node or a leaf received."""
        parts = self._arrived.pop(key, [])
        if len(parts) == 1:
            size = parts[0].norm  # a hook may have changed what the node received
        errors = math.hypot(*(part.errors for part in parts))
        share = errors / size if size else 0.0
        if not share >= LARGE:
            return share if share > 0 else 0.0  # 0 for nan
        origins = dict.fromkeys(origin for part in parts for origin in part.origins)
        self.found.setdefault(key, tuple(origins) or (Origin(key, size, errors),))
        return min(share, 1.0)

    def ran(self, node: Any, received: Sequence[Any], sent: Sequence[Any], norm_of: Norm) -> None:
        """Record what a node that has just run received and sent. `norm_of` returns its norm."""
        arrived, key = [gradient for gradient in received if gradient is not None], key_of(node)
        if not arrived:
            return
        total = math.hypot(*map(norm_of, arrived))
        share, one = self.share_in(key, total), max(one_rounding(g.dtype) for g in arrived)
        edges = {k: producer for k, (producer, _) in enumerate(node.next_functions) if producer}
        sizes = {k: norm_of(sent[k]) for k in edges if sent[k] is not None}
        # {edge: the factor by which equal errors of all numbers add up}
        small: dict[int, float] = {}
        for k, size in sizes.items():
            many = max(sum(g.numel() for g in arrived) / max(sent[k].numel(), 1), 1)
            # a batch norm sends a gradient that sums to 0 over the batch; its own sums have errors
            equal = min(one, SINGLE) * (many if self._centered() is arrived[0] else math.sqrt(many))
            if 0 < size < max(min(SUSPICIOUS * one, MOST), SUSPICIOUS * equal) * total:
                small[k] = max(equal / one, 1)
        if node.name() in BATCH_NORMS and sizes.get(0) and getattr(node, "_saved_training", True):
            self._centered = weakref.ref(sent[0])
        full = _uncancelled(node, received, sent, small, total) if small else {}
        for k, size in sizes.items():
            summed = max(size, full.get(k, 0) * small.get(k, 0))
            errors = max(share, ROUNDINGS * one) * summed
            begins = (Origin(key, size, errors),) if errors >= LARGE * size > 0 else ()
            part = _Sent(size, min(size, errors), self.found.get(key, begins))
            self._arrived[key_of(edges[k])].append(part)


def _uncancelled(
    node: Any, received: Sequence[Any], sent: Sequence[Any], small: Collection[int], total: float
) -> dict[int, float]:
    """{edge in `small`: the norm of the gradient that a node sends there if the numbers that it
    receives, of the norm `total`, get random signs}; {} if the node can't run again.
    """
    name = node.name()
    if [*small] == [BIASES.get(name)] and getattr(node, "_saved_beta", 1) == 1:
        return dict.fromkeys(small, total)
    if not name[-1].isdigit() or has_packed(node):  # the learner's own Function, or a checkpoint
        return {}
    squares, random = dict.fromkeys(small, 0.0), np.random.default_rng(0)
    for _ in range(DRAWS):
        try:
            answers = _run_again(node, [_with_signs(g, random) for g in received])
            for k in small:
                squares[k] += norm(_summed_to(tuple(sent[k].shape), answers[k])) ** 2
        except (RuntimeError, TypeError, ValueError):  # a sparse or nested gradient, a kernel
            return {}
    return {k: math.sqrt(square / DRAWS) for k, square in squares.items()}


def _with_signs(gradient: Any, random: Any) -> Any:
    if gradient is None:
        return None
    signs = 1 - 2 * random.integers(2, size=tuple(gradient.shape), dtype=np.int8)
    if hasattr(gradient, "_array"):
        return gradient._array * signs
    return gradient * sys.modules["torch"].as_tensor(signs, device=gradient.device)


def _run_again(node: Any, gradients: Sequence[Any]) -> Any:
    if engine_of(node) == "autograd_core":
        ops = sys.modules["autograd_core.ops.table"].numpy_ops
        return node.apply(ops, gradients[0] if node.outputs == 1 else gradients)
    with sys.modules["torch"].no_grad():
        answers = node(*gradients)
    return answers if isinstance(answers, tuple) else (answers,)


def _summed_to(shape: tuple[int, ...], answer: Any) -> Any:
    """The numbers of a broadcast gradient, summed to the shape of the tensor that was broadcast."""
    array = numbers_of(answer) if hasattr(answer, "grad_fn") else np.asarray(answer)
    lead = array.ndim - len(shape)
    ones = (axis for axis, n in enumerate(shape, lead) if n == 1)
    return array.sum((*range(lead), *ones)).reshape(shape)

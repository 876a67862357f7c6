"""Lesson 08, many heads and one loss: what PyTorch answers to its exercises."""

import torch

from ..check import exercise, function_exercise
from ..conduct import kind_of
from ..references import BackwardRule, Function, Refused, leaves_of
from ..you_run import YouRun


@exercise("08.1")
def two_heads_by_hand():
    return {"run": YouRun(events=11)}


def _drawn(*shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64)


SIZES = [(7, 16, 1), (7, 16, 16), (3, 3, 3), (1, 4, 2)]

function_exercise(
    "08.2",
    rule=BackwardRule(
        lambda W, h, b: W @ h + b,
        {"W": (7, 16), "h": (16, 5), "b": (7, 1)},
        [(_drawn(n, k), _drawn(k, m), _drawn(n, 1)) for n, k, m in SIZES],
        mistakes={
            "the gradients are in the wrong order: return those of `W`, `h` and `b`": (
                lambda G, W, h, b: (W.T @ G, G @ h.T, G.sum(1, keepdim=True))
            ),
            "the gradient of `W` is a sum over the pixels, not a mean": (
                lambda G, W, h, b: (G @ h.T / h.shape[1], W.T @ G, G.sum(1, keepdim=True))
            ),
            "the gradient of `h` is a sum over the kernels, not a mean": (
                lambda G, W, h, b: (G @ h.T, W.T @ G / len(W), G.sum(1, keepdim=True))
            ),
            "the gradient of `W` is transposed: it needs the shape of `W`": (
                lambda G, W, h, b: (h @ G.T, W.T @ G, G.sum(1, keepdim=True))
            ),
            "the gradient of `b` has the shape of the maps. `b` is added to every pixel, so its gradient is a sum over the pixels": (
                lambda G, W, h, b: (G @ h.T, W.T @ G, G)
            ),
            "the gradient of `b` is a sum over the pixels, not a mean": (
                lambda G, W, h, b: (G @ h.T, W.T @ G, G.mean(1, keepdim=True))
            ),
            "the gradient of `b` sums over the kernels: sum over the pixels (dimension 1) instead": (
                lambda G, W, h, b: (G @ h.T, W.T @ G, G.sum(0, keepdim=True))
            ),
            "the gradient of `b` needs the shape of `b`, 7 × 1: use `keepdim=True`": (
                lambda G, W, h, b: (G @ h.T, W.T @ G, G.sum(1))
            ),
        },
    ),
)


class Pair(Function):
    """A reference for a function that scales `sin` and `cos`. The check compares the two values,
    and for each of the four gradients whether it is 0. None may cross from one to the other.
    """

    def trial(self, generator, arguments):
        names = ["sin", "cos"]
        for result in ("sin", "cos"):
            names += [f"the gradient of the new {result} at `{name}`" for name in ("sin", "cos")]
        return arguments, self.call(self.reference, arguments), names

    def call(self, function, given):
        values, reaches = [], []
        for place in range(2):
            leaves = leaves_of(given)
            results = function(*leaves)
            if results is ... or results is None:
                return results
            try:
                sin, cos = results
            except (TypeError, ValueError):
                wanted = "two tensors, `sin` and `cos`"
                raise Refused(f"returns {kind_of(results)}, not {wanted}") from None
            result = cos if place else sin
            values.append(result)
            if getattr(result, "requires_grad", False):
                result.sum().backward()
            reaches += [float(each.grad is not None and each.grad.any()) for each in leaves]
        return values + reaches

    def praise(self, seen, tolerance):
        return "The values are PyTorch's, and each loss trains only its own kernel."


def _scaled(length_of, keep=lambda sin, cos: (sin, cos)):
    """A function that divides what `keep` returns by a length."""

    def scaled(sin, cos):
        length = length_of(sin, cos)
        return tuple(each / length for each in keep(sin, cos))

    return scaled


def _length(sin, cos):
    return torch.sqrt(sin**2 + cos**2)


def _detached(sin, cos):
    return _length(sin, cos).detach()


def _no_graph(sin, cos):
    return sin.detach(), cos.detach()


function_exercise(
    "08.3",
    scale=Pair(
        _scaled(_detached),
        {"sin": (6,), "cos": (6,)},
        [([3.0, -0.6], [4.0, 0.8]), ([1e-3, 2.0], [1.0, -2.0])],
        mistakes={
            "each loss still trains both kernels, because both maps are in the graph of `length`": (
                _scaled(_length)
            ),
            "the values change: (sin, cos) no longer has length 1": [
                lambda sin, cos: (sin, cos),
                _scaled(lambda sin, cos: (sin**2 + cos**2).detach()),
                _scaled(lambda sin, cos: (abs(sin) + abs(cos)).detach()),
            ],
            "one of the two losses still trains both kernels": [
                _scaled(lambda sin, cos: _length(sin.detach(), cos)),
                _scaled(lambda sin, cos: _length(sin, cos.detach())),
                lambda sin, cos: (sin / _length(sin, cos), cos / _detached(sin, cos)),
                lambda sin, cos: (sin / _detached(sin, cos), cos / _length(sin, cos)),
            ],
            "the kernels learn nothing, because both results are detached": [
                _scaled(_detached, _no_graph),
                lambda sin, cos: tuple(each.detach() for each in _scaled(_length)(sin, cos)),
            ],
            "the kernel `sin` learns nothing, because its map is detached": [
                _scaled(_detached, lambda sin, cos: (sin.detach(), cos)),
                lambda sin, cos: _scaled(_length)(sin.detach(), cos),
            ],
            "the kernel `cos` learns nothing, because its map is detached": [
                _scaled(_detached, lambda sin, cos: (sin, cos.detach())),
                lambda sin, cos: _scaled(_length)(sin, cos.detach()),
            ],
            "the two results are in the wrong order": (
                _scaled(_detached, lambda sin, cos: (cos, sin))
            ),
        },
    ),
)

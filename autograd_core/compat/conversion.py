"""A tensor as Python and NumPy see it: a number, a list, an array, a text, a copy, a pickle.

A deep copy keeps `.grad` and what was set on the tensor; a copy and a pickle keep no `.grad`, and
of a computed tensor they make a leaf. No copy keeps hooks.
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.graph import LEAF, NO_EDGE, check
from ..core.tensor import wrap
from ..core.types import default_type
from ..ops.shape import unbind
from . import printing


class AsPython:
    """What `Tensor` inherits for these. It relies on `_array`, `_edge` and `_storage()` alone."""

    _array: Any

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself, not a copy. Raises RuntimeError if a gradient is required here."""
        message = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy()"
        check(force or not self.requires_grad, message + " instead.")
        return self._storage()

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return wrap(np.asarray(array))  # so NumPy's functions give tensors

    def cpu(self):
        """This tensor: it is on the CPU."""
        return self

    def item(self) -> Any:
        """The one number as a Python number. Raises RuntimeError if there are more."""
        size = self._array.size
        check(size == 1, "a Tensor with {} elements cannot be converted to Scalar", size)
        return self._array.item()

    def tolist(self) -> Any:
        """The numbers as Python's own, in nested lists; of no dimensions, the number."""
        return self._array.tolist()

    def __bool__(self) -> bool:
        several = "more than one value" if self._array.size else "no values"
        check(self._array.size == 1, "Boolean value of Tensor with {} is ambiguous", several)
        return bool(self.item())

    def __float__(self) -> float:
        return float(self._only_element())

    def __int__(self) -> int:
        return int(self._only_element())

    def _only_element(self):
        words = "only one element tensors can be converted to Python scalars"
        check(self._array.size == 1, words, error=ValueError)
        return self.item()

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __len__(self) -> int:
        check(self._array.ndim, "len() of a 0-d tensor", error=TypeError)
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        check(self._array.ndim, "iteration over a 0-d tensor", error=TypeError)
        return iter(unbind(self, 0))

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec) if self._array.ndim else format(self.item(), spec)

    # ---- printing, copying -----------------------------------------------------------------------

    def __repr__(self) -> str:
        suffixes = []
        if self.requires_grad:
            leaf, node = self.is_leaf, type(self.grad_fn).__name__
            suffixes = ["requires_grad=True" if leaf else f"grad_fn=<{node}>"]
        text = printing.format_tensor(np.asarray(self._array), suffixes, default_type())
        return f"tensor({text})"

    def __deepcopy__(self, memo):
        message = "Only Tensors created explicitly by the user (graph leaves) support the deepcopy"
        check(self.is_leaf, message + " protocol at the moment: use detach() or clone()")
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        copied._array, copied._edge = np.array(self._array), self._edge
        vars(copied).update(copy.deepcopy(self._attributes(), memo))
        if self._grad is not None:
            copied._grad = self._grad.__deepcopy__(memo)
        return copied

    def __reduce__(self):
        return _unpickle, (type(self), self._storage(), self.requires_grad), self._attributes()

    def _attributes(self):
        """What a user has set on this tensor."""
        own = vars(self)
        return {name: own[name] for name in own if name[0] != "_" and name != "retains_grad"}


def _unpickle(kind, array, requires_grad):
    made = kind.__new__(kind)
    made._array, made._edge = array, LEAF if requires_grad else NO_EDGE
    return made

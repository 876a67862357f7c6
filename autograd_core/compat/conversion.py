"""A tensor as Python and NumPy see it: a number, a list, an array, a text, a copy, a pickle.

A deep copy keeps `.grad` and what was set on the tensor; a copy and a pickle keep no `.grad`, and
of a computed tensor they make a leaf. No copy keeps hooks.
"""

import copy
import warnings

import numpy as np

from ..core.graph import LEAF, NO_EDGE, check
from ..core.tensor import wrap
from ..ops.shape import unbind
from . import dtypes, printing

_warned = False  # PyTorch says it once


class AsPython:
    """What `Tensor` inherits for these. It relies on `_array`, `_edge` and `_storage()` alone."""

    def numpy(self, *, force=False):
        """The NumPy array itself, not a copy. Raises RuntimeError if this tensor requires a
        gradient.
        """
        check(
            force or not self.requires_grad,
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        )
        return self._storage()

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return wrap(np.asarray(array))  # so NumPy's functions give tensors

    def cpu(self):
        return self

    def item(self):
        """The one number as a Python number. Raises RuntimeError if there are more."""
        check(
            self._array.size == 1,
            "a Tensor with {} elements cannot be converted to Scalar",
            self._array.size,
        )
        return self._array.item()

    def tolist(self):
        return self._array.tolist()

    def __bool__(self):
        check(
            self._array.size == 1,
            "Boolean value of Tensor with {} is ambiguous",
            "more than one value" if self._array.size else "no values",
        )
        return bool(self.item())

    def __float__(self):
        return float(self._only_element())

    def __int__(self):
        return int(self._only_element())

    def __complex__(self):
        return complex(self._only_element())

    def _only_element(self):
        global _warned
        if self.requires_grad and not _warned:
            _warned = True
            warnings.warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected"
                " behavior.\nConsider using tensor.detach() first.",
                stacklevel=3,
            )
        check(
            self._array.size == 1,
            "only one element tensors can be converted to Python scalars",
            error=ValueError,
        )
        return self.item()

    def __index__(self):
        check(
            self._array.size == 1 and self._array.dtype.kind in "iub",
            "only integer tensors of a single element can be converted to an index",
            error=TypeError,
        )
        return int(self.item())

    def __len__(self):
        check(self._array.ndim, "len() of a 0-d tensor", error=TypeError)
        return len(self._array)

    def __iter__(self):
        check(self._array.ndim, "iteration over a 0-d tensor", error=TypeError)
        return iter(unbind(self, 0))

    def __format__(self, spec):
        return object.__format__(self, spec) if self._array.ndim else format(self.item(), spec)

    def __contains__(self, element):
        check(
            isinstance(element, (AsPython, int, float, np.number)),
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.",
            type(element),
        )
        return bool(
            (self._array == (element._array if isinstance(element, AsPython) else element)).any()
        )

    def __delitem__(self, key):
        raise TypeError(
            "Tensor does not support deleting items: make a new tensor of those that stay"
        )

    __hash__ = object.__hash__

    # ---- printing, copying -----------------------------------------------------------------------

    def __repr__(self):
        wanted = (
            "requires_grad=True" if self.is_leaf else f"grad_fn=<{type(self.grad_fn).__name__}>"
        )
        array = np.asarray(self._array)
        implied = printing.dtype_is_implied(
            array.dtype, array.size, dtypes.get_default_dtype().numpy
        )
        text = printing.format_tensor(
            array,
            dtype_name=None if implied else repr(self.dtype),
            suffixes=[wanted] if self.requires_grad else [],
        )
        return f"tensor({text})"

    def __deepcopy__(self, memo):
        check(
            self.is_leaf,
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy"
            " protocol at the moment: copy y.detach() or y.clone() instead",
        )
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
        return {
            name: value
            for name, value in vars(self).items()
            if name[0] != "_" and name != "retains_grad"
        }


def _unpickle(kind, array, requires_grad):
    made = kind.__new__(kind)
    made._array, made._edge = array, LEAF if requires_grad else NO_EDGE
    return made

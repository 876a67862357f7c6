"""Which results depend on the order that topk and sort give to equal elements.

PyTorch doesn't define this order, so both engines can be right and still differ in the indices, in
the gradients of the input, and in everything that is computed from them.
"""

import contextlib
import weakref

import numpy as np

from ..core.graph import AccumulateGrad
from .graphs import LEFT_OPEN
from .results import as_array

SORTING = {"topk_dim": "topk", "sort_dim": "sort"}


class Ties:
    """Subscribes to autograd_core, and follows each tied order through operations, backward passes
    and optimizer steps, from cell to cell.
    """

    def __init__(self):
        self._open = {}  # id of a tensor, an array or a node -> (weak reference, topk or sort)
        self.begin()

    def begin(self):
        """Start a new cell."""
        self._met = ""  # topk or sort, if this cell used a tied order
        self._unfollowed = False  # whether `autograd.grad` returned gradients that depend on it
        self._sorted = {}  # id of the indices -> (numbers that were sorted, dim)

    # ---- events ----------------------------------------------------------------------------------

    def on_operation(self, operation, node, args, outs):
        name = SORTING.get(operation.__name__)
        if name is None and not self._open:
            return
        why = self._found(args)
        if why:
            self._mark(why, *outs, node)
        elif name:
            numbers, dim = as_array(args[0]), args[2] if name == "topk" else args[1]
            if _has_ties(numbers, as_array(outs[0]), dim):
                self._mark(name, outs[1], node)
                self._sorted[id(outs[1])] = numbers.copy(), dim

    def on_index(self, tensor, array):
        self._mark(self._found([tensor]), array)

    def on_write(self, tensor, result):
        self._mark(self._found([result]), tensor)

    def on_leave(self, tensor, out, how):
        self._mark(self._found([tensor]), out)

    def on_node_ran(self, node, sent):
        why = self._found([node])
        if why and isinstance(node, AccumulateGrad):
            self._mark(why, node.variable.grad)
        elif why:
            self._mark(why, *(below for below, _ in node.next_functions))

    @contextlib.contextmanager
    def during_backward(self, roots, accumulates):
        before, self._met = self._met, ""
        yield
        self._unfollowed |= bool(self._met) and not accumulates
        self._met = self._met or before

    @contextlib.contextmanager
    def during_step(self, optimizer, closure):
        yield
        for group in optimizer.param_groups if self._open else ():
            for parameter in group["params"]:
                state = optimizer.state.get(parameter, {}).values()
                tensors = [each for each in state if hasattr(each, "grad_fn")]
                self._mark(self._found([parameter.grad]), parameter, *tensors)

    def _mark(self, why, *values):
        """Record that `values` depend on a tied order, if there is a reason `why`."""
        for value in values if why else ():
            if value is not None:
                key = id(value)
                gone = weakref.ref(value, lambda _, key=key: self._open.pop(key, None))
                self._open[key] = gone, why
                self._met = why

    def _found(self, values):
        """The reason why one of `values`, or an element of a tuple in it, is open; or ""."""
        for value in values:
            if isinstance(value, tuple | list):
                if why := self._found(value):
                    return why
            elif id(value) in self._open:
                return self._open[id(value)][1]
        return ""

    # ---- the comparison --------------------------------------------------------------------------

    def leave_open(self, comparison, pairs, loaded):
        """Remove the differences that a tied order explains from the comparison. The cell read the
        names `loaded`.
        """
        if not self._open:
            return
        read = [pair.ours.value for pair in pairs.values() if pair.root in loaded]
        met = self._met or self._found(read)
        for row in [row for row in comparison.differences if row.kind and row.name in pairs]:
            why = self._reason(row.name, pairs, met)
            if why:
                comparison.differences.remove(row)
                order = f"the order in which {why} returns equal elements decides it"
                comparison.leave_out(row.name, row.kind, LEFT_OPEN + order)

    def _reason(self, path, pairs, met):
        ours, theirs = pairs[path][1:3]
        if not hasattr(ours.value, "grad_fn"):
            return met  # no event follows `tolist` and `item`
        if id(ours.value) in self._sorted and not self._is_an_order(ours.value, theirs.value):
            return ""
        found = [ours.value]
        if ours.kind == "gradient" and path.removesuffix(".grad") in pairs:
            found.append(pairs[path.removesuffix(".grad")].ours.value.grad_fn)
        is_new = ours.value.grad_fn is None and self._unfollowed
        return self._found(found) or (met if is_new else "")

    def _is_an_order(self, ours, theirs):
        """Whether `theirs` are valid indices, each once, of elements equal to those at `ours`."""
        numbers, dim = self._sorted[id(ours)]
        ours, theirs = as_array(ours), as_array(theirs)
        if theirs.min() < 0 or theirs.max() >= numbers.shape[dim]:
            return False
        same = [np.take_along_axis(numbers, each, dim) for each in (ours, theirs)]
        each_once = np.diff(np.sort(theirs, dim), axis=dim).all()
        return bool(np.array_equal(*same, equal_nan=numbers.dtype.kind == "f") and each_once)


def _has_ties(numbers, chosen, dim):
    """Whether the sorted `chosen` has equal neighbors, or omits an element equal to its last one."""
    if numbers.ndim == 0 or chosen.size == 0:
        return False
    count = chosen.shape[dim]
    if (np.take(chosen, range(1, count), dim) == np.take(chosen, range(count - 1), dim)).any():
        return True
    last = np.take(chosen, [-1], dim)
    return bool(((numbers == last).sum(dim) > (chosen == last).sum(dim)).any())

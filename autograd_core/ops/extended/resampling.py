"""What resizing, pooling by means and borders share: weighted sums along each dimension.

Along each dimension every result is a weighted sum of a few entries; `Taps` says of
which. Its transpose, which takes gradients back, is `Taps` again.
"""

import numpy as np

from ...core.operation import formula, operation


def _run(indices):
    """Indices as a slice, where they rise in equal steps: a view is quicker than a copy."""
    step = indices[-1] - indices[-2] if len(indices) > 1 else 1
    even = step > 0 and (np.diff(indices) == step).all()
    return slice(indices[0], indices[-1] + 1, step) if even else indices


class Taps:
    """A linear map along one dimension: `result[row] = sum of weight * input[column]` over (row,
    column, weight).

    The three are arrays of one shape, or that stretch to one; what has a column outside of the
    input is left out."""

    def __init__(self, rows, columns, weights, results, entries):
        rows, columns, weights = np.broadcast_arrays(rows, columns, weights)
        there = (columns >= 0) & (columns < entries)
        order = np.argsort(rows[there], kind="stable")
        self.rows, self.columns, self.weights = (
            part[there][order] for part in (rows, columns, weights)
        )
        self.results, self.entries = results, entries
        # how many come before in its row
        self.rank = np.arange(len(order)) - np.searchsorted(self.rows, self.rows)

    def transposed(self):
        return Taps(self.columns, self.rows, self.weights, self.entries, self.results)

    def along(self, dim, array):
        """The map applied along dimension `dim`: as many vector sums as the fullest row has
        entries.
        """
        result = np.zeros((*array.shape[:dim], self.results, *array.shape[dim + 1 :]), array.dtype)
        before, after = (slice(None),) * dim, (1,) * (array.ndim - dim - 1)
        for rank in range(self.rank.max(initial=-1) + 1):
            chosen = self.rank == rank
            columns, weights = _run(self.columns[chosen]), self.weights[chosen].astype(array.dtype)
            part = (
                array[(*before, columns)]
                if isinstance(columns, slice)
                else array.take(columns, dim)
            )
            part = part if (weights == 1).all() else part * weights.reshape(-1, *after)
            result[(*before, _run(self.rows[chosen]))] += part
        return result


@formula("resample(g, [taps.transposed() for taps in maps])")
def _back(ops, g, maps):
    return ops.resample(g, [taps.transposed() for taps in maps])


@formula("resample(g, [taps.transposed() for taps in maps])")
def keeps_input(ops, g, input, maps):
    """Of nodes that keep their input in PyTorch, though needlessly."""
    return _back(ops, g, maps)


@operation(input=_back)
def resample(input, maps):
    """A map for each of the last dimensions, one after the other, the last one first."""
    for dim, taps in reversed(list(enumerate(maps, input.ndim - len(maps)))):
        input = taps.along(dim, input)
    return input


def resampling(name, rule=_back):
    """The operation `resample` under PyTorch's name for a node: "UpsampleNearest2D", without
    "Backward0".
    """

    @operation(node=f"{name}Backward0", input=rule)
    def resampled(input, maps):
        return resample.forward(input, maps)

    return resampled

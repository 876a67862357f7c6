"""Datasets and a loader that splits them into batches, under the names of `torch.utils.data`.

    for x, y in DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True):
        ...

A dataset is any object with `len(dataset)` and `dataset[i]`. A shuffle gives PyTorch's order.
"""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..compat import random
from ..compat.creation import tensor
from ..compat.dtypes import float64
from ..compat.tensor import Tensor
from ..core.graph import check
from ..core.public import offers
from ..ops.shape import stack

__all__ = ["DataLoader", "Dataset", "TensorDataset"]


class Dataset:
    """The base of datasets of one's own, which give `__getitem__` and `__len__`."""

    def __getitem__(self, index) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Tensors of one length, taken together: item i is the tuple of each one's entry i."""

    def __init__(self, *tensors: Tensor) -> None:
        alike = len(set(map(len, tensors))) < 2
        check(alike, "Size mismatch between tensors", error=AssertionError)
        self.tensors = tensors

    def __getitem__(self, index) -> tuple[Tensor, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


def _batch_of(items: list) -> Any:
    """One batch of the list `items`: stacks tensors and numbers, and batches each part of a tuple.

    Raises TypeError for items of other types.
    """
    first = items[0]
    if isinstance(first, Tensor):
        return stack(items, 0)
    if isinstance(first, (int, float)):
        return tensor(items, dtype=float64 if isinstance(first, float) else None)
    if isinstance(first, (tuple, list)):
        return [_batch_of(parts) for parts in zip(*items, strict=True)]
    kind = type(first).__name__
    raise TypeError(f"DataLoader can't batch {kind}: return tensors, numbers or tuples of them")


class DataLoader:
    """Batches of `dataset`, in order or, with `shuffle`, in a new order for each pass.

    drop_last  leaves out a last batch that is smaller than `batch_size`.
    generator  draws the order. By default, `manual_seed` decides it.
    Raises ValueError if `batch_size` isn't a positive integer.
    Source: https://docs.pytorch.org/docs/stable/data.html
    """

    def __init__(
        self,
        dataset,
        batch_size: int = 1,
        shuffle: bool = False,
        *,
        drop_last: bool = False,
        generator=None,
    ) -> None:
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a positive integer, not {batch_size}")
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last, self.generator = drop_last, generator

    def __len__(self) -> int:
        """How many batches one pass has."""
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        _seed(self.generator)  # PyTorch's for its workers, even where there are none
        return self._batches()

    def _batches(self):
        order = self._shuffled() if self.shuffle else iter(range(len(self.dataset)))
        while indices := list(itertools.islice(order, self.batch_size)):
            if len(indices) == self.batch_size or not self.drop_last:
                yield _batch_of([self.dataset[i] for i in indices])

    def _shuffled(self):
        generator = self.generator or random.Generator().manual_seed(_seed(None))
        yield from generator.permutation(len(self.dataset)).tolist()
        generator.permutation(len(self.dataset))  # PyTorch draws one more, and takes nothing of it


def _seed(generator):
    return int((generator or random.default_generator).integers(0, 2**63, ()))


if not TYPE_CHECKING:  # which finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

"""Datasets, and loaders that take them apart into batches, under the names of `torch.utils.data`.

    for x, y in DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True):
        ...

A dataset is anything with `len(dataset)` and `dataset[i]`; shuffles are PyTorch's own.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compat import random
from ..compat.creation import from_numpy, tensor
from ..compat.dtypes import float64
from ..compat.tensor import Tensor
from ..core.graph import check
from ..core.public import offers
from ..ops.shape import stack

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "default_collate", "random_split"]


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


class Subset(Dataset):
    """Those items of `dataset` that `indices` name, in this order."""

    def __init__(self, dataset, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset, lengths: Sequence[float], generator=None) -> list[Subset]:
    """`dataset` in random order, cut into a `Subset` for each of `lengths`: numbers of items that sum
    to its length, or fractions that sum to 1; else raises ValueError.
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = [math.floor(len(dataset) * part) for part in lengths]
        for i in range(len(dataset) - sum(lengths)):  # one more for each of the first
            lengths[i] += 1
    words = "Sum of input lengths does not equal the length of the input dataset!"
    check(sum(lengths) == len(dataset), words, error=ValueError)
    order = iter((generator or random.default_generator).permutation(len(dataset)).tolist())
    return [Subset(dataset, list(itertools.islice(order, n))) for n in lengths]


def default_collate(batch: list) -> Any:
    """A list of items as one: tensors, arrays and numbers are stacked; of tuples, lists and dicts
    each part is; texts stay. TypeError for others.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch, 0)
    if isinstance(first, (np.ndarray, np.generic)):
        return from_numpy(np.stack(batch))
    if isinstance(first, (int, float)):
        return tensor(batch, dtype=float64 if isinstance(first, float) else None)
    if isinstance(first, str):
        return batch
    if isinstance(first, dict):
        return {key: default_collate([item[key] for item in batch]) for key in first}
    if isinstance(first, (tuple, list)):
        alike = len(set(map(len, batch))) == 1
        check(alike, "each element in list of batch should be of equal size")
        return [default_collate(parts) for parts in zip(*batch)]
    raise TypeError(f"default_collate: batch contains {type(first)}: give a collate_fn")


class DataLoader:
    """Batches of `dataset`, in order or shuffled anew in each pass. The last has what is left, or is
    left out with `drop_last`; `collate_fn` makes a batch of a list of items.

    generator   draws the shuffles; by default one that `manual_seed` decides, anew in each pass.
    pin_memory  changes nothing: there is no accelerator.
    Raises ValueError for a batch size that is no positive integer, and for nothing to shuffle,
    NotImplementedError for `num_workers` above 0.
    """

    def __init__(
        self,
        dataset,
        batch_size: int = 1,
        shuffle: bool = False,
        *,
        num_workers: int = 0,
        collate_fn: Callable[[list], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        generator=None,
    ) -> None:
        if num_workers:
            raise NotImplementedError("autograd_core loads in this process: leave num_workers=0")
        words = "{} should be a positive integer value, but got {}"
        fits = isinstance(batch_size, int) and batch_size > 0
        check(fits, words, "batch_size", f"batch_size={batch_size}", error=ValueError)
        empty = shuffle and not len(dataset)
        check(not empty, words, "num_samples", "num_samples=0: an empty dataset", error=ValueError)
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last, self.generator = drop_last, generator
        self.collate_fn = collate_fn or default_collate

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
                yield self.collate_fn([self.dataset[i] for i in indices])

    def _shuffled(self):
        generator = self.generator or random.Generator().manual_seed(_seed(None))
        yield from generator.permutation(len(self.dataset)).tolist()
        generator.permutation(len(self.dataset))  # PyTorch draws one more, and takes nothing of it


def _seed(generator):
    return int((generator or random.default_generator).integers(0, 2**63, ()))


if not TYPE_CHECKING:  # which finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

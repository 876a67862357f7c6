"""Learning rate schedulers. Each one sets `lr` in the groups of its optimizer by a formula, once per
epoch. Call its `step()` after `optimizer.step()`.

The formula computes the next rate from the current one, so the factors of several schedulers
multiply. `initial_lr` of a group is its first rate, and `base_lrs` is the list of these. Names and
formulas are the same as in `torch.optim.lr_scheduler`. See lesson 12."""

import math
import warnings
from itertools import zip_longest
from typing import TYPE_CHECKING

from ..core.public import offers
from .optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "LRScheduler", "StepLR"]


class LRScheduler:
    """The base class, which counts epochs and sets rates. A subclass defines `_next(lr, base_lr)`, or
    `get_lr` for the whole list. It sets the attributes for these before it calls `__init__` here.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = -1, 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def step(self) -> None:
        """Count one epoch and set the rates. Warns if the optimizer hasn't stepped before."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            words = "Detected call of `lr_scheduler.step()` before `optimizer.step()`"
            warnings.warn(f"{words}. Call them in the opposite order", UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr
        self._last_lr = _rates(self.optimizer)

    def get_lr(self) -> list[float]:
        """The rates to set now, one for each group. For the rates in use see `get_last_lr`."""
        return [self._next(*pair) for pair in zip_longest(_rates(self.optimizer), self.base_lrs)]

    def _next(self, lr, base_lr):
        """The next rate of a group with the current rate `lr` and the first rate `base_lr` (None if
        the group was added later)."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr")

    def get_last_lr(self) -> list[float]:
        """The rates that were set last, one for each group."""
        return self._last_lr


class StepLR(LRScheduler):
    """Multiplies lr by `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def _next(self, lr, base_lr):
        return lr * self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else lr


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from base_lr down to `eta_min` in `T_max` epochs, and then up again:
    lr = eta_min + (base_lr − eta_min) (1 + cos(π epoch / T_max)) / 2."""

    def __init__(self, optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer)

    def _next(self, lr, base_lr):
        if self._is_initial:
            return lr
        last, span = self.last_epoch - 1, self.T_max
        before, now = (1 + math.cos(math.pi * epoch / span) for epoch in (last, last + 1))
        if (last - span) % (2 * span) == 0:  # at the lowest point, the ratio would divide by 0
            return lr + (base_lr - self.eta_min) * (1 - math.cos(math.pi / span)) / 2
        return now / before * (lr - self.eta_min) + self.eta_min


def _rates(optimizer):
    return [group["lr"] for group in optimizer.param_groups]


if not TYPE_CHECKING:  # a type checker finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

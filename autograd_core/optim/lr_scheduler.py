"""Learning rate schedulers: each writes `lr` into the groups of its optimizer, once an epoch, by a
formula; `step()` comes after `optimizer.step()`.

A formula says the next rate from the present one, so several schedulers of one optimizer multiply.
`initial_lr` of a group is its rate at the beginning, `base_lrs` the list of these. Names, formulas
and `state_dict` are those of `torch.optim.lr_scheduler`; lesson 12.
"""

import math
import warnings
from collections import Counter
from itertools import zip_longest
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..core.graph import check
from ..core.public import offers
from .optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR"]
__all__ += ["MultiStepLR", "ReduceLROnPlateau", "StepLR"]


class LRScheduler:
    """The base: counts epochs and sets rates. A subclass gives `_next(lr, base_lr)`, or the whole
    list by `get_lr`; it sets what these need before it calls `__init__` of this class.

    last_epoch  -1 to begin; otherwise the epoch to go on from (KeyError without `initial_lr`).
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = _checked(optimizer)
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = last_epoch, 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def step(self) -> None:
        """Count one epoch and set the rates. Warns if the optimizer has not stepped before."""
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
        """The next rate of a group: it has `lr` now, `base_lr` at first (None: added later)."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr")

    def get_last_lr(self) -> list[float]:
        """The rates set last, one for each group."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """All that this scheduler knows, except its optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a `state_dict`."""
        vars(self).update(state_dict)


class LambdaLR(LRScheduler):
    """base_lr · f(epoch), for one function f or one for each group. Functions are not saved."""

    def __init__(self, optimizer: Optimizer, lr_lambda, last_epoch: int = -1) -> None:
        message = "Expected {} lr_lambdas, but got {}"
        self.lr_lambdas = _for_each_group(optimizer, lr_lambda, message)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * f(self.last_epoch) for f, base in pairs]

    def state_dict(self) -> dict[str, Any]:
        """As ever; of a callable object its attributes, in place of a function None."""
        state = super().state_dict()
        functions = state.pop("lr_lambdas")
        kept = [None if isinstance(f, FunctionType) else dict(vars(f)) for f in functions]
        return {**state, "lr_lambdas": kept}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a `state_dict`, with the functions that this scheduler was made with."""
        super().load_state_dict({**state_dict, "lr_lambdas": self.lr_lambdas})
        for f, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            vars(f).update(attributes or {})


class StepLR(LRScheduler):
    """lr · gamma, every `step_size` epochs."""

    def __init__(self, optimizer, step_size: int, gamma: float = 0.1, last_epoch=-1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        return lr * self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else lr


class MultiStepLR(LRScheduler):
    """lr · gamma, at each epoch of `milestones` (twice at one that is named twice)."""

    def __init__(self, optimizer, milestones, gamma: float = 0.1, last_epoch=-1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        return lr * self.gamma ** self.milestones.get(self.last_epoch, 0)


class ExponentialLR(LRScheduler):
    """lr · gamma, every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        return lr if self._is_initial else lr * self.gamma


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from base_lr down to `eta_min` in `T_max` epochs, and up again in as many:
    lr = eta_min + (base_lr − eta_min) (1 + cos(π epoch / T_max)) / 2.
    """

    def __init__(self, optimizer, T_max: int, eta_min: float = 0.0, last_epoch=-1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        if self._is_initial:
            return lr
        last, span = self.last_epoch - 1, self.T_max
        before, now = (1 + math.cos(math.pi * epoch / span) for epoch in (last, last + 1))
        if (last - span) % (2 * span) == 0:  # from the lowest point: no ratio to take
            return lr + (base_lr - self.eta_min) * (1 - math.cos(math.pi / span)) / 2
        return now / before * (lr - self.eta_min) + self.eta_min


class ReduceLROnPlateau(LRScheduler):
    """lr · factor, whenever `step(metrics)` brought no improvement for more than `patience` epochs.

    An improvement is a change by more than `threshold`, relative ("rel") or absolute ("abs"),
    downwards (mode "min") or upwards ("max"). After a reduction, `cooldown` epochs do not count. A
    rate stays above `min_lr` (one for all groups or a list); by less than `eps` none is changed.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        check(factor < 1.0, "Factor should be < 1.0.", error=ValueError)
        check(mode in ("min", "max"), "mode {} is unknown!", mode, error=ValueError)
        known = threshold_mode in ("rel", "abs")
        check(known, "threshold mode {} is unknown!", threshold_mode, error=ValueError)
        self.factor, self.optimizer = factor, _checked(optimizer)
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = _for_each_group(optimizer, min_lr, "expected {} min_lrs, got {}")
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch, self._last_lr = 0, _rates(optimizer)
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics) -> None:
        """Count one epoch, whose result was the number `metrics`, and reduce the rates if due."""
        self.last_epoch += 1
        current = float(metrics)
        better = self._is_better(current, self.best)
        self.best = current if better else self.best
        self.num_bad_epochs = 0 if better or self.cooldown_counter else self.num_bad_epochs + 1
        self.cooldown_counter = max(0, self.cooldown_counter - 1)
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = _rates(self.optimizer)

    def _is_better(self, current, best):
        sign = 1.0 if self.mode == "max" else -1.0
        scaled = best * (1.0 + sign * self.threshold)
        bound = scaled if self.threshold_mode == "rel" else best + sign * self.threshold
        return sign * current > sign * bound

    def _reduce(self):
        groups = self.optimizer.param_groups
        if self.default_min_lr is not None:
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            lr = max(group["lr"] * self.factor, lowest)
            if group["lr"] - lr > self.eps:
                group["lr"] = lr


def _checked(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def _for_each_group(optimizer, given, message):
    """`given` for each group, as a list. `message` says which lengths differ."""
    groups = len(_checked(optimizer).param_groups)
    values = list(given) if isinstance(given, (list, tuple)) else [given] * groups
    check(len(values) == groups, message, groups, len(values), error=ValueError)
    return values


def _rates(optimizer):
    return [group["lr"] for group in optimizer.param_groups]


if not TYPE_CHECKING:  # which finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

"""Learning rate schedulers: each writes `lr` into the groups of its optimizer, once an epoch, by a
formula.

`step()` comes after `optimizer.step()`. A formula says the next rate from the present one, so
several schedulers of one optimizer multiply: each starts from what the others have left in the
group. `initial_lr` of a group is its rate at the beginning, `base_lrs` the list of these.

Names, arguments, formulas and `state_dict` are those of `torch.optim.lr_scheduler`; lesson 12.
"""

import collections
import itertools
import math
import types
import warnings

from ..core.graph import check
from .optimizer import Optimizer


class LRScheduler:
    """The base: counts epochs and sets rates. A subclass gives `_next(lr, base_lr)`, or the whole
    list by `get_lr`.

    last_epoch  -1 to begin; otherwise the epoch to go on from, for an optimizer whose groups know
                their `initial_lr` (KeyError if they do not).
    options     what the formula uses; they become attributes.
    """

    def __init__(self, optimizer, last_epoch=-1, **options):
        check(
            isinstance(optimizer, Optimizer),
            "{} is not an Optimizer",
            type(optimizer).__name__,
            error=TypeError,
        )
        vars(self).update(options, optimizer=optimizer)
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = last_epoch, 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def step(self):
        """Count one epoch and set the rates. Warns if the optimizer has not stepped before the
        first call.
        """
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the"
                " opposite order: otherwise the first learning rate of the schedule is skipped.",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr
        self._last_lr = _rates(self.optimizer)

    def get_lr(self):
        """The rates to set now, one for each group. For the rates in use see `get_last_lr`."""
        return list(
            itertools.starmap(
                self._next, itertools.zip_longest(_rates(self.optimizer), self.base_lrs)
            )
        )

    def _next(self, lr, base_lr):
        """The rate at `last_epoch` of a group with the rate `lr` before and `base_lr` at first
        (None: added later).
        """
        raise NotImplementedError(f"{type(self).__name__} has no get_lr")

    def get_last_lr(self):
        """The rates set last, one for each group."""
        return self._last_lr

    def state_dict(self):
        """All that this scheduler knows, except its optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        """Go on from a `state_dict`."""
        vars(self).update(state_dict)


class LambdaLR(LRScheduler):
    """base_lr · f(epoch), for one function f or a list of one for each group. Functions are not
    saved.
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        super().__init__(
            optimizer,
            last_epoch,
            lr_lambdas=_for_each_group(optimizer, lr_lambda, "Expected {} lr_lambdas, but got {}"),
        )

    def get_lr(self):
        """The rates to set now: base_lr · f(last_epoch) for each group."""
        return [
            base * f(self.last_epoch)
            for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)
        ]

    def state_dict(self):
        """As ever; of a callable object its attributes, in place of a function None."""
        state = super().state_dict()
        kept = [
            None if isinstance(f, types.FunctionType) else dict(vars(f))
            for f in state.pop("lr_lambdas")
        ]
        return {**state, "lr_lambdas": kept}

    def load_state_dict(self, state_dict):
        """Go on from a `state_dict`, with the functions that this scheduler was made with."""
        super().load_state_dict({**state_dict, "lr_lambdas": self.lr_lambdas})
        for f, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            vars(f).update(attributes or {})


class StepLR(LRScheduler):
    """lr · gamma, every `step_size` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        super().__init__(optimizer, last_epoch, step_size=step_size, gamma=gamma)

    def _next(self, lr, base_lr):
        return lr * self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else lr


class MultiStepLR(LRScheduler):
    """lr · gamma, at each epoch of `milestones` (twice at one that is named twice)."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        super().__init__(
            optimizer, last_epoch, milestones=collections.Counter(milestones), gamma=gamma
        )

    def _next(self, lr, base_lr):
        return lr * self.gamma ** self.milestones.get(self.last_epoch, 0)


class ExponentialLR(LRScheduler):
    """lr · gamma, every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        super().__init__(optimizer, last_epoch, gamma=gamma)

    def _next(self, lr, base_lr):
        return lr if self._is_initial else lr * self.gamma


class LinearLR(LRScheduler):
    """base_lr times a factor that goes from `start_factor` to `end_factor` in equal steps over
    `total_iters` epochs.
    """

    def __init__(
        self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1
    ):
        check(
            0 < start_factor <= 1,
            "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.",
            error=ValueError,
        )
        check(
            0 <= end_factor <= 1,
            "Ending multiplicative factor expected to be between 0 and 1.",
            error=ValueError,
        )
        super().__init__(
            optimizer,
            last_epoch,
            start_factor=start_factor,
            end_factor=end_factor,
            total_iters=total_iters,
        )

    def _next(self, lr, base_lr):
        if self.last_epoch == 0:
            return lr * self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return lr
        way = self.end_factor - self.start_factor
        return lr * (
            1.0 + way / (self.total_iters * self.start_factor + (self.last_epoch - 1) * way)
        )


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from base_lr down to `eta_min` in `T_max` epochs, and up again in as many
    (Loshchilov, Hutter 2017).

    lr = eta_min + (base_lr − eta_min) (1 + cos(π epoch / T_max)) / 2
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        super().__init__(optimizer, last_epoch, T_max=T_max, eta_min=eta_min)

    def _next(self, lr, base_lr):
        if self._is_initial:
            return lr
        if self._step_count == 1 and self.last_epoch > 0:
            return (
                self.eta_min
                + (base_lr - self.eta_min)
                * (1 + math.cos(self.last_epoch * math.pi / self.T_max))
                / 2
            )
        # from the lowest point: no ratio to take
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return lr + (base_lr - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        now, before = (
            1 + math.cos(math.pi * epoch / self.T_max)
            for epoch in (self.last_epoch, self.last_epoch - 1)
        )
        return now / before * (lr - self.eta_min) + self.eta_min


class OneCycleLR(LRScheduler):
    """Up to `max_lr`, and down far below where it began, once in `total_steps` steps (Smith and
    Topin 2017).

    From max_lr / div_factor to max_lr in the part `pct_start` of all steps, then to 1 /
    `final_div_factor` of the first rate; with `three_phase` first back to it. Momentum (of Adam β₁)
    goes the other way, unless `cycle_momentum` is off. Step after each batch. `total_steps`, or
    `epochs` and `steps_per_epoch`, must be given."""

    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps=None,
        epochs=None,
        steps_per_epoch=None,
        pct_start=0.3,
        anneal_strategy="cos",
        cycle_momentum=True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor=25.0,
        final_div_factor=1e4,
        three_phase=False,
        last_epoch=-1,
    ):
        check(
            isinstance(optimizer, Optimizer),
            "{} is not an Optimizer",
            type(optimizer).__name__,
            error=TypeError,
        )
        for name, count in (
            ("total_steps", total_steps),
            ("epochs", epochs),
            ("steps_per_epoch", steps_per_epoch),
        ):
            check(
                count is None or isinstance(count, int) and count > 0,
                "Expected positive integer {}, but got {}",
                name,
                count,
                error=ValueError,
            )
        check(
            total_steps or epochs and steps_per_epoch,
            "You must define either total_steps OR (epochs AND steps_per_epoch)",
            error=ValueError,
        )
        total_steps = total_steps or epochs * steps_per_epoch
        check(
            isinstance(pct_start, float) and 0 <= pct_start <= 1,
            "Expected float between 0 and 1 pct_start, but got {}",
            pct_start,
            error=ValueError,
        )
        check(
            anneal_strategy in ("cos", "linear"),
            "anneal_strategy must be one of 'cos' or 'linear', instead got {}",
            anneal_strategy,
            error=ValueError,
        )
        top = pct_start * total_steps
        rates = [
            (top - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
            (total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"),
        ]
        if three_phase:
            rates[1:] = [
                (2 * top - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                (total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        words = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        use_beta1 = cycle_momentum and "betas" in optimizer.defaults
        check(
            not cycle_momentum or use_beta1 or "momentum" in optimizer.defaults,
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
            error=ValueError,
        )
        options = dict(
            total_steps=total_steps,
            _schedule_phases=[dict(zip(words, phase)) for phase in rates],
            _anneal_func_type=anneal_strategy,
            cycle_momentum=cycle_momentum,
        )
        if cycle_momentum:
            options["use_beta1"] = use_beta1
        highest, low, high = (
            _for_each_group(optimizer, value, "expected {} values for " + name + ", but got {}")
            for name, value in (
                ("max_lr", max_lr),
                ("base_momentum", base_momentum),
                ("max_momentum", max_momentum),
            )
        )
        vars(self).update(options)
        for i, group in enumerate(optimizer.param_groups if last_epoch == -1 else ()):
            group["initial_lr"], group["max_lr"] = highest[i] / div_factor, highest[i]
            group["min_lr"] = group["initial_lr"] / final_div_factor
            if cycle_momentum:
                self._set_momentum(group, high[i])
                group["max_momentum"], group["base_momentum"] = high[i], low[i]
        super().__init__(optimizer, last_epoch, **options)

    def get_lr(self):
        """The rates to set now; the momentum is set as well. Raises ValueError after the last step."""
        check(
            self.last_epoch <= self.total_steps,
            "Tried to step {} times. The specified number of total steps is {}",
            self.last_epoch,
            self.total_steps,
            error=ValueError,
        )
        start, *phases = 0, *self._schedule_phases
        while len(phases) > 1 and self.last_epoch > phases[0]["end_step"]:
            start = phases.pop(0)["end_step"]
        phase = phases[0]
        part, rates = (self.last_epoch - start) / (phase["end_step"] - start), []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                self._set_momentum(
                    group,
                    self._between(
                        group[phase["start_momentum"]], group[phase["end_momentum"]], part
                    ),
                )
        return rates

    def _set_momentum(self, group, momentum):
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum

    def _between(self, start, end, part):
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


class ReduceLROnPlateau(LRScheduler):
    """lr · factor, whenever `step(metrics)` has brought no improvement for more than `patience`
    epochs.

    An improvement is a change by more than `threshold`, relative ("rel") or absolute ("abs"),
    downwards (mode "min") or upwards ("max"). After a reduction, `cooldown` epochs do not count. A
    rate stays above `min_lr` (one for all groups or a list), and is not changed by less than `eps`.
    """

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
    ):
        check(factor < 1.0, "Factor should be < 1.0.", error=ValueError)
        check(
            isinstance(optimizer, Optimizer),
            "{} is not an Optimizer",
            type(optimizer).__name__,
            error=TypeError,
        )
        check(mode in ("min", "max"), "mode {} is unknown!", mode, error=ValueError)
        check(
            threshold_mode in ("rel", "abs"),
            "threshold mode {} is unknown!",
            threshold_mode,
            error=ValueError,
        )
        worst = math.inf if mode == "min" else -math.inf
        vars(self).update(
            factor=factor,
            optimizer=optimizer,
            default_min_lr=None if isinstance(min_lr, (list, tuple)) else min_lr,
            min_lrs=_for_each_group(optimizer, min_lr, "expected {} min_lrs, got {}"),
            patience=patience,
            cooldown=cooldown,
            eps=eps,
            last_epoch=0,
            _last_lr=_rates(optimizer),
            mode_worse=worst,
            mode=mode,
            threshold=threshold,
            threshold_mode=threshold_mode,
            best=worst,
            cooldown_counter=0,
            num_bad_epochs=0,
        )

    def step(self, metrics):
        """Count one epoch, whose result was `metrics` (a number, or a tensor of one), and reduce
        the rates if due.
        """
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
        bound = (
            best * (1.0 + sign * self.threshold)
            if self.threshold_mode == "rel"
            else best + sign * self.threshold
        )
        return sign * current > sign * bound

    def _reduce(self):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs) and self.default_min_lr is not None:
            self.min_lrs = [self.default_min_lr] * len(groups)
        check(
            len(groups) == len(self.min_lrs),
            "The number of param groups in the `optimizer` ({}) differs from when "
            "`ReduceLROnPlateau` was initialized ({}): give `min_lrs` as many",
            len(groups),
            len(self.min_lrs),
        )
        for group, lowest in zip(groups, self.min_lrs):
            lr = max(group["lr"] * self.factor, lowest)
            if group["lr"] - lr > self.eps:
                group["lr"] = lr


def _for_each_group(optimizer, given, words):
    """A list with an entry for each group: `given`, or that one value for all. `words` say which
    lengths differ.
    """
    groups = len(optimizer.param_groups)
    values = list(given) if isinstance(given, (list, tuple)) else [given] * groups
    check(len(values) == groups, words, groups, len(values), error=ValueError)
    return values


def _rates(optimizer):
    return [group["lr"] for group in optimizer.param_groups]

"""Losses as layers. Options but `weight` are given by name, as PyTorch's order has old ones too."""

from ..compat.tensor import Tensor
from . import functional as F
from .module import Module


class _Loss(Module):
    """A loss of input and target; `reduction` is "mean", "sum" or "none"."""

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or element, which is a buffer."""

    def __init__(self, weight: Tensor | None = None, *, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)


class MSELoss(_Loss):
    """The squared differences: `F.mse_loss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """The absolute differences: `F.l1_loss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Absolute differences, round below `beta`: `F.smooth_l1_loss`."""

    def __init__(self, *, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class BCELoss(_WeightedLoss):
    """For probabilities: `F.binary_cross_entropy`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_WeightedLoss):
    """For logits: `F.binary_cross_entropy_with_logits`."""

    def __init__(self, weight=None, *, reduction: str = "mean", pos_weight=None) -> None:
        super().__init__(weight, reduction=reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        options = dict(reduction=self.reduction, pos_weight=self.pos_weight)
        return F.binary_cross_entropy_with_logits(input, target, self.weight, **options)


class NLLLoss(_WeightedLoss):
    """Minus the log-probability of each target class: `F.nll_loss`."""

    def __init__(self, weight=None, *, ignore_index=-100, reduction: str = "mean") -> None:
        super().__init__(weight, reduction=reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        options = dict(ignore_index=self.ignore_index, reduction=self.reduction)
        return F.nll_loss(input, target, self.weight, **options)


class CrossEntropyLoss(_WeightedLoss):
    """Of logits and target classes, or probabilities: `F.cross_entropy`."""

    def __init__(
        self, weight=None, *, ignore_index=-100, reduction="mean", label_smoothing=0.0
    ) -> None:
        super().__init__(weight, reduction=reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        options = dict(ignore_index=self.ignore_index, label_smoothing=self.label_smoothing)
        return F.cross_entropy(input, target, self.weight, reduction=self.reduction, **options)

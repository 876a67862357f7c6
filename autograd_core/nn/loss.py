"""Losses as layers. All options except `weight` are keyword-only, because PyTorch's positional order
includes deprecated options."""

from ..compat.tensor import Tensor
from . import functional as F
from .module import Module


class _Loss(Module):
    """A loss of input and target. It calls a function of F with the attributes in `_options`.
    `reduction` is "mean", "sum" or "none"."""

    _function = ""
    _options: tuple[str, ...] = ("reduction",)

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        options = {name: getattr(self, name) for name in self._options}
        return getattr(F, self._function)(input, target, **options)


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or element. The weight is a buffer."""

    _options = ("weight", "reduction")

    def __init__(self, weight: Tensor | None = None, *, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)


class MSELoss(_Loss):
    """The squared differences: `F.mse_loss`."""

    _function = "mse_loss"


class L1Loss(_Loss):
    """The absolute differences: `F.l1_loss`."""

    _function = "l1_loss"


class SmoothL1Loss(_Loss):
    """The absolute differences, but quadratic below `beta`: `F.smooth_l1_loss`."""

    _function, _options = "smooth_l1_loss", ("reduction", "beta")

    def __init__(self, *, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.beta = beta


class BCELoss(_WeightedLoss):
    """The binary cross-entropy of probabilities: `F.binary_cross_entropy`."""

    _function = "binary_cross_entropy"


class BCEWithLogitsLoss(_WeightedLoss):
    """The binary cross-entropy of logits: `F.binary_cross_entropy_with_logits`."""

    _function = "binary_cross_entropy_with_logits"
    _options = ("weight", "reduction", "pos_weight")

    def __init__(self, weight=None, *, reduction: str = "mean", pos_weight=None) -> None:
        super().__init__(weight, reduction=reduction)
        self.register_buffer("pos_weight", pos_weight)


class NLLLoss(_WeightedLoss):
    """The negative log-probability of each target class: `F.nll_loss`."""

    _function, _options = "nll_loss", ("weight", "reduction", "ignore_index")

    def __init__(self, weight=None, *, ignore_index=-100, reduction: str = "mean") -> None:
        super().__init__(weight, reduction=reduction)
        self.ignore_index = ignore_index


class CrossEntropyLoss(_WeightedLoss):
    """The cross-entropy of logits for target classes or probabilities: `F.cross_entropy`."""

    _function = "cross_entropy"
    _options = ("weight", "reduction", "ignore_index", "label_smoothing")

    def __init__(
        self, weight=None, *, ignore_index=-100, reduction="mean", label_smoothing=0.0
    ) -> None:
        super().__init__(weight, reduction=reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

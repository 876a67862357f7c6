"""Losses as layers: a function of input and target, and the options to call it with."""

from . import functional as F
from .applied import Applied, layer


class Loss(Applied):
    """Calls `function(input, target, **options)`. `weight` and `pos_weight` are buffers, the rest
    are attributes.

    Options but `weight` are given by name: PyTorch's order has two old ones, which are not here,
    between them."""

    def __init__(self, *args, **kwargs):
        if len(args) > ("weight" in self.options):
            raise TypeError(
                f"{type(self).__name__}(): give its options by name: {', '.join(self.options)}"
            )
        super().__init__(*args, **kwargs)
        for name in {"weight", "pos_weight"} & set(self.options):
            self.register_buffer(name, vars(self).pop(name))


def _loss(name, function, **options):
    return layer(name, function, Loss, (), **options, reduction="mean")


MSELoss = _loss("MSELoss", F.mse_loss)
L1Loss = _loss("L1Loss", F.l1_loss)
SmoothL1Loss = _loss("SmoothL1Loss", F.smooth_l1_loss, beta=1.0)
HuberLoss = _loss("HuberLoss", F.huber_loss, delta=1.0)
BCELoss = _loss("BCELoss", F.binary_cross_entropy, weight=None)
BCEWithLogitsLoss = _loss(
    "BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, weight=None, pos_weight=None
)
NLLLoss = _loss("NLLLoss", F.nll_loss, weight=None, ignore_index=-100)
CrossEntropyLoss = _loss(
    "CrossEntropyLoss", F.cross_entropy, weight=None, ignore_index=-100, label_smoothing=0.0
)

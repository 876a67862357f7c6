"""Optimizers and learning rate schedulers, with the names of `torch.optim`."""

from typing import TYPE_CHECKING

from ..core.public import offers
from . import lr_scheduler
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

if not TYPE_CHECKING:  # a type checker finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

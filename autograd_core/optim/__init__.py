"""Optimizers and learning rate schedulers, under the names of `torch.optim`."""

from ..core.public import of_module
from . import lr_scheduler
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

__dir__, __getattr__ = of_module("optim", __all__)

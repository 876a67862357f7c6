"""Optimizers and learning rate schedulers, under the names of `torch.optim`."""

from . import lr_scheduler
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


def __dir__():
    return __all__


def __getattr__(name):
    raise AttributeError(f"autograd_core has no optim.{name}")

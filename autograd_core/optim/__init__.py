"""Optimizers and learning rate schedulers, under the names of `torch.optim`."""

from . import lr_scheduler
from .adagrad import Adagrad
from .adam import Adam, AdamW
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD


def __getattr__(name):
    raise AttributeError(f"autograd_core has no optim.{name}")


__all__ = ["Adagrad", "Adam", "AdamW", "LBFGS", "Optimizer", "RMSprop", "SGD", "lr_scheduler"]

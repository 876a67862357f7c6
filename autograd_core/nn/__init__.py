"""Neural networks, with the names of `torch.nn`."""

from typing import TYPE_CHECKING

from ..core.public import offers
from . import functional, init, utils
from .activation import GELU, LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh
from .applied import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d
from .applied import Dropout, Flatten, Identity
from .containers import ModuleDict, ModuleList, Sequential
from .convolution import Conv2d
from .layers import Embedding, Linear
from .loss import BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, NLLLoss
from .loss import L1Loss, MSELoss, SmoothL1Loss
from .module import Module, Parameter
from .normalization import BatchNorm1d, BatchNorm2d, LayerNorm

__all__ = ["Module", "Parameter", "functional", "init", "utils"]
__all__ += ["Linear", "Embedding", "Conv2d"]
__all__ += ["BatchNorm1d", "BatchNorm2d", "LayerNorm"]
__all__ += ["ReLU", "LeakyReLU", "GELU", "SiLU", "Sigmoid", "Tanh"]
__all__ += ["Softmax", "LogSoftmax", "Identity", "Flatten", "Dropout"]
__all__ += ["MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d"]
__all__ += ["Sequential", "ModuleList", "ModuleDict"]
__all__ += ["MSELoss", "L1Loss", "SmoothL1Loss"]
__all__ += ["BCELoss", "BCEWithLogitsLoss", "NLLLoss", "CrossEntropyLoss"]

if not TYPE_CHECKING:  # a type checker finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

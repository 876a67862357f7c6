"""Networks, under the names of `torch.nn`."""

from . import functional, init, utils
from .activation import ELU, GELU, SELU, Hardtanh, LeakyReLU, ReLU, ReLU6, Sigmoid, SiLU, Softplus, Tanh
from .applied import AdaptiveAvgPool2d, AvgPool2d, Dropout, Flatten, Identity, LogSoftmax, MaxPool2d, Softmax, Upsample
from .containers import ModuleDict, ModuleList
from .convolution import Conv1d, Conv2d, ConvTranspose2d
from .layers import Linear, Sequential
from .loss import (BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, KLDivLoss, L1Loss, MSELoss, NLLLoss,
                   SmoothL1Loss)
from .module import Module, Parameter
from .normalization import BatchNorm1d, BatchNorm2d, Embedding, LayerNorm



def __getattr__(name):
    raise AttributeError(f"autograd_core has no nn.{name}")


__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "Conv1d",
           "Conv2d", "ConvTranspose2d", "CrossEntropyLoss", "Dropout", "ELU", "Embedding", "Flatten", "GELU",
           "Hardtanh", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LayerNorm", "LeakyReLU", "Linear",
           "LogSoftmax", "MSELoss", "MaxPool2d", "Module", "ModuleDict", "ModuleList", "NLLLoss", "Parameter", "ReLU",
           "ReLU6", "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softplus", "Tanh", "Upsample",
           "functional", "init", "utils"]

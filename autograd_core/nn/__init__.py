"""Networks, under the names of `torch.nn`."""

from . import functional, init, utils
from .applied import AdaptiveAvgPool2d, AvgPool2d, Dropout, Flatten, Identity, LogSoftmax, MaxPool2d, Softmax, Upsample
from .containers import ModuleDict, ModuleList
from .convolution import Conv1d, Conv2d, ConvTranspose2d
from .layers import BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, Linear, MSELoss, ReLU, Sequential, Sigmoid, Tanh
from .module import Module, Parameter
from .normalization import BatchNorm1d, BatchNorm2d, Embedding, LayerNorm



def __getattr__(name):
    raise AttributeError(f"autograd_core has no nn.{name}")


__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "Conv1d",
           "Conv2d", "ConvTranspose2d", "CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "Identity",
           "LayerNorm", "Linear", "LogSoftmax", "MSELoss", "MaxPool2d", "Module", "ModuleDict", "ModuleList",
           "Parameter", "ReLU", "Sequential", "Sigmoid", "Softmax", "Tanh", "Upsample", "functional", "init", "utils"]

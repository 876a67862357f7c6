"""Networks, under the names of `torch.nn`."""

from . import functional, init, utils
from .applied import (
    ELU,
    GELU,
    SELU,
    AdaptiveAvgPool2d,
    AvgPool2d,
    CosineSimilarity,
    Dropout,
    Dropout2d,
    Flatten,
    Hardtanh,
    Identity,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    MaxPool2d,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
    Upsample,
)
from .containers import ModuleDict, ModuleList, Sequential
from .convolution import Conv1d, Conv2d, ConvTranspose2d
from .layers import Linear
from .loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from .module import Module, Parameter
from .normalization import BatchNorm1d, BatchNorm2d, Embedding, LayerNorm

__all__ = ["functional", "init", "utils", *(name for name in dir() if name[0].isupper())]


def __getattr__(name):
    raise AttributeError(f"autograd_core has no nn.{name}")

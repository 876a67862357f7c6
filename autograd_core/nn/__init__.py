"""Networks, under the names of `torch.nn`."""

from . import functional, init, modules, utils
from .applied import (
    ELU,
    GELU,
    AdaptiveAvgPool2d,
    AvgPool2d,
    CosineSimilarity,
    Dropout,
    Dropout2d,
    Flatten,
    Identity,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    MaxPool2d,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
    Upsample,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
)
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .convolution import Conv1d, Conv2d, ConvTranspose2d
from .layers import Linear
from .loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from .module import Module, Parameter
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, Embedding, GroupNorm, LayerNorm
from .recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell

__all__ = ["functional", "init", "modules", "utils", *(name for name in dir() if name[0].isupper())]


def __getattr__(name):
    raise AttributeError(f"autograd_core has no nn.{name}")

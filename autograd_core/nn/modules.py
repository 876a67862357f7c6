"""The layers where PyTorch keeps them: `nn.modules.conv.Conv2d`, and all of them as
`nn.modules.Conv2d`.
"""

from types import SimpleNamespace

from . import applied, containers, convolution, layers, loss, normalization, recurrent
from .module import Module


def _room(source, *names):
    return SimpleNamespace(**{name: getattr(source, name) for name in names})


module = SimpleNamespace(Module=Module)
linear = SimpleNamespace(Linear=layers.Linear, Identity=applied.Identity)
conv = SimpleNamespace(
    Conv1d=convolution.Conv1d,
    Conv2d=convolution.Conv2d,
    ConvTranspose2d=convolution.ConvTranspose2d,
    _ConvNd=convolution._Convolution,
)
batchnorm = _room(normalization, "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "_BatchNorm")
sparse = _room(normalization, "Embedding")
container = _room(containers, "Sequential", "ModuleList", "ModuleDict", "ParameterList")
activation = _room(
    applied,
    "ELU",
    "GELU",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "ReLU",
    "Sigmoid",
    "SiLU",
    "Softmax",
    "Softplus",
    "Tanh",
)
dropout, flatten = _room(applied, "Dropout", "Dropout2d"), _room(applied, "Flatten")
pooling = _room(applied, "AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d")
upsampling = _room(applied, "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d")
rnn = SimpleNamespace(
    RNNBase=recurrent._Layers,
    RNNCellBase=recurrent._Cell,
    **vars(_room(recurrent, "RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")),
)


def __getattr__(name):
    room = next(
        (
            room
            for room in (applied, containers, convolution, layers, loss, normalization, recurrent)
            if hasattr(room, name) and name[0].isupper()
        ),
        None,
    )
    if name == "Module" or room is not None:
        return Module if room is None else getattr(room, name)
    raise AttributeError(f"autograd_core has no nn.modules.{name}")

"""Activations as layers."""

from . import functional as F
from .applied import _layer

ReLU = _layer("ReLU", F.relu, inplace=False)
Tanh = _layer("Tanh", F.tanh)
Sigmoid = _layer("Sigmoid", F.sigmoid)
GELU = _layer("GELU", F.gelu, approximate="none")
SiLU = _layer("SiLU", F.silu, inplace=False)
ELU = _layer("ELU", F.elu, alpha=1.0, inplace=False)
SELU = _layer("SELU", F.selu, inplace=False)
ReLU6 = _layer("ReLU6", F.relu6, inplace=False)
LeakyReLU = _layer("LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
Hardtanh = _layer("Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
Softplus = _layer("Softplus", F.softplus, beta=1.0, threshold=20.0)

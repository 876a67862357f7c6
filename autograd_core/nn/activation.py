"""Activations as layers."""

from . import functional as F
from .applied import layer

ReLU = layer("ReLU", F.relu, inplace=False)
Tanh = layer("Tanh", F.tanh)
Sigmoid = layer("Sigmoid", F.sigmoid)
GELU = layer("GELU", F.gelu, approximate="none")
SiLU = layer("SiLU", F.silu, inplace=False)
ELU = layer("ELU", F.elu, alpha=1.0, inplace=False)
SELU = layer("SELU", F.selu, inplace=False)
ReLU6 = layer("ReLU6", F.relu6, inplace=False)
LeakyReLU = layer("LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
Hardtanh = layer("Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
Softplus = layer("Softplus", F.softplus, beta=1.0, threshold=20.0)

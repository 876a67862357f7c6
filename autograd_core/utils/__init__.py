"""What stands beside the engine, under the names of `torch.utils`."""

from ..core.public import of_module
from . import data

__all__ = ["data"]

__dir__, __getattr__ = of_module("utils", __all__)

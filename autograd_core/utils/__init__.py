"""What stands beside the engine, under the names of `torch.utils`."""

from . import data

__all__ = ["data"]


def __dir__():
    return __all__


def __getattr__(name):
    raise AttributeError(f"autograd_core has no utils.{name}")

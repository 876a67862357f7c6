"""What stands beside the engine, under the names of `torch.utils`."""

from . import data

__all__ = ["data"]

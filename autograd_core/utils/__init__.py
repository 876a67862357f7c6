"""What stands beside the engine, under the names of `torch.utils`."""

from typing import TYPE_CHECKING

from ..core.public import offers
from . import data

__all__ = ["data"]

if not TYPE_CHECKING:  # which finds wrong names itself
    __dir__, __getattr__ = offers(__name__, __all__)

"""Moved to `autograd_core.lessons.own_engine`."""

from .. import moved

__getattr__, __dir__ = moved.names(__name__, globals())

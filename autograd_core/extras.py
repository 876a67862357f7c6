"""What is installed on demand: NumPy is enough for the engine, pictures and comparisons need more."""

import contextlib
import importlib.util
from typing import Any


def need(what: str, *packages: str) -> None:
    """Raises ModuleNotFoundError where one of `packages` is missing: `what` needs them, and this is
    how to get those that are not there.
    """
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        raise ModuleNotFoundError(
            f"{what} needs {' and '.join(packages)}: pip install {' '.join(missing)}",
            name=missing[0],
        )


def load(name: str, *rooms: str) -> Any:
    """`name`, of the first of these rooms of the package for which nothing is missing. What the last
    one lacks is raised.
    """
    *others, last = (f"{__package__}.{room}" for room in rooms)
    for room in others:
        with contextlib.suppress(ModuleNotFoundError):
            return getattr(importlib.import_module(room), name)
    return getattr(importlib.import_module(last), name)

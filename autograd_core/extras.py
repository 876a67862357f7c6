"""What is installed on demand: NumPy is enough for the engine, pictures and comparisons need more."""

import importlib.util


def need(extra: str, *packages: str) -> None:
    """Raises ModuleNotFoundError, which names the extra to install, where one of `packages` is
    missing.
    """
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise ModuleNotFoundError(
                f"this part of autograd_core needs {package}: pip install 'autograd_core[{extra}]'",
                name=package,
            )

"""Kernels that are reached through files.

Jupyter looks for free ports, and the kernel opens them a moment later. Where other processes open
ports too, one of them can have taken one by then, and the kernel dies before its first answer.
Nobody else opens a file in a folder of its own."""

import os
from pathlib import Path

from traitlets.config import Config


def through_files(folder: str | Path) -> Config:
    """What makes a KernelManager put the sockets of its kernel into `folder`, which exists and is
    the kernel's alone.

    Its path is to be short: an address has about a hundred characters. Where there are no such
    sockets it keeps ports."""
    if os.name != "posix":
        return Config()
    return Config(
        KernelManager={"transport": "ipc", "connection_file": str(Path(folder, "kernel.json"))}
    )

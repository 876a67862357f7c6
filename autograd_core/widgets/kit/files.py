"""Write a file completely or not at all."""

import contextlib
import os


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path`. The old file stays until all is written."""
    path = os.path.realpath(path)  # a symbolic link still points to the same file
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:  # an interrupt or a full disk: remove the partial file
        with contextlib.suppress(OSError):
            os.remove(part)
        raise

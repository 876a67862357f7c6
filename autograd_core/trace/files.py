"""Write a file completely or not at all."""

import contextlib
import os


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write `content` (text as UTF-8) to `path`. The old file stays until all is written."""
    # a symbolic link still points to the same file
    path = os.path.realpath(path)
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:  # an interrupt or a full disk: remove the partial file
        with contextlib.suppress(OSError):
            os.remove(part)
        raise

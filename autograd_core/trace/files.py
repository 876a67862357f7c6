"""A file is written whole or not at all."""

import contextlib
import os


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write `content`, text as UTF-8, to `path`; what was there before stays until all is written."""
    # a link goes on leading to the file that it named
    path = os.path.realpath(path)
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:  # an interrupt, a full disk: nothing of it stays
        with contextlib.suppress(OSError):
            os.remove(part)
        raise

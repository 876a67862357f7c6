"""A map of numbers as part of an SVG picture: one colour of the palette, the darker where a number
is larger.
"""

import base64
import struct
import zlib
from typing import Any

import numpy as np

from .svg import tag

LEVELS = 15  # of darkness, besides none


def shaded(
    shade: np.ndarray,
    fill: str,
    *,
    x: float,
    y: float,
    width: float,
    height: float,
    live: bool = False,
) -> str:
    """A rectangle of colour `fill`, seen where `shade` (rows × columns, 0 to LEVELS) is light.

    A live one has its colour from the page, as a live `Sheet` has.
    """
    place: dict[str, Any] = {"x": x, "y": y, "width": width, "height": height}
    picture = address(shade)
    key = f"ac-{zlib.crc32(picture.partition(',')[2].encode()):08x}-{x:.0f}-{y:.0f}"
    image = tag(
        "image",
        **place,
        href=picture,
        preserveAspectRatio="none",
        style="image-rendering: pixelated",
    )
    looks = {"style": f"fill: var(--ac-{fill})"} if live else {"fill": fill}
    return f'<mask id="{key}">{image}</mask>{tag("rect", **place, **looks, mask=f"url(#{key})")}'


def address(shade: np.ndarray, fine: bool = False) -> str:
    """Shades as the address of a picture, 0 black; a fine one has 256 of them, and is as small as
    it can be.
    """
    return f"data:image/png;base64,{base64.b64encode(_png(shade.astype(np.uint8), fine)).decode()}"


def _png(shade: np.ndarray, fine: bool) -> bytes:
    """A grey PNG of eight or of four bits for each pixel. That of four, for what is committed, is
    stored and not compressed, so that every zlib gives the same bytes."""
    height, width = shade.shape
    if not fine:
        even = np.pad(shade, ((0, 0), (0, width % 2)))
        shade = even[:, ::2] << 4 | even[:, 1::2]
    # a 0 first: no filter
    rows = np.pad(shade, ((0, 0), (1, 0)))
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, 8 if fine else 4, 0, 0, 0, 0),
        b"IDAT": zlib.compress(rows.tobytes(), 9 if fine else 0),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items()
    )

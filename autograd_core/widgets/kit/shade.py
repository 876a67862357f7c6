"""A map of numbers as part of an SVG picture: one colour of the palette, the darker where a number is larger."""

import base64
import struct
import zlib
from typing import Any

import numpy as np

from .svg import tag

LEVELS = 15                         # of darkness, besides none


def shaded(shade: np.ndarray, fill: str, *, x: float, y: float, width: float, height: float, live: bool = False,
           levels: int = LEVELS) -> str:
    """A rectangle of colour `fill`, seen where `shade` (rows × columns, 0 to `levels`, 15 or 255) is light.

    A live one has its colour from the page, as a live `Sheet` has.
    """
    place: dict[str, Any] = {"x": x, "y": y, "width": width, "height": height}
    picture = base64.b64encode(_png(shade.astype(np.uint8), levels)).decode()
    key = f"ac-{zlib.crc32(picture.encode()):08x}-{x:.0f}-{y:.0f}"
    image = tag("image", **place, href=f"data:image/png;base64,{picture}", preserveAspectRatio="none",
                style="image-rendering: pixelated")
    looks = {"style": f"fill: {fill if fill.startswith('url') else f'var(--ac-{fill})'}"} if live else {"fill": fill}
    return f'<mask id="{key}">{image}</mask>{tag("rect", **place, **looks, mask=f"url(#{key})")}'


def _png(shade: np.ndarray, levels: int) -> bytes:
    """A grey PNG of four or eight bits for each pixel. Stored, not compressed, so that every zlib gives the same bytes."""
    (height, width), bits = shade.shape, levels.bit_length()
    if bits == 4:
        even = np.pad(shade, ((0, 0), (0, width % 2)))
        shade = even[:, ::2] << 4 | even[:, 1::2]
    rows = np.pad(shade, ((0, 0), (1, 0)))                                        # a 0 first: no filter
    chunks = {b"IHDR": struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0),
              b"IDAT": zlib.compress(rows.tobytes(), 0), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items())

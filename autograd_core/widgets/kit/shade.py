"""One encoding for maps of numbers. The color shows the sign: positive orange, negative violet, zero
white. The depth shows the size, on a scale that all compared maps share. js/kit/shade.js does the
same.
"""

import base64
import math
import struct
import zlib
from typing import Any

import numpy as np

from .svg import tag

LEVELS = 15  # levels of darkness in a mask, not counting 0
DECADES = 3  # powers of ten below the end of the scale, at which the depth is a tenth
DEPTHS, OPACITIES = (0, 0.25, 0.5, 0.75, 1), (0, 0.2, 0.456, 0.736, 1)


def ceiling(*arrays: np.ndarray) -> float:
    """The end of a scale for `arrays`: the power of ten at or above their largest finite size, or 1
    if all are 0."""
    sizes = (np.abs(np.nan_to_num(a, posinf=0, neginf=0)).max(initial=0.0) for a in arrays)
    largest = max(sizes, default=0.0)
    return float(f"1e{math.ceil(round(math.log10(largest), 9))}") if largest else 1.0


def signed(numbers: Any, end: float) -> Any:
    """The depth of each number with its sign, from −1 to 1, logarithmic on a scale up to `end`."""
    numbers = np.where(np.isfinite(numbers), numbers, 0.0)
    sizes = np.log1p(np.abs(numbers) * 10**DECADES / end)
    return np.sign(numbers) * sizes / math.log1p(10**DECADES)


def opacity(depth: float) -> float:
    """The opacity at which a solid color looks as deep as the ramp."""
    return round(float(np.interp(abs(depth), DEPTHS, OPACITIES)), 3)


def shaded(shade: np.ndarray, fill: str, live: bool = False, **place: Any) -> str:
    """A rectangle of colour `fill`, seen where `shade` (rows × columns, 0 to LEVELS) is light. The
    page colours a live one, as it does a live `Sheet`."""
    looks: dict[str, Any] = {"preserveAspectRatio": "none", "style": "image-rendering: pixelated"}
    picture = address(shade)
    key = (
        f"ac-{zlib.crc32(picture.partition(',')[2].encode()):08x}-{place['x']:.0f}-{place['y']:.0f}"
    )
    image = tag("image", **place, href=picture, **looks)
    ink: dict[str, Any] = {"style": f"fill: var(--ac-{fill})"} if live else {"fill": fill}
    return f'<mask id="{key}">{image}</mask>{tag("rect", **place, **ink, mask=f"url(#{key})")}'


def address(shade: np.ndarray, bits: int = 4) -> str:
    """Greys of four or eight bits as the address of a PNG, which is stored, not compressed: every
    zlib gives the same bytes."""
    height, width = shade.shape
    shade = shade.astype(np.uint8)
    if bits == 4:
        even = np.pad(shade, ((0, 0), (0, width % 2)))
        shade = even[:, ::2] << 4 | even[:, 1::2]
    # a 0 first: no filter
    rows = np.pad(shade, ((0, 0), (1, 0)))
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0),
        b"IDAT": zlib.compress(rows.tobytes(), 0),
        b"IEND": b"",
    }
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items()
    )
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"

"""Arrays as pictures beside each other, a still figure: `maps(image=x, gradient=x.grad)`."""

import base64
import struct
import zlib
from collections.abc import Mapping

import numpy as np

from ...widgets.kit.format import number
from ...widgets.kit.svg import STRIPED, dark_style, stripes, tag
from ...widgets.kit.text import text_width
from ...widgets.kit.theme import NARROW_FONT

WIDTH, GAP, LARGEST, MOST_IN_A_ROW = 624, 10, 150, 7        # pixels (as many as a page 800 wide has), and maps
ABOVE, BELOW = 22, 40                                       # a map stand its name and two lines of numbers
LEVELS = 15                                                 # of darkness, besides none


class Maps:
    """A figure of maps; see `maps`."""

    def __init__(self, arrays: dict[str, np.ndarray]):
        self.arrays = arrays

    def __repr__(self) -> str:
        return "; ".join(f"{name}: {', '.join(span(name, array))}" for name, array in self.arrays.items())

    def svg(self) -> str:
        """The figure as the text of an SVG file, in the light palette; in dark surroundings it turns dark."""
        rows = -(-len(self.arrays) // MOST_IN_A_ROW)
        columns = -(-len(self.arrays) // rows)                                  # ten maps are two rows of five
        size = min((WIDTH - GAP * (columns + 1)) / columns, LARGEST)
        height = GAP + (ABOVE + size + BELOW) * rows
        parts = [tag("rect", width=WIDTH, height=height, fill="card")]
        for i, (name, array) in enumerate(self.arrays.items()):
            row, column = divmod(i, columns)
            parts += _drawn(name, array, GAP + column * (size + GAP), GAP + row * (ABOVE + size + BELOW), size)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
                f"viewBox=\"0 0 {WIDTH} {height:g}\" role=\"img\" font-size=\"12\" font-family='{NARROW_FONT}'>"
                f"<style>{dark_style()}</style>{tag('title', repr(self))}{stripes()}{''.join(parts)}</svg>")

    def _repr_mimebundle_(self, **kwargs) -> dict:
        return {"text/plain": repr(self), "image/svg+xml": self.svg()}


def maps(arrays: Mapping | None = None, /, **named) -> Maps:
    """Draw arrays or tensors of two axes, by name.

    A value is the darker the nearer it is to the largest in its map. A map with "grad" in its name shows the size of a
    gradient, white for 0. What is nan or inf is striped. Raises ValueError for another number of axes, or for nothing.
    """
    arrays = {name: np.asarray(getattr(array, "detach", lambda array=array: array)(), np.float64)
              for name, array in {**(arrays or {}), **named}.items()}
    wrong = [f"{name} has shape {list(array.shape)}" for name, array in arrays.items()
             if array.ndim != 2 or not array.size]
    if wrong or not arrays:
        raise ValueError(f"a map is drawn of two axes: {wrong[0] if wrong else 'no array was given'}")
    return Maps(arrays)


def is_gradient(name: str) -> bool:
    return "grad" in name


def span(name: str, array: np.ndarray) -> list[str]:
    """What stands under a map, in lines: its least and largest number; how many pixels have a gradient, how large."""
    wrong = array.size - np.isfinite(array).sum()
    if wrong:
        return [f"{wrong} nan or inf"]
    if is_gradient(name):
        size = f"up to {number(np.abs(array).max())}"
        return [f"{np.count_nonzero(array)} pixels", size] if array.any() else ["all zero"]
    return [f"{number(array.min())} to {number(array.max())}"]


def darkness(name: str, array: np.ndarray) -> np.ndarray:
    """From 0 to 1 for each entry: the size of a gradient; a value's place between the least and the largest."""
    known = np.where(np.isfinite(array), array, 0.0)
    shown = np.abs(known) if is_gradient(name) else known - known.min()
    return shown / (shown.max() or 1.0)


def _drawn(name, array, left, top, size):
    role = "gradient" if is_gradient(name) else "value"
    place = {"x": left, "y": top + ABOVE, "width": size, "height": size}
    text = {"x": left, "fill": role}
    too_wide = text_width(name, 12, bold=True) > size
    drawn_in = {"textLength": size, "lengthAdjust": "spacingAndGlyphs"} if too_wide else {}
    shade = np.rint(LEVELS * darkness(name, array)).astype(np.uint8)
    return [tag("text", name, **text, **drawn_in, y=top + 14, font_weight=700),
            _masked(shade, place, "gradient-solid" if role == "gradient" else role),
            "" if np.isfinite(array).all() else _masked(LEVELS * ~np.isfinite(array), place, STRIPED),
            tag("rect", **place, fill="none", stroke="border-quiet"),
            *(tag("text", line, **text, y=top + ABOVE + size + 16 * i, font_size=11)
              for i, line in enumerate(_broken(span(name, array), size), 1))]


def _broken(lines, room):
    """Lines that have no room broken before "to": "−0.719 to 1.634" below a narrow map."""
    return [part for line in lines for part in (
        line.replace(" to ", "\nto ").split("\n") if text_width(line, 11) > room else [line])]


def _masked(shade, place, fill):
    """A square of colour `fill`, seen where `shade` (rows × columns, 0 to LEVELS) is light."""
    picture = base64.b64encode(_png(shade.astype(np.uint8))).decode()
    key = f"ac-{zlib.crc32(picture.encode()):08x}-{place['x']:.0f}-{place['y']:.0f}"
    image = tag("image", **place, href=f"data:image/png;base64,{picture}", preserveAspectRatio="none",
                style="image-rendering: pixelated")
    return f'<mask id="{key}">{image}</mask>{tag("rect", **place, fill=fill, mask=f"url(#{key})")}'


def _png(shade):
    """A grey PNG of four bits for each pixel. Stored, not compressed, so that every zlib gives the same bytes."""
    height, width = shade.shape
    even = np.pad(shade, ((0, 0), (0, width % 2)))
    rows = np.pad(even[:, ::2] << 4 | even[:, 1::2], ((0, 0), (1, 0)))            # a 0 first: no filter
    chunks = {b"IHDR": struct.pack(">IIBBBBB", width, height, 4, 0, 0, 0, 0), b"IDAT": zlib.compress(rows.tobytes(), 0),
              b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items())

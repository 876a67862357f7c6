"""Arrays as pictures beside each other, a still figure: `maps(image=x, gradient=x.grad)`."""

from collections.abc import Mapping

import numpy as np

from ...widgets.kit.format import number
from ...widgets.kit.shade import LEVELS, shaded
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.svg import STRIPED, dark_style, stripes, tag
from ...widgets.kit.text import text_width
from ...widgets.kit.theme import NARROW_FONT

WIDTH, GAP, LARGEST, MOST_IN_A_ROW = 624, 10, 150, 7        # pixels (as many as a page 800 wide has), and maps
FINE = 255                                                  # levels of a live map; a still has fewer
ABOVE, BELOW = 22, 40                                       # a map stand its name and two lines of numbers


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


def darkness(array: np.ndarray, is_gradient: bool) -> np.ndarray:
    """From 0 to 1 for each entry: the size of a gradient; a value's place between the least and the largest."""
    known = np.where(np.isfinite(array), array, 0.0)
    shown = np.abs(known) if is_gradient else known - known.min()
    return shown / (shown.max() or 1.0)


def shade(sheet: Sheet, array: np.ndarray, size: float, is_gradient: bool) -> None:
    """Put a map on a sheet, a square of `size` at (0, 0). What is nan or inf is striped."""
    levels = FINE if sheet.live else LEVELS
    place = {"x": 0, "y": 0, "width": size, "height": size, "live": sheet.live, "levels": levels}
    fill = "gradient-solid" if is_gradient else "value"
    sheet.parts.append(shaded(np.rint(levels * darkness(array, is_gradient)), fill, **place))
    if not np.isfinite(array).all():
        striped = sheet.stripes("error-tint", "error", 0.3)
        sheet.parts.append(shaded(levels * ~np.isfinite(array), striped, **place))
    sheet.add("rect", width=size, height=size, fill="none", stroke="border-quiet")


def _drawn(name, array, left, top, size):
    role = "gradient" if is_gradient(name) else "value"
    place = {"x": left, "y": top + ABOVE, "width": size, "height": size}
    text = {"x": left, "fill": role}
    too_wide = text_width(name, 12, bold=True) > size
    drawn_in = {"textLength": size, "lengthAdjust": "spacingAndGlyphs"} if too_wide else {}
    shade = np.rint(LEVELS * darkness(array, is_gradient(name))).astype(np.uint8)
    return [tag("text", name, **text, **drawn_in, y=top + 14, font_weight=700),
            shaded(shade, "gradient-solid" if role == "gradient" else role, **place),
            "" if np.isfinite(array).all() else shaded(LEVELS * ~np.isfinite(array), STRIPED, **place),
            tag("rect", **place, fill="none", stroke="border-quiet"),
            *(tag("text", line, **text, y=top + ABOVE + size + 16 * i, font_size=11)
              for i, line in enumerate(_broken(span(name, array), size), 1))]


def _broken(lines, room):
    """Lines that have no room broken before "to": "−0.719 to 1.634" below a narrow map."""
    return [part for line in lines for part in (
        line.replace(" to ", "\nto ").split("\n") if text_width(line, 11) > room else [line])]

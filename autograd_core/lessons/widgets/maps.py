"""Arrays as pictures beside each other, a still figure: `maps(image=x, gradient=x.grad)`."""

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.shade import LEVELS, address, shaded
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.text import fit, text_width
from ...widgets.kit.theme import NARROW_FONT

WIDTH, GAP, LARGEST, MOST_IN_A_ROW = 624, 10, 150, 7  # of a page 800 pixels wide
ABOVE, BELOW = 22, 40  # its name above a map, two lines of numbers below


class maps:
    """Draw arrays or tensors of two axes, by name, as a figure; else ValueError.

    A value is the darker the nearer it is to the largest in its map. A map with "grad" in its name
    shows the size of a gradient, white for 0. What is nan or inf is striped."""

    def __init__(self, arrays: Mapping | None = None, /, **named: object):
        given = {**(arrays or {}), **named}
        self.arrays = {name: array_of(array, np.float64) for name, array in given.items()}
        for name, array in self.arrays.items():
            if array.ndim != 2 or not array.size:
                raise ValueError(f"a map is drawn of two axes: {name} has shape {[*array.shape]}")
        if not self.arrays:
            raise ValueError("a map is drawn of two axes: no array was given")

    def __repr__(self) -> str:
        spans = {name: ", ".join(span(name, array)) for name, array in self.arrays.items()}
        return "; ".join(f"{name}: {text}" for name, text in spans.items())

    def svg(self) -> str:
        """The figure as the text of an SVG file; in dark surroundings it turns dark."""
        rows = math.ceil(len(self.arrays) / MOST_IN_A_ROW)
        columns = math.ceil(len(self.arrays) / rows)  # ten maps are two rows of five
        size = min((WIDTH - GAP * (columns + 1)) / columns, LARGEST)
        sheet = Sheet(WIDTH, math.ceil(GAP + (ABOVE + size + BELOW) * rows))
        wrong = any(not np.isfinite(array).all() for array in self.arrays.values())
        striped = sheet.stripes("error", 0.3) if wrong else ""
        for i, (name, array) in enumerate(self.arrays.items()):
            row, column = divmod(i, columns)
            top = GAP + row * (ABOVE + size + BELOW)
            _add_map(sheet, name, array, GAP + column * (size + GAP), top, size, striped)
        return sheet.svg(repr(self), font=NARROW_FONT)

    def _repr_mimebundle_(self, **kwargs: object) -> dict:
        return {"text/plain": repr(self), "image/svg+xml": self.svg()}


def is_gradient(name: str) -> bool:
    return "grad" in name


def span(name: str, array: np.ndarray) -> list[str]:
    """What stands under a map, in lines: its least and largest number, or its gradient's size."""
    wrong = array.size - np.isfinite(array).sum()
    if wrong:
        return [f"{wrong} nan or inf"]
    if is_gradient(name):
        size = f"up to {number(np.abs(array).max())}"
        return [f"{np.count_nonzero(array)} pixels", size] if array.any() else ["all zero"]
    return [f"{number(array.min())} to {number(array.max())}"]


def darkness(array: np.ndarray, is_gradient: bool) -> np.ndarray:
    """From 0 to 1 for each entry: the size of a gradient, a value's place between its ends."""
    known = np.where(np.isfinite(array), array, 0.0)
    shown = np.abs(known) if is_gradient else known - known.min()
    return shown / (shown.max() or 1.0)


# ---- rows of maps, of the film ----

FINE = 255  # levels of a live map; a still has fewer
# percent of the width for titles; pixels for names above and numbers below a map
NAMES, LINE, ENDS = 15, 22, 26
SIZES = {"wide": 82, "narrow": 48}  # so large is a map at most where there is as much room
SMALL = 64  # and in a still
FEW, LARGER = 4, 14  # so few beside each other are larger by so many pixels
TURNS = "light-dark(var(--ac-text), var(--ac-card))"
"""The ink on a ground that is rather dark, as in a page: light only where the theme is dark."""


@dataclass(frozen=True)
class Row:
    """Maps beside each other, by name. A note stands below its map in place of the ends."""

    title: str
    planes: Mapping[str, np.ndarray]
    is_gradient: bool = False
    notes: Mapping[str, str] = field(default_factory=dict)


def ink_on(dark: float, live: bool) -> str:
    """The ink of a number on a ground that is so `dark`, from 0 to 1."""
    if dark <= 0.58:
        return "text"
    return "card" if dark > 0.8 else TURNS if live else "text"


def looks_of(rows: Sequence[Row], live: bool = True) -> list[list]:
    """What of each drawn map depends on its numbers: its picture, that of what is nan or inf or "",
    its ends in two digits or its note, and whether it is a gradient that is zero everywhere."""
    return [
        _look(plane, row.is_gradient, live, row.notes.get(name))
        for row in rows
        for name, plane in row.planes.items()
    ]


def _look(plane: np.ndarray, is_gradient: bool, live: bool, note: str | None) -> list:
    known = np.isfinite(plane)
    sizes = (np.abs(plane) if is_gradient else plane)[known]
    ends = (0.0 if is_gradient else sizes.min(), sizes.max()) if sizes.size else (np.nan, np.nan)
    levels, nothing = FINE if live else LEVELS, bool(is_gradient and not plane.any())
    wrong = "" if known.all() else address(levels * ~known, live)
    below = ["" if nothing else number(float(f"{end:.2g}")) for end in ends]
    picture = address(np.rint(levels * darkness(plane, is_gradient)), live)
    return [picture, wrong, *([note, ""] if note else below), nothing]


def rows_of_maps(rows: Sequence[Row], width: int, size: int = SMALL, key: str = "") -> Sheet:
    """A picture of `rows` that is as wide as there is room, with names where they are new.

    A live one has a `key`, with which the ids within begin, and the page finds what changes by its
    parts, in the order of the maps: "picture", "wrong", "low", "high", "nothing" as `looks_of` tells
    them; "plane" has the numbers, and "pixel" frames one."""
    live, columns = bool(key), max(len(row.planes) for row in rows)
    wide = (100 - NAMES) / max(columns, FEW)
    size += LARGER if columns <= FEW else 0
    names, heads = None, []
    for row in rows:
        heads.append(list(row.planes) != names)
        names = list(row.planes)
    sheet = Sheet(width, sum(heads) * LINE + len(rows) * (size + ENDS), live, fluid=True)
    hatch, striped = sheet.stripes("masked", 0.45), sheet.stripes("error", 0.3)
    y, looks = 0, {"weight": 400, "size": 10.5} if size < SMALL else {"weight": 700, "size": 11.5}
    for row, is_headed in zip(rows, heads):
        lefts = [f"{NAMES + i * wide:.4g}%" for i in range(len(row.planes))]
        for left, name in zip(lefts, row.planes if is_headed else ()):
            name = fit(name, size - 5, looks["size"], looks["weight"] > 400)
            sheet.text(name, left, y + 14, "text", **looks)
        y += LINE * is_headed
        role = "gradient" if row.is_gradient else "value"
        sheet.text(row.title, None, y + 14, role, weight=700)
        for left, (name, plane), drawn in zip(lefts, row.planes.items(), looks_of([row], live)):
            place = {"x": left, "y": y, "width": f"{0.9 * wide:.4g}%", "height": size + ENDS}
            label = {"role": "img", "aria_label": f"{name}, {row.title}"}
            with sheet.within("svg", **place, **label, overflow="visible"):
                _map(sheet, drawn, plane.shape, role, size, (hatch, striped), key)
        y += size + ENDS
    return sheet


def _map(sheet: Sheet, look: list, shape, role: str, size: int, stripes, key: str) -> None:
    picture, wrong, low, high, nothing = look
    solid = "gradient-solid" if role == "gradient" else role
    (rows, columns), whole = shape, {"width": size, "height": size}
    frame = {"viewBox": f"0 0 {size} {size}", "preserveAspectRatio": "xMinYMax"}
    with sheet.within("svg", width="100%", height=size, **frame):
        if sheet.live or nothing:
            with sheet.within("g", part="nothing", display="" if nothing else "none"):
                sheet.add("rect", **whole, fill=stripes[0])
                sheet.text("all zero", size / 2, size / 2 + 4, "text", anchor="middle")
        for part, href, fill in (("picture", picture, solid), ("wrong", wrong, stripes[1])):
            if href or sheet.live:
                mask = f"{key or f'ac-{zlib.crc32(href.encode()):08x}'}-{len(sheet.parts)}"
                looks = {"preserveAspectRatio": "none", "style": "image-rendering: pixelated"}
                with sheet.within("mask", id=mask):
                    sheet.add("image", **whole, href=href, **looks, part=part)
                sheet.add("rect", **whole, fill=fill, mask=f"url(#{mask})")
        outline = {"fill": "none", "stroke": "border-quiet", "pointer_events": "all"}
        sheet.add("rect", **whole, **outline, part="plane")
        if sheet.live:
            pixel = {"width": size / columns, "height": size / rows, "stroke_width": 1.5}
            looks = {"fill": "none", "stroke": "text", "display": "none", "pointer_events": "none"}
            sheet.add("rect", **pixel, **looks, part="pixel")
    looks = {"size": 11, "y": size + 14, "fill": role}
    sheet.text(low, None, part="low", **looks)
    sheet.text(high, size, anchor="end", part="high", **looks)


def _add_map(
    sheet: Sheet, name: str, array: np.ndarray, left, top, size: float, striped: str
) -> None:
    role, solid = ("gradient", "gradient-solid") if is_gradient(name) else ("value", "value")
    place = {"x": left, "y": top + ABOVE, "width": size, "height": size}
    too_wide = text_width(name, 12, bold=True) > size
    drawn_in = {"textLength": size, "lengthAdjust": "spacingAndGlyphs"} if too_wide else {}
    sheet.add("text", name, x=left, fill=role, **drawn_in, y=top + 14, weight=700)
    shade = np.rint(LEVELS * darkness(array, is_gradient(name))).astype(np.uint8)
    sheet.parts.append(shaded(shade, solid, **place))
    if not np.isfinite(array).all():
        sheet.parts.append(shaded(LEVELS * ~np.isfinite(array), striped, **place))
    sheet.add("rect", **place, fill="none", stroke="border-quiet")
    y = top + ABOVE + size
    for line in span(name, array):
        is_wide = text_width(line, 11) > size  # "−0.719 to 1.634" is two lines below a narrow map
        for part in (line.replace(" to ", "\nto ") if is_wide else line).split("\n"):
            y += 16
            sheet.add("text", part, x=left, fill=role, y=y, size=11)

"""Arrays as pictures beside each other, a still figure: `maps(image=x, gradient=x.grad)`."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...widgets.kit.format import number, shorten
from ...widgets.kit.shade import LEVELS, address, shaded
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.svg import STRIPED, dark_style, stripes, tag
from ...widgets.kit.text import text_width
from ...widgets.kit.theme import NARROW_FONT

# pixels (as many as a page 800 wide has), and maps
WIDTH, GAP, LARGEST, MOST_IN_A_ROW = 624, 10, 150, 7
# a map stand its name and two lines of numbers
ABOVE, BELOW = 22, 40


class Maps:
    """A figure of maps; see `maps`."""

    def __init__(self, arrays: dict[str, np.ndarray]):
        self.arrays = arrays

    def __repr__(self) -> str:
        return "; ".join(
            f"{name}: {', '.join(span(name, array))}" for name, array in self.arrays.items()
        )

    def svg(self) -> str:
        """The figure as the text of an SVG file, in the light palette; in dark surroundings it
        turns dark.
        """
        rows = -(-len(self.arrays) // MOST_IN_A_ROW)
        # ten maps are two rows of five
        columns = -(-len(self.arrays) // rows)
        size = min((WIDTH - GAP * (columns + 1)) / columns, LARGEST)
        height = GAP + (ABOVE + size + BELOW) * rows
        parts = [tag("rect", width=WIDTH, height=height, fill="card")]
        for i, (name, array) in enumerate(self.arrays.items()):
            row, column = divmod(i, columns)
            parts += _drawn(
                name, array, GAP + column * (size + GAP), GAP + row * (ABOVE + size + BELOW), size
            )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
            f'viewBox="0 0 {WIDTH} {height:g}" role="img" font-size="12"'
            f" font-family='{NARROW_FONT}'>"
            f"<style>{dark_style()}</style>{tag('title', repr(self))}{stripes()}{''.join(parts)}</svg>"
        )

    def _repr_mimebundle_(self, **kwargs) -> dict:
        return {"text/plain": repr(self), "image/svg+xml": self.svg()}


def maps(arrays: Mapping | None = None, /, **named) -> Maps:
    """Draw arrays or tensors of two axes, by name.

    A value is the darker the nearer it is to the largest in its map. A map with "grad" in its name
    shows the size of a gradient, white for 0. What is nan or inf is striped. Raises ValueError for
    another number of axes, or for nothing."""
    arrays = {
        name: np.asarray(getattr(array, "detach", lambda array=array: array)(), np.float64)
        for name, array in {**(arrays or {}), **named}.items()
    }
    wrong = [
        f"{name} has shape {list(array.shape)}"
        for name, array in arrays.items()
        if array.ndim != 2 or not array.size
    ]
    if wrong or not arrays:
        raise ValueError(
            f"a map is drawn of two axes: {wrong[0] if wrong else 'no array was given'}"
        )
    return Maps(arrays)


def is_gradient(name: str) -> bool:
    return "grad" in name


def span(name: str, array: np.ndarray) -> list[str]:
    """What stands under a map, in lines: its least and largest number; how many pixels have a
    gradient, how large.
    """
    wrong = array.size - np.isfinite(array).sum()
    if wrong:
        return [f"{wrong} nan or inf"]
    if is_gradient(name):
        size = f"up to {number(np.abs(array).max())}"
        return [f"{np.count_nonzero(array)} pixels", size] if array.any() else ["all zero"]
    return [f"{number(array.min())} to {number(array.max())}"]


def darkness(array: np.ndarray, is_gradient: bool) -> np.ndarray:
    """From 0 to 1 for each entry: the size of a gradient; a value's place between the least and the
    largest.
    """
    known = np.where(np.isfinite(array), array, 0.0)
    shown = np.abs(known) if is_gradient else known - known.min()
    return shown / (shown.max() or 1.0)


# ---- rows of maps, of the gradient table and of the film ----

# levels of a live map; a still has fewer
FINE = 255
# percent of the width for titles; pixels for names above and numbers below a map
NAMES, LINE, ENDS = 14, 22, 26
# so large is a map at most where there is as much room
SIZES = {"wide": 150, "narrow": 84}
SMALL = 68  # and in a still


@dataclass(frozen=True)
class Row:
    """Maps beside each other, by name. `note` stands below the title, in lines."""

    title: str
    planes: Mapping[str, np.ndarray]
    is_gradient: bool = False
    note: Sequence[str] = ()


def look(plane: np.ndarray, is_gradient: bool, live: bool = True) -> list:
    """What of a drawn map depends on its numbers: its picture, that of what is nan or inf or "",
    its least and its greatest number in two digits, and whether it is a gradient that is zero
    everywhere."""
    known = np.isfinite(plane)
    sizes = (np.abs(plane) if is_gradient else plane)[known]
    ends = (0.0 if is_gradient else sizes.min(), sizes.max()) if sizes.size else (np.nan, np.nan)
    levels, nothing = FINE if live else LEVELS, bool(is_gradient and not plane.any())
    wrong = "" if known.all() else address(levels * ~known, live)
    return [
        address(np.rint(levels * darkness(plane, is_gradient)), live),
        wrong,
        *("" if nothing else number(float(f"{end:.2g}")) for end in ends),
        nothing,
    ]


def rows_of_maps(
    rows: Sequence[Row], width: int, size: int = SMALL, live: bool = False, key: str = ""
) -> Sheet:
    """A picture of `rows` that is as wide as there is room. Names stand above a row where they are
    others than before.

    In a live one the page finds what changes by its parts, in the order of the maps: "picture",
    "wrong", "low", "high", "nothing" as `look` tells them; "plane" has the numbers, and "pixel"
    frames one. A picture that is to change has a `key`, with which the ids within begin.
    """
    names, heads = None, []
    for row in rows:
        heads.append(list(row.planes) != names)
        names = list(row.planes)
    sheet = Sheet(width, sum(heads) * LINE + len(rows) * (size + ENDS), live, fluid=True)
    hatch, striped = (
        sheet.stripes("masked-tint", "masked", 0.45),
        sheet.stripes("error-tint", "error", 0.3),
    )
    y = 0
    for row, is_headed in zip(rows, heads):
        wide = (100 - NAMES) / len(row.planes) if len(row.planes) > 4 else (100 - NAMES) / 5
        lefts, role = (
            [NAMES + i * wide for i in range(len(row.planes))],
            "gradient" if row.is_gradient else "value",
        )
        for left, name in zip(lefts, row.planes if is_headed else ()):
            sheet.add(
                "text",
                shorten(name, size // 8 + 2),
                x=f"{left:.4g}%",
                y=y + 14,
                fill="text",
                font_weight=700,
                font_size=11.5,
            )
        y += LINE * is_headed
        sheet.add("text", row.title, y=y + 14, fill=role, font_weight=700)
        for line, text in enumerate(row.note, 1):
            sheet.add("text", text, y=y + 14 + 15 * line, fill="text2", font_size=11)
        for left, (name, plane) in zip(lefts, row.planes.items()):
            with sheet.within(
                "svg",
                x=f"{left:.4g}%",
                y=y,
                width=f"{0.9 * wide:.4g}%",
                height=size + ENDS,
                role="img",
                overflow="visible",
                aria_label=f"{name}, {row.title}" if key else _label(name, plane, row.is_gradient),
            ):
                _map(sheet, plane, row.is_gradient, size, (hatch, striped), key)
        y += size + ENDS
    return sheet


def forms(rows: Sequence[Row], width: int, title: str, key: str = "") -> dict[str, str]:
    """The live picture as `SIZES` has it, for pages with more and with less room."""
    return {
        form: rows_of_maps(rows, width, size, True, key).svg(title, role="group")
        for form, size in SIZES.items()
    }


def _label(name: str, plane: np.ndarray, is_gradient: bool) -> str:
    low, high = (end or "0" for end in look(plane, is_gradient)[2:4])
    zeros = f", exactly 0 at {np.sum(plane == 0)} of {plane.size} pixels" if is_gradient else ""
    return f"{'gradient' if is_gradient else 'value'} of {name}, from {low} to {high}{zeros}"


def _map(
    sheet: Sheet, plane: np.ndarray, is_gradient: bool, size: int, stripes: Sequence[str], key: str
) -> None:
    picture, wrong, low, high, nothing = look(plane, is_gradient, sheet.live)
    role, (rows, columns), whole = (
        "gradient" if is_gradient else "value",
        plane.shape,
        {"width": size, "height": size},
    )
    with sheet.within(
        "svg",
        width="100%",
        height=size,
        viewBox=f"0 0 {size} {size}",
        preserveAspectRatio="xMinYMax",
    ):
        if sheet.live or nothing:
            with sheet.within("g", part="nothing", display="" if nothing else "none"):
                sheet.add("rect", **whole, fill=stripes[0])
                sheet.add(
                    "text",
                    "all zero",
                    x=size / 2,
                    y=size / 2 + 4,
                    fill="text",
                    text_anchor="middle",
                )
        fills = {
            "picture": (picture, "gradient-solid" if is_gradient else role),
            "wrong": (wrong, stripes[1]),
        }
        for part, (href, fill) in fills.items():
            if not href and not sheet.live:
                continue
            mask = f"{key or f'ac-{zlib.crc32(href.encode()):08x}'}-{len(sheet.parts)}"
            with sheet.within("mask", id=mask):
                sheet.add(
                    "image",
                    **whole,
                    href=href,
                    preserveAspectRatio="none",
                    style="image-rendering: pixelated",
                    part=part,
                )
            sheet.add("rect", **whole, fill=fill, mask=f"url(#{mask})")
        sheet.add(
            "rect", **whole, fill="none", stroke="border-quiet", pointer_events="all", part="plane"
        )
        if sheet.live:
            sheet.add(
                "rect",
                width=size / columns,
                height=size / rows,
                fill="none",
                stroke="text",
                stroke_width=1.5,
                display="none",
                pointer_events="none",
                part="pixel",
            )
    looks = {"y": size + 14, "fill": role, "font_size": 11}
    sheet.add("text", low, **looks, part="low")
    sheet.add("text", high, x="100%", text_anchor="end", **looks, part="high")


def _drawn(name, array, left, top, size):
    role = "gradient" if is_gradient(name) else "value"
    place = {"x": left, "y": top + ABOVE, "width": size, "height": size}
    text = {"x": left, "fill": role}
    too_wide = text_width(name, 12, bold=True) > size
    drawn_in = {"textLength": size, "lengthAdjust": "spacingAndGlyphs"} if too_wide else {}
    shade = np.rint(LEVELS * darkness(array, is_gradient(name))).astype(np.uint8)
    return [
        tag("text", name, **text, **drawn_in, y=top + 14, font_weight=700),
        shaded(shade, "gradient-solid" if role == "gradient" else role, **place),
        "" if np.isfinite(array).all() else shaded(LEVELS * ~np.isfinite(array), STRIPED, **place),
        tag("rect", **place, fill="none", stroke="border-quiet"),
        *(
            tag("text", line, **text, y=top + ABOVE + size + 16 * i, font_size=11)
            for i, line in enumerate(_broken(span(name, array), size), 1)
        ),
    ]


def _broken(lines, room):
    """Lines that have no room broken before "to": "−0.719 to 1.634" below a narrow map."""
    return [
        part
        for line in lines
        for part in (
            line.replace(" to ", "\nto ").split("\n") if text_width(line, 11) > room else [line]
        )
    ]

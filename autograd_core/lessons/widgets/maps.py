"""Arrays as pictures beside each other, a still figure: `maps(image=x, gradient=x.grad)`."""

import math
from collections.abc import Mapping

import numpy as np

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.shade import LEVELS, address, ceiling, shaded, signed
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.text import fit
from ...widgets.kit.theme import DARK, LIGHT, NARROW_FONT, RAMPS

SIZE, GAP, MARGIN, BESIDE = 160, 12, 12, 4  # pixels, and how many large maps fit beside each other
MOST, SMALLER = 7, 7  # more maps than MOST are smaller, so many beside each other
WIDTH = 2 * MARGIN + BESIDE * SIZE + (BESIDE - 1) * GAP
ABOVE, BELOW, LEGEND, LINE = 22, 46, 44, 20  # the name above a map, two lines below it
FLAT = 1 / 9  # of the greys of a signed picture, around the middle, mean zero
SIDE = 128  # pixels for the words on each side of a legend
OWN = "A value map runs from its own smallest number (white) to its own largest."
TURNS = 0.905, 0.58
"""The opacity of "gradient-solid" from which white has more contrast on it than black, in the light
theme; and from which black has more contrast than white, in the dark theme."""

Ends = tuple[float, float]


class maps:
    """Draw arrays or tensors of two axes, by name, as a figure; else ValueError.

    A map with "grad" in its name is a gradient: positive orange, negative violet, zero white. All
    gradients of a figure share one scale, which is drawn below them and ends at `end`, by default
    the next power of ten; give it to compare figures. A value map has its own scale. What is nan
    or inf is striped."""

    def __init__(
        self, arrays: Mapping | None = None, /, *, end: float | None = None, **named: object
    ):
        given = {**(arrays or {}), **named}
        self.arrays = {name: array_of(array, np.float64) for name, array in given.items()}
        for name, array in self.arrays.items():
            if array.ndim != 2 or not array.size:
                raise ValueError(f"a map is drawn of two axes: {name} has shape {[*array.shape]}")
        if not self.arrays:
            raise ValueError("a map is drawn of two axes: no array was given")
        self.gradients = [array for name, array in self.arrays.items() if "grad" in name]
        self.end = end or ceiling(*self.gradients)

    def __repr__(self) -> str:
        texts = []
        for name, array in self.arrays.items():
            ends, wrong = " to ".join(ends_of(array)), not np.isfinite(array).all()
            counts = [count_of(array)] * ("grad" in name or wrong)
            texts.append(f"{name}: {', '.join(filter(None, [ends, *counts]))}")
        return "; ".join(texts)

    def svg(self) -> str:
        """The figure as the text of an SVG file; in dark surroundings it turns dark."""
        sheet = Sheet(WIDTH, MARGIN)
        scales = {name: self.end if "grad" in name else None for name in self.arrays}
        add_maps(sheet, self.arrays, scales)
        if self.gradients:
            legend(sheet, self.end)
        if len(self.gradients) < len(self.arrays) > 1:
            title(sheet, OWN, "text2", weight=400, size=12)
        return sheet.svg(repr(self), font=NARROW_FONT)

    def _repr_mimebundle_(self, **kwargs: object) -> dict:
        return {"text/plain": repr(self), "image/svg+xml": self.svg()}


def ends_of(array: np.ndarray) -> list[str]:
    """The smallest and the largest finite number; [] if there is none."""
    known = array[np.isfinite(array)]
    return [number(known.min()), number(known.max())] if known.size else []


def count_of(array: np.ndarray) -> str:
    """How many numbers are not zero, or how many are not finite."""
    wrong, count = array.size - np.isfinite(array).sum(), int(np.count_nonzero(array))
    if wrong:
        return f"{wrong} nan or inf"
    if count in (0, array.size):
        return f"all {array.size:,} pixels" if count else "all zero"
    return f"{count:,} pixel{'s' * (count != 1)}, all others 0"


def title(sheet: Sheet, words: str, ink: str, weight: int = 700, size: int = 14) -> None:
    sheet.text(words, MARGIN, sheet.height + 12, ink, weight=weight, size=size)
    sheet.height += LINE


def add_maps(
    sheet: Sheet,
    arrays: Mapping[str, np.ndarray],
    scales: Mapping[str, float | Ends | None],
    *,
    beside: int = BESIDE,
    missing: str = "error",
) -> None:
    """Add maps at the bottom of a sheet of WIDTH, which becomes higher. The scale of a gradient is
    its end; the scale of a value is its smallest and largest number, None for its own.
    A value below 0 is grey if the scale ends as far below 0 as above. nan and inf have
    stripes of the ink `missing`.
    """
    beside = beside if len(arrays) <= MOST else SMALLER
    columns = math.ceil(len(arrays) / math.ceil(len(arrays) / beside))
    size = min(SIZE, (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns)
    for i, (name, array) in enumerate(arrays.items()):
        row, column = divmod(i, columns)
        left, top = MARGIN + column * (size + GAP), sheet.height + row * (ABOVE + size + BELOW)
        scale, y = scales[name], top + ABOVE + size
        is_level = isinstance(scale, tuple) and scale[0] == -scale[1]
        kind = "gradient" if isinstance(scale, float) else "level" if is_level else "value"
        place = {"x": left, "y": top + ABOVE, "width": size, "height": size}
        sheet.text(fit(name, size, 12.5, True), left, top + 15, "text", weight=700, size=12.5)
        _picture(sheet, depth_of(array, scale), kind, place)
        wrong = ~np.isfinite(array)
        if wrong.any():
            striped = sheet.stripes(missing, 0.8)
            sheet.parts.append(shaded(LEVELS * wrong, striped, **place))
        sheet.add("rect", **place, fill="none", stroke="border-quiet")
        for text, x, anchor in zip(ends_of(array), (left, left + size), (None, "end")):
            ink, weight = (sign_of(text), 700) if kind == "gradient" else ("value", 400)
            looks = {"anchor": anchor, "weight": weight, "size": 12 if size > 100 else 9.5}
            sheet.text(text, x, y + 16, ink, **looks)
        is_wrong = missing == "error" and wrong.any()
        if kind == "gradient" or is_wrong:
            looks = {"anchor": "middle", "size": min(12, size / 12)}
            ink = "error" if is_wrong else "text2"
            sheet.text(count_of(array), left + size / 2, y + 33, ink, **looks)
    sheet.height += math.ceil(len(arrays) / columns) * math.ceil(ABOVE + size + BELOW)


def depth_of(array: np.ndarray, scale: float | Ends | None) -> np.ndarray:
    """How deep the colour of each number is: −1 to 1 for a gradient, 0 to 1 for a value."""
    if isinstance(scale, float):
        return signed(array, scale)
    known = array[np.isfinite(array)]
    low, high = scale or (known.min(initial=np.inf), known.max(initial=-np.inf))
    place = (np.where(np.isfinite(array), array, low) - low) / ((high - low) or 1)
    return np.clip(np.nan_to_num(place), 0, 1)


def sign_of(text: str) -> str:  # the ink of a gradient's number
    return "negative" if text.startswith("−") else "text3" if text == "0" else "gradient"


def ink_on(opacity: float, live: bool) -> str:
    """The ink of a number on a ground of the color "gradient-solid": black or white. A still keeps one
    ink in both themes if the ground is rather dark."""
    light, dark = TURNS
    if not live:
        return "text" if opacity < dark else "black" if opacity < light else "card"
    inks = "black" if opacity < light else "white", "white" if opacity < dark else "black"
    return f"light-dark({', '.join(inks)})"


# ---- colours ----


def _picture(sheet: Sheet, depth: np.ndarray, kind: str, place: dict) -> None:
    """Add a map, a pixel for each depth, unsmoothed: a grey picture, which a filter colours."""
    if kind == "gradient":  # zero in the middle of greys that are all white
        depth = (1 + np.sign(depth) * FLAT + (1 - FLAT) * depth) / 2
    key = f"ac-ramp-{kind}"
    if f'id="{key}"' not in "".join(sheet.parts):
        for suffix, stops in zip(("", "-dark"), _stops(kind)):
            with (
                sheet.within("filter", id=key + suffix, color_interpolation_filters="sRGB"),
                sheet.within("feComponentTransfer"),
            ):
                for i, channel in enumerate("RGB"):
                    shares = (int(stop[1 + 2 * i : 3 + 2 * i], 16) / 255 for stop in stops)
                    values = " ".join(f"{share:.4g}" for share in shares)
                    sheet.add(f"feFunc{channel}", type="table", tableValues=values)
    looks = {"preserveAspectRatio": "none", "style": "image-rendering: pixelated"}
    href = address(np.rint(255 * depth), 8)
    sheet.add("image", **place, href=href, filter=f"url(#{key})", **looks)


def _stops(kind: str) -> list[list[str]]:
    """The colours of a ramp, light and dark; for gradients from the most negative."""
    found = []
    for i, palette in enumerate((LIGHT, DARK)):
        value, up, down = (RAMPS[name][i].split() for name in ("value", "positive", "negative"))
        card = palette["card"]
        ramps = {
            "value": [card, *value],
            "level": [*(_mixed(palette["masked"], card, k / 4) for k in range(4)), card, *value],
            "gradient": [*reversed(down), card, card, *up],
        }
        found.append(ramps[kind])
    return found


def _mixed(one: str, other: str, share: float) -> str:
    pairs = ((int(one[k : k + 2], 16), int(other[k : k + 2], 16)) for k in (1, 3, 5))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def legend(sheet: Sheet, end: float, what: str = "it") -> None:
    """Add the color scale of gradients, with numbers below and the effect of a step on `what`."""
    words = (f"− a step raises {what}", "negative"), (f"+ a step lowers {what}", "gradient")
    left, right, y = MARGIN + SIDE, WIDTH - MARGIN - SIDE, sheet.height + 4
    bar = {"x": left, "y": y, "width": right - left, "height": 12}
    _picture(sheet, np.linspace(-1, 1, 181)[None], "gradient", bar)
    sheet.rect(**bar, fill="none", stroke="border")
    for (text, fill), x, anchor in zip(words, (left - 10, right + 10), ("end", None)):
        sheet.text(text, x, y + 10, fill, weight=700, anchor=anchor)
    for share in (-1, -0.1, -0.01, 0, 0.01, 0.1, 1):
        x, text = (left + right + float(signed(share, 1)) * (right - left)) / 2, number(share * end)
        sheet.line(x, x, y + 12, y + 16, "border")
        sheet.text(text, x, y + 28, sign_of(text), anchor="middle", size=11)
    sheet.height += LEGEND

"""A still as a PNG: our own SVG, of which `svg.tag` writes a few elements, drawn by matplotlib."""

import io
import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from .svg import HALF, STRIPED
from .text import text_width
from .theme import LIGHT

SVG = "{http://www.w3.org/2000/svg}"
DPI, SCALE = 72, 2  # pixels of the file for each of the picture's
PARAMETERS = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "C": 6, "A": 7, "Z": 0}
ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}
MONO_LETTER = 0.608  # of the font's size
GROUNDS = {STRIPED: LIGHT["error-tint"], f"url(#{HALF})": LIGHT["gradient-tint"]}  # of patterns
# of a circle's radius: where the handles of a quarter's curve stand
KAPPA = 0.5523


def png(svg: str) -> bytes:
    """The picture as the contents of a PNG file, in light colours, twice as large. Needs
    matplotlib.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI * SCALE)
    FigureCanvasAgg(figure)
    axes = figure.add_axes(
        (0, 0, 1, 1), xlim=(0, width), ylim=(height, 0), frameon=False, xticks=[], yticks=[]
    )
    for element, place, looks in _elements(root, (0.0, 0.0), {}):
        _draw(axes, element, place, looks)
    file = io.BytesIO()
    figure.savefig(file, dpi=DPI * SCALE, metadata={"Software": None})
    return file.getvalue()


def _elements(
    parent: Any, place: tuple[float, float], looks: dict[str, str]
) -> Iterator[tuple[Any, Any, Any]]:
    """Each element with where its origin is, and with what it inherits."""
    for element in parent:
        if element.tag in (SVG + "defs", SVG + "title", SVG + "desc", SVG + "style"):
            continue
        moved = re.match(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", element.get("transform", ""))
        x, y = (float(moved[1]), float(moved[2])) if moved else (0.0, 0.0)
        here, own = (place[0] + x, place[1] + y), {**looks, **element.attrib}
        if element.tag == SVG + "g":
            yield from _elements(element, here, own)
        else:
            yield element, here, own


def _draw(axes: Any, element: Any, place: tuple[float, float], looks: dict[str, str]) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if element.tag == SVG + "text":
        _write(axes, element, place, looks)
        return
    commands, points = [], []
    for code, *corners in _outline(element):
        commands += [code] * max(1, len(corners))
        points += [(x + place[0], y + place[1]) for x, y in corners] or [(0.0, 0.0)]
    fill, stroke, width = (
        looks.get("fill", "#000000"),
        looks.get("stroke", "none"),
        float(looks.get("stroke-width", 1)),
    )
    dashes = [float(x) for x in looks.get("stroke-dasharray", "").split()]
    striped = fill == STRIPED
    path = Path(points, commands)
    paint = {"linewidth": width, "capstyle": "butt"} | (
        {"linestyle": (0, [x / width for x in dashes])} if dashes else {}
    )
    ground = GROUNDS.get(fill, fill)
    if ground != "none":
        axes.add_patch(
            PathPatch(
                path, facecolor=ground, edgecolor="none", alpha=float(looks.get("fill-opacity", 1))
            )
        )
    if striped:
        axes.add_patch(
            PathPatch(
                path, facecolor="none", edgecolor=LIGHT["error"], hatch="//", linewidth=0, alpha=0.3
            )
        )
    if stroke != "none":
        opacity = float(looks.get("stroke-opacity", 1))
        axes.add_patch(PathPatch(path, facecolor="none", edgecolor=stroke, alpha=opacity, **paint))


def _write(axes: Any, element: Any, place: tuple[float, float], looks: dict[str, str]) -> None:
    """A line of text: its letters are stretched to about the width that they have in a browser."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.patches import PathPatch
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    mono = "mono" in looks.get("font-family", "")
    spans = [
        (looks, element.text or ""),
        *(({**looks, **span.attrib}, span.text or "") for span in element),
    ]
    lengths = []
    for own, text in spans:
        size, bold = float(own.get("font-size", 12)), own.get("font-weight") == "700"
        letters = MONO_LETTER * size * len(text) if mono else text_width(text, size, bold)
        lengths.append(letters + float(own.get("dx", 0)))
    x = (
        place[0]
        + float(looks.get("x", 0))
        - ANCHORS[looks.get("text-anchor", "start")] * sum(lengths)
    )
    y = place[1] + float(looks.get("y", 0))
    for (own, text), length in zip(spans, lengths, strict=True):
        size, bold = float(own.get("font-size", 12)), own.get("font-weight") == "700"
        font = FontProperties(
            family="DejaVu Sans Mono" if mono else "DejaVu Sans",
            weight="bold" if bold else "normal",
        )
        x += float(own.get("dx", 0))
        if text.strip():
            glyphs = TextPath((0, 0), text.replace("$", r"\$"), size=size, prop=font)
            wide = glyphs.get_extents().x1 or 1.0
            room = length - float(own.get("dx", 0))
            flat = Affine2D().scale(min(1.0, room / wide), -1).translate(x, y)
            colour = own.get("fill", "#000000")
            axes.add_patch(PathPatch(glyphs.transformed(flat), facecolor=colour, edgecolor="none"))
            if own.get("text-decoration") == "line-through":
                axes.plot(
                    [x, x + min(room, wide)], [y - size * 0.3] * 2, color=colour, linewidth=0.8
                )
        x += length - float(own.get("dx", 0))


# ---- outlines, as matplotlib's codes and corners -------------------------------------------------

MOVE, LINE, QUADRATIC, CUBIC, CLOSE = 1, 2, 3, 4, 79


def _outline(element: Any) -> Iterator[tuple[Any, ...]]:
    if element.tag == SVG + "path":
        yield from _path(element.get("d"))
    elif element.tag == SVG + "circle":
        cx, cy, r = (float(element.get(name, 0)) for name in ("cx", "cy", "r"))
        yield from _rounded(cx - r, cy - r, 2 * r, 2 * r, r)
    else:
        x, y, width, height, r = (
            float(element.get(name, 0)) for name in ("x", "y", "width", "height", "rx")
        )
        yield from _rounded(x, y, width, height, min(r, width / 2, height / 2))


def _rounded(x: float, y: float, w: float, h: float, r: float) -> Iterator[tuple[Any, ...]]:
    k = r * (1 - KAPPA)
    yield MOVE, (x + r, y)
    for ax, ay, bx, by, cx, cy, dx, dy in (
        (x + w - r, y, x + w - k, y, x + w, y + k, x + w, y + r),
        (x + w, y + h - r, x + w, y + h - k, x + w - k, y + h, x + w - r, y + h),
        (x + r, y + h, x + k, y + h, x, y + h - k, x, y + h - r),
        (x, y + r, x, y + k, x + k, y, x + r, y),
    ):
        yield LINE, (ax, ay)
        yield CUBIC, (bx, by), (cx, cy), (dx, dy)
    yield CLOSE, (x + r, y)


def _path(text: str) -> Iterator[tuple[Any, ...]]:
    x = y = start_x = start_y = 0.0
    for letter, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", text):
        numbers = [float(n) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?", rest)]
        command, relative = letter.upper(), letter.islower()
        count = PARAMETERS[command]
        for at in range(0, max(1, len(numbers)), max(1, count)):
            part = numbers[at : at + count]
            dx, dy = (x, y) if relative else (0.0, 0.0)
            if command == "Z":
                x, y = start_x, start_y
                yield CLOSE, (x, y)
            elif command in "HV":
                x, y = (part[0] + dx, y) if command == "H" else (x, part[0] + dy)
                yield LINE, (x, y)
            elif command == "A":
                end = part[5] + dx, part[6] + dy
                yield from _arc((x, y), end, part[0], bool(part[3]), bool(part[4]))
                x, y = end
            else:
                corners = [(part[i] + dx, part[i + 1] + dy) for i in range(0, count, 2)]
                yield {"M": MOVE, "L": LINE, "Q": QUADRATIC, "C": CUBIC}[command], *corners
                x, y = corners[-1]
                if command == "M":
                    start_x, start_y, command = x, y, "M" if at + count >= len(numbers) else "L"


def _arc(
    start: tuple[float, float], end: tuple[float, float], r: float, large: bool, sweep: bool
) -> Iterator[tuple[Any, ...]]:
    """Part of a circle of radius `r`, in short straight pieces."""
    (ax, ay), (bx, by) = start, end
    half = math.dist(start, end) / 2
    if not half:
        return
    r = max(r, half)
    off = math.sqrt(r * r - half * half) * (1 if large != sweep else -1)
    cx = (ax + bx) / 2 - off * (by - ay) / (2 * half)
    cy = (ay + by) / 2 + off * (bx - ax) / (2 * half)
    first, last = math.atan2(ay - cy, ax - cx), math.atan2(by - cy, bx - cx)
    turn = (last - first) % math.tau if sweep else -((first - last) % math.tau)
    steps = max(2, round(abs(turn) * r / 2))
    for i in range(1, steps + 1):
        angle = first + turn * i / steps
        yield LINE, (cx + r * math.cos(angle), cy + r * math.sin(angle))

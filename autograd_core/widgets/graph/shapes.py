"""SVG elements of the graph's picture, as text."""

from ..kit.svg import tag

SAMPLES = (2, 6, 10), 24, 58  # widths of the lines in the legend, their length, a number's room


def el(name: str, style: str, content: str = "", /, **attributes: object) -> str:
    return tag(name, content, **({"class": style} if style else {}), **attributes)


def around(element: str, *parts: str) -> str:
    """An element that is empty so far, with these parts in it."""
    return f"{element[:-2]}>{''.join(parts)}</{element[1:].split(maxsplit=1)[0]}>"


def group(style: str, /, *parts: str, **attributes: object) -> str:
    return around(el("g", style, **attributes), *parts)


def text(
    x: float, y: float, style: str, content: str = "", anchor: str = "", /, **attributes: object
) -> str:
    return el(
        "text",
        style,
        content,
        x=x,
        y=y,
        **({"text_anchor": anchor} if anchor else {}),
        **attributes,
    )


def outline(width: int, height: int, split: int, r: float) -> tuple[str, str]:
    """A box in two parts: the compartment of the gradient, and its left one, open at its right."""
    right = (
        f"M{split} 0H{width - r:g}a{r:g} {r:g} 0 0 1 {r:g} {r:g}V{height - r:g}a{r:g} {r:g} 0 0 1"
        f" {-r:g} {r:g}H{split}z"
    )
    left = (
        f"M{split} 0H{r:g}a{r:g} {r:g} 0 0 0 {-r:g} {r:g}V{height - r:g}a{r:g} {r:g} 0 0 0 {r:g}"
        f" {r:g}H{split}"
    )
    return el("path", "ac-part", d=right), el("path", "ac-box", d=left)


def legend(place: tuple[int, int], large: bool, texts: list[str]) -> str:
    """The scale of the lines' widths, and the colours of the two signs."""
    (right, y), (widths, length, room) = place, SAMPLES
    signs = [("", "+"), (" ac-negative", "−")] * (not large)
    x = right - len(widths) * (length + room) - len(signs) * (length + 16)
    parts = [text(x - 10, y + 4, "", "edge width", "end")] * (x > 80)
    for width, words in zip(widths, texts):
        parts.append(el("path", "ac-sample", d=f"M{x} {y}h{length}", stroke_width=width))
        parts.append(text(x + length + 6, y + 4, "ac-b", words, data_slot="legend"))
        x += length + room
    for style, sign in signs:
        sample = el("path", "ac-sample", d=f"M{x} {y}h{length - 8}", stroke_width=5)
        words = text(x + length - 3, y + 4, "ac-b", sign)
        parts.append(group(f"ac-sign-sample{style}", sample, words))
        x += length + 16
    return group("ac-legend" + " ac-shown" * bool(texts[0]), *parts, aria_hidden="true")

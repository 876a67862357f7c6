"""The approximate width of text in CSS pixels, and text cut to fit. js/kit/text.js measures widths,
which Python can't.
"""

from .format import shorten

NARROW_LETTERS = set("ijlI.,:;'|[]()!↑ ft")
LEAST_NAME = 22  # pixels


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The approximate width of `text`, because Python has no browser to measure it."""
    letters = sum(
        0.3 if c in NARROW_LETTERS else 0.7 if c.isupper() or c in "mw" else 0.56 for c in text
    )
    return letters * size * (1.05 if bold else 1)


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """`text`, cut with an ellipsis if it would be wider than `room`."""
    if text_width(text, size, bold) <= room:
        return text
    while text and text_width(text + "…", size, bold) > room:
        text = text[:-1]
    return text + "…"


def fit_path(name: str, room: float, size: float, bold: bool = False) -> str:
    """A dotted name without the first parts if they don't fit: "…conv1.weight"."""
    parts = shorten(name, 200).split(".")
    texts = [".".join(parts), *("…" + ".".join(parts[i:]) for i in range(1, len(parts)))]
    return next(
        (text for text in texts if text_width(text, size, bold) <= room),
        fit(texts[0], room, size, bold),
    )


def equation(name: str, texts: list[str], room: float, size: float) -> str:
    """ "p = 0.525", with the first of `texts` that fits. If none fits, the spaces are removed, then
    the name is cut.
    """
    for text in texts:
        left = room - text_width(f" = {text}", size)
        named = [f"{name} = {text}", f"{name}={text}"] if name else []
        cut = [f"{fit(name, left, size)} = {text}"] if name and left > LEAST_NAME else []
        for each in (*named, *cut, text):
            if text_width(each, size) <= room:
                return each
    return fit(texts[-1], room, size)


def chosen(texts: list[str], room: float, size: float) -> tuple[str, bool]:
    """The first of `texts` that fits in bold or light letters, and whether it is light."""
    for text in texts:
        for light in (False, True):
            if text_width(text, size, not light) <= room:
                return text, light
    return fit(texts[-1], room, size, True), False

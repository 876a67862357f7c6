"""A sheet to draw a picture on, in the colours of the theme: a live one follows the page, a still brings both."""

from xml.sax.saxutils import quoteattr

from .svg import dark_style, tag
from .theme import FONT, LIGHT

LOOKS = ("fill", "stroke", "font_weight")


class Sheet:
    """The parts of a picture, each as SVG text."""

    def __init__(self, width: int, height: int, live: bool = False):
        self.width, self.height, self.live = width, height, live
        self.parts: list[str] = []

    def add(self, name: str, content: str = "", **attributes: object) -> None:
        """Add an element, as `svg.tag` writes it: `fill` and `stroke` are names of the palette or "none".

        A live one may have a `part`, the name by which the page finds what changes.
        """
        part = attributes.pop("part", None)
        if part is not None and self.live:
            attributes["data-part"] = part
        if self.live:                                   # in the style, so that the page's own does not win over them
            looks = {key.replace("_", "-"): attributes.pop(key) for key in LOOKS if key in attributes}
            attributes["style"] = "; ".join(
                f"{key}: {f'var(--ac-{value})' if value in LIGHT else value}" for key, value in looks.items())
        self.parts.append(tag(name, content, **attributes))

    def svg(self, description: str) -> str:
        """All that was added, as the text of an SVG element, with `description` for those who do not see it."""
        body = [tag("title", description)]
        if not self.live:
            body += [tag("style", dark_style()), tag("rect", width=self.width, height=self.height, fill="card")]
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" role="img" font-size="12" font-family={quoteattr(FONT)}>'
                f"{''.join(body + self.parts)}</svg>")

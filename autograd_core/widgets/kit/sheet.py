"""A sheet for drawing a picture in the colors of the theme. A live sheet follows the page's theme,
and a still contains both themes.
"""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.sax.saxutils import quoteattr

from .svg import dark_style, tag
from .theme import FONT, LIGHT

LOOKS = ("fill", "stroke", "font_weight", "font_size", "font_family")
FOR_HANDS = ("part", "role", "aria_label", "aria_hidden", "aria_selected", "tabindex")
PATTERNS = itertools.count(1)  # the numbers of the patterns in pages
SHORT = {"anchor": "text_anchor", "weight": "font_weight", "size": "font_size"}


def style(**looks: object) -> str:
    """The looks of a live element as its style, because the page's own style would override
    attributes.
    """
    return "; ".join(
        f"{key.replace('_', '-')}: {f'var(--ac-{value})' if value in LIGHT else value}"
        f"{'px' * (key == 'font_size')}"
        for key, value in looks.items()
    )


class Sheet:
    """The parts of a picture, each as SVG text. A fluid live sheet is as wide as its room, and its
    places are in percent."""

    def __init__(self, width: int, height: int, live: bool = False, fluid: bool = False):
        self.width, self.height, self.live, self.fluid = width, height, live, fluid
        self.parts: list[str] = []

    def add(self, name: str, content: str = "", **attributes: object) -> None:
        """Add an element, as `svg.tag` writes it: `fill` and `stroke` are names of the palette or
        "none". None is omitted. Text has an `anchor`, a `weight` and a `size`.

        A live element may have a `part`, the name by which the page finds it, and a role and a label
        for screen readers.
        """
        self.parts.append(tag(name, content, **self._written(attributes)))

    def text(self, text: str, x: object, y: object, fill: str, **looks: Any) -> None:
        self.add("text", text, x=x, y=y, fill=fill, **looks)
        if self.live:
            self.parts.append(" ")  # separates words for readers who listen

    def rect(self, x: object, y: object, width: object, height: object, **looks: Any) -> None:
        self.add("rect", x=x, y=y, width=width, height=height, **looks)

    def line(
        self, x1: object, x2: object, y1: object, y2: object, stroke: str, **looks: Any
    ) -> None:
        self.add("line", x1=x1, x2=x2, y1=y1, y2=y2, stroke=stroke, **looks)

    def insert(self, picture: "Sheet", x: float, y: float, **size: Any) -> None:
        """Add the parts of another picture at a place. Its percents refer to `width` and `height`."""
        with self.within("svg", x=x, y=y, **size, overflow="visible"):
            self.parts += picture.parts

    @contextmanager
    def within(self, name: str, **attributes: object) -> Iterator[None]:
        """Put the elements that are added meanwhile into this element: "g", or an "svg" to whose width
        percents refer.
        """
        self.parts.append(tag(name, "", **self._written(attributes))[:-2] + ">")
        yield
        self.parts.append(f"</{name}>")

    def stripes(self, stripe: str, opacity: float) -> str:
        """Define stripes for masked or non-finite cells, and return their `fill`. Each live pattern
        has its own id, because a browser uses the first pattern with an id, and draws nothing if
        the picture of that pattern is hidden."""
        key = f"ac-{stripe}-stripes" + f"-{next(PATTERNS)}" * self.live
        units = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
        with self.within("pattern", id=key, width=7, height=7, **units):
            self.add("rect", width=7, height=7, fill=f"{stripe}-tint")
            self.add("rect", width=1.5, height=7, fill=stripe, fill_opacity=opacity)
        return f"url(#{key})"

    def _written(self, given: dict[str, object]) -> dict[str, object]:
        attributes = {
            SHORT.get(key, key): value for key, value in given.items() if value is not None
        }
        if not self.live:
            return {key: value for key, value in attributes.items() if key not in FOR_HANDS}
        if (part := attributes.pop("part", None)) is not None:
            attributes["data-part"] = part
        looks = {key: attributes.pop(key) for key in LOOKS if key in attributes}
        return {**attributes, "style": style(**looks)} if looks else attributes

    def svg(self, description: str, role: str = "img", font: str = FONT) -> str:
        """The picture as the text of an SVG element, with `description` for screen readers.

        A picture with readable parts has another role than "img", for example "grid", because
        screen readers skip the children of an "img"."""
        body = [tag("title", description)] if role == "img" else []
        label = "" if body else f" aria-label={quoteattr(description)}"
        if not self.live:
            ground = tag("rect", width=self.width, height=self.height, fill="card")
            body += [tag("style", dark_style("".join([ground, *self.parts]))), ground]
        size = (
            f'width="100%" height="{self.height}"'
            if self.live and self.fluid
            else (
                f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width}'
                f' {self.height}"'
            )
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="{role}"{label} font-size="12" '
            f"font-family={quoteattr(font)}>{''.join(body + self.parts)}</svg>"
        )

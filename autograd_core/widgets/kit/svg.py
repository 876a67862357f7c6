"""Parts of an SVG file, in the colors of the palette."""

import re
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

from .theme import DARK, LIGHT

STRIPES = "ac-stripes"  # the name of the pattern for nan and inf
HALF, HALF_NEGATIVE = "ac-half", "ac-half-negative"  # for an incomplete sum, by its sign
# a name may contain any characters
NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def tag(name: str, content: str = "", **attributes: object) -> str:
    """An SVG element. `fill` and `stroke` are names of the palette; `font_size` stands for
    `font-size`.
    """
    text = "".join([_attribute(key, value) for key, value in attributes.items()])
    return (
        f"<{name}{text}>{escape(NOT_XML.sub('', content))}</{name}>"
        if content
        else f"<{name}{text}/>"
    )


@lru_cache(maxsize=10_000, typed=True)
def _attribute(key: str, value: object) -> str:
    key, named = key.replace("_", "-"), key in ("fill", "stroke")
    value = LIGHT.get(str(value), value) if named else value
    if isinstance(value, int | float):
        return f' {key}="{value:g}"' if isinstance(value, float) else f' {key}="{value}"'
    return f" {key}={quoteattr(NOT_XML.sub('', str(value)))}"


def dark_style(picture: str) -> str:
    """Each light colour of a picture as the dark one of its name. Text on a solid ground is the one
    that shares a light colour.
    """
    rules = [
        f'[{key}="{LIGHT[name]}"] {{ {key}: {DARK[name]} }}'
        for name in DARK
        if name != "gradient-on-solid"
        for key in ("fill", "stroke")
        if f'{key}="{LIGHT[name]}"' in picture
    ]
    rules.append(
        f'text[fill="{LIGHT["gradient-on-solid"]}"] {{ fill: {DARK["gradient-on-solid"]} }}'
    )
    ramps = re.findall(r'id="(ac-ramp-[a-z]+)"', picture)
    rules += [f'[filter="url(#{key})"] {{ filter: url(#{key}-dark) }}' for key in ramps]
    return "@media (prefers-color-scheme: dark) { " + " ".join(rules) + " }"

"""The looks of js/graph/picture.css as attributes of a still's elements.

Where notebooks are displayed, for example on GitHub, a sanitizer may remove the `<style>` of an SVG
and keep only shapes and attributes. Without these attributes, the boxes would be black. If two rules
apply, the later one wins, as in the page."""

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from ..kit.svg import HALF, HALF_NEGATIVE, STRIPES
from ..kit.theme import LIGHT, MONO

STYLE = Path(__file__).parents[1] / "js" / "graph" / "picture.css"
RULE = re.compile(r":where\(([^)]*)\) \{([^}]*)\}")
VARIABLES = {
    **{f"ac-{name}": colour for name, colour in LIGHT.items()},
    "ac-sunk": LIGHT["page"],
    "ac-mono": MONO,
    STRIPES: f"url(#{STRIPES})",
    HALF: f"url(#{HALF})",
    HALF_NEGATIVE: f"url(#{HALF_NEGATIVE})",
}
# a color mixed with the card is the color itself, slightly transparent
MIX = re.compile(r"color-mix\(in srgb, (#\w+) (\d+)%, #\w+\)")
Words = frozenset[str]


@cache
def _rules() -> list[tuple[Words, Words, dict[str, str]]]:
    """The class of an element, the classes that it or an outer element needs, and its attributes."""
    text = re.sub(
        r"var\(--([\w-]+)(?:, ([^)]*))?\)",
        lambda name: VARIABLES.get(name[1]) or name[2],
        STYLE.read_text(encoding="utf-8"),
    )
    rules = []
    for selectors, body in RULE.findall(text):
        looks = {}
        for name, value in re.findall(r"([\w-]+): ([^;]+);", body):
            mixed = MIX.match(value)
            looks[name] = mixed[1] if mixed else value.removesuffix("px")
            if name in ("fill", "stroke"):
                looks[f"{name}-opacity"] = f"{int(mixed[2]) / 100:g}" if mixed else ""
        for selector in selectors.split(","):
            parts = [re.findall(r"\.?[\w-]+", part) for part in selector.split()]
            rules.append((frozenset(parts[-1]), frozenset(sum(parts, [])), looks))
    return rules


@cache
def _looks(own: Words, around: Words) -> dict[str, str]:
    found: dict[str, str] = {}
    for last, all_words, looks in _rules():
        if last <= own and all_words <= own | around:
            found.update(looks)
    return {name: value for name, value in found.items() if value}


def painted(scene: str) -> str:
    """The visible part of a scene as SVG text, each element with its looks. Each box is one line, so
    that diffs of notebooks are readable.
    """
    root = ElementTree.fromstring(scene)
    _paint(root, _words(root))
    parts = [ElementTree.tostring(each, "unicode") for each in root]
    patterns = [f"url(#{name})" for name in (STRIPES, HALF, HALF_NEGATIVE)]
    used = any(name in part for part in parts for name in patterns)
    return "\n".join(parts if used else parts[1:])


def _words(element: ElementTree.Element) -> Words:
    return frozenset((element.tag, *(f".{name}" for name in element.get("class", "").split())))


def _paint(element: ElementTree.Element, around: Words) -> None:
    for child in list(element):
        own, looks = _words(child), dict(_looks(_words(child), around))
        _paint(child, own | around)
        is_text = child.tag in ("g", "text", "tspan", "title")
        unseen = (
            looks.pop("visibility", "") == "hidden"
            or (is_text and not len(child) and not child.text)
            or (looks.get("fill") == looks.get("stroke", "none") == "none")
        )
        if unseen or child.tag == "title":
            element.remove(child)
        for name in list(child.attrib):
            if name in ("class", "role", "tabindex") or name.startswith(("data-", "aria-")):
                del child.attrib[name]
        child.attrib.update({**looks, **child.attrib})

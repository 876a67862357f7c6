"""The looks of js/graph/picture.css, written into the elements of a still: who shows an SVG file
may know no styles.

Of CSS it knows what stands there: classes and names of elements within each other, `:is`, and
colours of the palette. A colour that is mixed with the card is the colour itself, a little
transparent."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from ..kit.svg import HALF, STRIPES
from ..kit.theme import LIGHT, MONO

STYLE = Path(__file__).parents[1] / "js" / "graph" / "picture.css"
NAMED = {
    "var(--ac-sunk)": LIGHT["page"],
    "var(--ac-mono)": MONO,
    f"var(--{STRIPES})": f"url(#{STRIPES})",
    f"var(--{HALF})": f"url(#{HALF})",
    **{f"var(--ac-{name})": colour for name, colour in LIGHT.items()},
}
MIX = re.compile(r"color-mix\(in srgb, (var\(--ac-\w+\)) (\d+)%, .*\)$")
NOT_DRAWN = {"outline", "cursor", "pointer-events", "transition"}

Chain = tuple[frozenset[str], ...]


def _alternatives(selector: str) -> list[str]:
    """A selector without `:is`: one for each thing that it may be."""
    found = re.search(r":is\(([^()]*)\)", selector)
    if not found:
        return [selector]
    return [
        plain
        for each in found[1].split(",")
        for plain in _alternatives(
            selector[: found.start()] + each.strip() + selector[found.end() :]
        )
    ]


@cache
def _rules() -> list[tuple[list[frozenset[str]], dict[str, str]]]:
    """What an element and those around it have to be, outermost first; what it looks like then. The
    last one wins.
    """
    rules = []
    text = re.sub(r"/\*.*?\*/", "", STYLE.read_text(encoding="utf-8"), flags=re.DOTALL)
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
        looks = dict(
            (part.strip() for part in each.split(":", 1)) for each in body.split(";") if ":" in each
        )
        for selector in re.split(r",(?![^()]*\))", selectors):
            for plain in _alternatives(selector.strip()):
                # what the reader's hands do is not in a still
                if ":" not in plain:
                    parts = [
                        frozenset(re.findall(r"\.?[\w-]+", part))
                        for part in plain.split()
                        if part not in (".ac-view", "svg")
                    ]
                    rules.append(
                        (
                            plain.count("."),
                            len(re.findall(r"(?:^| )\w", plain)),
                            len(rules),
                            parts,
                            looks,
                        )
                    )
    return [(parts, looks) for *_, parts, looks in sorted(rules, key=lambda rule: rule[:3])]


@cache
def _looks(chain: Chain) -> dict[str, str]:
    """What an element looks like by the classes of those around it and by its own, as the style
    says it.
    """
    found: dict[str, str] = {}
    for parts, looks in _rules():
        if parts[-1] <= chain[-1]:
            outer: Iterator[frozenset[str]] = iter(chain[-2::-1])
            if all(any(part <= each for each in outer) for part in parts[-2::-1]):
                found.update(looks)
    return found


def _attributes(looks: dict[str, str], thick: str) -> dict[str, str]:
    """Looks as the attributes of an SVG element."""
    out = {}
    for name, value in looks.items():
        value = value.removesuffix(" !important")
        mixed = MIX.match(value)
        if name in NOT_DRAWN:
            continue
        if name == "white-space":
            out["style"] = f"{name}: {value}"
        elif name == "font":
            size, family = value.split(" ", 1)
            out.update({"font-size": size.removesuffix("px"), "font-family": NAMED[family]})
        elif value.startswith("var(--ac-weight"):
            out[name] = thick or value[:-1].split(", ")[1]
        elif mixed:
            out.update({name: NAMED[mixed[1]], f"{name}-opacity": f"{int(mixed[2]) / 100:g}"})
        else:
            out[name] = NAMED.get(value, value.removesuffix("px"))
    return out


def painted(scene: str) -> str:
    """What is seen of a scene, each element with its looks, as SVG text: a line for each box, for a
    notebook's diff.
    """
    root = ElementTree.fromstring(scene)
    _paint(root, (_kind(root),), "")
    text, defs = ElementTree.tostring(root, "unicode"), root[0]
    for pattern in list(defs):
        if f"url(#{pattern.get('id')})" not in text:
            defs.remove(pattern)
    if not len(defs):
        root.remove(defs)
    return "\n".join(ElementTree.tostring(each, "unicode") for each in root)


def _kind(element: ElementTree.Element) -> frozenset[str]:
    return frozenset((element.tag, *(f".{name}" for name in element.get("class", "").split())))


def _paint(element: ElementTree.Element, outer: Chain, thick: str) -> None:
    for child in list(element):
        chain = *outer, _kind(child)
        looks = _attributes(_looks(chain), thick)
        _paint(child, chain, child.get("style", "").removeprefix("--ac-weight: ") or thick)
        shape = child.tag not in ("g", "text", "tspan", "defs", "pattern")
        unseen = shape and looks.get("fill") == "none" and looks.get("stroke", "none") == "none"
        empty = child.tag in ("g", "text", "tspan", "title") and not len(child) and not child.text
        if looks.pop("visibility", "") == "hidden" or unseen or empty or child.tag == "title":
            element.remove(child)
            continue
        kept = {
            name: value
            for name, value in child.attrib.items()
            if name not in ("class", "style", "role", "tabindex")
            and not name.startswith(("data-", "aria-"))
        }
        child.attrib.clear()
        child.attrib.update({**kept, **looks})

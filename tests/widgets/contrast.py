"""The contrast of two colors of the palette, as WCAG defines it."""

from autograd_core.widgets.kit.theme import DARK, LIGHT, RAMPS

Color = tuple[float, ...]


def color(name: str, theme: int) -> Color:
    """A color of the palette or of a ramp, in the light (0) or the dark (1) theme."""
    ramp, _, stop = name.rpartition("-")
    known = {"black": "#000000", "white": "#FFFFFF", **(DARK if theme else LIGHT)}
    text = RAMPS[ramp][theme].split()[int(stop) - 1] if ramp in RAMPS else known[name]
    return tuple(int(text[i : i + 2], 16) for i in (1, 3, 5))


def mixed(over: Color, under: Color, share: float) -> Color:
    return tuple(share * a + (1 - share) * b for a, b in zip(over, under))


def contrast(one: Color, other: Color) -> float:
    low, high = sorted(map(_luminance, (one, other)))
    return high / low


def _luminance(parts: Color) -> float:
    shares = (part / 255 for part in parts)
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares]
    return 0.05 + sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear))

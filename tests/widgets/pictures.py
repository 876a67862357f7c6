"""Read maps back: compare each pixel of a picture with the number from which it was drawn."""

import base64
import re
import struct
import zlib

import numpy as np

from autograd_core.widgets.kit.theme import LIGHT, RAMPS

LEAST = 0.01  # of the scale: two depths that are nearer look the same


def rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def stops(*names: str) -> np.ndarray:
    """The colours from the end of a ramp, or of two, to the other end."""
    up, *down = (RAMPS[name][0].split() for name in names)
    return np.array([rgb(each) for each in (*reversed(sum(down, [])), LIGHT["card"], *up)], float)


SIGNED, VALUES = stops("positive", "negative"), stops("value")


def depths(colours: np.ndarray, signed: bool = True) -> np.ndarray:
    """How deep each colour, (…, 3), is on the ramp: −1 to 1, for a value 0 to 1; nan off the ramp."""
    ends = SIGNED if signed else VALUES
    fine = np.linspace(-1 if signed else 0, 1, 4001)
    known = [np.interp(fine, np.linspace(fine[0], 1, len(ends)), ends[:, k]) for k in range(3)]
    apart = np.abs(np.asarray(colours, float)[..., None, :] - np.stack(known, -1)).max(-1)
    return np.where(apart.min(-1) < 3, fine[apart.argmin(-1)], np.nan)


def greys(address: str) -> np.ndarray:
    png = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    width, height, bits, colour = struct.unpack(">IIBB", png[16:26])
    assert (bits, colour) == (8, 0)
    size = struct.unpack(">I", png[33:37])[0]
    rows = np.frombuffer(zlib.decompress(png[41 : 41 + size]), np.uint8).reshape(height, width + 1)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:]


def maps_in(svg: str) -> list[np.ndarray]:
    """The depths of each map of a figure that is filtered, the legend last."""
    found = []
    for address, kind in re.findall(r'href="([^"]+)" filter="url\(#ac-ramp-(\w+)\)"', svg):
        body = svg.split(f'id="ac-ramp-{kind}"')[1].split("</filter>")[0]
        tables = [
            np.array(values.split(), float) for values in re.findall('tableValues="(.*?)"', body)
        ]
        shares = greys(address) / 255
        seen = [np.interp(shares, np.linspace(0, 1, len(table)), table) for table in tables]
        found.append(depths(255 * np.stack(seen, -1), kind == "gradient"))
    return found


def misread(seen: list[np.ndarray], arrays: list[np.ndarray]) -> list[str]:
    """The maps that don't show `arrays`; all share a scale that ends above the largest number."""
    end = 10 ** np.ceil(np.log10(max(np.abs(array).max() for array in arrays)))
    wrong = []
    for i, (depth, array) in enumerate(zip(seen, arrays, strict=True)):
        expected = np.sign(array) * np.log(1 + 1000 * np.abs(array) / end) / np.log(1001)
        if not (np.abs(depth - expected) < LEAST).all():
            wrong.append(f"map {i}: depth")
        visible = np.abs(expected) > LEAST
        if (np.sign(depth) != np.sign(array))[visible].any() or depth[array == 0].any():
            wrong.append(f"map {i}: sign")
    return wrong

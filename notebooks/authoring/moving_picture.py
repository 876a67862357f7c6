"""The moving picture on top of the README: five losses flow into one number, `backward()` sends 1 to
each of them, and each of seven maps gets its own gradient.

    make picture            writes notebooks/seven_heads.webp

All numbers are from the detector of lesson 08 after 20 steps. The metadata of the picture has a hash
of the last drawing. A test fails if the drawing has changed since."""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image
from playwright.sync_api import sync_playwright

from autograd_core.lessons.datasets import curved_text
from autograd_core.lessons.lesson_08 import HEADS, KERNELS, layers, losses_of
from autograd_core.widgets.kit.shade import LEVELS, ceiling, shaded, signed
from autograd_core.widgets.kit.sheet import Sheet
from tests.browser.chromium import launch

PICTURE = Path(__file__).parents[1] / "seven_heads.webp"
MOST = 400_000  # bytes
WIDTH, HEIGHT, SIDE, GAP, LEFT = 860, 600, 88, 20, 62
NAMES, OUTPUT, GRADIENT, LOSS, TOTAL = 96, 106, 208, 358, 506  # the top of each row
BOX, CHIP, SUM = (100, 52), (38, 28), (230, 58)  # width and height
BAND = 90  # pixels: the ribbons of all losses together
FRAME, STEPS, SEED = 50, 20, 0  # milliseconds, training steps
FLOW, SEND, FADE, END = (800, 1500), (2200, 2800), (5700, 6000), 6000  # milliseconds
LIT = {"text": 2800, "line": 3300, "sin": 3800, "cos": 3800, "radius": 4300}
GLOW = 300  # milliseconds that a map takes to appear
CAPTIONS = {  # from this time on
    0: "Seven maps, five losses",
    FLOW[0]: "Five losses flow into one number",
    SEND[0]: "backward() sends 1 to each loss",
    LIT["text"]: "Seven maps, each with its own gradient",
}


class Numbers(NamedTuple):
    """One backward pass: (7, 32, 32) maps and their gradients, and the value of each loss."""

    maps: np.ndarray
    gradients: np.ndarray
    losses: dict[str, float]


def numbers() -> Numbers:
    """Train the detector of lesson 08 for STEPS steps, and run one more backward pass."""
    crop = curved_text(seed=3, size=32)
    trunk, heads = layers(torch, SEED)
    optimizer = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=0.01)
    for _ in range(STEPS + 1):
        optimizer.step()
        optimizer.zero_grad()
        maps = heads(trunk(torch.from_numpy(crop.image[None])))[0]
        maps.retain_grad()
        losses = losses_of(torch, crop, maps, scaled=True)
        sum(losses.values()).backward()
    values = {name: loss.item() for name, loss in losses.items()}
    return Numbers(maps.detach().numpy(), maps.grad.numpy(), values)


def centre(kernel: int) -> float:
    return LEFT + kernel * (SIDE + GAP) + SIDE / 2


def losses() -> Iterator[tuple[str, float, list[tuple[float, int]]]]:
    """Each loss, the middle of its box, and its edges: (where it leaves the box, the kernel)."""
    for name, kernels in HEADS.items():
        reads = [KERNELS.index(kernel) for kernel in kernels]
        middle = sum(map(centre, reads)) / len(reads)
        if name in ("sin", "cos"):  # scaled to length 1 together: each loss reads both maps
            reads = [KERNELS.index("sin"), KERNELS.index("cos")]
        shifts = [0.0] if len(reads) == 1 else [-18.0, 18.0]
        yield name, middle, [(middle + shift, kernel) for shift, kernel in zip(shifts, reads)]


def share(time: float, begins: float, ends: float) -> float:
    """The fraction of the time from `begins` to `ends` that has passed, eased at both ends."""
    linear = min(max((time - begins) / (ends - begins), 0.0), 1.0)
    return linear * linear * (3 - 2 * linear)


def curve(sheet: Sheet, start: tuple, end: tuple, drawn: float, **looks: object) -> None:
    """An upright curve from `start`, of which the fraction `drawn` on the way to `end` is shown."""
    (x, y), (to_x, to_y) = start, end
    half, reached = (y + to_y) / 2, y + drawn * (to_y - y)
    path = f"M{x:g} {y:g}C{x:g} {half:g} {to_x:g} {half:g} {to_x:g} {to_y:g}"
    top, height = min(y, reached), abs(reached - y)
    if height:
        window = {"y": top, "width": WIDTH, "height": height}
        with sheet.within("svg", **window, viewBox=f"0 {top:g} {WIDTH} {height:g}"):
            sheet.add("path", d=path, fill="none", **looks)


def draw(found: Numbers, time: float) -> str:
    """The picture at a time in milliseconds, as the text of an SVG."""
    sheet = Sheet(WIDTH, HEIGHT)
    caption = max(begins for begins in CAPTIONS if begins <= time)
    sheet.text(CAPTIONS[caption], 30, 50, "text", weight=700, size=25)
    for row, name, fill in (OUTPUT, "output", "value"), (GRADIENT, "gradient", "gradient"):
        place = f"translate(40 {row + SIDE / 2}) rotate(-90)"
        sheet.add("text", name, fill=fill, anchor="middle", weight=700, size=16, transform=place)
    _maps(sheet, found, time)
    flowed, sent, total = share(time, *FLOW), share(time, *SEND), sum(found.losses.values())
    down = -BAND / 2
    for place, (name, middle, edges) in enumerate(losses()):
        lit = share(time, LIT[name], LIT[name] + GLOW)
        for x, kernel in edges:
            reads = centre(kernel) + (0 if len(edges) == 1 or name == "text" else (x - middle) / 2)
            top, bottom = (reads, GRADIENT + SIDE + 12), (x, LOSS)
            if lit < 1:
                curve(sheet, top, bottom, 1, stroke="border-quiet", stroke_width=2)
            curve(sheet, bottom, top, lit, stroke="gradient-solid", stroke_width=3.5)
            if lit == 1:
                arrow = f"M{top[0] - 7:g} {top[1]:g}h14l-7 -11z"
                sheet.add("path", d=arrow, fill="gradient-solid")
        width = BAND * found.losses[name] / total
        joins, box = WIDTH / 2 + (place - 2) * 46, LOSS + BOX[1]
        flows = WIDTH / 2 + down + width / 2
        down += width
        _between(sheet, (middle, box), (joins, TOTAL), (flows, TOTAL), width, flowed, sent)
        _box(sheet, middle, LOSS, BOX, "gradient" if sent == 1 else "value")
        sheet.text(name, middle, LOSS + 21, "text", anchor="middle", weight=700, size=17)
        value = f"{found.losses[name]:.3f}"
        sheet.text(value, middle, LOSS + 43, "value", anchor="middle", weight=700, size=19)
        if sent == 1:
            _chip(sheet, middle, box + 3)
    _total(sheet, total, "none" if flowed < 1 else "gradient" if sent else "value")
    if fade := share(time, *FADE):
        sheet.rect(0, 0, WIDTH, HEIGHT, fill="card", fill_opacity=round(fade, 3))
    return sheet.svg("Five losses, one sum, seven gradients")


def _between(
    sheet: Sheet,
    box: tuple[float, float],
    joins: tuple[float, float],
    flows: tuple[float, float],
    width: float,
    flowed: float,
    sent: float,
) -> None:
    """The edge between a loss and the total: gray, then blue and as wide as its part, then orange."""
    if not flowed or 0 < sent < 1:
        curve(sheet, box, joins, 1, stroke="border-quiet", stroke_width=2)
    if not sent:
        curve(sheet, box, flows, flowed, stroke="value", stroke_width=max(width, 2))
    curve(sheet, joins, box, sent, stroke="gradient-solid", stroke_width=10)


def _maps(sheet: Sheet, found: Numbers, time: float) -> None:
    end = ceiling(found.gradients)
    for kernel, name in enumerate(KERNELS):
        x = centre(kernel) - SIDE / 2
        sheet.text(name, centre(kernel), NAMES, "text", anchor="middle", weight=700, size=16)
        output, place = found.maps[kernel], {"x": x, "width": SIDE, "height": SIDE}
        depth = (output - output.min()) / np.ptp(output)
        sheet.parts.append(shaded(np.rint(depth * LEVELS), "value", y=OUTPUT, **place))
        sheet.rect(x, OUTPUT, SIDE, SIDE, fill="none", stroke="border")
        loss = next(loss for loss, kernels in HEADS.items() if name in kernels)
        lit = share(time, LIT[loss], LIT[loss] + GLOW)
        sheet.rect(x, GRADIENT, SIDE, SIDE, fill="card" if lit else "page", stroke="border")
        if lit:
            depth = signed(found.gradients[kernel], end)
            with sheet.within("g", opacity=round(lit, 3)):
                for sign, fill in (1, "gradient-solid"), (-1, "negative-solid"):
                    shade = np.rint((sign * depth).clip(0) * LEVELS)
                    sheet.parts.append(shaded(shade, fill, y=GRADIENT + (sign < 0) / 100, **place))


def _box(sheet: Sheet, middle: float, top: float, size: tuple[int, int], ink: str) -> None:
    fill, stroke = ("card", "border") if ink == "none" else (f"{ink}-tint", ink)
    width, height = size
    looks = {"fill": fill, "stroke": stroke, "stroke_width": 1.6}
    sheet.rect(middle - width / 2, top, width, height, rx=10, **looks)


def _chip(sheet: Sheet, middle: float, top: float) -> None:
    width, height = CHIP
    sheet.rect(middle - width / 2, top, width, height, rx=14, fill="gradient-solid")
    sheet.text("1", middle, top + 20, "gradient-on-solid", anchor="middle", weight=700, size=18)


def _total(sheet: Sheet, total: float, ink: str) -> None:
    _box(sheet, WIDTH / 2, TOTAL, SUM, ink)
    words = "total" if ink == "none" else f"total = {total:.3f}"
    fill = "text" if ink == "none" else "value"
    sheet.text(words, WIDTH / 2, TOTAL + 37, fill, anchor="middle", weight=700, size=23)
    if ink == "gradient":
        sheet.text("orange: positive", 30, TOTAL + 30, "gradient", weight=700, size=16)
        sheet.text("violet: negative", 30, TOTAL + 54, "negative", weight=700, size=16)


def drawn(found: Numbers) -> bytes:
    """The hash of the drawing at the end."""
    return hashlib.sha256(draw(found, FADE[0]).encode()).hexdigest().encode()


def film() -> bytes:
    """The animation. Raises ValueError if it is larger than MOST."""
    found, runs = numbers(), list[tuple[str, int]]()
    for time in range(0, END, FRAME):
        svg = draw(found, time)
        if runs and runs[-1][0] == svg:
            runs[-1] = svg, runs[-1][1] + FRAME
        else:
            runs.append((svg, FRAME))
    with sync_playwright() as playwright, launch(playwright) as browser:
        size = {"width": WIDTH, "height": HEIGHT}
        page = browser.new_page(viewport=size, color_scheme="light", device_scale_factor=1)
        pictures = []
        for svg, _ in runs:
            page.set_content(f'<body style="margin: 0">{svg}')
            pictures.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    written, (first, *others) = io.BytesIO(), pictures
    first.save(
        written,
        "WEBP",
        save_all=True,
        append_images=others,
        duration=[time for _, time in runs],
        loop=0,
        lossless=True,
        method=6,
        xmp=drawn(found),
    )
    if written.tell() > MOST:
        raise ValueError(f"the picture has {written.tell():,} bytes, above {MOST:,}")
    return written.getvalue()


if __name__ == "__main__":
    PICTURE.write_bytes(film())
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")

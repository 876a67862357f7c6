"""The moving picture on top of the README: the backward pass is run by hand. One node that waits, a
guess, a sum.

    make picture            writes notebooks/step_view.webp

The page's clock stands and is moved on by hand, so that no frame is late; equal frames become one
that stays longer. In its metadata the picture carries of which view it is, and a test says when
that is drawn otherwise now."""

import hashlib
import io
import itertools
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from notebooks.authoring.picture import view
from tests.browser.chromium import launch

PICTURE = Path(__file__).parents[1] / "step_view.webp"
SIZE = {"width": 1060, "height": 640}
HEIGHT = 408
FRAME = 60  # milliseconds
BEFORE, READ, SHORT, EVENT, AFTER = 900, 2400, 900, 1680, 3000
# What is above the question stays as it is.
STYLE = ".ac-header { display: none !important; } .ac-view { min-height: 560px; }"
UPPER, ADD = ".ac-node[data-node='2']", ".ac-node[data-node='4']"
MOST = 1_000_000  # bytes


def drawn() -> bytes:
    """What tells one view from another: the hash of its still."""
    return hashlib.sha256(view().svg().encode()).hexdigest().encode()


def frames(page: Page) -> list[bytes]:
    """A PNG for every `FRAME` milliseconds: a node that waits is refused, another runs and sends
    its two numbers, and the learner says what comes of two that meet.
    """
    taken: list[bytes] = []
    page.locator(".ac-you-run").dispatch_event("click")
    for _ in range(2):  # the product and the sigmoid, which are not filmed
        page.keyboard.press("p")
        page.clock.run_for(3000)
    card = {**page.locator(".ac-view").bounding_box(), "height": HEIGHT}

    def rest(time: int) -> None:
        taken.extend([page.screenshot(clip=card)] * (time // FRAME))

    def click(selector: str, time: int) -> None:
        page.locator(selector).dispatch_event("click")
        page.clock.run_for(500)
        rest(time)

    rest(BEFORE)
    click(UPPER, READ)
    click(ADD, SHORT)
    click("[data-text='−0.111']", READ)
    click("[data-text='−0.222']", SHORT)  # to the upper product
    click("[data-text='−0.222']", READ)  # and to c
    page.locator("[data-text='0.110']").dispatch_event("click")
    for _ in range(2 * EVENT // FRAME):
        page.clock.run_for(FRAME)
        taken.append(page.screenshot(clip=card))
    rest(AFTER)
    return taken


def film() -> bytes:
    """The animation. Raises ValueError if it is larger than a README should carry."""
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        saved = Path(folder) / "step.html"
        view().save(saved)
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.clock.install()
        page.goto(saved.as_uri())
        page.add_style_tag(content=STYLE)
        page.clock.run_for(1000)
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))
        runs = [(png, FRAME * len(list(same))) for png, same in itertools.groupby(frames(page))]
    first, *others = (Image.open(io.BytesIO(png)).convert("RGB") for png, _ in runs)
    written = io.BytesIO()
    first.save(
        written,
        "WEBP",
        save_all=True,
        append_images=others,
        duration=[time for _, time in runs],
        loop=0,
        quality=80,
        method=4,
        xmp=drawn(),
    )
    if written.tell() > MOST:
        raise ValueError(
            f"the picture has {written.tell():,} bytes, above {MOST:,}: show fewer events"
        )
    return written.getvalue()


if __name__ == "__main__":
    PICTURE.write_bytes(film())
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")

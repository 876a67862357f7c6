"""The moving picture on top of the README: what arrives at u? Two numbers, a guess, the sum.

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
SIZE = {"width": 830, "height": 700}
HEIGHT = 396
FRAME = 60  # milliseconds
BEFORE, ASKED, ANSWERED, EVENT, AFTER = 420, 1980, 720, 2580, 900
# The question keeps its place when it is answered; the timeline is left out.
STYLE = """.ac-ask[hidden] { display: flex !important; visibility: hidden; }
.ac-footer, .ac-strip, .ac-header { display: none !important; }"""
MOST = 1_000_000  # bytes


def drawn() -> bytes:
    """What tells one view from another: the hash of its still."""
    return hashlib.sha256(view().svg().encode()).hexdigest().encode()


def frames(page: Page) -> list[bytes]:
    """A PNG for every `FRAME` milliseconds: two gradients on their way to `u`, the question, the
    answer, the addition.
    """
    taken: list[bytes] = []
    card = {**page.locator(".ac-stage").bounding_box(), "height": HEIGHT}

    def rest(time: int) -> None:
        taken.extend([page.screenshot(clip=card)] * (time // FRAME))

    rest(BEFORE)
    page.locator(".ac-play").dispatch_event("click")
    page.clock.run_for(FRAME)
    rest(ASKED)
    page.get_by_role("radio", name="0.110").check()
    rest(ANSWERED)
    page.get_by_role("button", name="Go on").click()
    for _ in range(EVENT // FRAME):
        page.clock.run_for(FRAME)
        taken.append(page.screenshot(clip=card))
    page.locator(".ac-play").dispatch_event("click")
    page.clock.run_for(FRAME)
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

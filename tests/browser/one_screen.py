"""What must hold of every step view, whatever the lesson: measured on the page.

On a laptop, the running node, its sentence and the play button are visible together. The loss is
visible too if the graph has up to six operations and the panel is beside it. No edge runs through a
label, nothing scrolls sideways on a narrow page, and no number is cut. The canvas of a graph with
more than 30 nodes scrolls, and its numbers may cover other lines, so neither is checked there."""

from playwright.sync_api import Page

from tests.browser.page import drawn

LAPTOP = (1280, 768)
NARROW = (800, 800)
PHONE = (364, 844)  # a page of the site on a screen of 390
SETTLE_MS = 250

EDGES = """root => {
  const label = (part) => part.textContent.replace(/\\s+/g, ' ').trim().slice(0, 40);
  const lines = [...root.querySelectorAll('.ac-edge')].map((edge) => {
    const line = edge.querySelector('.ac-line'), length = line.getTotalLength(), at = line.getScreenCTM();
    const points = Array.from({ length: Math.ceil(length / 4) + 1 }, (_, i) => line.getPointAtLength(i * 4));
    return { edge, points: points.map((point) => point.matrixTransform(at)) };
  });
  const seen = (part) => getComputedStyle(part).visibility === 'visible' && part.textContent.trim();
  const boxes = [...root.querySelectorAll('.ac-node .ac-box')].map((box) => box.getBoundingClientRect());
  const inside = ({ x, y }, box, by) => x > box.left + by && x < box.right - by && y > box.top + by && y < box.bottom - by;
  const middle = (box) => ({ x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 });
  const faults = [];
  for (const part of root.querySelectorAll('.ac-source text, .ac-slot, .ac-start text, .ac-tab, .ac-legend text, .ac-pill')) {
    if (!seen(part)) continue;
    const box = part.getBoundingClientRect();
    const pill = part.classList.contains('ac-pill');
    if (getComputedStyle(part).paintOrder === 'stroke') continue;  // on a phone lines pass beneath it
    if (pill && root.querySelector('.ac-large-canvas')) continue;
    for (const { edge, points } of lines) {
      if (pill && points.some((point) => inside(point, { left: middle(box).x - 3, right: middle(box).x + 3,
        top: middle(box).y - 3, bottom: middle(box).y + 3 }, 0))) continue;
      if (points.some((point) => inside(point, box, 1.5))) faults.push(`an edge runs through "${label(part)}"`);
    }
  }
  return [...new Set(faults)];
}"""

CUT = """root => {
  const faults = [];
  const edge = (part) => part.getBoundingClientRect();
  for (const part of root.querySelectorAll('.ac-node .ac-number, .ac-pill text, .ac-panel td, .ac-strip td')) {
    if (/[\\d.−e]…/.test(part.textContent)) faults.push(`cut: ${part.textContent}`);
  }
  for (const box of root.querySelectorAll('.ac-node')) {
    const ground = box.querySelector('.ac-part, .ac-box');
    if (!ground || getComputedStyle(box).visibility !== 'visible') continue;
    const parts = [...box.querySelectorAll('.ac-box, .ac-part')].map(edge);
    const right = Math.max(...parts.map((each) => each.right)), left = Math.min(...parts.map((each) => each.left));
    for (const number of box.querySelectorAll('.ac-number')) {
      const { left: from, right: to, width } = edge(number);
      if (width && (from < left - 1 || to > right + 1)) faults.push(`outside of its box: ${number.textContent}`);
    }
    const value = box.querySelector('.ac-value'), gradient = box.querySelector('.ac-gradient');
    if (value && gradient && edge(value).width && edge(gradient).width && edge(value).right > edge(gradient).left + 1) {
      faults.push(`${value.textContent} runs into ${gradient.textContent}`);
    }
  }
  for (const cell of root.querySelectorAll('.ac-panel td, .ac-panel th, .ac-strip td')) {
    if (cell.clientWidth && cell.scrollWidth > cell.clientWidth + 1) faults.push(`no room: ${cell.textContent}`);
  }
  return [...new Set(faults)];
}"""

SIDEWAYS = """root => [root, ...root.querySelectorAll('.ac-panel, .ac-main, .ac-footer, .ac-header, .ac-scroller')]
  .filter((part) => !part.classList.contains('ac-large-canvas') && part.clientWidth
    && part.scrollWidth > part.clientWidth + 1)
  .map((part) => `${part.className} scrolls sideways: ${part.scrollWidth} in ${part.clientWidth}`)"""

WHOLE = """root => {
  const room = root.querySelector('.ac-scroller'), rows = root.querySelectorAll('.ac-operation, .ac-severed').length;
  if (rows > 6 || root.classList.contains('ac-below') || room.classList.contains('ac-large-canvas') || room.scrollHeight <= room.clientHeight + 1) return [];
  return [`the loss is out of sight: ${room.scrollHeight} in ${room.clientHeight}`];
}"""

TOGETHER = """root => {
  const room = document.querySelector('.jp-WindowedPanel-outer, .jp-Notebook')?.getBoundingClientRect()
    ?? { height: innerHeight };
  const boxes = { node: root.querySelector('.ac-current.ac-node'), play: root.querySelector('.ac-play'),
    sentence: [...root.querySelectorAll('.ac-sentence')].find((each) => each.getClientRects().length) };
  const faults = Object.entries(boxes).filter(([, part]) => !part).map(([name]) => `there is no ${name}`);
  const places = Object.values(boxes).filter(Boolean).map((part) => part.getBoundingClientRect());
  const height = Math.max(...places.map(({ bottom }) => bottom)) - Math.min(...places.map(({ top }) => top));
  if (height > room.height) faults.push(`node, sentence and play take ${height} of ${room.height} pixels`);
  for (const [name, part] of Object.entries(boxes)) {
    for (let around = part?.parentElement; around && around !== root; around = around.parentElement) {
      if (getComputedStyle(around).overflowY === 'visible') continue;
      const { top, bottom } = around.getBoundingClientRect(), box = part.getBoundingClientRect();
      if (box.top < top - 1 || box.bottom > bottom + 1) faults.push(`the ${name} is scrolled out of sight`);
    }
  }
  return faults;
}"""


def faults(page: Page, sizes=(LAPTOP, NARROW)) -> list[str]:
    """The faults of all step views of a page, at each size and at two events: the last one and the
    one that the keys below reach. The list is empty if there are none. Nothing moves meanwhile: what
    moves is measured in test_motion.py.
    """
    before, found = page.viewport_size, []
    page.emulate_media(reduced_motion="reduce")
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(SETTLE_MS)
        drawn(page)
        views = page.locator(".ac-view:has(.ac-picture)")
        for number in range(views.count()):
            view = views.nth(number)
            if not view.is_visible():
                continue
            view.scroll_into_view_if_needed()
            name = view.get_attribute("aria-label").split(",")[0]
            for keys in (
                ("End",),
                ("Home", *("Shift+ArrowRight",) * 3, "ArrowRight", "ArrowRight"),
            ):
                view.locator(".ac-track").evaluate("each => each.focus({ preventScroll: true })")
                for key in keys:
                    page.keyboard.press(key)
                drawn(page)
                checks = [EDGES, CUT, SIDEWAYS] + (
                    [TOGETHER, WHOLE] if (width, height) not in (NARROW, PHONE) else []
                )
                event = view.locator(".ac-track").get_attribute("aria-valuenow")
                found += [
                    f"{width}×{height}, {name}, event {event}: {fault}"
                    for check in checks
                    for fault in view.evaluate(check)
                ]
    page.set_viewport_size(before)
    page.emulate_media(reduced_motion="no-preference")
    return list(dict.fromkeys(found))

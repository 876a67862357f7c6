"""The contract of all widgets on a page: it fits a phone, the keyboard reaches every part, plain keys
stay in the widget, names that people type are text, and readers who listen, who see low contrast or
who choose the colors of all pages miss nothing. Each rule also finds a planted fault.
"""

import pytest

from autograd_core.lessons.questions import quiz as quiz_module
from autograd_core.lessons.widgets.race import race
from autograd_core.widgets import GraphView, explore
from tests.browser.lab import SIZE
from tests.browser.page import drawn
from tests.widgets.large_traces import transformer
from tests.widgets.sample_traces import logistic, product
from tests.widgets.test_contract import HOSTILE, MAKERS, NAMED

PHONE = {"width": 390, "height": 844}
VIEWS = {
    "logistic": lambda: GraphView(logistic(), event=15),
    "product": lambda: GraphView(product(), event=-1),
    "transformer": lambda: GraphView(transformer(), event=60),
    **{kind.__name__: make for kind, make in MAKERS.items()},
}
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT = """() => [...document.querySelectorAll(".ac-root :is(button, label)")]
  .filter((each) => each.checkVisibility() && each.clientWidth && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.outerHTML.slice(0, 200))"""
"""The words on a button or of a setting that are cut."""
SMALL = """() => {
  const found = [], texts = document.createTreeWalker(document.querySelector(".ac-view") ?? document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement: part } = texts.currentNode, range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    if (!data.trim() || part.closest("title") || !part.checkVisibility({ visibilityProperty: true })
      || range.getBoundingClientRect().width < 2) continue;
    const { a = 1, b = 0 } = part.getScreenCTM?.() ?? {};
    const size = parseFloat(getComputedStyle(part).fontSize) * Math.hypot(a, b);
    if (size < 10.99) found.push([data.trim(), Math.round(10 * size) / 10]);
  }
  return found;
}"""
"""The text that is smaller than 11 pixels on the screen, in a scaled picture too."""
CONTROLS = """() => [...document.querySelectorAll(
    "button, input, select, textarea, [role=slider], [role=switch], [role=button]")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled)"""
UNNAMED = f"""() => ({CONTROLS})().filter((each) => !(each.getAttribute("aria-label")
    || each.getAttribute("aria-labelledby") || each.title || each.textContent.trim()
    || each.labels?.length)).map((each) => each.outerHTML.slice(0, 200))"""
WATCH_KEYS = """() => {
  window.passed = [];
  document.onkeydown = (event) => { if (event.key !== "Tab") passed.push(event.key); };
}"""
FOCUSED = """() => {
  const at = document.activeElement;
  return at === document.body ? "" : [...document.querySelectorAll("*")].indexOf(at);
}"""
MISNAMED = """() => {
  const words = (text) => text.normalize("NFKD").replace(/\\([^()]*\\)/g, "").toLowerCase()
    .match(/[\\p{L}\\p{N}]+/gu) ?? [];
  const shown = (part) => !part.checkVisibility({ visibilityProperty: true }) || part.tagName === "title" ? ""
    : [...part.childNodes].map((each) => each.nodeType === 3 ? each.nodeValue : shown(each)).join("");
  return [...document.querySelectorAll(
    ":is(button, [role=button], [role=tab], [role=switch], [role=gridcell])[aria-label]")]
    .map((each) => [shown(each), each.getAttribute("aria-label")])
    .filter(([text, name]) => !` ${words(name).join(" ")} `.includes(` ${words(text).join(" ")} `)
      && text.trim().length > 1);
}"""
"""The rule "label-content-name-mismatch": the visible text of a button is in its accessible name."""
ORPHANS = """() => {
  const rows = ["row", "rowgroup", "caption"], cells = ["cell", "gridcell", "rowheader", "columnheader"];
  const allowed = { table: rows, grid: rows, rowgroup: ["row"], row: cells, tablist: ["tab"], list: ["listitem"] };
  const below = (part) => [...part.children].flatMap((each) => {
    const role = each.getAttribute("role");
    return role && role !== "presentation" ? [role] : below(each);
  });
  return [...document.querySelectorAll(Object.keys(allowed).map((role) => `[role=${role}]`))].flatMap((part) => {
    const role = part.getAttribute("role"), found = below(part);
    return found.length ? found.filter((each) => !allowed[role].includes(each)) : [`empty ${role}`];
  });
}"""
"""The rule "aria-required-children": the roles that may not be in a table, a row or a list."""
UNREACHED_BY_KEYS = """() => [...document.querySelectorAll(".ac-view, .ac-view *")].filter((each) => {
  const { overflowX, overflowY } = getComputedStyle(each), scrolls = (way) => /auto|scroll/.test(way);
  const isCut = scrolls(overflowY) && each.scrollHeight > each.clientHeight + 1
    || scrolls(overflowX) && each.scrollWidth > each.clientWidth + 1;
  return isCut && each.tabIndex < 0 && !each.querySelector("button, input, a, select, textarea, [tabindex]");
}).map((each) => each.className)"""
"""The rule "scrollable-region-focusable": parts that scroll and that no key reaches."""
CONTRAST = """const pencil = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
    .getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      pencil.clearRect(0, 0, 1, 1);
      pencil.fillStyle = "black";
      pencil.fillStyle = color;
      pencil.fillRect(0, 0, 1, 1);
      known.set(color, [...pencil.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(color);
  };
  const rgb = (color) => rgba(color).slice(0, 3);
  const light = (color) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const part = color[i] / 255;
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0.05);
  const contrast = (a, b) => Math.max(light(a), light(b)) / Math.min(light(a), light(b));
  const named = (name) => rgb(getComputedStyle(document.querySelector(".ac-view")).getPropertyValue(`--ac-${name}`));"""
FAINT = f"""() => {{
  {CONTRAST}
  const ground = (each) => {{
    if (!each) return [255, 255, 255];
    const {{ backgroundColor: color, backgroundImage: image }} = getComputedStyle(each), share = rgba(color)[3] / 255;
    if (image !== "none") return null;
    if (share === 1) return rgb(color);
    const behind = ground(each.parentElement);
    return behind && rgb(color).map((part, i) => share * part + (1 - share) * behind[i]);
  }};
  const hasText = (each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.nodeValue.trim());
  return [...document.querySelectorAll(".ac-view *:not(svg, svg *, :disabled, option)")].flatMap((each) => {{
    if (!hasText(each) || !each.checkVisibility({{ visibilityProperty: true, opacityProperty: true }})) return [];
    const behind = ground(each), left = behind && contrast(rgb(getComputedStyle(each).color), behind);
    return behind && left < 4.5 ? [[each.textContent, Math.round(100 * left) / 100]] : [];
  }});
}}"""
"""The rule "color-contrast": the HTML text with a contrast below 4.5, outside of pictures."""
DIM = f"""() => {{
  {CONTRAST}
  const card = named("card"), rules = (list) => [...list].flatMap((rule) => [rule, ...rules(rule.cssRules ?? [])]);
  return rules([...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])).flatMap((rule) => {{
    const opacity = Number(rule.style?.opacity || 1);
    if (opacity === 0 || opacity === 1) return [];
    const ink = named(/disabled/.test(rule.selectorText) ? "text" : "text3");
    const mixed = ink.map((part, i) => opacity * part + (1 - opacity) * card[i]);
    return [[rule.selectorText, contrast(mixed, card)]];
  }});
}}"""
"""Each rule that dims, with the contrast that is left: of text in a disabled button, else of the
palest text."""
UNSEEN = f"""() => {{
  {CONTRAST}
  const seen = (each) => each.checkVisibility({{ visibilityProperty: true }});
  const pictures = [...document.querySelectorAll(".ac-view :is(svg:not([aria-hidden]), canvas, td[style])")];
  const pressed = [...document.querySelectorAll(".ac-view button[aria-pressed=true]")];
  return [
    ...pictures.filter((each) => getComputedStyle(each).forcedColorAdjust !== "none"),
    ...pictures.filter((each) => each.matches("svg")
      && contrast(rgb(getComputedStyle(each).backgroundColor), named("card")) > 1),
    ...pressed.filter((each) => getComputedStyle(each).outlineStyle !== "solid"),
  ].filter(seen).map((each) => each.outerHTML.slice(0, 200));
}}"""
"""What loses its colors where the reader has chosen those of all pages."""


@pytest.fixture
def opened(show, tmp_path, monkeypatch):
    monkeypatch.setattr(quiz_module, "answers_file", lambda: tmp_path / "quiz.json")

    def opened(name, **options):
        page = show(VIEWS[name](), kernel=True, **options)
        page.evaluate("() => { delete document.body.dataset.jpThemeLight; }")
        drawn(page)
        return page

    return opened


def stops(page, most=60):
    """How many places the Tab key reaches before it leaves the page or comes round. At each of them
    a plain key is pressed; `passed` has the keys that left the widget.
    """
    page.evaluate(WATCH_KEYS)
    seen = []
    for _ in range(most):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at == "" or at in seen:
            break
        seen.append(at)
        page.keyboard.press("x")
    return len(seen)


@pytest.mark.parametrize("name", VIEWS)
def test_a_widget_keeps_the_contract(opened, name):
    page = opened(name, viewport=PHONE)
    assert page.evaluate(SIDEWAYS) <= 0
    assert page.evaluate(UNNAMED) == [] == page.evaluate(CUT) == page.evaluate(SMALL)
    for size in (PHONE, SIZE):
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            drawn(page)
            assert page.evaluate(FAINT) == [], (size, scheme)
        for rule in (MISNAMED, ORPHANS, UNREACHED_BY_KEYS):
            assert page.evaluate(rule) == [], size
    page.emulate_media(color_scheme="light", forced_colors="active")
    assert page.evaluate(UNSEEN) == []
    page.emulate_media(forced_colors="none")
    if page.evaluate(f"() => ({CONTROLS})().length"):
        assert stops(page) > 0
        assert page.evaluate("passed") == []


def test_planted_faults_are_found(opened, show):
    page = opened("transformer")
    page.locator(".ac-heat-table td").first.evaluate(
        "cell => { cell.style.color = 'white'; cell.style.background = '#C76121'; }"
    )
    assert [left for _, left in page.evaluate(FAINT)] == [pytest.approx(4.06, abs=0.02)]
    page.locator(".ac-panel p").first.evaluate(
        """part => { part.innerHTML = '<b role=table><b role=img></b></b><b role=row></b><br><br>';
          part.style = 'height: 9px; overflow: auto'; }"""
    )
    assert page.evaluate(ORPHANS) == ["img", "empty row"]
    assert len(page.evaluate(UNREACHED_BY_KEYS)) == 1
    page.locator(".ac-node").nth(1).evaluate("part => part.setAttribute('aria-label', 'a box')")
    assert [name for _, name in page.evaluate(MISNAMED)] == ["a box"]
    assert page.evaluate(SMALL) == []
    page.locator(".ac-node .ac-value").first.evaluate("part => { part.style.fontSize = '10px'; }")
    assert len(page.evaluate(SMALL)) == 1
    page.locator(".ac-view .ac-button").first.evaluate(
        "button => { button.textContent = 'A long name'; button.style = 'display: block; width: 9px'; }"
    )
    assert len(page.evaluate(CUT)) == 1

    page = show(viewport=PHONE)
    page.evaluate("() => { document.body.innerHTML = '<button tabindex=-1></button>'; }")
    assert len(page.evaluate(UNNAMED)) == 1 and stops(page) == 0
    page.evaluate("() => { document.body.innerHTML = '<button>leaks</button>'; }")
    assert stops(page) == 1 and page.evaluate("passed") == ["x"]
    page.evaluate("() => { document.body.innerHTML = '<p style=\"width: 900px\">wide</p>'; }")
    assert page.evaluate(SIDEWAYS) > 0


def test_hostile_names_are_text(show):
    page = show(*(make(HOSTILE) for make in NAMED.values()), kernel=True)
    texts = page.locator("body > div").all_text_contents()
    assert [name for name, text in zip(NAMED, texts, strict=True) if "</title></" not in text] == []
    assert page.locator("img, [onerror], body script:not([type])").count() == 0


def test_dimmed_parts_keep_a_contrast_of_three(opened):
    page = opened(race.__name__)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        dimmed = page.evaluate(DIM)
        assert len(dimmed) > 4 and [each for each in dimmed if each[1] < 3] == [], scheme
    page.add_style_tag(
        content=".ac-late { opacity: 0.4; } .ac-race-map [data-part] { opacity: 0.12; }"
    )
    assert [name for name, left in page.evaluate(DIM) if left < 3] == [
        ".ac-late",
        ".ac-race-map [data-part]",
    ]


def test_edges_selection_and_focus_are_seen_where_colors_are_forced(opened):
    page = opened("logistic", forced_colors="active")
    page.locator(".ac-node[aria-label^=Log]").click()
    page.keyboard.press("ArrowUp")
    drawn(page)
    contrasts = f"""parts => {{
      {CONTRAST}
      return parts.map((each) => contrast(rgb(getComputedStyle(each).stroke), named("card")));
    }}"""
    for part in (
        ".ac-edge.ac-ran .ac-line",
        ".ac-selected .ac-ring",
        ".ac-node:focus-visible .ac-focus",
    ):
        found = page.locator(part).evaluate_all(contrasts)
        assert found and min(found) >= 3, part
    page.locator(".ac-play").focus()
    page.keyboard.press("ArrowDown")
    focused = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert focused == "solid"
    page.add_style_tag(content=".ac-view svg.ac-picture { forced-color-adjust: auto !important; }")
    assert len(page.evaluate(UNSEEN)) == 1


def loss_of(a, b, c):
    return (a * b + c) ** 2


UNREACHED = """() => [...document.querySelectorAll(".ac-slopes input[type=range]")].filter((slider) => {
  slider.scrollIntoView({ block: "center" });
  const { left, width, top, height } = slider.getBoundingClientRect();
  return [0.1, 0.5, 0.9].some((part) =>
    document.elementFromPoint(left + part * width, top + height / 2) !== slider);
}).length"""


def test_the_mouse_reaches_the_sliders_of_explore(show):
    view = explore(loss_of, a=(-0.5, -2.5, 2.5), b=(2.0, -2.5, 2.5), c=(-0.2, -2.5, 2.5))
    page = show(view, kernel=True)
    assert page.locator(".ac-slopes input[type=range]").count() == 3
    for width in (1280, 800, 390):
        page.set_viewport_size({"width": width, "height": 844})
        drawn(page)
        assert page.evaluate(UNREACHED) == 0, width
    page.locator(".ac-slopes").evaluate(
        "slopes => { slopes.querySelectorAll('input[type=range]').forEach((each) => each.inert = true); }"
    )
    assert page.evaluate(UNREACHED) == 3

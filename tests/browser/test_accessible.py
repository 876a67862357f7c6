"""The sample views for readers who listen, who see low contrast, or who choose the colors of all
pages: names, roles, contrast, scrolling, dimmed parts and forced colors. Each rule also finds a
planted fault.
"""

import pytest

from autograd_core.lessons.questions import quiz as quiz_module
from autograd_core.lessons.widgets.paint import paint
from autograd_core.lessons.widgets.race import race
from autograd_core.widgets import GraphView, explore
from tests.browser.page import drawn
from tests.widgets.large_traces import transformer
from tests.widgets.sample_traces import logistic, product
from tests.widgets.test_contract import MAKERS

VIEWS = {
    "logistic": lambda: GraphView(logistic(), event=15),
    "product": lambda: GraphView(product(), event=-1),
    "transformer": lambda: GraphView(transformer(), event=60),
    **{kind.__name__: make for kind, make in MAKERS.items()},
}
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
CONTRAST = """const rgb = (color) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (color) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const part = color[i] / 255;
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0.05);
  const contrast = (a, b) => Math.max(light(a), light(b)) / Math.min(light(a), light(b));
  const named = (name) => rgb(getComputedStyle(document.querySelector(".ac-view")).getPropertyValue(`--ac-${name}`));"""
FAINT = f"""() => {{
  {CONTRAST}
  const pencil = Object.assign(document.createElement("canvas"), {{ width: 1, height: 1 }})
    .getContext("2d", {{ willReadFrequently: true }});
  const opaque = (color) => {{
    pencil.clearRect(0, 0, 1, 1);
    pencil.fillStyle = color;
    pencil.fillRect(0, 0, 1, 1);
    return pencil.getImageData(0, 0, 1, 1).data[3] / 255;
  }};
  const ground = (each) => {{
    if (!each) return [255, 255, 255];
    const {{ backgroundColor: color, backgroundImage: image }} = getComputedStyle(each), share = opaque(color);
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
        drawn(page)
        return page

    return opened


@pytest.mark.parametrize("name", VIEWS)
def test_an_accessible_name_has_the_visible_text(opened, name):
    page = opened(name)
    assert page.evaluate(MISNAMED) == []
    page.set_viewport_size({"width": 390, "height": 844})
    drawn(page)
    assert page.evaluate(MISNAMED) == []


@pytest.mark.parametrize(
    "name, parts",
    [
        ("logistic", ".ac-node"),
        (paint.__name__, "[role=gridcell]"),
    ],
)
def test_a_planted_name_is_found(opened, name, parts):
    page = opened(name)
    page.locator(parts).nth(1).evaluate("part => part.setAttribute('aria-label', 'a box')")
    assert [name for _, name in page.evaluate(MISNAMED)] == ["a box"]


@pytest.mark.parametrize("name", VIEWS)
def test_roles_contrast_and_scrolling(opened, name):
    page = opened(name)
    page.evaluate("() => { delete document.body.dataset.jpThemeLight; }")
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)
        drawn(page)
        assert page.evaluate(ORPHANS) == []
        assert page.evaluate(FAINT) == [], (width, scheme)
        assert page.evaluate(UNREACHED_BY_KEYS) == [], width
    page.emulate_media(color_scheme=None)


def test_planted_roles_contrast_and_scrolling_are_found(opened):
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dimmed_parts_keep_a_contrast_of_three(show, scheme):
    page = show(MAKERS[race](), kernel=True, color_scheme=scheme)
    page.evaluate("() => { delete document.body.dataset.jpThemeLight; }")
    dimmed = page.evaluate(DIM)
    assert len(dimmed) > 4 and [each for each in dimmed if each[1] < 3] == []
    page.add_style_tag(
        content=".ac-late { opacity: 0.4; } .ac-race-map [data-part] { opacity: 0.12; }"
    )
    assert [name for name, left in page.evaluate(DIM) if left < 3] == [
        ".ac-late",
        ".ac-race-map [data-part]",
    ]


@pytest.mark.parametrize("name", VIEWS)
def test_pictures_keep_their_colors_where_colors_are_forced(opened, name):
    page = opened(name, forced_colors="active")
    assert page.evaluate(UNSEEN) == []


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


@pytest.mark.parametrize("width", [1280, 800, 390])
def test_the_mouse_reaches_the_sliders_of_explore(show, width):
    view = explore(loss_of, a=(-0.5, -2.5, 2.5), b=(2.0, -2.5, 2.5), c=(-0.2, -2.5, 2.5))
    page = show(view, kernel=True, viewport={"width": width, "height": 844})
    drawn(page)
    assert page.locator(".ac-slopes input[type=range]").count() == 3
    assert page.evaluate(UNREACHED) == 0
    page.locator(".ac-slopes").evaluate(
        "slopes => { slopes.querySelectorAll('input[type=range]').forEach((each) => each.inert = true); }"
    )
    assert page.evaluate(UNREACHED) == 3

"""A view is light or dark as the front end is that it stands in; else as the reader's system is."""

from autograd_core.widgets import GraphView
from tests.widgets.sample_traces import logistic, product

THEMES = [
    ({"vscodeThemeKind": "vscode-dark"}, "light", "rgb(23, 27, 32)"),
    ({"vscodeThemeKind": "vscode-high-contrast"}, "light", "rgb(23, 27, 32)"),
    ({"vscodeThemeKind": "vscode-light"}, "dark", "rgb(255, 255, 255)"),
    ({"vscodeThemeKind": "vscode-high-contrast-light"}, "dark", "rgb(255, 255, 255)"),
    ({"jpThemeLight": "false"}, "light", "rgb(23, 27, 32)"),
    ({"jpThemeLight": "true"}, "dark", "rgb(255, 255, 255)"),
    ({}, "light", "rgb(255, 255, 255)"),
    ({}, "dark", "rgb(23, 27, 32)"),
]


def test_the_front_end_tells_light_from_dark_and_else_the_readers_system(show):
    page = show(GraphView(product(), event=5), color_scheme="light")
    for marks, system, ground in THEMES:
        page.emulate_media(color_scheme=system)
        page.evaluate(
            """marks => { delete document.body.dataset.jpThemeLight;
          delete document.body.dataset.vscodeThemeKind; Object.assign(document.body.dataset, marks); }""",
            marks,
        )
        found = page.evaluate(
            "getComputedStyle(document.querySelector('.ac-view')).backgroundColor"
        )
        assert found == ground, (marks, system)


BACKWARD = ":is(.ac-phase rect, .ac-rail, .ac-dot, .ac-playhead circle, .ac-band.ac-now .ac-bar)"
INKS = """([parts, words]) => {
  const orange = ["gradient", "gradient-solid"].map((name) => {
    const probe = document.querySelector(".ac-view").appendChild(document.createElement("i"));
    probe.style.color = `var(--ac-${name})`;
    return getComputedStyle(probe).color;
  });
  const inks = (part) => {
    const { fill, stroke, color } = getComputedStyle(part);
    return part.matches("svg *") ? [fill, stroke] : [color];
  };
  const found = [...document.querySelectorAll(`${parts}, ${words}`)];
  return [found.length, found.filter((part) => inks(part).some((ink) => orange.includes(ink))).length];
}"""


def test_orange_is_the_sign_of_a_number_and_never_the_direction_backward(show):
    page = show(GraphView(logistic(), event=15))
    words = ".ac-panel h3 span, .ac-rule span"
    count, orange = page.evaluate(INKS, [BACKWARD, words])
    assert count > 30 and orange == 0
    page.add_style_tag(content=".ac-view .ac-rule span { color: var(--ac-gradient) !important; }")
    assert page.evaluate(INKS, [BACKWARD, words])[1] > 0

"""A view is light or dark as the front end is that it stands in; else as the reader's system is."""

from autograd_core.widgets import GraphView
from tests.widgets.sample_traces import product

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

"""One palette for every widget and figure: blue for values, orange for positive gradients and norms,
violet for negative gradients, gray for masked elements and frozen parameters.

`LIGHT["value"]` gives a figure its color. The outermost element of a widget has the class `ac-root`.
Inside it, `var(--ac-value)` follows JupyterLab's theme, or the reader's system elsewhere.
"""

LIGHT = {
    "card": "#FFFFFF",
    "page": "#F4F5F7",
    "text": "#1A1D21",
    "text2": "#4A525E",
    "text3": "#636B77",
    "value": "#14559E",
    "value-tint": "#EAF2FC",
    "gradient": "#A83F00",
    "gradient-tint": "#FFF1E4",
    "gradient-solid": "#B84500",
    "gradient-on-solid": "#FFFFFF",
    "negative": "#6E40C9",
    "negative-tint": "#F3EDFF",
    "negative-border": "#B79AEF",
    "negative-solid": "#8250DF",
    "masked": "#5F6772",
    "masked-tint": "#ECEEF1",
    "frozen": "#4E6272",
    "frozen-tint": "#E8EEF2",
    "error": "#A3005C",
    "error-tint": "#FDEAF4",
    "agreed": "#00665C",
    "series-1": "#6A46A8",
    "series-2": "#00746A",
    "series-3": "#856200",
    "border": "#8A93A0",
    "border-quiet": "#D5D9E0",
}

DARK = {
    "card": "#171B20",
    "page": "#0D0F12",
    "text": "#ECEFF3",
    "text2": "#B9C1CC",
    "text3": "#98A2AF",
    "value": "#86BBFA",
    "value-tint": "#152A42",
    "gradient": "#FFA45E",
    "gradient-tint": "#3A2311",
    "gradient-solid": "#FFA45E",
    "gradient-on-solid": "#15100B",
    "negative": "#A97FFF",
    "negative-tint": "#2A2044",
    "negative-border": "#6F57A6",
    "negative-solid": "#A97FFF",
    "masked": "#9AA3AE",
    "masked-tint": "#2A3038",
    "frozen": "#9DB6C8",
    "frozen-tint": "#22303A",
    "error": "#FF8CC6",
    "error-tint": "#401530",
    "agreed": "#5FD0C0",
    "series-1": "#B79BF0",
    "series-2": "#4FC3B5",
    "series-3": "#D9B44A",
    "border": "#7C8794",
    "border-quiet": "#343B45",
}

RAMPS = {
    "value": ("#CFE0F3 #93B9E2 #4E86C4 #14559E", "#293D54 #44688F #6A97CF #86BBFA"),
    "positive": ("#F8DCC4 #EBAF80 #D57A3E #B84500", "#553319 #844F26 #B66D32 #E68A3F"),
    "negative": ("#E6DBFA #C6AEF2 #A37EE8 #8250DF", "#433360 #674F97 #8E6CD1 #B38BFF"),
}
"""The colors of a map at 1/4 to 4/4 of full size, light and dark. 0 has the color `card`. A positive
and a negative number of the same size are equally light."""

FONT = '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
NARROW_FONT = FONT.replace("sans-serif", '"DejaVu Sans Condensed", sans-serif')
"""A narrow font for boxes, for a Linux without the other fonts, whose `sans-serif` is wide."""
MONO = 'ui-monospace, "SFMono-Regular", "Liberation Mono", Menlo, Consolas, monospace'


def _declarations(palette: dict[str, str], scheme: str) -> str:
    """`palette` as custom properties, and the ramps as `--ac-positive-1` to `--ac-positive-4`."""
    colours = {**palette}
    for name, stops in RAMPS.items():
        for i, colour in enumerate(stops[scheme == "dark"].split(), 1):
            colours[f"{name}-{i}"] = colour
    return f"color-scheme: {scheme}; " + " ".join(f"--ac-{n}: {c};" for n, c in colours.items())


def palette_css(in_jupyter: bool = True) -> str:
    """The palette as CSS custom properties on `.ac-root`.

    JupyterLab and Notebook 7 mark their theme in `<body data-jp-theme-light>`, and VS Code in
    `data-vscode-theme-kind`. Elsewhere, the reader's system decides. The body is inside of `:is`,
    because the style of one version's widgets (js/kit/loader.js) begins below it."""
    light, dark = _declarations(LIGHT, "light"), _declarations(DARK, "dark")
    themes = f"""\
:is(body:is([data-jp-theme-light="true"], [data-vscode-theme-kind$="light"]) .ac-root) {{ {light} }}
:is(body:is([data-jp-theme-light="false"],
            [data-vscode-theme-kind$="dark"], [data-vscode-theme-kind$="contrast"]) .ac-root) {{
  {dark}
}}
"""
    return f"""\
.ac-root {{ {light} --ac-font: {FONT}; --ac-narrow-font: {NARROW_FONT}; --ac-mono: {MONO}; }}
@media (prefers-color-scheme: dark) {{ .ac-root {{ {dark} }} }}
{themes * in_jupyter}"""

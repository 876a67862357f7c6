"""Figures of matplotlib in the colors of the theme, as SVG that follows the page's light or dark
theme.
"""

import io
from typing import Any

from .shown import shell
from .theme import DARK, LIGHT

SERIES = ("value", "series-1", "series-2", "series-3", "text", "frozen")
STYLE: dict[str, Any] = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), LIGHT["card"]),
    **dict.fromkeys(("axes.labelcolor", "xtick.color", "ytick.color"), LIGHT["text2"]),
    "text.color": LIGHT["text"],
    "axes.edgecolor": LIGHT["border"],
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LIGHT["border-quiet"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "autograd_core",
}
"""The settings of matplotlib. Without a date, the same figure has the same bytes, and a test of
notebooks compares them.
"""


def figures_in_theme(svg: bool = True) -> None:
    """Give all later figures the style of the theme, and show them as SVG in a notebook.

    Without `svg`, they are light PNG files: for figures with thousands of points or with
    a photograph, and for numbers that another processor may round differently.
    """
    import matplotlib.pyplot
    from matplotlib.figure import Figure
    from matplotlib.rcsetup import cycler

    matplotlib.style.use(
        {**STYLE, "axes.prop_cycle": cycler(color=[LIGHT[name] for name in SERIES])}
    )
    ipython = shell()
    if svg and hasattr(ipython, "kernel"):
        # it sets its own formatters when it is loaded
        matplotlib.pyplot.switch_backend(matplotlib.get_backend())
        formatters = ipython.display_formatter.formatters
        formatters["image/png"].pop(Figure, None)
        formatters["image/svg+xml"].for_type(Figure, svg_of)


def svg_of(figure: Any) -> str:
    """A figure as the text of an SVG file. Only the colors of the palette follow the page's theme."""
    file = io.StringIO()
    figure.savefig(
        file, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
    )
    names = {colour.lower(): name for name, colour in reversed(LIGHT.items())}
    dark = " ".join(
        f'[style*="{key}: {colour}"] {{ {key}: {DARK[name]} !important }}'
        for colour, name in names.items()
        for key in ("fill", "stroke")
    )
    head, defs, rest = file.getvalue().partition("<defs>")
    # the lines before it are only for a separate file
    head = head[head.index("<svg") :]
    return f"{head}<style>@media (prefers-color-scheme: dark) {{ {dark} }}</style>{defs}{rest}"

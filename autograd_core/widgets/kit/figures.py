"""Figures of matplotlib in the theme: its colours, and as SVG that turns dark where its
surroundings do.
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
"""What matplotlib is told; without a date, the same figure is the same bytes, and a test of
notebooks compares them.
"""


def figures_in_theme(svg: bool = True) -> None:
    """From here on figures have the theme's style, and a notebook shows them as SVG.

    Without `svg` they stay PNG, light: for figures of thousands of points or with a photograph in
    them, and for numbers that another processor may round otherwise.
    """
    import matplotlib.pyplot
    from matplotlib.figure import Figure
    from matplotlib.rcsetup import cycler

    matplotlib.style.use(
        {**STYLE, "axes.prop_cycle": cycler(color=[LIGHT[name] for name in SERIES])}
    )
    ipython = shell()
    if svg and hasattr(ipython, "kernel"):
        # which sets its own formatters when loaded
        matplotlib.pyplot.switch_backend(matplotlib.get_backend())
        formatters = ipython.display_formatter.formatters
        formatters["image/png"].pop(Figure, None)
        formatters["image/svg+xml"].for_type(Figure, svg_of)


def svg_of(figure: Any) -> str:
    """A figure as the text of an SVG file. A colour of the palette follows the surroundings, any
    other stays.
    """
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
    # what comes before is for a file of its own
    head = head[head.index("<svg") :]
    return f"{head}<style>@media (prefers-color-scheme: dark) {{ {dark} }}</style>{defs}{rest}"

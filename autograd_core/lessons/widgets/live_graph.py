"""The nodes that are alive after each step of a loop, and the size of their saved tensors."""

from ...widgets.kit.chart import LEFT, Chart
from .curves import curves

NODES, BYTES = "nodes alive", "saved kB"


class live_graph(curves):
    """Curves of NODES and BYTES over the steps of a loop, with a sentence below them. Step 0 is
    before the loop. The values are None from the first step that raises."""

    called = "The live graph"

    @property
    def sentence(self) -> str:
        nodes, saved = (next(iter(panel.lines.values())) for panel in self.panels)
        if nodes[-1] is None:
            step = nodes.index(None)
            said = "Trying to backward through the graph a second time"
            return f"“{said}”: step {step} runs a node of step {step - 1}, which is freed."
        if not nodes[-1]:
            return "Nothing is recorded."
        if nodes[1] == nodes[-1]:
            full = "The last graph stays full until `loss` gets a new value."
            return full if saved[-1] else "Each graph is freed at the next step."
        if not saved[-1]:
            return "The number of nodes grows, but they have no saved tensors."
        if self.settings["backward"] == "no backward":
            return "The number of nodes grows, and their saved tensors are never freed."
        return f"Step {len(nodes) - 1} runs {nodes[-1]:.0f} nodes, and their saved tensors stay."

    def chart(self, width: int) -> Chart:
        chart = super().chart(width)
        chart.height += 28
        ink = "error" if "“" in self.sentence else "text"
        chart.text(self.sentence, LEFT, chart.height - 8, ink, weight=700, size=13)
        return chart

    def __repr__(self) -> str:
        return f"{super().__repr__()}. {self.sentence}"

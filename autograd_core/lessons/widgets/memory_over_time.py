"""Saved memory of a graph, event by event, for several ways to call `backward()`."""

from dataclasses import replace

import traitlets

from ...widgets.kit.agreement import Agreement, compare
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet

MOST = 9  # units, of the axis: it stays when the number of branches changes
LEFT = 4  # percent of a curve's width, for the numbers of the axis
CURVE, STRIP = 62, 18  # height of a curve and of the events below it
GRAPH = 344  # width of a graph
NODE, LINE = (52, 20), 31  # a node, and the distance of two branches
OPENS = 20  # the event that is shown first
STILL = 1000
INKS = {
    "forward": ("value-tint", "value"),
    "backward": ("masked-tint", "text"),
    "trunk": ("text", "card"),
    "deleted": ("card", "text2"),
}
"""The ground and the letter of an event. "trunk" is backward through the trunk."""


class memory_over_time(Live):
    """Draw what `run(branches=...)` returns, {way: {"events", "passes", "gradient"}}, again at
    every change. An event is a dict: the "node" that ran and how ("kind": forward, backward, or
    deleted), the "units" that are saved after it, the "nodes" there are, and those "holding" one.

    ways      {way: its code}
    kinds     the first operation of each branch
    branches  how many there are, as a slider
    """

    view = traitlets.Unicode("memoryOverTime").tag(sync=True)
    called = "Losses on one trunk: four ways to call backward()"

    def __init__(self, run, other=None, *, ways, kinds, **options):
        self.ways, self.kinds = ways, kinds
        unit = "1 unit is the size of h (800 kB)"
        note = f"saved memory in units: {unit}. All ways give the same gradient."
        options.setdefault("note", note)
        super().__init__(run, other, **options)

    def judge(self, ours: dict, theirs: dict) -> Agreement:
        for way, here in ours.items():
            there = theirs[way]["events"]
            if len(here["events"]) != len(there):
                count = f"{len(here['events'])} events here, {len(there)} in PyTorch"
                return Agreement(f"{way} has {count}", True)
            for i, (a, b) in enumerate(zip(here["events"], there), 1):
                if a != b:
                    key = next(key for key in a if a[key] != b[key])
                    said = f"{way}, event {i}: {key} is {a[key]} here, {b[key]} in PyTorch"
                    return Agreement(said, True)
        numbers = (
            {way: {key: each[key] for key in ("passes", "gradient")} for way, each in side.items()}
            for side in (ours, theirs)
        )
        found, count = compare(*numbers), sum(len(each["events"]) for each in ours.values())
        return found if found.differs else replace(found, text=f"{count} events; {found.text}")

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        self.events = {way: each["events"] for way, each in ours.items()}
        self.passes = {way: each["passes"] for way, each in ours.items()}
        self.length = max(map(len, self.events.values()))
        return {
            "length": self.length,
            "opens": min(OPENS, min(map(len, self.events.values()))),
            "left": LEFT,
            "height": CURVE,
            "most": MOST,
            "ways": [
                {
                    "name": way,
                    "code": self.ways[way],
                    "events": events,
                    "peak": self.peak(way),
                    "passes": self.passes[way],
                    "curve": self._curve(way, True).svg(f"Saved memory: {way}"),
                    "graph": self._graph(way, True).svg(f"The graph: {way}"),
                }
                for way, events in self.events.items()
            ],
        }

    def peak(self, way: str) -> int:
        return max(event["units"] for event in self.events[way])

    def _curve(self, way: str, live: bool) -> Sheet:
        """The units over the events, and below it a cell for each event."""
        sheet, events = Sheet(STILL // 2, CURVE + STRIP + 6, live, fluid=True), self.events[way]
        plot = {"x": f"{LEFT}%", "width": f"{100 - LEFT}%", "preserveAspectRatio": "none"}
        with sheet.within(
            "svg",
            **plot,
            y=0,
            height=CURVE,
            viewBox=f"0 0 {self.length} {MOST}",
            overflow="visible",
        ):
            sheet.rect(0, 0, self.length, MOST, fill="text", fill_opacity=0.045)
            steps = "".join(f"V{MOST - each['units']}h1" for each in events)
            pen = {"fill": "none", "stroke_width": 2, "vector_effect": "non-scaling-stroke"}
            for other in self.events if live else ():
                path = "".join(f"V{MOST - each['units']}h1" for each in self.events[other])
                sheet.add("path", d=f"M0 {MOST}{path}", **pen, stroke="border", part="other")
            sheet.add("path", d=f"M0 {MOST}{steps}V{MOST}Z", fill="value-tint")
            sheet.add("path", d=f"M0 {MOST}{steps}", **pen, stroke="value")
            if events[-1]["units"]:
                end = f"M{len(events)} {MOST - events[-1]['units']}V{MOST}"
                sheet.add("path", d=end, **pen, stroke="value", stroke_dasharray="2 3")
        for units in (0, 3, self.peak("One sum" if "One sum" in self.events else way)):
            y = CURVE * (1 - units / MOST)
            sheet.text(str(units), f"{LEFT - 1}%", y + 4, "text2", anchor="end", size=11)
        cells: dict[str, str] = {}
        kinds = [_kind(event) for event in events]
        for i, kind in enumerate(kinds):
            cells[kind] = cells.get(kind, "") + f"M{i + 0.06:g} 0h.88v1h-.88z"
        box = f"0 0 {self.length} 1"
        with sheet.within("svg", **plot, y=CURVE + 4, height=STRIP, viewBox=box):
            for kind, path in cells.items():
                sheet.add("path", d=path, fill=INKS[kind][0])
        for i, (event, kind) in enumerate(zip(events, kinds)):
            x = f"{LEFT + (100 - LEFT) * (i + 0.5) / self.length:.4g}%"
            letter = event["node"].partition(".")[0] or "×"
            looks = {"anchor": "middle", "weight": 700, "size": max(7, min(11, 320 // self.length))}
            sheet.text(letter, x, CURVE + STRIP, INKS[kind][1], **looks, part="letter")
        return sheet

    def _spots(self, way: str) -> dict[str, tuple[float, float, str]]:
        """The left end, the vertical middle and the label of each node."""
        branches = self.settings["branches"]
        middle = 18 + LINE * (branches - 1) / 2
        found = {"T.x @ w": (0.0, middle, "x @ w"), "T.tanh": (58.0, middle, "tanh")}
        for k in range(branches):
            for i, (key, name) in enumerate((("bend", self.kinds[k]), ("exp",) * 2, ("mean",) * 2)):
                found[f"{k + 1}.{key}"] = 146.0 + 57 * i, 18 + LINE * k, name
        if any(event["node"] == "+.1" for event in self.events[way]):
            found[f"+.{branches - 1}"] = 324.0, middle, "+"
        return found

    def _graph(self, way: str, live: bool, event: int = OPENS) -> Sheet:
        """The nodes at an event. The page changes them for another one."""
        spots, events = self._spots(way), self.events[way]
        sheet = Sheet(GRAPH, 36 + LINE * (self.settings["branches"] - 1), live)
        now = events[min(event, len(events)) - 1]
        middle = spots["T.tanh"][1]
        ends = [y for key, (_, y, _) in spots.items() if key.endswith("mean")]
        for key, (x, y, _) in spots.items():
            path = f"M{x - 5} {y}h5" if x else "M0 0"
            if key.endswith("bend"):
                path = f"M110 {middle}H124C136 {middle} 130 {y} 146 {y}"
            elif key.startswith("+"):
                path = "".join(f"M312 {end}C322 {end} 316 {y} {x} {y}" for end in ends)
            dashes = None if live or key in now["nodes"] else "3 3"
            pen = {"fill": "none", "stroke": "border", "stroke_width": 1.5}
            with sheet.within("g", part=key):
                sheet.add("path", d=path, **pen, stroke_dasharray=dashes)
        if "detach" in self.ways[way]:
            cut = {"stroke": "error", "stroke_width": 2, "stroke_dasharray": "4 3"}
            sheet.line(120, 120, middle - 14, middle + 14, **cut)
            sheet.text("cut", 120, middle + 27, "error", anchor="middle", weight=700, size=11)
        for key, spot in spots.items():
            with sheet.within("g", part=key):
                self._node(sheet, way, key, spot, now if not live else None)
        return sheet

    def _node(self, sheet: Sheet, way: str, key: str, spot: tuple, now: dict | None) -> None:
        (x, y, name), (width, height) = spot, NODE
        there = now is None or key in now["nodes"]
        looks = {
            "fill": "card",
            "stroke": "border" if there else "border-quiet",
            "stroke_width": 1.5,
        }
        looks["stroke_dasharray"] = None if there else "3 3"
        runs = now is not None and now["node"] == key
        if key[0] == "+":
            sheet.add("circle", cx=x + 9, cy=y, r=9, **looks)
            sheet.text("+", x + 9, y + 4, "text", anchor="middle", weight=700)
            return
        if runs or now is None:
            ink = "value" if now is None or now["kind"] == "forward" else "gradient-solid"
            ring = {"fill": "none", "stroke": ink, "stroke_width": 2.5, "part": "ring"}
            sheet.rect(x - 3, y - height / 2 - 3, width + 6, height + 6, rx=7, **ring)
        sheet.rect(x, y - height / 2, width, height, rx=4, **looks)
        ink = "text" if there else "text3"
        sheet.text(name, x + width / 2, y + 4, ink, anchor="middle", weight=700, size=11)
        since = next(
            (i for i, event in enumerate(self.events[way], 1) if key in event["holding"]), None
        )
        if since is None:
            return
        left, top = x + 6, y - height / 2 - 9
        path = f"M{left} {top}h8v10l-4 -3l-4 3z"
        holds = now is None or key in now["holding"]
        with sheet.within("g", part="mark"):
            if sheet.live:
                sheet.add("title", f"{name} saves its result: 1 unit, since event {since}")
            if holds:
                sheet.add("path", d=path, fill="value", stroke="value")
            elif there:
                dashed = {"stroke_dasharray": "1.5 1.5"}
                sheet.add("path", d=path, fill="card", stroke="border", **dashed)

    def still(self) -> str:
        graph = 36 + LINE * (self.settings["branches"] - 1)
        row = max(CURVE + STRIP, graph) + 58
        sheet = Sheet(STILL, row * len(self.ways) + 12)
        event = self.drawn["opens"]
        for i, way in enumerate(self.events):
            top = 12 + i * row
            units = self.events[way][event - 1]["units"]
            counts = f"most saved {self.peak(way)}, passes over the trunk {self.passes[way]}"
            sheet.text(way, 16, top + 18, "text", weight=700, size=15)
            sheet.text(counts, 180, top + 18, "text2")
            sheet.insert(self._curve(way, False), 16, top + 36, width=580, height=CURVE + STRIP)
            x = 16 + 580 * (LEFT + (100 - LEFT) * (event - 0.5) / self.length) / 100
            sheet.line(x, x, top + 30, top + 36 + CURVE + STRIP, "text", stroke_width=1.5)
            sheet.text(f"event {event}: {units}", x + 5, top + 28, "value", weight=700)
            sheet.insert(self._graph(way, False, event), 630, top + 30)
        return sheet.svg(repr(self))

    def __repr__(self) -> str:
        ways = "; ".join(
            f"{way}: at most {self.peak(way)} units saved, {self.passes[way]} passes over the trunk"
            for way in self.events
        )
        return f"{self.title}: {ways}"


def _kind(event: dict) -> str:
    """A key of INKS."""
    trunk = event["kind"] == "backward" and event["node"].startswith("T.")
    return "trunk" if trunk else str(event["kind"])

"""Time and memory of a chain of additions, from 10 nodes to a million: both grow in step with the
nodes.

Every chain has a process of its own. Memory is the resident set as Linux tells it, PyTorch's C++
objects included."""

import ctypes
import gc
import importlib
import multiprocessing
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from .works import OURS, TORCH, sum_chain

NODES = tuple(10**power for power in range(1, 7))
# so many nodes live at once while memory is measured: ten alone are too few to be seen
TOGETHER = 100_000
ROUNDS, SECONDS = 5, 0.05
FIGURE = Path(__file__).with_name("growth.svg")
MODULES = {OURS: "autograd_core", TORCH: "torch"}


@dataclass(frozen=True)
class Cost:
    """What one chain costs: the seconds of forward and backward (median), and bytes above what was
    there before.

    held   the graph after its forward.
    peak   the most at any moment of forward, backward and `del`.
    left   what is still there after `del`.
    """

    seconds: float
    held: float
    peak: float
    left: float


def resident(kind):
    """Bytes of this process in memory: "VmRSS" now, "VmHWM" the most so far. Raises OSError
    elsewhere than on Linux.
    """
    (line,) = (
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(kind)
    )
    return 1024 * int(line.split()[1])


def free():
    """Collect garbage, and have the C library return to Linux what it keeps for later."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def cost(module, nodes, rounds=ROUNDS, seconds=SECONDS):
    """The `Cost` of a chain of so many additions, in this process."""
    T = importlib.import_module(module)
    x = T.tensor(1.0, requires_grad=True)
    # what is loaded at the first use is not the chain's
    sum_chain(x, 10).backward()
    copies = max(1, TOGETHER // nodes)
    free()
    before = resident("VmRSS")
    chains = [sum_chain(x, nodes) for _ in range(copies)]
    held = resident("VmRSS")
    for chain in chains:
        chain.backward()
    del chain, chains
    free()
    # Linux brings the mark up to date late
    peak, left = max(held, resident("VmHWM")), resident("VmRSS")

    def one_pass():
        start = time.perf_counter()
        sum_chain(x, nodes).backward()
        return time.perf_counter() - start

    repeats = max(1, round(seconds / one_pass()))
    spent = statistics.median(
        sum(one_pass() for _ in range(repeats)) / repeats for _ in range(rounds)
    )
    return Cost(spent, *((size - before) / copies for size in (held, peak, left)))


def cost_apart(module, nodes, **how):
    """The `Cost` in a new process, whose memory holds nothing else."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(cost, (module, nodes), how)


def table(found, say):
    """What the largest chain of each engine costs, line by line to `say`."""
    largest = max(found[OURS])
    say(f"| chain of {largest:,} additions | " + " | ".join(found) + " |")
    say("| --- |" + " --- |" * len(found))
    for title, number in {
        "bytes a node, after forward": lambda c: f"{c.held / largest:.0f}",
        "bytes a node at the peak, backward included": lambda c: f"{c.peak / largest:.0f}",
        "of the peak, given back after `del`": lambda c: f"{1 - c.left / c.peak:.0%}",
    }.items():
        say(
            "| "
            + " | ".join([title, *(number(points[largest]) for points in found.values())])
            + " |"
        )


def draw(found, path):
    """The figure: time and memory against the number of nodes, both axes logarithmic."""
    import matplotlib
    from matplotlib.figure import Figure

    from autograd_core.widgets.kit.theme import LIGHT

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "growth", "font.size": 9}):
        figure = Figure(figsize=(7.2, 2.8), layout="constrained")
        panels = {
            "milliseconds, forward and backward": lambda c: 1e3 * c.seconds,
            "kilobytes after forward": lambda c: c.held / 1e3,
        }
        for axes, (title, number) in zip(figure.subplots(1, 2), panels.items()):
            for (name, points), colour, marker in zip(found.items(), ("value", "series-3"), "os"):
                axes.loglog(
                    list(points),
                    list(map(number, points.values())),
                    color=LIGHT[colour],
                    marker=marker,
                    markersize=4,
                    label=name,
                )
            axes.set(title=title, xlabel="nodes of the chain")
            axes.minorticks_off()
            axes.grid(color=LIGHT["border-quiet"], linewidth=0.5)
            axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None, "Creator": None}, facecolor=LIGHT["card"])


def report(say):
    """Measure, draw the figure, and tell the largest chain's figures."""
    found = {
        name: {nodes: cost_apart(module, nodes) for nodes in NODES}
        for name, module in MODULES.items()
    }
    draw(found, FIGURE)
    table(found, say)

"""What watching costs on models of real size: `python -m tests.benchmarks.real_size`, beside the
plain forward and backward, and beside what others take for a picture of the same model.

    python -m pip install --no-deps torchlens safetensors torchviz torchvista graphviz

Each tool has a process of its own, on one thread. Seconds of the processor, the best of three,
taken in turns with the plain forward; MB at the peak, beyond those of the plain pass, where the
system tells (Linux). State is what a view sends to the page. What is not installed is left out.
(torchvista 0.2.13 brings a package called `tests`, which hides this one: delete it there.)"""

import contextlib
import gc
import importlib.util
import io
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from torch import nn

from autograd_core.parity import watching
from autograd_core.trace import follow
from autograd_core.trace.size import return_freed_memory
from autograd_core.widgets import watch
from tests.trace.models import GPT, ResNet18

ROUNDS = 3


def resnet():
    """(the network, an input, the loss)"""
    net, images, target = ResNet18(), torch.randn(8, 3, 224, 224), torch.randint(1000, (8,))
    return net, images, lambda: nn.functional.cross_entropy(net(images), target)


def gpt(layers):
    net, ids = GPT(layers, width=128), torch.randint(65, (2, 64))
    return net, ids, lambda: nn.functional.cross_entropy(net(ids).flatten(0, 1), ids.flatten())


MODELS = {
    "ResNet-18, 8×3×224²": resnet,
    "GPT, 24 layers": lambda: gpt(24),
    "GPT, 64 layers": lambda: gpt(64),
}


def seconds(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def peak(call):
    """MB by which the process grows while this is called; nan where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan"), call()

    def told(name):
        return next(int(x.split()[1]) for x in status.read_text().splitlines() if name in x) / 1e3

    gc.collect()
    return_freed_memory()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is that from now on
    before = told("VmRSS")
    result = call()
    return told("VmHWM") - before, result


def recorded(make_loss):
    with watching():
        return make_loss()


def steps(net, make_loss, around):
    """Seconds of a step of SGD, inside of what `around` gives."""
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)

    def step():
        optimizer.zero_grad()
        make_loss().backward()
        optimizer.step()

    with around(net, optimizer):
        return min(seconds(step)[0] for _ in range(ROUNDS))


def ours(net, _x, make_loss, page):
    """A line of the first table, but its model."""

    def one_round():
        plain, loss = seconds(make_loss)
        back, _ = seconds(lambda: loss.backward(retain_graph=True))
        net.zero_grad()
        forward, watched = seconds(lambda: recorded(make_loss))
        watching, view = seconds(lambda: watch(watched))
        saving, _ = seconds(lambda: view.save(page))
        known = view.trace.size, len(json.dumps(view.get_state()))
        view.close()
        return (plain, back, forward, watching, saving), known

    def peaks(make, call):
        loss = make()
        above, _ = peak(lambda: call(loss))
        net.zero_grad()
        return above

    rounds = [one_round() for _ in range(ROUNDS)]
    plain, back, forward, watched, saved = map(min, zip(*(times for times, _ in rounds)))
    nodes, state = rounds[-1][1]
    above = min(peaks(lambda: recorded(make_loss), watch) for _ in range(ROUNDS))
    above -= min(peaks(make_loss, lambda x: x.backward(retain_graph=True)) for _ in range(ROUNDS))
    step, followed = (
        steps(net, make_loss, around) for around in (lambda *_: contextlib.nullcontext(), follow)
    )
    return (
        f"{nodes} | {plain:.2f} | {back:.2f} | {forward:.2f} ({forward / plain:.1f}×) |"
        f" {watched:.2f} ({watched - back:+.2f}) | {above:+.0f} | {saved:.2f} |"
        f" {page.stat().st_size / 1e3:.0f} | {state / 1e6:.2f} | {100 * (followed / step - 1):.0f} %"
    )


def torchlens(net, x, _make_loss, _page):
    import torchlens

    torchlens.trace(net, x)


def torchviz(net, _x, make_loss, page):
    import torchviz

    source = torchviz.make_dot(make_loss(), dict(net.named_parameters())).source
    page.write_text(source, encoding="utf-8")


def torchvista(net, x, _make_loss, page):
    from torchvista import trace_model

    trace_model(net, x, export_format="html", export_path=str(page))


OTHERS = {"torchlens": torchlens, "torchviz": torchviz, "torchvista": torchvista}


def other(name, net, x, make_loss, page):
    """A line of the second table, but its model."""

    def call():
        OTHERS[name](net, x, make_loss, page)

    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            rounds = [(seconds(make_loss)[0], seconds(call)[0]) for _ in range(ROUNDS)]
            above = min(peak(call)[0] for _ in range(ROUNDS))
            above -= min(peak(make_loss)[0] for _ in range(ROUNDS))
    except RecursionError:
        return f"{name} | | RecursionError | |"
    plain, taken = map(min, zip(*rounds))
    size = f"{page.stat().st_size / 1e3:.0f}" if page.exists() else ""
    return f"{name} | {plain:.2f} | {taken:.2f} | {above:+.0f} | {size}"


def row(model, tool):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        parts = *MODELS[model](), Path(folder) / "page.html"
        line = other(tool, *parts) if tool in OTHERS else ours(*parts)
    print(f"| {model} | {line} |", flush=True)


def table(tools, heads):
    print("\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|", flush=True)
    for tool in tools:
        for model in MODELS:
            command = [sys.executable, "-W", "ignore", "-m", __spec__.name, model, tool]
            subprocess.run(command, check=True)


def main(arguments):
    if arguments:
        row(*arguments)
        return
    table(
        ["autograd_core"],
        ["model", "nodes", "plain forward, s", "backward, s", "in watching, s"]
        + ["watch, s (beside its backward)", "its peak, MB", "save, s", "page, kB", "state, MB"]
        + ["follow"],
    )
    table(
        [name for name in OTHERS if importlib.util.find_spec(name)],
        ["model", "tool", "plain forward, s", "picture or log, s", "its peak, MB", "file, kB"],
    )


if __name__ == "__main__":
    main(sys.argv[1:])

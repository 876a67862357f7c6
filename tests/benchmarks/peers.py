"""Who names the place of a nan planted in a ResNet-18: `python -m tests.benchmarks.peers`, beside
TorchLens and others.

    python -m pip install --no-deps torchlens safetensors torchviz torchvista graphviz sherlorch

Each tool answers in a process of its own, on one thread, at 32², 64² and 224². Told are the
operation, the source line and the module that its answer on the nan holds; seconds of the
processor, the best of three, and of the plain forward and backward in the same process; and by how
much the process grew beyond these. What is not installed is left out. (torchvista 0.2.13 brings a
package called `tests`, which hides this one: delete it there.)"""

import contextlib
import importlib.util
import io
import re
import resource
import subprocess
import sys
import time

import torch

from autograd_core import report, watching
from autograd_core.trace import names_in
from tests.trace.models import resnet_loss

SIZES = (32, 2), (64, 8), (224, 8)  # pixels of a side, images
ROUNDS = 3
OPERATION, LINE, MODULE = (
    re.compile("log1p", re.IGNORECASE),
    "x.log1p()",
    re.compile(r"\bnet\b|ResNet18|\bself\b"),
)


def planted(x):
    return x.log1p()


PLANTED_AT = planted.__code__.co_firstlineno + 1


def ours(net, x, make_loss):
    with watching():
        loss = make_loss()
    rows = str(report(loss, names=names_in({"net": net}))).splitlines()
    return "\n".join(row for row in rows if row.startswith("first nan"))


def torchlens(net, x, make_loss):
    import torchlens

    return str(torchlens.debug.find_nan(net, x))


def sherlorch(net, x, make_loss):
    import sherlorch

    with sherlorch.trace(capture_stack=True) as tracker:
        tracker.watch(net, "net")
        loss = make_loss()
    culprits = tracker.diagnose(loss).culprits
    return "\n".join(culprit.summary() for culprit in culprits)


def torchviz(net, x, make_loss):
    import torchviz

    return _on_nan(
        torchviz.make_dot(
            make_loss(), dict(net.named_parameters()), show_attrs=True, show_saved=True
        ).source
    )


def torchvista(net, x, make_loss):
    import torchvista.tracer

    page = []
    # no page, no script
    torchvista.tracer.plot_graph = lambda *args, **kwargs: page.append(repr((args, kwargs)))
    torchvista.trace_model(net, x)
    return _on_nan(page[0])


def _on_nan(text):
    """The lines and entries of a drawing that speak of a nan."""
    return "\n".join(
        part for part in re.split(r"[\n{}]", text) if re.search(r"\bnan\b", part, re.IGNORECASE)
    )


TOOLS = {
    "autograd_core": ours,
    "torchlens": torchlens,
    "sherlorch": sherlorch,
    "torchviz": torchviz,
    "torchvista": torchvista,
}


def named(answer):
    """Whether an answer names the operation, the source line, the module."""
    line = LINE in answer or re.search(rf"peers\.py\D+{PLANTED_AT}\b", answer)
    return tuple(bool(found) for found in (OPERATION.search(answer), line, MODULE.search(answer)))


def row(name, size, images):
    """A line of the table: what the answer names, its seconds, those of the plain forward and
    backward, MB more.
    """
    torch.set_num_threads(1)
    net, make_loss = resnet_loss(size, images, planted)
    x = torch.randn(images, 3, size, size)
    plain = min(_seconds(lambda: make_loss().backward())[0] for _ in range(ROUNDS))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        rounds = [_seconds(lambda: TOOLS[name](net, x, make_loss)) for _ in range(ROUNDS)]
    answer, seconds = rounds[-1][1], min(seconds for seconds, _ in rounds)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    said = " | ".join("yes" if found else "no" for found in named(answer))
    return f"| {name} | {images}×3×{size}² | {said} | {seconds:.2f} | {plain:.2f} | {grown:.0f} |"


def _seconds(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def main(arguments):
    if arguments:
        name, size, images = arguments
        print(row(name, int(size), int(images)), flush=True)
        return
    print(
        "| tool | images | operation | line | module | seconds | forward and backward | MB more |",
        flush=True,
    )
    print("|---" * 8 + "|", flush=True)
    for name in TOOLS:
        if name == "autograd_core" or importlib.util.find_spec(name):
            # a child of multiprocessing TorchLens refuses
            for size, images in SIZES:
                arguments = [name, str(size), str(images)]
                subprocess.run(
                    [sys.executable, "-W", "ignore", "-m", __spec__.name, *arguments], check=True
                )


if __name__ == "__main__":
    main(sys.argv[1:])

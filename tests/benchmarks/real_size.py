"""What watching costs on models of real size: `python -m tests.benchmarks.real_size`, beside the
plain forward and backward.

Seconds of the processor on one thread, the best of three; state is what a view sends to the page,
memory what a run and its view hold of NumPy's and Python's.
"""

import contextlib
import json
import time
import tracemalloc

import torch

from autograd_core.parity import watching
from autograd_core.trace import follow
from autograd_core.widgets import watch
from tests.trace.models import gpt_loss, resnet_loss

MODELS = {
    "ResNet-18, 8×3×224²": lambda: resnet_loss(224, 8),
    "GPT, 24 layers": lambda: gpt_loss(24, 8, 128),
    "GPT, 64 layers": lambda: gpt_loss(64, 8, 128),
}


def seconds(call, rounds=3):
    """The shortest of some calls, and the last one's result."""
    times, result = [], None
    for _ in range(rounds):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return min(times), result


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
        return seconds(step)[0]


def row(name, make):
    """A line of the table for one model."""
    net, make_loss = make()
    plain, loss = seconds(make_loss)
    back = seconds(lambda: loss.backward(retain_graph=True))[0]
    net.zero_grad()
    del loss
    forward, loss = seconds(lambda: recorded(make_loss))
    watched, view = seconds(lambda: watch(loss))
    state = len(json.dumps(view.get_state()))
    step, followed = (
        steps(net, make_loss, around) for around in (lambda *_: contextlib.nullcontext(), follow)
    )
    tracemalloc.start()
    loss = recorded(make_loss)
    kept = watch(loss)
    memory = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    kept.close()
    return (
        f"| {name} | {len(view.trace.nodes)} | {plain:.2f} | {back:.2f} | {forward:.2f} ({forward / plain:.1f}×) "
        f"| {watched:.2f} ({watched - back:+.2f}) | {state / 1e6:.2f} | {memory / 1e6:.0f} | {100 * (followed / step - 1):.0f} % |"
    )


def main():
    torch.set_num_threads(1)
    print(
        "| model | nodes | plain forward, s | backward, s | in watching, s | watch, s (beside its backward) | state, MB "
        "| memory, MB | follow |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name, make in MODELS.items():
        print(row(name, make), flush=True)


if __name__ == "__main__":
    main()

"""The part of the work that one process of `processes` does, and `all_reduce`.

`python -m autograd_core.lessons.distributed DIRECTORY WORLD RANK ...` is such a process. Given
several ranks, it loads PyTorch once and forks a process for each."""

import contextlib
import io
import marshal
import os
import pickle
import signal
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import NoReturn

import numpy as np
import torch
import torch.distributed

import autograd_core


def all_reduce(tensor) -> None:
    """Replace `tensor`, of either engine, in place by the sum of the tensors of all processes, like
    `torch.distributed.all_reduce`. Every process must call it, with the same shape and dtype, and
    waits for the others. Raises ValueError outside of `processes`."""
    total = torch.from_numpy(np.array(tensor.detach().numpy()))
    torch.distributed.all_reduce(total)
    if not isinstance(tensor, torch.Tensor):
        total = autograd_core.from_numpy(total.numpy())
    with torch.no_grad(), autograd_core.no_grad():
        tensor.copy_(total)


def _main(directory: str, world: int, ranks: list[int]) -> None:
    """Do the task in `directory` once for each of `ranks`. Exits with 1 if one fails."""
    place = Path(directory)
    if len(ranks) == 1:
        _take_part(place, ranks[0], world)
    task = (place / "task").read_bytes()
    if b"torch.optim" in task or b"DistributedDataParallel" in task:
        torch.optim.SGD([torch.zeros(1)])  # before the fork: either loads as much again as torch
    children = {os.fork() or _take_part(place, rank, world) for rank in ranks}
    failed = False
    while children:
        child, status = os.wait()
        children.discard(child)
        if status and not failed:
            failed = True
            for other in children:  # which would wait for the one that is gone
                os.kill(other, signal.SIGKILL)
    sys.exit(failed)


def _take_part(place: Path, rank: int, world: int) -> NoReturn:
    """Do the task as process `rank`, write the results or the error into a file, and end."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _join(place, rank, world)
    try:
        function = pickle.loads((place / "task").read_bytes())
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            result = _plain(function(rank, world))
        outcome = {"result": result, "printed": printed.getvalue()}
    except Exception as error:
        outcome = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
    draft = place / f"draft{rank}"
    draft.write_bytes(marshal.dumps(outcome))
    draft.rename(place / f"outcome{rank}")  # renaming makes the whole file visible at once
    os._exit("error" in outcome)  # without closing the group, because the others still use it


def _end_with_parent() -> None:
    """End when stdin closes, because its other end belongs to the notebook that waits for results."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


def _join(place: Path, rank: int, world: int) -> None:
    """Join the group of all processes. They meet through a file and use only the loopback device."""
    torch.set_num_threads(1)
    names = [name for _, name in socket.if_nameindex()]
    os.environ["GLOO_SOCKET_IFNAME"] = next(name for name in names if name.startswith("lo"))
    store = torch.distributed.FileStore(str(place / "store"), world)
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=world)
    torch.distributed.barrier()  # a process without work would end while others still connect


def _plain(value):
    """`value` with tensors as lists of numbers. Raises TypeError for a value that can't be sent."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    value = value.tolist() if hasattr(value, "tolist") else value
    try:
        marshal.dumps(value)
    except ValueError:
        wanted = "return numbers, text, tensors, or lists and dicts of them"
        raise TypeError(f"cannot send back {type(value).__name__}: {wanted}") from None
    return value


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), [int(rank) for rank in sys.argv[3:]])

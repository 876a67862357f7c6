"""`processes`, for lesson 16: a function in several processes, joined by gloo on this machine.

The processes end with the call, by a result, an error, an interrupt, or the notebook's death."""

import contextlib
import marshal
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import cloudpickle

import autograd_core

MOST = 16  # processes; where they cannot be forked, each loads PyTorch, in a second and 300 MB
FORKS = sys.platform == "linux"
"""Whether one process loads PyTorch and the others are forked from it: not safe elsewhere."""
PAUSE = 0.01  # seconds between two looks at the processes


def processes(world: int, function: Callable, *, seconds=300) -> list:
    """Call `function(rank, world)` in `world` new processes, with ranks from 0.

    Each process gets the names of the notebook that the function uses. Returns the result of each
    process, with tensors as lists. The output of the processes is printed when all have ended.

    Raises TypeError or ValueError for objects that can't be sent, RuntimeError with the process's own
    error if one fails, and TimeoutError if they haven't ended after `seconds`."""
    if not isinstance(world, int) or not 1 <= world <= MOST:
        number = f"the number of processes is a whole number from 1 to {MOST}"
        raise ValueError(f"processes({world!r}, ...): {number}")
    if not isinstance(function, types.FunctionType):
        asked = "a function made by def, to be called as function(rank, world)"
        raise TypeError(f"processes() takes {asked}, not {type(function).__name__}")
    # send the other functions of its module too, because the processes can't import them
    module = sys.modules[function.__module__]
    cloudpickle.register_pickle_by_value(module)
    try:
        task = cloudpickle.dumps(function)
    except (TypeError, pickle.PicklingError) as error:
        what = f"uses what cannot be sent to another process ({error})"
        raise TypeError(f"{function.__name__} {what}: make it inside of the function") from None
    finally:
        cloudpickle.unregister_pickle_by_value(module)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "task").write_bytes(task)
        with _started(place, world) as running:
            _wait(running, place, world, seconds)
        files = [place / f"outcome{rank}" for rank in range(world)]
        outcomes = [marshal.loads(file.read_bytes()) for file in files]
    for rank, outcome in enumerate(outcomes):
        for line in outcome["printed"].splitlines():
            print(f"process {rank}: {line}")
    return [outcome["result"] for outcome in outcomes]


@contextlib.contextmanager
def _started(place: Path, world: int) -> Iterator[list[subprocess.Popen]]:
    """The processes. Each has its own session, so an interrupt reaches only the notebook."""
    root = str(Path(autograd_core.__file__).parent.parent)
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "autograd_core.lessons.distributed", str(place), str(world)]
    ranks, running = list(map(str, range(world))), []
    try:
        with open(place / "errors", "wb") as errors:
            for own in [ranks] if FORKS else [[rank] for rank in ranks]:
                files = {"stdin": subprocess.PIPE, "stdout": errors, "stderr": errors}
                alone = {"env": {**os.environ, "PYTHONPATH": path}, "start_new_session": True}
                running.append(subprocess.Popen([*command, *own], **files, **alone))
        yield running
    finally:
        # with those forked from it; one that has ended has seen the end of them all
        for process in running:
            if process.poll() is None and FORKS:
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
        for process in running:
            process.stdin.close()
            process.wait()


def _wait(running: list[subprocess.Popen], place: Path, world: int, seconds: float) -> None:
    """Return when all are done. Raises for the first that failed: the others fail because of it."""
    latest = time.monotonic() + seconds
    while None in (ends := [process.poll() for process in running]) and not any(ends):
        if time.monotonic() > latest:
            raise TimeoutError(
                f"the processes were not done after {seconds:g} s. Does every process reach every "
                "all_reduce? It waits for all of them. processes(..., seconds=...) waits longer"
            )
        time.sleep(PAUSE)
    if not any(ends):
        return
    left = sorted(place.glob("outcome*"), key=lambda file: file.stat().st_mtime_ns)
    for file in left:
        rank, outcome = file.name.removeprefix("outcome"), marshal.loads(file.read_bytes())
        if "error" in outcome:
            error = RuntimeError(f"process {rank} of {world} raised {outcome['error']}")
            error.add_note(outcome["traceback"])
            raise error
    errors = (place / "errors").read_text(errors="replace").strip()
    raise RuntimeError(f"a process ended before its work was done. {errors[-1000:]}")

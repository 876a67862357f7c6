"""`processes` and `all_reduce`: right sums for both engines, errors that are told, and no process
outlives its call.
"""

import functools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
from pathlib import Path

import pytest
import torch

import autograd_core as T
from autograd_core.lessons import distributed as dist
from autograd_core.lessons.processes import FORKS
from autograd_core.lessons.processes import processes as within_a_minute
from tests.budget import PATIENCE

processes = functools.partial(within_a_minute, seconds=PATIENCE)
SCALE = 2.0
START = T.tensor([0.1, -2.0], dtype=T.float64)  # a tensor of the notebook
LOCK = threading.Lock()
PLACE = ""  # where `one_fails` leaves the numbers of its processes


LATER = [pytest.param(False, marks=pytest.mark.prove)] if FORKS else []


@pytest.fixture(params=[FORKS, *LATER], ids=lambda forks: "forked" if forks else "started")
def either_way(request, monkeypatch):
    """The processes are forked from one, or each is started; some systems know the second way
    alone.
    """
    monkeypatch.setattr(sys.modules["autograd_core.lessons.processes"], "FORKS", request.param)
    return request.param


def scaled(x, power=1):
    return SCALE * x**power


def gradient(rank, world):
    """The gradient at w of (rank + 1) · 2 w², summed over the processes, and how often there is
    one.
    """
    w = T.tensor(START.tolist(), dtype=T.float64, requires_grad=True)
    (scaled(w, power=2) * (rank + 1)).sum().backward()
    dist.all_reduce(w.grad)
    number = T.tensor(1)
    dist.all_reduce(number)
    print("here is", rank)
    answer = {"gradient": w.grad, "number": number, "rank": rank}
    return {**answer, "listens": addresses() if sys.platform == "linux" else []}


def addresses():
    """The addresses, as the kernel writes them, on which this process listens."""
    own = {
        os.readlink(f"/proc/self/fd/{name}")
        for name in os.listdir("/proc/self/fd")
        if name.isdigit() and os.path.islink(f"/proc/self/fd/{name}")
    }
    found = []
    for table in ("tcp", "tcp6"):
        with open(f"/proc/self/net/{table}") as lines:
            rows = [line.split() for line in lines][1:]
        found += [
            row[1].partition(":")[0]
            for row in rows
            if row[3] == "0A" and f"socket:[{row[9]}]" in own
        ]
    return found


def on_torch(function):
    """`function` with T for PyTorch, as the two-engine cell makes it."""
    namespace = {**globals(), "T": torch}
    namespace["scaled"] = types.FunctionType(
        scaled.__code__, namespace, "scaled", scaled.__defaults__
    )
    return types.FunctionType(function.__code__, namespace, function.__name__)


def test_both_engines_get_the_sum_over_all_processes_and_their_output_is_printed(
    either_way, capsys
):
    """Each process listens only on loopback."""
    world = 3 if either_way else 2
    answers = [processes(world, each) for each in (gradient, on_torch(gradient))]
    for received in answers:
        assert [answer["rank"] for answer in received] == [*range(world)]
        for answer in received:
            expected = [4 * x * sum(range(world + 1)) for x in (0.1, -2.0)]
            assert answer["gradient"] == pytest.approx(expected, rel=1e-15)
            assert answer["number"] == world
            listens = answer["listens"]
            assert listens or sys.platform != "linux"
            assert {*listens} <= {"0100007F", "00000000000000000000000001000000"}
    assert answers[0] == answers[1]
    said = [f"process {rank}: here is {rank}" for rank in range(world)]
    assert capsys.readouterr().out.splitlines() == 2 * said


def one_fails(rank, world):
    """1 raises as soon as all are there; 0 would go on for ever, and 2 waits for the others'
    numbers.
    """
    with open(os.path.join(PLACE, str(rank)), "w") as file:
        file.write(str(os.getpid()))
    if rank == 2:
        dist.all_reduce(T.ones(2))
    while rank == 0 or len(os.listdir(PLACE)) < world:
        time.sleep(0.01)
    raise ValueError("my shard is empty")


def test_the_error_of_a_process_is_told_not_that_of_those_who_waited_and_nobody_is_left(
    either_way, monkeypatch, tmp_path
):
    monkeypatch.setitem(globals(), "PLACE", str(tmp_path))
    told = "process 1 of 3 raised ValueError: my shard is empty"
    with pytest.raises(RuntimeError, match=told) as raised:
        processes(3, one_fails)
    assert "in one_fails" in raised.value.__notes__[0]
    assert gone(sleepers(tmp_path, 3))


def waits_alone(rank, world):
    time.sleep(PATIENCE)


def test_processes_that_do_not_end_are_ended():
    with pytest.raises(TimeoutError, match="not done after 0.2 s"):
        processes(1, waits_alone, seconds=0.2)


def ends_at_once(rank, world):
    os._exit(3)


def test_a_process_that_dies_is_told():
    with pytest.raises(RuntimeError, match="a process ended before its work was done"):
        processes(1, ends_at_once)


def uses_a_lock(rank, world):
    return LOCK


def returns_a_function(rank, world):
    return scaled


def test_what_cannot_be_sent_is_refused():
    with pytest.raises(TypeError, match="uses_a_lock uses what cannot be sent .* make it inside"):
        processes(2, uses_a_lock)
    with pytest.raises(RuntimeError, match="cannot send back function: return numbers"):
        processes(1, returns_a_function)
    for world in (0, 17, 1.5):
        with pytest.raises(ValueError, match="a whole number from 1 to 16"):
            processes(world, gradient)
    with pytest.raises(TypeError, match="takes a function made by def"):
        processes(2, max)


def test_all_reduce_outside_of_processes_says_so():
    with pytest.raises(ValueError, match="process group has not been initialized"):
        dist.all_reduce(T.ones(2))


# What runs, then is interrupted or killed, leaves the numbers of its processes in a file each.

NOTEBOOK = """
    import os, signal, time
    from autograd_core.lessons.processes import processes

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

    def sleeps(rank, world):
        with open(os.path.join({place!r}, str(rank)), "w") as file:
            file.write(str(os.getpid()))
        time.sleep(3600)

    processes(2, sleeps)
"""


def becomes_true(condition) -> bool:
    latest = time.monotonic() + PATIENCE
    while not (found := condition()) and time.monotonic() < latest:
        time.sleep(0.05)
    return found


def sleepers(place: Path, count: int = 2) -> list[int]:
    """The numbers of all processes, as soon as they are at work."""
    begun = becomes_true(lambda: sum(file.stat().st_size > 0 for file in place.iterdir()) == count)
    assert begun, "they did not begin"
    return [int(file.read_text()) for file in place.iterdir()]


def gone(numbers: list[int]) -> bool:
    return becomes_true(lambda: not any(map(runs, numbers)))


def runs(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{number}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL], ids=lambda stop: stop.name)
def test_processes_end_when_the_notebook_is_interrupted_or_killed(tmp_path, stop):
    """An interrupt reaches the notebook's process group, as Jupyter sends it."""
    cell = textwrap.dedent(NOTEBOOK.format(place=str(tmp_path)))
    with subprocess.Popen(
        [sys.executable, "-c", cell], start_new_session=True, stderr=subprocess.PIPE, text=True
    ) as notebook:
        numbers = sleepers(tmp_path)
        assert all(map(runs, numbers))
        os.killpg(notebook.pid, stop)
        errors = notebook.stderr.read()
    assert gone(numbers) and ("KeyboardInterrupt" in errors) == (stop == signal.SIGINT)


def test_processes_end_with_an_interrupt_at_any_moment():
    # a shell's background jobs ignore it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        processes(2, waits_alone)
    signal.signal(signal.SIGINT, before)
    ps = ["ps", "-o", "args=", "--ppid", str(os.getpid())]
    children = subprocess.run(ps, capture_output=True, text=True).stdout
    assert "autograd_core.lessons.distributed" not in children

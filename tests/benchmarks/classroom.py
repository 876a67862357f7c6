"""What one machine carries of a class: so many learners at once, each with a kernel, run lessons
02, 08 and 13.

    python -m tests.benchmarks.classroom 1 5 10 20

Learner 1 takes 02, learner 2 takes 08, learner 3 takes 13, and so on. One kernel more has a graph
with a slider: told is how long it takes from a slider's message to its answer while the others run.
Memory is the proportional set size of all kernels, in which what they share counts once; of Linux
alone."""

import itertools
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
LESSONS = "02_backward_step_by_step", "08_many_heads_one_loss", "13_debug_the_loop"
SECONDS = 3600
GRAPH = """\
from autograd_core.widgets import explore
view = explore("sin(a * b) * (a + b) + exp(a)", a=2.0, b=-1.0)"""
MOVE = "view.changed('a', {})"


@contextmanager
def kernel(notebook):
    """A client with a kernel that has run nothing yet."""
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=SECONDS,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    client.comm_open_handlers.clear()
    with client.setup_kernel():
        yield client


def memory(clients):
    """Megabytes of these kernels together. Raises OSError elsewhere than on Linux."""
    lines = (
        Path(f"/proc/{client.km.provisioner.pid}/smaps_rollup").read_text().splitlines()
        for client in clients
    )
    return (
        sum(int(line.split()[1]) for each in lines for line in each if line.startswith("Pss:"))
        / 1e3
    )


def run_all(client):
    """Run every cell; the seconds that it took. Raises CellExecutionError when a cell raises."""
    start = time.perf_counter()
    for index, each in enumerate(client.nb.cells):
        client.execute_cell(each, index)
    return time.perf_counter() - start


def latencies(client, ended):
    """Milliseconds from each message of the slider to its answer, until `ended`."""
    spent = []
    client.execute_cell(client.nb.cells[0], 0)
    for step in itertools.count():
        client.nb.cells[1].source = MOVE.format(2 + step % 10 / 10)
        start = time.perf_counter()
        client.execute_cell(client.nb.cells[1], 1)
        spent.append(1e3 * (time.perf_counter() - start))
        if ended.wait(0.2):
            return spent[1:] or spent


def lesson(number):
    """The notebook of learner `number`."""
    return nbformat.read(NOTEBOOKS / f"{LESSONS[number % len(LESSONS)]}.ipynb", as_version=4)


def measure(learners):
    """(seconds of each Run All, megabytes of all kernels afterwards, milliseconds of each slider's
    answer).

    Raises CellExecutionError when a cell raises.
    """
    together, ended, measured = (
        threading.Barrier(learners + 1),
        threading.Event(),
        threading.Event(),
    )
    clients = []

    def learn(number):
        with kernel(lesson(number)) as client:
            clients.append(client)
            together.wait()
            try:
                spent = run_all(client)
            except Exception:
                # the others wait no longer, and the error is told below
                together.abort()
                raise
            together.wait()
            measured.wait()
        return spent

    def drag():
        cells = [nbformat.v4.new_code_cell(source) for source in (GRAPH, "")]
        with kernel(nbformat.v4.new_notebook(cells=cells)) as client:
            return latencies(client, ended)

    with ThreadPoolExecutor(learners + 1) as pool:
        runs = [pool.submit(learn, number) for number in range(learners)]
        together.wait()
        slider = pool.submit(drag)
        try:
            together.wait()
            size = memory(clients)
        except threading.BrokenBarrierError:
            size = 0
        finally:
            ended.set()
            measured.set()
        return [run.result() for run in runs], size, slider.result()


def table(counts, say=print):
    """A line for each number of learners."""
    say(
        "| kernels at once | Run All, median and most | memory of a kernel | slider to answer, median and most |"
    )
    say("| --- | --- | --- | --- |")
    for learners in counts:
        runs, size, answers = measure(learners)
        say(
            f"| {learners} | {statistics.median(runs):.0f} s, {max(runs):.0f} s | {size / learners:.0f} MB | "
            f"{statistics.median(answers):.0f} ms, {max(answers):.0f} ms |"
        )


if __name__ == "__main__":
    table(map(int, sys.argv[1:] or (1, 5, 10, 20)))

"""What a learner waits for: the import, each lesson's Run All and the memory it takes, all
notebooks under nbval.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from .contest import middle

HOUSE = Path(__file__).parents[2]
NOTEBOOKS = HOUSE / "notebooks"
IMPORT = "import numpy, time; start = time.perf_counter(); import autograd_core; print(time.perf_counter() - start)"
NBVAL = [
    "-m",
    "pytest",
    "-q",
    "notebooks",
    "--nbval",
    "--nbval-current-env",
    "--nbval-sanitize-with",
    "notebooks/authoring/sanitize.cfg",
    "-n",
    "2",
    "--dist",
    "loadscope",
]
# ms, s, s, s, MB, MB
MOST = {"import": 15, "lesson": 10, "lesson 10": 60, "nbval": 240, "before": 120, "after": 350}


@dataclass(frozen=True)
class RunAll:
    """One lesson, all cells from the top in a new kernel.

    seconds  from the first cell to the last, the kernel's start not counted.
    before   MB of the kernel at most until the first comparison with PyTorch; None without one.
    after    MB of the kernel at most until the end.
    """

    seconds: float
    before: float | None
    after: float


def cell(number, most, unit):
    """A cell of the table; a number above the limit `most` is set in bold and says so."""
    if number is None:
        return ""
    text = f"{number:.0f} {unit}"
    return text if number <= most else f"**{text}, above {most}**"


def imports(rounds=15):
    """Milliseconds of `import autograd_core` once NumPy is there, each in a Python of its own.

    One more comes first and is not counted: it writes the bytecode. Raises CalledProcessError.
    """
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    runs = [
        subprocess.run(
            [sys.executable, "-c", IMPORT],
            cwd=HOUSE,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(rounds + 1)
    ]
    return [1e3 * float(run.stdout) for run in runs[1:]]


def run_all(path):
    """`RunAll` of the notebook at `path`. Raises CellExecutionError when a cell raises."""
    import nbformat  # here, because each contender's process imports this file
    import psutil
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=300,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    sizes, first = [], None
    with client.setup_kernel():
        kernel = psutil.Process(client.km.provisioner.pid)
        start = time.perf_counter()
        for index, each in enumerate(notebook.cells):
            if first is None and each.source.startswith("%%both"):
                first = len(sizes)
            client.execute_cell(each, index)
            sizes.append(kernel.memory_info().rss / 1e6)
        seconds = time.perf_counter() - start
    return RunAll(seconds, max(sizes[:first]) if first else None, max(sizes))


def nbval():
    """Seconds of all notebooks run again and their outputs compared, in two processes. Raises
    CalledProcessError.
    """
    start = time.perf_counter()
    subprocess.run([sys.executable, *NBVAL], cwd=HOUSE, capture_output=True, text=True, check=True)
    return time.perf_counter() - start


def report_import(say):
    """The import's line."""
    say(
        f"`import autograd_core` after `import numpy`: {middle(imports(), '.1f')} ms, at most {MOST['import']}."
    )


def report(say, paths=None):
    """The table of the lessons; returns the complaints about those that failed."""
    from nbclient.exceptions import CellExecutionError

    complaints = []
    say("| lesson | Run All | kernel before the first comparison | kernel with PyTorch |")
    say("| --- | --- | --- | --- |")
    say(
        f"| at most | {MOST['lesson']} s, 10: {MOST['lesson 10']} s | {MOST['before']} MB | {MOST['after']} MB |"
    )
    for path in paths or sorted(NOTEBOOKS.glob("*.ipynb")):
        try:
            run = run_all(path)
        except CellExecutionError as error:
            complaints.append(f"{path.name}: {error}")
            continue
        number, _, _ = path.stem.partition("_")
        most = MOST.get(f"lesson {number}", MOST["lesson"])
        say(
            f"| {number if number.isdigit() else path.stem} | {cell(run.seconds, most, 's')} | {cell(run.before, MOST['before'], 'MB')} | "
            f"{cell(run.after, MOST['after'], 'MB')} |"
        )
    return complaints


def report_nbval(say):
    """The line of nbval; returns the complaint if a notebook failed."""
    try:
        say(
            f"All notebooks under nbval, two processes: {cell(nbval(), MOST['nbval'], 's')}, at most {MOST['nbval']}."
        )
    except subprocess.CalledProcessError as error:
        return [f"nbval: {(error.stdout + error.stderr)[-2000:]}"]
    return []

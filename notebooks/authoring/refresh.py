"""Run notebooks and write them back clean: `make notebooks`.

A notebook that did not change gives an empty diff, so a diff shows what a change of the engine did
to the lessons. What differs from run to run never reaches the file: timings, memory addresses, the
state of widgets, the version of the kernel, the frames of a traceback. What a reader sees in a
preview stays: text, HTML and SVG.

Folded are the sources of questions and of cells tagged "folded", and the saved results between a
question and the cell that answers it.
JupyterLab unfolds results when a cell runs; until then it shows their first line, which is words."""

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

import nbformat
import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograd_core.lessons.questions.predict import assigned_names

from . import pattern, shipped
from .kernels import through_files

NOTEBOOKS = Path(__file__).resolve().parents[1]
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
QUESTION = "# a question"
"""JupyterLab shows the first line of a source that is folded."""
FOLDED = "Result: predict first, then run this cell"
"""And of the first output of a result that is folded: else a style sheet, or tags of a picture."""
VOLATILE_CELL_METADATA = ("ExecuteTime", "collapsed", "execution", "scrolled", "trusted")


class _Client(NotebookClient):
    async def _async_handle_timeout(
        self, timeout: int, cell: NotebookNode | None = None
    ) -> NoReturn:
        used = sum(psutil.Process(self.km.provisioner.pid).cpu_times()[:2])
        raise TimeoutError(
            f"not done after {timeout} s, in which the kernel computed for {used:.1f}"
            f" s:\n{cell.source}"
        )


def execute(notebook: NotebookNode, folder: Path, timeout: int = 3600) -> NotebookNode:
    """Run every cell of `notebook` from the top, in a new kernel started in `folder`, and return
    the notebook.

    `timeout` is in seconds and holds for each cell. Raises `CellExecutionError` when a cell raises,
    unless the cell is tagged `raises-exception`, and `TimeoutError` with what the kernel has
    computed until then."""
    with tempfile.TemporaryDirectory() as sockets:
        client = _Client(
            notebook,
            timeout=timeout,
            startup_timeout=3600,
            iopub_timeout=3600,  # after which output would be lost
            kernel_name="python3",
            config=through_files(sockets),
            extra_arguments=["--log-level=ERROR"],
            record_timing=False,
            # an Output widget of ipywidgets needs it; `clean` takes it out
            store_widget_state=True,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
        )
        # what an Output widget catches stays in its cell: it is the saved picture
        client.comm_open_handlers.clear()
        # the quiz looks for earlier answers there, and finds none
        return client.execute(env={**os.environ, "JUPYTER_DATA_DIR": sockets})


def clean(notebook: NotebookNode) -> NotebookNode:
    """Take out of `notebook`, in place, what differs from run to run; return it."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        for key in VOLATILE_CELL_METADATA:
            cell.metadata.pop(key, None)
        if cell.cell_type == "code":
            cell.outputs = [
                kept for output in cell.outputs if (kept := _clean_output(output)) is not None
            ]
    fold(notebook)
    return notebook


def fold(notebook: NotebookNode) -> None:
    """Fold questions, cells tagged "folded" or "claims", and saved results that answer an open
    question.
    """
    awaited: set[str] = set()
    # between an answer and the words about it: the checks tell it too
    answered = False
    for cell in notebook.cells:
        cell.metadata.pop("jupyter", None)
        if cell.cell_type != "code":
            answered = False
            continue
        source = "".join(cell.source)
        asked = pattern.awaited_names(source)
        if asked and not source.startswith("#"):
            cell.source = f"{QUESTION}\n{source}"
        folded = {}
        if asked or {"folded", "claims"} & set(cell.metadata.get("tags", ())):
            folded["source_hidden"] = True
        if (awaited or answered) and not asked and cell.outputs:
            folded["outputs_hidden"] = True
        left = awaited - assigned_names(source)
        answered = bool(awaited and not left) or (answered and not asked)
        awaited = left | asked
        if folded:
            cell.metadata["jupyter"] = folded


def announce(notebook: NotebookNode) -> NotebookNode:
    """Put the words FOLDED before each folded result of `notebook`, in place; return it.

    They stand above the result once it is unfolded. Whoever runs the cell gets the result alone."""
    for cell in notebook.cells:
        if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            cell.outputs.insert(0, new_output("display_data", {"text/plain": FOLDED}))
    return notebook


def results(cell: NotebookNode) -> list[NotebookNode]:
    """What the run of a cell has shown: its outputs without what `announce` has put there."""
    return [each for each in cell.outputs if each.get("data") != {"text/plain": FOLDED}]


def _clean_output(output: NotebookNode) -> NotebookNode | None:
    """The output without addresses, widget views and frames; `None` when a widget view was all
    there was.
    """
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
        return _each_text(output)
    if "data" in output and output.data.pop(WIDGET_VIEW, None) is not None and not output.data:
        return None
    return _each_text(output)


def _each_text(node):
    """`node` with the memory addresses in all its strings written `0x...`."""
    if isinstance(node, str):
        return re.sub(r"\b0x[0-9a-fA-F]{6,}", "0x...", node)
    if isinstance(node, list):
        return [_each_text(item) for item in node]
    if isinstance(node, dict):
        return nbformat.from_dict({key: _each_text(value) for key, value in node.items()})
    return node


def refresh(path: Path) -> bool:
    """Run and clean the notebook at `path` in place; tell whether the file changed."""
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    after = nbformat.writes(announce(clean(execute(notebook, path.parent)))) + "\n"
    if after != before:
        path.write_text(after, encoding="utf-8", newline="\n")
    return after != before


def main(arguments: list[str] | None = None) -> int:
    """Refresh the notebooks named, or all of them; the number of those that failed."""
    parser = argparse.ArgumentParser(description="Run notebooks and clean their outputs in place.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: every lesson")
    paths = [path.resolve() for path in parser.parse_args(arguments).notebooks] or sorted(
        NOTEBOOKS.glob("*.ipynb")
    )
    failed = 0
    for path in paths:
        print(f"{path.name} … ", end="", flush=True)
        start = time.perf_counter()
        try:
            result = "changed" if refresh(path) else "unchanged"
        except CellExecutionError as error:
            failed += 1
            result = f"FAILED and left as it was\n{error}"
        print(f"{result} ({time.perf_counter() - start:.1f} s)")
    if any(path.parent == NOTEBOOKS for path in paths):
        shipped.HASHES.write_text(shipped.written(), encoding="utf-8", newline="\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())

"""The lessons as static pages: `make site` writes them to build/site.

    python -m notebooks.authoring.site.build [--into DIR] [NOTEBOOK ...]

Each notebook is run, and nbconvert makes a page of it; host.mjs shows its widgets from the state
that the kernel left. A page needs its own file and those in assets/, and asks nothing of anywhere,
so it also opens from a disk."""

import argparse
import base64
import gzip
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup
from jinja2 import pass_context
from latex2mathml.converter import convert
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

from autograd_core.widgets.kit.bundle import contents
from autograd_core.widgets.kit.shown import PICTURED, WORDS
from autograd_core.widgets.kit.theme import palette_css
from notebooks.authoring.find_your_error import PAGE
from notebooks.authoring.kernels import through_files
from notebooks.authoring.refresh import NOTEBOOKS, QUESTION, WIDGET_VIEW, clean

HERE = Path(__file__).parent
HOUSE = NOTEBOOKS.parent
GIVEN, CONTENTS = "{models and outcomes}", "{contents}"
"""Where page.html.j2 has them."""

NEEDED = "Run this lesson in JupyterLab to move the controls of this cell: make lab."
OWN_WORDS = {
    r"Run each cell with <kbd>Shift</kbd>\+<kbd>Enter</kbd>\.": (
        "Here views play, and questions take your answer. To change the code and run it, open the"
        " notebook in JupyterLab."
    ),
}
"""What a page says in place of what only a notebook can say."""
TASKS = {
    "watch_own(": "A page can't run your own loop.",
    "ward(": "A page can't check your diagnosis or run the loops.",
}
"""What a page says about a cell in which the reader has something to do, by a line of its source."""

MOST_BYTES = 1_990_000
"""Of a page."""

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
OUTCOMES = "from notebooks.authoring.site.outcomes import write\nwrite({!r})"


# ---- a notebook, run -----------------------------------------------------------------------------


def read(path: Path) -> NotebookNode:
    """The notebook at `path`. A page of Markdown is one cell, without its list of contents."""
    if path.suffix == ".ipynb":
        return nbformat.read(path, as_version=4)
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^## Contents\n.*?(?=^## )", "", text, flags=re.DOTALL | re.MULTILINE)
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])


def run(path: Path) -> tuple[NotebookNode, dict[str, Any], dict[str, Any]]:
    """The notebook with the outputs of a run, the models of its widgets as host.mjs opens them, and
    their outcomes.

    An output that a widget shows names its model in its metadata. Raises what a cell raises that is
    not to raise."""
    notebook = read(path)
    if path.suffix != ".ipynb":
        return notebook, {}, {}
    # the quiz keeps its answers there, and finds none
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=None,
            kernel_name="python3",
            config=through_files(folder),
            resources={"metadata": {"path": str(path.parent)}},
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
        )
        client.comm_open_handlers.clear()  # what an `interact` shows stays in its cell
        environment = {
            **os.environ,
            "PYTHONPATH": f"{HOUSE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
            "JUPYTER_DATA_DIR": folder,
        }
        with client.setup_kernel(env=environment):
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
            client.set_widgets_metadata()
            file = Path(folder, "outcomes.json")
            notebook.cells.append(nbformat.v4.new_code_cell(OUTCOMES.format(str(file))))
            client.execute_cell(notebook.cells[-1], len(notebook.cells) - 1)
            notebook.cells.pop()
        outcomes = json.loads(file.read_text(encoding="utf-8"))
    models = models_of(notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {}))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = placed(cell.outputs, models)
    return clean(notebook), models, outcomes


def placed(outputs: list[NotebookNode], models: dict[str, Any]) -> list[NotebookNode]:
    """The outputs of a cell with one for each widget, in place of the three of kit/shown.py: it
    names the widget's model, or says that a notebook is needed.
    """
    kept, rest = [], iter(outputs)
    for output in rest:
        view = output.get("data", {}).get(WIDGET_VIEW)
        if view:
            words = next(rest)
            if f'"{PICTURED}"' in words.data["text/html"]:
                output = next(rest)
            else:
                output = words
                page = words.data["text/html"].partition(f"{WORDS}</p>")[2]
                note = "" if view["model_id"] in models else f'<p class="note">{NEEDED}</p>'
                output.data["text/html"] = note + page
            if view["model_id"] in models:
                output.metadata["model"] = view["model_id"]
        kept.append(output)
    return kept


def models_of(saved: dict[str, Any]) -> dict[str, Any]:
    """The models of `saved` that views or other models need, but for the bundle's state, which all
    pages share.
    """
    models = {}
    for name, model in saved.items():
        state = {
            key: value
            for key, value in model["state"].items()
            if not key.startswith("_") or key == "_esm"
        }
        if "script" in state:
            models[name] = {"id": name, "bundle": True}
        elif "_esm" in state or "bundle" in state:  # a stub, or a widget of ours
            state.pop("layout", None)
            state["saved"] = True
            buffers = model.get("buffers", ())
            models[name] = {
                "id": name,
                "state": state,
                "bytes": [each["data"] for each in buffers],
                "places": [each["path"][0] for each in buffers],
            }
    return models


# ---- a page --------------------------------------------------------------------------------------


class _Renderer(IPythonRenderer):
    """Formulas become MathML, which browsers draw by themselves; what links to a notebook links to
    its page.
    """

    def inline_math(self, body: str) -> str:
        return convert(body)

    def block_math(self, body: str) -> str:
        return convert(body, display="block")

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return super().link(text, re.sub(r"^([\w-]+)\.(?:ipynb|md)", r"\1.html", url), title)


class Page(HTMLExporter):
    """Makes a page of a notebook by page.html.j2."""

    def __init__(self) -> None:
        super().__init__(
            template_name="basic",
            template_file="page.html.j2",
            extra_template_paths=[str(HERE)],
            exclude_input_prompt=True,
            exclude_output_prompt=True,
        )

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        for sentence, own in OWN_WORDS.items():
            source = re.sub(sentence, own, source, flags=re.DOTALL)
        return MarkdownWithMath(renderer=_Renderer(escape=False)).render(source)


def task_of(cell: NotebookNode) -> str:
    """What a page says about a code cell whose task needs a notebook, or ""."""
    if "exercise" in cell.metadata:
        return "This is an exercise, and a page can't check it."
    lines = cell.source.splitlines()
    return next((told for call, told in TASKS.items() for x in lines if x.startswith(call)), "")


def contents_of(page: str) -> str:
    """The headings of a page's parts, as items of a list that lead to them."""
    headings = re.findall(r'<h2 id="([^"]*)">(.*?)<a class="anchor-link"', page, re.DOTALL)
    return "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading in headings)


def title_of(path: Path) -> str:
    """The number of a notebook, if it has one, and its first heading, without backticks."""
    lines = (line for cell in read(path).cells for line in cell.source.splitlines())
    number = f"{path.stem[:2]} " if path.stem[:2].isdigit() else ""
    return number + next(line for line in lines if line.startswith("# ")).strip("# ").replace(
        "`", ""
    )


def sections(page: str, name: str) -> list[list[str]]:
    """What the search looks through: name, heading, its id, and all words up to the next heading."""
    found: list[list[str]] = []
    for part in BeautifulSoup(page, "html.parser").main.find_all(
        ["h1", "h2", "h3", "p", "li", "td", "pre"]
    ):
        if part.name[0] == "h":
            found.append([name, part.get_text().rstrip("¶"), part.get("id", ""), ""])
        elif found and not part.find_parent(class_="output"):
            found[-1][3] += " ".join(part.get_text().split()) + " "
    return found


def packed(models: dict[str, Any], outcomes: dict[str, Any], room: int) -> str:
    """Models and outcomes for host.mjs: JSON, zipped, in base64. What is heaviest goes until it is
    no longer than `room`.

    Without its moves a control needs a notebook, and without its model a view remains the still
    that it is."""
    while True:
        plain = json.dumps({"models": list(models.values()), "outcomes": outcomes}).encode()
        text = base64.b64encode(gzip.compress(plain, mtime=0)).decode()
        if len(text) <= room:
            return text
        moves = (
            (len(json.dumps(outcome["moves"])), outcomes, name)
            for name, outcome in outcomes.items()
            if "moves" in outcome
        )
        views = (
            (len(json.dumps(model)), models, name)
            for name, model in models.items()
            if "state" in model
        )
        _, those, name = max((*moves, *views), key=lambda heavy: heavy[0])
        del those[name]


def page(path: Path, paths: list[Path], into: Path) -> tuple[list[list[str]], str]:
    """Write the page of the notebook at `path`, one of `paths`; its sections, and a line to print."""
    start = time.perf_counter()
    notebook, models, outcomes = run(path)
    lessons = [{"name": each.stem, "title": title_of(each)} for each in paths]
    resources = {
        "lessons": lessons,
        "here": paths.index(path),
        # what a question's source says, its view says too
        "asking": QUESTION,
        "task": task_of,
        "numbered": [each.stem for each in paths if each.stem[:2].isdigit()],
        "reference": (into / "reference").is_dir(),
        "source": path.name,
    }
    text, _ = Page().from_notebook_node(notebook, resources)
    text = re.sub(r'(<a href="[\w-]+)\.ipynb"', r'\1.html"', text)  # links that a cell shows
    text = text.replace(CONTENTS, contents_of(text))
    target = into / f"{path.stem}.html"
    target.write_text(
        text.replace(GIVEN, packed(models, outcomes, MOST_BYTES - len(text.encode()))),
        encoding="utf-8",
    )
    line = (
        f"{target.name}: {target.stat().st_size / 1e6:.2f} MB, {len(models)} models,"
        f" {time.perf_counter() - start:.0f} s"
    )
    return sections(text, path.stem), line


# ---- the site ------------------------------------------------------------------------------------


def build(paths: list[Path], into: Path, jobs: int = 2) -> None:
    """Write the pages of these notebooks into the folder `into`, in place of the pages there."""
    assets = into / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    for old in into.glob("*.html"):
        old.unlink()
    if importlib.util.find_spec("pdoc"):
        subprocess.run(
            [
                sys.executable,
                "-W",
                "ignore",
                "-m",
                "pdoc",
                "--no-show-source",
                "-o",
                str(into / "reference"),
                "autograd_core",
            ],
            check=True,
        )
    for picture in NOTEBOOKS.glob("*.svg"):
        shutil.copy(picture, into)
    shutil.copy(HERE / "host.mjs", assets)
    (assets / "bundle.js").write_text(
        f"globalThis.bundle = {json.dumps(contents())};\n", encoding="utf-8"
    )
    (assets / "site.css").write_text(
        palette_css() + (HERE / "site.css").read_text(encoding="utf-8"), encoding="utf-8"
    )
    (into / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><title>autograd_core</title><meta '
        f'http-equiv="refresh" content="0; url={paths[0].stem}.html">',
        encoding="utf-8",
    )
    found = []
    with ProcessPoolExecutor(jobs) as pool:
        for each, line in pool.map(page, paths, [paths] * len(paths), [into] * len(paths)):
            found += each
            print(line, flush=True)
    (assets / "search.js").write_text(
        f"globalThis.sections = {json.dumps(found)};\n", encoding="utf-8"
    )


def is_fresh(paths: list[Path], into: Path) -> bool:
    """Whether `into` has all these pages, made after the last change of what they are made of."""
    pages = [into / f"{path.stem}.html" for path in paths]
    sources = (
        *paths,
        *HERE.iterdir(),
        *(HOUSE / "autograd_core").rglob("*.py"),
        *(HOUSE / "autograd_core").rglob("static/*"),
    )
    return all(page.exists() for page in pages) and max(
        each.stat().st_mtime for each in sources if each.is_file()
    ) < min(page.stat().st_mtime for page in pages)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write the lessons as static pages.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: every lesson")
    parser.add_argument("--into", type=Path, default=HOUSE / "build" / "site")
    given = parser.parse_args(arguments)
    build(given.notebooks or [*sorted(NOTEBOOKS.glob("*.ipynb")), PAGE], given.into)


if __name__ == "__main__":
    main()

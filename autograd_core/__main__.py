"""Run a PyTorch script, unchanged, on autograd_core; or write the lessons into a folder.

python -m autograd_core train.py --epochs 3
python -m autograd_core lessons my-lessons
"""

import importlib.metadata
import shutil
import sys
from pathlib import Path

import autograd_core
from autograd_core.compat.script import run


def notebooks() -> list[Path]:
    """The lessons: those of the checkout, if this is one, else those that were installed."""
    checkout = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
    if checkout:
        return checkout
    files = importlib.metadata.files("autograd_core") or []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".ipynb")


def write_lessons(given: list[str]) -> None:
    """Copy the lessons into the folder `given`. Raises SystemExit where one is there already."""
    if len(given) != 1:
        sys.exit("usage: python -m autograd_core lessons FOLDER")
    folder, lessons = Path(given[0]), notebooks()
    if there := [path.name for path in lessons if (folder / path.name).exists()]:
        sys.exit(f"{folder} has {there[0]} already, perhaps with your answers: name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path in lessons:
        shutil.copy(path, folder)
    print(
        f"{len(lessons)} lessons are in {folder}. They need JupyterLab, PyTorch and more, all\n"
        'of which pip install ".[lessons]" installs in the checkout of autograd_core.\n'
        f"    jupyter lab {folder / lessons[0].name}"
    )


def main() -> None:
    if sys.argv[1:2] == ["lessons"]:
        write_lessons(sys.argv[2:])
    else:
        run(autograd_core, sys.argv[1:])


if __name__ == "__main__":
    main()

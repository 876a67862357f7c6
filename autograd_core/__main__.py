"""Write the lessons into a folder: `python -m autograd_core lessons my-lessons`."""

import importlib.metadata
import shutil
import sys
from pathlib import Path

ERRORS = "find_your_error.md"
"""A page that the lessons link to."""


def lesson_files() -> list[Path]:
    """The notebooks and ERRORS, of the checkout or else the installed ones."""
    folder = Path(__file__).parents[1] / "notebooks"
    checkout = sorted(folder.glob("*.ipynb"))
    if checkout:
        return [*checkout, folder / ERRORS]
    files = importlib.metadata.files("autograd_core") or []
    shared = (file for file in files if file.suffix == ".ipynb" or file.name == ERRORS)
    return sorted(Path(str(file.locate())) for file in shared)


def write_lessons(folder: Path) -> None:
    """Copy the lessons into `folder`. Raises SystemExit if it already contains one of them."""
    lessons = lesson_files()
    if there := [path.name for path in lessons if (folder / path.name).exists()]:
        sys.exit(
            f"{folder} already contains {there[0]}, perhaps with your answers. Use another folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for path in lessons:
        shutil.copy(path, folder)
    print(
        f"{len(lessons) - 1} lessons are in {folder}. To run them, install JupyterLab and PyTorch\n"
        'with pip install ".[lessons]" in the checkout of autograd_core.\n'
        f"    jupyter lab {folder / lessons[0].name}"
    )


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] != "lessons":
        sys.exit("usage: python -m autograd_core lessons FOLDER")
    write_lessons(Path(sys.argv[2]))


if __name__ == "__main__":
    main()

"""Write the lessons into a folder: `python -m autograd_core lessons my-lessons`."""

import importlib.metadata
import shutil
import sys
from pathlib import Path


def notebooks() -> list[Path]:
    """The notebooks of the checkout, or else the installed ones."""
    checkout = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
    if checkout:
        return checkout
    files = importlib.metadata.files("autograd_core") or []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".ipynb")


def write_lessons(folder: Path) -> None:
    """Copy the lessons into `folder`. Raises SystemExit if it already contains one of them."""
    lessons = notebooks()
    if there := [path.name for path in lessons if (folder / path.name).exists()]:
        sys.exit(
            f"{folder} already contains {there[0]}, perhaps with your answers. Use another folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for path in lessons:
        shutil.copy(path, folder)
    print(
        f"{len(lessons)} lessons are in {folder}. To run them, install JupyterLab and PyTorch with\n"
        'pip install ".[lessons]" in the checkout of autograd_core.\n'
        f"    jupyter lab {folder / lessons[0].name}"
    )


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] != "lessons":
        sys.exit("usage: python -m autograd_core lessons FOLDER")
    write_lessons(Path(sys.argv[2]))


if __name__ == "__main__":
    main()

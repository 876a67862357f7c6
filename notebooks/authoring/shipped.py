"""Which notebooks are the lessons as they were shipped: those are signed, so that their saved
pictures are shown at once.

    python -m notebooks.authoring.shipped           signs them; `make lab` does so

A signed notebook's HTML and scripts run when it is opened, before any cell. So a notebook that
somebody else put into the folder, or changed, is not signed; JupyterLab signs the reader's own work
when it is saved. `shipped.sha256` is written by `refresh`. It needs no git, which a downloaded
archive has not."""

import hashlib
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

NOTEBOOKS = Path(__file__).resolve().parents[1]
HASHES = Path(__file__).with_suffix(".sha256")


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def written(folder: Path = NOTEBOOKS) -> str:
    """What HASHES should hold: "hash  name" for each notebook."""
    return "".join(
        f"{hash_of(path.read_text(encoding='utf-8'))}  {path.name}\n"
        for path in sorted(folder.glob("*.ipynb"))
    )


def sign(
    folder: Path = NOTEBOOKS, hashes: Path = HASHES, notary: NotebookNotary | None = None
) -> list[str]:
    """Sign those notebooks in `folder` that are as `hashes` says; their names."""
    signed, notary = [], notary or NotebookNotary()
    for line in hashes.read_text(encoding="utf-8").splitlines():
        wanted, name = line.split("  ", 1)
        path = folder / name
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        if hash_of(text) == wanted:
            notary.sign(nbformat.reads(text, as_version=4))
            signed.append(name)
    return signed


if __name__ == "__main__":
    sign()

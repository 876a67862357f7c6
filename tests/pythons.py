"""The engine's tests and all notebooks on every Python that is found, each in an environment of its
own.

    python -m tests.pythons

Environments are made in build/, of what requirements.txt pins. The Python of this environment is
left out: `make test` has run on it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
ENGINE = [
    f"tests/{room}"
    for room in ("core", "ops", "autograd", "nn", "optim", "compat", "utils", "trace")
]
NBVAL = [
    "notebooks",
    "-p",
    "tests.notebooks.results",
    "--nbval",
    "--nbval-current-env",
    "--nbval-sanitize-with",
    "notebooks/authoring/sanitize.cfg",
    "--nbval-cell-timeout",
    "7200",
    "--dist",
    "loadscope",
]


def version_of(python: str | Path) -> str | None:
    """ "3.12" if this is a Python that runs."""
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    run = subprocess.run([python, "-c", script], capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else None


def found() -> dict[str, str]:
    """{version: a Python of it}, of those on the path and those that pyenv has installed."""
    named = [path for version in VERSIONS if (path := shutil.which(f"python{version}"))]
    installed = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin/python")
    )
    versions = {version_of(python): str(python) for python in (*installed, *named)}
    return {version: versions[version] for version in VERSIONS if version in versions}


def proved(version: str, python: str) -> bool:
    """Whether all passes in an environment made with this Python."""
    environment = HOUSE / "build" / f"python{version}"
    subprocess.run(
        ["sh", "notebooks/authoring/environment.sh", environment],
        cwd=HOUSE,
        check=True,
        env={**os.environ, "PYTHON": python},
    )
    test = [
        environment / "bin" / "python",
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "tests.longest_first",
    ]
    ended = [subprocess.run([*test, *what], cwd=HOUSE).returncode for what in (ENGINE, NBVAL)]
    return not any(ended)


def main() -> int:
    others = {
        version: python
        for version, python in found().items()
        if version != version_of(sys.executable)
    }
    if not others:
        print("no other Python is found: install one, or see what the workflow of the night says")
    failed = []
    for version, python in others.items():
        print(f"-- Python {version}", flush=True)
        failed += [] if proved(version, python) else [version]
    print(f"-- {', '.join(others) or 'none'} tried, failed: {', '.join(failed) or 'none'}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())

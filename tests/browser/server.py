"""A JupyterLab server on a copy of the notebooks, started as `make lab` starts it and stopped for sure."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]
START_SECONDS = 120
STOP_SECONDS = 10


@dataclass(frozen=True)
class Server:
    """Where the server is, its token, the address it prints, and the folder of the notebooks that it serves."""

    url: str
    token: str
    start: str
    folder: Path


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Copy the notebooks under `folder`, serve them on a free loopback port, and kill the server in the end.

    Settings, runtime files and workspaces live under `folder` too: nothing of the person who runs the tests counts,
    and nothing of theirs is changed. Raises `RuntimeError` with the server's log when it does not start.
    """
    root = folder / "house"
    shutil.copytree(HOUSE / "notebooks", root / "notebooks", ignore=shutil.ignore_patterns(".*", "__pycache__"))
    names = ("JUPYTER_CONFIG", "JUPYTER_DATA", "JUPYTER_RUNTIME", "JUPYTERLAB_SETTINGS", "JUPYTERLAB_WORKSPACES")
    own = {f"{name}_DIR": str(folder / name.lower()) for name in names}
    command = [sys.executable, "-m", "jupyterlab", f"--config={root}/notebooks/authoring/lab_config.py"]
    command += ["--no-browser", "--ip=127.0.0.1", "--port=0", "--LabApp.expose_app_in_browser=True"]
    log = folder / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=root, env=os.environ | own, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        info = _started(process, Path(own["JUPYTER_RUNTIME_DIR"]), log)
        start = re.search(r"http://127\S+", log.read_text())
        yield Server(info["url"], info["token"], start[0], root / "notebooks")
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _started(process: subprocess.Popen, runtime: Path, log: Path) -> dict[str, str]:
    """What the server says about itself once it listens."""
    file = runtime / f"jpserver-{process.pid}.json"
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if file.exists():
            try:
                return json.loads(file.read_text())
            except json.JSONDecodeError:  # caught while it is being written
                pass
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")

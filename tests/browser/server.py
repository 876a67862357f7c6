"""A JupyterLab server on a copy of the notebooks, started as `make lab` starts it, shared, and
stopped for sure.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from tests.budget import PATIENCE

HOUSE = Path(__file__).resolve().parents[2]
STOP_SECONDS = 10


@dataclass(frozen=True)
class Server:
    """Where the server is, its token, the address it prints, and the folder of the notebooks that
    it serves.
    """

    url: str
    token: str
    start: str
    folder: Path


@contextmanager
def shared(folder: Path) -> Iterator[Server]:
    """One server for all processes of a test run that name this folder.

    The first that needs it starts it, and stops it when the others are done: each holds a lock for
    as long as it lives."""
    address, entry = folder / "lab.json", FileLock(folder / "lab.lock")
    mine = folder / f"lab-user-{uuid.uuid4().hex}.lock"
    with contextlib.ExitStack() as held:
        with entry:
            held.enter_context(FileLock(mine))
            is_owner = not address.exists()
            if is_owner:
                server = held.enter_context(serve(folder / "lab"))
                address.write_text(json.dumps(asdict(server), default=str))
            else:
                known = json.loads(address.read_text())
                server = Server(**{**known, "folder": Path(known["folder"])})
        yield server
        if is_owner:
            with entry:
                for other in set(folder.glob("lab-user-*.lock")) - {mine}:
                    with FileLock(other):
                        pass
                address.unlink()


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Copy the notebooks under `folder`, serve them on a free loopback port, and kill the server in
    the end.

    Settings and workspaces live under `folder` too: nothing of the person who runs the tests
    counts, and nothing of theirs is changed. Kernels are reached through files, in a folder whose
    path is short.
    Raises `RuntimeError` with the server's log when it does not start.
    """
    root = folder / "house"
    shutil.copytree(
        HOUSE / "notebooks", root / "notebooks", ignore=shutil.ignore_patterns(".*", "__pycache__")
    )
    names = ("JUPYTER_CONFIG", "JUPYTER_DATA", "JUPYTERLAB_SETTINGS", "JUPYTERLAB_WORKSPACES")
    runtime = tempfile.TemporaryDirectory()
    own = {f"{name}_DIR": str(folder / name.lower()) for name in names} | {
        "JUPYTER_RUNTIME_DIR": runtime.name
    }
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--config={root}/notebooks/authoring/lab_config.py",
    ]
    command += ["--no-browser", "--ip=127.0.0.1", "--port=0", "--LabApp.expose_app_in_browser=True"]
    if sys.platform == "linux":  # elsewhere the folder's path is too long for an address
        command += ["--KernelManager.transport=ipc"]
    log = folder / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=os.environ | own,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        info = _started(process, Path(runtime.name), log)
        start = re.search(r"http://127\S+", log.read_text())
        yield Server(info["url"], info["token"], start[0], root / "notebooks")
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        runtime.cleanup()


def _started(process: subprocess.Popen, runtime: Path, log: Path) -> dict[str, str]:
    """What the server says about itself once it listens."""
    file = runtime / f"jpserver-{process.pid}.json"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        if file.exists():
            try:
                return json.loads(file.read_text())
            except json.JSONDecodeError:  # caught while it is being written
                pass
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")

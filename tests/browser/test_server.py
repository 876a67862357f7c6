"""One server for all processes of a test run: started once, stopped once, when the last is done."""

import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

from tests.browser import server
from tests.browser.server import HOUSE, Server, shared
from tests.budget import PATIENCE


def test_one_is_started_and_it_outlives_every_user(tmp_path, monkeypatch):
    happened, both, first_is_done = [], threading.Barrier(2), threading.Event()

    @contextmanager
    def serve(folder):
        happened.append("started")
        yield Server("url", "token", "start", folder)
        happened.append("stopped")

    def use(waits: bool):
        with shared(tmp_path) as found:
            both.wait(PATIENCE)
            assert found == Server("url", "token", "start", tmp_path / "lab") and isinstance(
                found.folder, Path
            )
            if waits:
                first_is_done.wait(PATIENCE)
                happened.append("used until here")

    monkeypatch.setattr(server, "serve", serve)
    owner, guest = (threading.Thread(target=use, args=(waits,)) for waits in (False, True))
    owner.start()
    while not (tmp_path / "lab.json").exists():
        owner.join(0.01)
    guest.start()
    owner.join(0.3)  # it waits for its guest
    assert happened == ["started"]
    first_is_done.set()
    owner.join(PATIENCE)
    guest.join(PATIENCE)
    assert happened == ["started", "used until here", "stopped"]
    assert not (tmp_path / "lab.json").exists()


ASKED = """
import runpy, traitlets.config
from jupyter_server.services.kernels.kernelmanager import ServerKernelManager
runpy.run_path("notebooks/authoring/lab_config.py", {"get_config": traitlets.config.Config})
print(ServerKernelManager().last_activity.tzinfo)
"""


def test_a_kernel_that_was_just_made_can_be_asked_for_its_last_activity():
    """JupyterLab asks for all kernels every ten seconds, also while one starts."""
    run = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=HOUSE, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "UTC"

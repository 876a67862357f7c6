"""One server for all processes of a test run: started once, stopped once, when the last is done."""

import threading
from contextlib import contextmanager
from pathlib import Path

from tests.browser import server
from tests.browser.server import Server, shared
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

"""The page for a class: its commands, and the command of the image, open the first lesson."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.budget import PATIENCE

HOUSE = Path(__file__).resolve().parents[2]
AUTHORING = HOUSE / "notebooks" / "authoring"
INSTALLED = "/opt/autograd_core"
SERVER = f"#!/bin/sh\nexec {sys.executable} -m jupyter_server --no-browser --port=0 --allow-root"


def commands(page: str) -> list[str]:
    """The commands of each numbered step that has a block of them."""
    return re.findall(r"^   ```\n(.*?)^   ```$", page, re.MULTILINE | re.DOTALL)


def follow_steps(page: str, system: Path) -> str:
    """Run the commands after the installation with `system` as the root of the file system, and
    return the command that starts a server for a new learner.
    """
    for block in commands(page)[1:]:
        moved = block.replace("sudo ", "").replace(INSTALLED, str(HOUSE))
        subprocess.run(
            ["sh", "-ec", moved.replace("/etc/", f"{system}/etc/")],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    shutil.copytree(system / "etc/skel", system / "home")
    return "jupyterhub-singleuser"


def use_image(dockerfile: str, system: Path) -> str:
    """Return the command of the image, for a learner with an empty home."""
    (system / "home").mkdir()
    _, _, command = json.loads(re.search(r"^CMD (.*)$", dockerfile, re.MULTILINE)[1])
    return command.replace(INSTALLED, str(HOUSE))


def listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("localhost", port)) == 0


@contextmanager
def served(command: str, system: Path) -> Iterator[dict]:
    """Run `command` in the learner's home. A server without a hub stands in for JupyterHub's; what
    it writes about itself is returned.
    """
    (system / "bin").mkdir()
    stand_in = system / "bin" / "jupyterhub-singleuser"
    stand_in.write_text(f'{SERVER} "$@"\n')
    stand_in.chmod(0o755)
    own = {
        "PATH": f"{system}/bin:{os.environ['PATH']}",
        "JUPYTER_CONFIG_PATH": f"{system}/etc/jupyter",
        **{f"JUPYTER_{kind}_DIR": f"{system}/{kind}" for kind in ("CONFIG", "DATA", "RUNTIME")},
    }
    process = subprocess.Popen(
        ["sh", "-c", f"exec {command}" if " " not in command else command],
        cwd=system / "home",
        env=os.environ | own,
        stdout=subprocess.DEVNULL,
        stderr=(system / "log").open("w"),
    )
    try:
        written, deadline = system / "RUNTIME" / f"jpserver-{process.pid}.json", time.monotonic()
        while not written.exists() or not written.read_text():
            assert process.poll() is None, (system / "log").read_text()
            assert time.monotonic() < deadline + PATIENCE, (system / "log").read_text()
            time.sleep(0.1)
        server = json.loads(written.read_text())
        while not listens(server["port"]):  # Jupyter writes the file a moment before it listens
            assert time.monotonic() < deadline + PATIENCE, (system / "log").read_text()
            time.sleep(0.1)
        yield server
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "prepare, file", [(follow_steps, "class.md"), (use_image, "Dockerfile")], ids=["hub", "image"]
)
def test_a_new_learner_arrives_at_the_first_lesson(tmp_path, prepare, file):
    command = prepare((AUTHORING / file).read_text(), tmp_path)
    with served(command, tmp_path) as server:

        def get(address):
            asked = {"Authorization": f"token {server['token']}"}
            return urllib.request.urlopen(urllib.request.Request(address, headers=asked))

        page = get(server["url"]).url
        opened = re.fullmatch(re.escape(server["url"]) + r"doc/tree/([^?]+)\??", page)
        assert opened, page
        lesson = json.load(get(f"{server['url']}api/contents/{opened[1]}"))
    assert lesson["name"] == "00_start_here.ipynb" and lesson["writable"]


def copied(ignore: str) -> set[str]:
    """What stays of the top level of a checkout: the file ignores all and then makes exceptions."""
    lines = [line for line in ignore.splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    return {line[1:] for line in lines if line.startswith("!")}


def test_the_image_gets_what_it_installs_and_no_more():
    kept = copied((AUTHORING / "Dockerfile.dockerignore").read_text())
    project = {"README.md", "LICENSE", "autograd_core", "notebooks"}  # named in pyproject.toml
    assert kept == project | {"pyproject.toml", "requirements.txt"}
    assert all((HOUSE / name).exists() for name in kept)


def test_kubernetes_runs_the_command_of_the_image_and_keeps_its_home():
    values = re.search(r"```yaml\n(.*?)```", (AUTHORING / "class.md").read_text(), re.DOTALL)[1]
    home = re.search(r"--home-dir (\S+)", (AUTHORING / "Dockerfile").read_text())[1]
    assert re.search(r"^  cmd: null\b", values, re.MULTILINE)
    assert f"storage: {{homeMountPath: {home}}}" in values

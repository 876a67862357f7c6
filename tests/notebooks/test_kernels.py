"""A kernel whose ports somebody else has taken dies; one that is reached through files has none."""

import socket
import tempfile
import time

import jupyter_client
import pytest
from jupyter_client.provisioning import LocalProvisioner

from notebooks.authoring.kernels import through_files
from tests.budget import PATIENCE
from tests.notebooks import again


@pytest.fixture
def taken(monkeypatch):
    """The ports that were chosen, each taken before the kernel can open it."""
    sockets, launch_kernel = [], LocalProvisioner.launch_kernel

    async def late(self, command, **options):
        if self.parent.transport == "tcp":
            sockets.extend(socket.create_server(("127.0.0.1", port)) for port in self.parent.ports)
        return await launch_kernel(self, command, **options)

    monkeypatch.setattr(LocalProvisioner, "launch_kernel", late)
    yield sockets
    for each in sockets:
        each.close()


def answers(manager):
    """Start the kernel of `manager`, and end it when it has answered. Raises RuntimeError when it
    dies before that.
    """
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(PATIENCE)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return True


def test_a_kernel_that_is_reached_through_files_answers(taken):
    with tempfile.TemporaryDirectory() as folder:
        assert answers(
            jupyter_client.KernelManager(kernel_name="python3", config=through_files(folder))
        )
    assert answers(again.Manager(kernel_name="python3"))
    assert not taken


BOTH = """
import pathlib, time
pathlib.Path({started!r}).touch()
while not pathlib.Path({asked!r}).exists():
    time.sleep(0.01)
x = T.ones(2)
"""
EITHER = """
import autograd_core, torch
assert (torch.ones(2) * 2).tolist() == (autograd_core.ones(2) * 2).tolist() == [2, 2]
"""


def test_a_subshell_that_begins_while_a_cell_runs_on_both_engines_is_not_that_cells(tmp_path):
    """JupyterLab makes such a thread for widgets, in the middle of "Run All"."""
    started, asked = tmp_path / "started", tmp_path / "asked"
    with tempfile.TemporaryDirectory() as folder:
        manager = jupyter_client.KernelManager(kernel_name="python3", config=through_files(folder))
        manager.start_kernel()
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(PATIENCE)
            client.execute_interactive("%load_ext autograd_core.parity", timeout=PATIENCE)
            cell = client.execute("%%both" + BOTH.format(started=str(started), asked=str(asked)))
            deadline = time.monotonic() + PATIENCE
            while not started.exists():
                assert time.monotonic() < deadline, client.get_shell_msg(timeout=1)
                time.sleep(0.01)
            client.control_channel.send(client.session.msg("create_subshell_request"))
            subshell = client.get_control_msg(timeout=PATIENCE)["content"]["subshell_id"]
            question = client.session.msg("execute_request", {"code": EITHER, "silent": False})
            question["header"]["subshell_id"] = subshell
            client.shell_channel.send(question)
            answers = {}
            while question["header"]["msg_id"] not in answers:
                reply = client.get_shell_msg(timeout=PATIENCE)
                answers[reply["parent_header"]["msg_id"]] = reply["content"]
            asked.touch()
            while cell not in answers:
                reply = client.get_shell_msg(timeout=PATIENCE)
                answers[reply["parent_header"]["msg_id"]] = reply["content"]
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    assert [each["status"] for each in answers.values()] == ["ok", "ok"], answers

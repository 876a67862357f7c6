"""A kernel whose ports somebody else has taken dies; one that is reached through files has none."""

import socket
import tempfile

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

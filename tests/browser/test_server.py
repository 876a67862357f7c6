"""What the server of JupyterLab is asked for while it starts a kernel."""

import subprocess
import sys

from tests.browser.server import HOUSE

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

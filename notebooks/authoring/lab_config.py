"""JupyterLab as the lessons want it, started in the repository: jupyter lab
--config=notebooks/authoring/lab_config.py

`make lab` and the browser tests read this file, so what is tested is what people get. The token
stays on."""

from datetime import UTC, datetime
from pathlib import Path

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.kernelmanager import ServerKernelManager

c = get_config()  # noqa: F821  (defined by JupyterLab)

# The printed address and the opened page are the first lesson, alone and at full width: side bar
# folded, no tabs. JupyterHub's servers read the address from ServerApp.
c.LabApp.default_url = c.ServerApp.default_url = "/doc/tree/notebooks/00_start_here.ipynb"

# No question about news over a corner of the lesson, and no request to the outside for it.
c.LabApp.app_settings_dir = str(Path(__file__).parent / "lab_settings")
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"


# A slider's messages are small and many: sent at once, not gathered. It takes 36 ms of 47 off each
# round trip.
class PromptConnection(ZMQChannelsWebsocketConnection):
    """A kernel's websocket without the delay that TCP puts on small messages."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


c.ServerApp.kernel_websocket_connection_class = PromptConnection

# Between the start of a kernel and its first note of the time, JupyterLab's question which kernels
# there are was answered with "500 Internal Server Error".
ServerKernelManager._last_activity_default = lambda self: datetime.now(UTC)

# In a container there is often no user but root.
c.ServerApp.allow_root = True

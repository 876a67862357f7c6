"""JupyterLab as the lessons want it: `jupyter lab --config=notebooks/authoring/lab_config.py`, from the repository's root.

`make lab` and the browser tests read this file, so what is tested is what people get. The token stays on.
"""

from pathlib import Path

c = get_config()  # noqa: F821  (defined by JupyterLab)

# The printed address and the opened page are the first lesson, alone and at full width: side bar folded, no tabs.
c.LabApp.default_url = "/doc/tree/notebooks/00_start_here.ipynb"

# No question about news over a corner of the lesson, and no request to the outside for it.
c.LabApp.app_settings_dir = str(Path(__file__).parent / "lab_settings")
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"

# In a container there is often no user but root.
c.ServerApp.allow_root = True

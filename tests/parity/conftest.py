"""Each test begins with the settings that both engines have from the start, and with a session of
its own, in a real IPython shell or bare.
"""

import sys
from dataclasses import dataclass

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

import autograd_core
from autograd_core import parity
from autograd_core.parity.both import Session, _set, _settings

ENGINES = (autograd_core, torch)
START = _settings(autograd_core)


@pytest.fixture(autouse=True)
def settings_of_the_engines():
    settings = _settings(autograd_core)
    yield
    for engine in ENGINES:
        _set(engine, settings)


@pytest.fixture
def session():
    return Session({})


@dataclass(frozen=True)
class Shown:
    """What a learner sees of one cell: the report's line and table, or the error."""

    line: str
    table: str
    printed: str
    error: BaseException | None

    @property
    def message(self) -> str:
        """The error with its notes."""
        return "\n".join([str(self.error), *getattr(self.error, "__notes__", [])])


class Notebook:
    """A real IPython shell. `restart` makes it as good as new, and takes less than a new one."""

    def __init__(self):
        config = Config({"HistoryManager": {"enabled": False}})
        self.shell = InteractiveShell.instance(config=config)

    def restart(self):
        for engine in ENGINES:
            _set(engine, START)
            engine.manual_seed(0)
        self.shell.user_ns.clear()
        self.shell.init_user_ns()
        parity.load_ipython_extension(self.shell)

    @property
    def names(self) -> dict:
        return self.shell.user_ns

    def run(self, cell: str) -> Shown:
        """Run an ordinary cell, or one that begins with %%both."""
        with capture_output() as captured:
            result = self.shell.run_cell(cell)
        shown = [each.data for each in captured.outputs if "ac-parity" in str(each.data)]
        line, table = (shown[0]["text/plain"], shown[0]["text/html"]) if shown else ("", "")
        return Shown(line, table, captured.stdout, result.error_before_exec or result.error_in_exec)

    def both(self, cell: str, options: str = "") -> Shown:
        return self.run(f"%%both {options}\n{cell}")


@pytest.fixture(scope="module")
def shell_of_the_module():
    main = sys.modules["__main__"]  # the shell puts its own in this place
    yield Notebook()
    InteractiveShell.clear_instance()
    sys.modules["__main__"] = main


@pytest.fixture
def notebook(shell_of_the_module):
    shell_of_the_module.restart()
    return shell_of_the_module

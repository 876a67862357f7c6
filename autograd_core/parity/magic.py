"""%%both in IPython. PyTorch is imported when the first such cell runs."""

import importlib

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import display
from threadpoolctl import ThreadpoolController

from .both import Session
from .sides import OnTorch


@magics_class
class BothMagic(Magics):
    """The %%both magic of one IPython shell, with its session."""

    session: Session | None = None

    @cell_magic
    def both(self, line, cell):
        """Run the cell on autograd_core and on PyTorch, compare the results, and return the value
        of the last expression on autograd_core.
        """
        __tracebackhide__ = True
        if self.session is None:
            ours, theirs = map(importlib.import_module, ("autograd_core", "torch"))
            self.session = Session(ours, theirs, self.shell.user_ns)
            for side in self.session.sides:
                for name in ("exit", "quit", "open", "get_ipython"):
                    side.namespace[name] = self.shell.user_ns.get(name)
            self.threads = ThreadpoolController()
        self.shell.user_ns.setdefault("on_torch", _on_torch)  # `%reset` deletes it
        number = len(self.shell.history_manager.input_hist_parsed) - 1  # the n of In [n]
        filename = self.shell.compile.cache(f"%%both {line}\n{cell}", number)
        with self.threads.limit(limits=1):  # two threads would mostly wait for each other
            report, value = self.session.run(cell, line, filename)
        if report is not None:
            display(report)
        return value


_magic: BothMagic | None = None
_on_torch = OnTorch(lambda: _magic and _magic.session and _magic.session.theirs)


def load_ipython_extension(shell):
    """`%load_ext autograd_core.parity`: register %%both and define `on_torch`."""
    global _magic
    _magic = BothMagic(shell)
    shell.register_magics(_magic)
    shell.user_ns["on_torch"] = _on_torch

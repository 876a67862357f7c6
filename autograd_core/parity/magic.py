"""%%both in IPython."""

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import display
from threadpoolctl import ThreadpoolController

from .both import Session
from .sides import OnTorch


@magics_class
class BothMagic(Magics):
    """The %%both magic of one IPython shell, with its session."""

    def __init__(self, shell):
        super().__init__(shell)
        self.session, self.threads = Session(shell.user_ns), ThreadpoolController()
        self.on_torch = OnTorch(self.session.theirs.namespace)
        for side in self.session.sides:
            for name in ("exit", "quit", "open", "get_ipython"):
                side.namespace[name] = shell.user_ns.get(name)

    @cell_magic
    def both(self, line, cell):
        """Run the cell on autograd_core and on PyTorch, compare the results, and return the value
        of the last expression on autograd_core.
        """
        __tracebackhide__ = True
        self.shell.user_ns.setdefault("on_torch", self.on_torch)  # `%reset` deletes it
        number = len(self.shell.history_manager.input_hist_parsed) - 1  # the n of In [n]
        filename = self.shell.compile.cache(f"%%both {line}\n{cell}", number)
        with self.threads.limit(limits=1):  # two threads would mostly wait for each other
            report, value = self.session.run(cell, line, filename)
        if report is not None:
            display(report)
        return value

"""Run a PyTorch script, unchanged, on autograd_core:

    python -m autograd_core train.py --epochs 3

`import torch` and what lies below it then mean this engine, so that a debugger can step into `loss.backward()`.
What autograd_core does not have raises where the script asks for it, and says so.
"""

import importlib
import importlib.abc
import importlib.util
import os
import runpy
import sys


class TorchMeansAutogradCore(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `torch.nn` in `autograd_core.nn`, and so on. Raises ModuleNotFoundError for what is not there."""

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name.partition(".")[0] == "torch" else None

    def create_module(self, spec):
        ours = "autograd_core" + spec.name.removeprefix("torch")
        try:
            module = importlib.import_module(ours)
        except ModuleNotFoundError as error:
            if not ours.startswith(error.name or "?"):
                raise
            raise ModuleNotFoundError(f"autograd_core has no {spec.name}: this script needs PyTorch itself",
                                      name=spec.name) from None
        self._spec_of_ours = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._spec_of_ours            # it was executed under its own name, and stays what it was


def main(arguments):
    """Run the script `arguments[0]` with the rest as its arguments. Raises SystemExit with a message if it cannot."""
    if not arguments:
        sys.exit("usage: python -m autograd_core script.py [arguments]")
    if not os.path.isfile(arguments[0]):
        sys.exit(f"there is no file {arguments[0]}")
    if "torch" in sys.modules:
        sys.exit("PyTorch is loaded already: start this from a new Python")
    sys.meta_path.insert(0, TorchMeansAutogradCore())
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])

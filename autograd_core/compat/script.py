"""The script runner: an unchanged PyTorch script on autograd_core. `import torch`, and what lies
below it, mean this engine.

So a debugger can step into `loss.backward()`. What autograd_core does not have raises where the
script asks for it, and says so. Python processes that the script starts run on the engine too.
"""

import os
import runpy
import sys


class NotHere:
    """Asked, as the first of the finders, for the modules that are not loaded: of PyTorch there are
    no others.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(
                f"autograd_core has no {name}: this script needs PyTorch itself", name=name
            )


def stand_in(engine):
    """Let `import torch`, and what lies below it, mean the package `engine` in this process."""
    modules = {
        name.removeprefix(engine.__name__): module
        for name, module in sys.modules.items()
        if name.partition(".")[0] == engine.__name__
    }
    modules.update(
        {
            ".cuda": engine.cuda,
            ".backends": engine.backends,
            ".backends.cudnn": engine.backends.cudnn,
        }
    )
    sys.modules.update(
        {
            f"torch{name}": module
            for name, module in modules.items()
            if not name.startswith(".children")
        }
    )
    sys.meta_path.insert(0, NotHere)


def run(engine, arguments):
    """Run the script `arguments[0]` with the rest as its arguments, `torch` meaning the package
    `engine`.

    Raises SystemExit with a message if it cannot.
    """
    if not arguments:
        sys.exit("usage: python -m autograd_core script.py [arguments]")
    if not os.path.isfile(arguments[0]):
        sys.exit(f"there is no file {arguments[0]}")
    if "torch" in sys.modules:
        sys.exit("PyTorch is loaded already: start this from a new Python")
    stand_in(engine)
    home = os.path.dirname(engine.__file__)
    paths = [os.path.join(home, "children")]
    # where it is installed, it is found without
    if os.path.basename(os.path.dirname(home)) != "site-packages":
        paths.append(os.path.dirname(home))
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [*paths, *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    sys.path[1:1] = paths  # what `multiprocessing` hands to its processes
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")

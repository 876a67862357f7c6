"""The script runner: an unchanged PyTorch script on autograd_core. `import torch`, and what lies
below it, mean this engine, also in processes that the script starts; a debugger can step into
`loss.backward()`. What autograd_core does not have raises where the script asks for it.
"""

import os
import runpy
import sys


class NotHere:
    """The first of the finders of modules: of PyTorch there are none but those that are loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            message = f"autograd_core has no {name}: this script needs PyTorch itself"
            raise ModuleNotFoundError(message, name=name)


def stand_in(engine) -> None:
    """Let `import torch`, and what lies below it, mean the package `engine` in this process."""
    for name, module in list(sys.modules.items()):
        package, _, below = name.partition(".")
        if package == engine.__name__ and not below.startswith("children"):
            sys.modules[f"torch.{below}".rstrip(".")] = module
    sys.modules["torch.cuda"] = engine.cuda
    sys.modules["torch.backends"] = engine.backends
    sys.modules["torch.backends.cudnn"] = engine.backends.cudnn
    sys.meta_path.insert(0, NotHere)


def run(engine, arguments: list[str]) -> None:
    """Run the script `arguments[0]`, `torch` meaning the package `engine`. SystemExit if it cannot."""
    if not arguments:
        sys.exit("usage: python -m autograd_core script.py [arguments]")
    if not os.path.isfile(arguments[0]):
        sys.exit(f"there is no file {arguments[0]}")
    if "torch" in sys.modules:
        sys.exit("PyTorch is loaded already: start this from a new Python")
    stand_in(engine)
    home = os.path.dirname(engine.__file__)
    paths = [os.path.join(home, "children")]
    if os.path.basename(os.path.dirname(home)) != "site-packages":  # there it is found without
        paths.append(os.path.dirname(home))
    given = filter(None, [os.environ.get("PYTHONPATH")])
    os.environ["PYTHONPATH"] = os.pathsep.join([*paths, *given])
    sys.path[1:1] = paths  # what `multiprocessing` hands to its processes
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")

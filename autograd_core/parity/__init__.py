"""The rooms that know PyTorch: the two-engine cell, the comparison, and the checks of the exercises.

    %load_ext autograd_core.parity      makes %%both and on_torch known
    check("01.1", a_grad=-0.5)          compares an answer with PyTorch's
    parity_report()                     counts what was compared
    with watching(): loss = ...         records the forward, for watch(loss)
    processes(4, work)                  calls work(rank, world) in four processes at once
"""

from .compare import ParityError
from .exercises import BackwardRule, Function, check, exercise
from .magic import load_ipython_extension, parity_report
from .processes import processes
from .watching import watching

__all__ = ["BackwardRule", "Function", "ParityError", "check", "exercise", "load_ipython_extension", "parity_report",
           "processes", "watching"]

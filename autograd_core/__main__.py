"""Run a PyTorch script, unchanged, on autograd_core:

    python -m autograd_core train.py --epochs 3
"""

import sys

import autograd_core
from autograd_core.compat.script import run

if __name__ == "__main__":
    run(autograd_core, sys.argv[1:])

"""`import torch` in a process that a script on autograd_core started: from here on it means
autograd_core.
"""

import autograd_core
from autograd_core.compat.script import stand_in

stand_in(autograd_core)

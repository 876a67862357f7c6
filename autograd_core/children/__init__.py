"""What Python processes find that a script under `python -m autograd_core` starts: a `torch` that
is this engine.

The runner puts this folder first on their path; `multiprocessing` and `subprocess` hand the path
on."""

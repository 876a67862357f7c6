"""How much is searched at random: a little on every push, much in `make prove`.

What is drawn differs from day to day. The seed is printed at the end of a run, and `SEED=20261123
make test` repeats it."""

import os
from datetime import date

PROVE = "PROVE" in os.environ
# as the processes of one run inherit it
SEED = int(os.environ.setdefault("SEED", f"{date.today():%Y%m%d}"))


PATIENCE = int(os.environ.get("PATIENCE", 400))
"""Seconds that anything may take on a machine on which others compute. Nothing that works takes a
tenth of that, and a run in which some tests wait for nothing still ends, and names them.
"""


def budget(on_push: int, in_prove: int) -> int:
    return in_prove if PROVE else on_push

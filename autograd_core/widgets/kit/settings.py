"""What a reader may set in a lesson's widget, in a line of Python: a switch, a choice, a slider.

    settings_of(step=True, zero_grad=["to None", "never"], lr=(0.1, 0.01, 2.0))
"""

from collections.abc import Sequence
from typing import Any

Control = dict[str, Any]
"""A control as the browser gets it: its kind, name, label, value, and what it ranges over."""

STEPS = 100
"""A slider for which no step was given has so many."""


def settings_of(**given: bool | Sequence[Any]) -> list[Control]:
    """The controls for `given`, in that order, for a widget's `controls`.

    True or False is a switch; a list of strings is a choice, the first of them chosen; a tuple is a slider,
    (value, least, greatest) or (value, least, greatest, step). Raises ValueError, with what is allowed, for anything
    else.
    """
    return [{"name": name, "label": name, **_control(name, wanted)} for name, wanted in given.items()]


def _control(name: str, wanted: object) -> Control:
    if isinstance(wanted, bool):
        return {"kind": "switch", "value": wanted}
    if isinstance(wanted, list) and len(wanted) > 1 and all(isinstance(choice, str) for choice in wanted):
        return {"kind": "choice", "choices": wanted, "value": wanted[0]}
    if isinstance(wanted, tuple) and len(wanted) in (3, 4) and wanted[1] <= wanted[0] <= wanted[2]:
        value, least, greatest = wanted[:3]
        whole = all(isinstance(number, int) for number in wanted)
        step = wanted[3] if len(wanted) == 4 else 1 if whole else (greatest - least) / STEPS
        return {"kind": "slider", "value": value, "min": least, "max": greatest, "step": step}
    raise ValueError(f"{name}={wanted!r} is no setting: write True or False for a switch, a list of two or more "
                     "strings for a choice, (value, least, greatest) with least <= value <= greatest for a slider")

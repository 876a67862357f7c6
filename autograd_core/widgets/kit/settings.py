"""The settings of a lesson's widget, written in a line of Python: a switch, a choice, a slider.

settings_of(step=True, zero_grad=["to None", "never"], lr=(0.1, 0.01, 2.0))
"""

import math
from collections.abc import Sequence
from typing import Any

Control = dict[str, Any]
"""A control for the browser: its kind, name, label, value and range."""

STEPS = 100
"""The number of steps of a slider without a given step."""


def settings_of(**given: bool | Sequence[Any]) -> list[Control]:
    """The controls for `given`, in that order, for a widget's `controls`.

    True or False makes a switch. A list of strings makes a choice, of which the first is chosen.
    A tuple (value, least, greatest) or (value, least, greatest, step) makes a slider. Raises
    ValueError for anything else.
    """
    return [
        {"name": name, "label": name, **_control(name, wanted)} for name, wanted in given.items()
    ]


def _control(name: str, wanted: object) -> Control:
    if isinstance(wanted, bool):
        return {"kind": "switch", "value": wanted}
    if (
        isinstance(wanted, list)
        and len(wanted) > 1
        and all(isinstance(choice, str) for choice in wanted)
    ):
        return {"kind": "choice", "choices": wanted, "value": wanted[0]}
    if isinstance(wanted, tuple) and len(wanted) in (3, 4) and wanted[1] <= wanted[0] <= wanted[2]:
        value, least, greatest = wanted[:3]
        whole = all(isinstance(number, int) for number in wanted)
        step = wanted[3] if len(wanted) == 4 else 1 if whole else (greatest - least) / STEPS
        return {"kind": "slider", "value": value, "min": least, "max": greatest, "step": step}
    raise ValueError(
        f"{name}={wanted!r} is no setting: write True or False for a switch, a list of two or more"
        " strings for a choice, (value, least, greatest) with least <= value <= greatest for a"
        " slider"
    )


def countable(controls: list[Control], most: int = 64) -> dict[str, list[Any]]:
    """{name: values} of the controls with a few values, so that there are at most `most`
    combinations. If there are more, the controls with the most values are omitted.
    """
    found = {control["name"]: _values(control) for control in controls}
    found = {name: values for name, values in found.items() if values}
    while math.prod(map(len, found.values())) > most:
        found.pop(max(found, key=lambda name: len(found[name])))
    return found


def _values(control: Control) -> list[Any]:
    if control["kind"] == "switch":
        return [False, True]
    if control["kind"] == "choice":
        return list(control["choices"])
    if control["kind"] != "slider":
        return []
    low, high, step = control["min"], control["max"], control["step"]
    values = [low + i * step for i in range(round((high - low) / step) + 1)]
    if not any(math.isclose(value, control["value"]) for value in values):
        return []
    return [
        control["value"] if math.isclose(value, control["value"]) else value for value in values
    ]

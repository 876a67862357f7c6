"""Anomaly mode, a `with` block that finds the origin of nan."""

import os
import warnings

import numpy as np

from ..core.public import public
from ..core.recording import recording

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class _Anomalies:
    """Records the stack for each node, and warns with it if the node fails or sends a nan."""

    def __init__(self, check_nan):
        self.check_nan = check_nan

    def on_operation(self, operation, node, args, outs):
        if node is not None:
            import traceback  # slow to import, so only in anomaly mode

            frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
            node.metadata["traceback_"] = traceback.format_list(frames)

    def on_node_ran(self, node, sent):
        for i, g in enumerate(sent):
            if self.check_nan and g is not None and np.isnan(getattr(g, "_array", g)).any():
                self.on_node_failed(node)
                name = node.name()
                raise RuntimeError(f"Function '{name}' returned nan values in its {i}th output.")

    def on_node_failed(self, node):
        unknown = "No forward pass information available. Enable detect anomaly during forward pass"
        lines = "".join(node.metadata.get("traceback_", [unknown]))
        text = (
            f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
        )
        warnings.warn(text + lines, UserWarning, stacklevel=2)


def _anomalies():
    """The subscriber that detects anomalies in this thread, or None."""
    return next((each for each in recording.subscribers if isinstance(each, _Anomalies)), None)


class set_detect_anomaly:
    """Switch anomaly mode on or off: immediately, or for a `with` block (see `detect_anomaly`)."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _anomalies()
        self._switch(_Anomalies(check_nan) if mode else None)

    @staticmethod
    def _switch(anomalies):
        if _anomalies():
            recording.subscribe(_anomalies(), False)
        if anomalies:
            recording.subscribe(anomalies)

    def __enter__(self) -> None:
        """Do nothing. `__init__` does everything, so that a call without `with` works too."""

    def __exit__(self, *exception) -> None:
        self._switch(self._before)


class detect_anomaly(set_detect_anomaly):
    """A `with` block around forward and backward, in which the error of a node shows the line of the
    forward pass that created it. It is slow, because every operation records its stack. See lessons
    06 and 13.

    check_nan  raise RuntimeError when a node sends a nan, but not if the pass starts with a nan."""

    def __init__(self, check_nan: bool = True) -> None:
        words = "Anomaly Detection has been enabled. This mode will increase the runtime and should"
        warnings.warn(words + " only be enabled for debugging.", UserWarning, stacklevel=2)
        self._check_nan = check_nan

    def __enter__(self) -> None:
        super().__init__(True, self._check_nan)


@public("T")
def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return _anomalies() is not None

"""A mode for a whole `with` block: find where nan comes from."""

import os
import warnings

import numpy as np

from ..core.public import public
from ..core.recording import recording

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class _Anomalies:
    """Notes which lines led to each node, and tells when the node fails or sends a nan."""

    def __init__(self, check_nan):
        self.check_nan = check_nan

    def on_operation(self, operation, node, args, outs):
        if node is not None:
            import traceback  # loads what reads source files: not before somebody looks for an anomaly

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
    """The subscriber that looks for anomalies in this thread, or None."""
    return next((each for each in recording.subscribers if isinstance(each, _Anomalies)), None)


class set_detect_anomaly:
    """As `detect_anomaly`, on or off: at once, or for a `with` block."""

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
        """All is done by `__init__`, so that a call without `with` works too."""

    def __exit__(self, *exception) -> None:
        self._switch(self._before)


class detect_anomaly(set_detect_anomaly):
    """A `with` block, around forward and backward, in which a failing node names the line of the
    forward that made it. Slow, since every operation notes its line; lessons 06 and 13.

    check_nan  raise RuntimeError as soon as a node sends a nan, not at one that backward starts with.
    """

    def __init__(self, check_nan: bool = True) -> None:
        words = "Anomaly Detection has been enabled. This mode will increase the runtime and should"
        warnings.warn(words + " only be enabled for debugging.", UserWarning, stacklevel=2)
        self._check_nan = check_nan

    def __enter__(self) -> None:
        super().__init__(True, self._check_nan)


@public("T")
def is_anomaly_enabled() -> bool:
    """Whether a failing node names its forward line now."""
    return _anomalies() is not None

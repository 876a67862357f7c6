"""Modes for a whole `with` block: find where nan comes from, or promise that no gradient will ever
be asked for.
"""

import os
import warnings

import numpy as np

from ..core.public import public
from ..core.recording import recording
from .grad_mode import GradMode

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


# ---- anomalies -----------------------------------------------------------------------------------


class _Anomalies:
    """Notes which lines of the caller led to each node, and tells them when the node fails or sends
    a nan.
    """

    def __init__(self, check_nan):
        self.check_nan = check_nan

    def on_operation(self, operation, node, args, outs):
        if node is not None:
            # loads what reads source files: not before somebody looks for an anomaly
            import traceback

            frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
            node.metadata["traceback_"] = traceback.format_list(frames)

    def on_node_ran(self, node, sent):
        for i, g in enumerate(sent):
            if self.check_nan and g is not None and np.isnan(getattr(g, "_array", g)).any():
                self.on_node_failed(node)
                name = node.name()
                raise RuntimeError(f"Function '{name}' returned nan values in its {i}th output.")

    def on_node_failed(self, node):
        unknown = (
            "No forward pass information available. Enable detect anomaly during forward pass for"
            " more information."
        )
        lines = "".join(node.metadata.get("traceback_", [unknown]))
        cause = "Traceback of forward call that caused the error"
        text = f"Error detected in {node.name()}. {cause}:\n{lines}"
        warnings.warn(text, UserWarning, stacklevel=2)


def _anomalies():
    """The subscriber that looks for anomalies in this thread, or None."""
    return next((each for each in recording.subscribers if isinstance(each, _Anomalies)), None)


class set_detect_anomaly:
    """Switch the search for anomalies on or off: at once, or for a `with` block. See
    `detect_anomaly`.
    """

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
    forward that made it.

    check_nan  raise RuntimeError as soon as a node sends a nan. (It is not looked for in what
               arrives at the start.)
    Slow, since every operation notes its line. As `torch.autograd.detect_anomaly`; lessons 06 and
    13."""

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should"
            " only be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )
        self._arguments = (True, check_nan)

    def __enter__(self) -> None:
        super().__init__(*self._arguments)


@public("T")
def is_anomaly_enabled() -> bool:
    """Whether a failing node names its forward line now."""
    return _anomalies() is not None


# ---- inference -----------------------------------------------------------------------------------


class _InferenceVersion:
    """In place of the version counter of an inference tensor: outside of the mode, whoever asks for
    it is refused.
    """

    def __getitem__(self, index):
        if not recording.inference:
            raise RuntimeError(
                "Inference tensors do not track version counter: they cannot be saved for backward,"
                " nor changed in place outside of inference_mode. Make a clone() of it, or use"
                " no_grad() instead of inference_mode()"
            )
        return 0

    def __setitem__(self, index, version):
        self[index]


_INFERENCE = _InferenceVersion()


class _Marker:
    """Makes every result an inference tensor."""

    def on_operation(self, operation, node, args, outs):
        for out in outs:
            if out._base is None:
                out._counter = _INFERENCE


_MARKER = _Marker()


class inference_mode(GradMode):
    """A `with` block or decorator: as `no_grad`, and what is computed in it can never enter a graph
    that saves it.

    mode  False: an ordinary block inside of such a one.
    Saving an inference tensor for backward raises RuntimeError later; a `clone()` of it is an
    ordinary tensor. Unlike in PyTorch, tensors that are newly made in the block rather than
    computed (`zeros`, `rand`) stay ordinary."""

    def __init__(self, mode: bool = True) -> None:
        self.mode = bool(mode)

    def __enter__(self) -> None:
        self._before = recording.enabled, recording.inference
        self._switch(not self.mode, self.mode)

    def __exit__(self, *exception) -> None:
        self._switch(*self._before)

    @staticmethod
    def _switch(enabled, inference):
        recording.enabled, recording.inference = enabled, inference
        recording.subscribe(_MARKER, inference)


@public("T")
def is_inference_mode_enabled() -> bool:
    """Whether this is inside of `inference_mode`."""
    return recording.inference


@public("T")
def is_inference(tensor) -> bool:
    """Whether `tensor` was computed in `inference_mode`."""
    return tensor._counter is _INFERENCE

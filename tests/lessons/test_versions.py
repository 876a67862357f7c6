"""`typed`: each write counted or not, each stale save told with the line that wrote, and the gradient
judged by a finite difference, on both engines.
"""

import numpy as np
import pytest

from autograd_core.lessons.widgets import versions
from autograd_core.lessons.widgets.versions import ran, typed
from autograd_core.trace.rows import stale_saves

REFUSED, RIGHT, WRONG = "✕ backward() raises", "✓ Right", "✕ Wrong, and no error"
LUCK, NONE = "≈ Right by coincidence", "? No verdict"
LATER = ("h += 1", "h[0] = 0", "h[h < 1] = 0", "h.mul_(1)", "F.relu(h, inplace=True)")
HIDDEN = "h.data *= 2", "h.detach().numpy()[:] *= 2", "h.data[0] = 7.0"

PROGRAMS = {
    **{("T.sqrt(w)", line, ""): (REFUSED, [("SqrtBackward0", 0, 1)]) for line in LATER},
    **{("T.sin(w)", line, ""): (RIGHT, []) for line in LATER},
    **{("T.sqrt(w)", line, ""): (WRONG, [("SqrtBackward0", 0, 0)]) for line in HIDDEN},
    **{("T.sin(w)", line, ""): (WRONG, []) for line in HIDDEN},
    ("T.sin(w)", "", ""): (RIGHT, []),
    ("w + 1", "with torch.no_grad(): h.mul_(2)", ""): (WRONG, []),
    ("T.sin(w)", "h.data += 1", ""): (RIGHT, []),  # its slope is 1, and nobody reads `h` before
    ("T.exp(w)", "h.data *= 2", ""): (LUCK, [("ExpBackward0", 0, 0)]),
    ("T.sin(w)", "", "optimizer.step()"): (REFUSED, [("SinBackward0", 0, 1)]),
    ("T.sqrt(w)", "", "optimizer.step()"): (RIGHT, []),
    ("T.sin(w)", "", "w.data.mul_(2)"): (WRONG, [("SinBackward0", 0, 0)]),
    ("T.sin(w)", "", "h += 1"): (REFUSED, [("MulBackward0", 0, 1)] * 2),
    ("T.sqrt(w)", "for _ in range(3): h += 1", ""): (REFUSED, [("SqrtBackward0", 0, 3)]),
    ("T.exp(w).mul_(2)", "", ""): (REFUSED, [("ExpBackward0", 0, 1)]),  # nobody has its name
    ("T.sqrt(w)", "optimizer.zero_grad()", ""): (RIGHT, []),
    ("T.sqrt(w)", "w = w * 2", ""): (RIGHT, []),
    ("F.dropout(w)", "", ""): (RIGHT, []),  # the same mask each time
    ("T.sqrt(w)", "h = h.float()", ""): (NONE, []),
    ("(w - 0.5).abs() + 1", "", ""): (NONE, []),
    ("T.floor(2 * w)", "h = h + w", ""): (NONE, []),
}


@pytest.mark.parametrize("lines", PROGRAMS, ids=" | ".join)
def test_a_line_is_judged(lines):
    verdict, stale = PROGRAMS[lines]
    trace = ran(*lines)
    assert trace.note.startswith(verdict) and trace.note.endswith("Both engines agree.")
    assert [(trace.nodes[s.node].name, s.version, s.now) for s in trace.stale] == stale
    kinds = [event.kind for event in trace.events]
    assert "backward" in kinds and ("accumulate" in kinds) == (verdict != REFUSED)
    written = [line for line in lines if any(line in sentence for sentence in stale_saves(trace))]
    assert bool(written) == bool(stale)


def test_backward_is_played_up_to_the_node_that_raises():
    trace = ran("torch.exp(w)", "h *= 2")
    assert "raises at Exp: its saved h was [1.649, 4.482], now it is [3.297, 8.963]." in trace.note
    passed = [event for event in trace.events if event.kind == "backward"]
    names = [trace.nodes[event.node].name for event in passed]
    assert names == ["SumBackward0", "MulBackward0", "MulBackward0"]
    ((edge, gradient),) = passed[-1].sent
    assert trace.nodes[trace.edges[edge].producer].name == "ExpBackward0"
    assert np.allclose(gradient, 4 * np.exp([0.5, 1.5]) * 2)
    assert "raises at Exp. " in ran("T.exp(w).mul_(2)").note  # its saved tensor has no name


UNRECORDED = "h.data *= 2", "h.detach().mul_(2)", "with torch.no_grad(): h *= 2"


@pytest.mark.parametrize("line", [*UNRECORDED, "h *= 2", "h = h * 2"])
def test_a_write_that_is_not_recorded_has_a_box_with_the_new_numbers(line):
    trace = ran("torch.sin(w)", line)
    boxes = [node for node in trace.nodes if node.kind == "constant" and node.label]
    assert [box.label for box in boxes] == [line.split(": ")[-1]] * (line in UNRECORDED)
    assert ("isn't recorded" in trace.note) == bool(boxes)
    assert all(np.allclose(box.value, 2 * np.sin([0.5, 1.5])) for box in boxes)


def test_each_save_has_the_version_at_which_it_was_saved():
    trace = ran("T.sin(w)", "h.mul_(2)")
    kept = {node.name: [saved.label for saved in node.saved] for node in trace.nodes if node.saved}
    assert kept == {"SinBackward0": ["w v0"], "MulBackward0": ["h v1", "h v1"]}
    kept = [saved.label for node in ran("T.tanh(w)", "h += 1").nodes for saved in node.saved]
    assert kept == ["h v0", "h v1", "h v1"], "also of what backward refused to read"


def test_a_write_that_is_not_counted_is_told_as_such():
    (told,) = stale_saves(ran("T.sqrt(w)", "h.data *= 2"))
    assert told.endswith("at version 0; h.data *= 2 wrote into it: it is still at version 0.")


def test_a_wrong_gradient_is_not_called_right(monkeypatch):
    """The judge is the slope, whatever backward says: here another one was measured."""
    monkeypatch.setattr(versions, "_measured", lambda T, program: np.array([1.0, 1.0 + 1e-5]))
    assert ran("T.sqrt(w)").note.startswith(WRONG)


def test_engines_that_differ_are_told():
    line = "h = h * (2 if T.__name__ == 'torch' else 3)"
    assert "The engines differ: node" in ran("T.sin(w)", line).note
    line = "h.data *= 2 if T.__name__ == 'torch' else 1"
    assert "The engines differ" in ran("T.sin(w)", line).note
    note = ran("T.sin(w)", "h = torch.special.erf(h)").note
    assert note.startswith(RIGHT) and "(autograd_core raises AttributeError" in note


def received(view, name, value):
    view._received(view, {"kind": "change", "name": name, "value": value}, [])
    return view.answer["error"]


@pytest.mark.parametrize(
    "line, words",
    [
        ("h +=", "Unfinished line."),
        ("torch.sin(w", "Unfinished line."),
        ("foo", "NameError: name 'foo' is not defined."),
        ("w += 1", "RuntimeError: a leaf Variable that requires grad"),
        ("h = h.detach()", "does not require grad"),
        ("exit()", "SystemExit"),
        ("loss = 1\ndel h", "NameError: name 'h' is not defined."),
    ],
)
def test_an_error_is_one_sentence_and_nothing_is_lost(line, words):
    view = typed("T.sqrt(w)", "h += 1")
    before = view.structure
    error = received(view, "then", line)
    assert words in error and error.endswith("No verdict: the graph is of the previous lines.")
    assert "\n" not in error and view.structure == before
    assert [each["value"] for each in view.controls] == ["T.sqrt(w)", line, ""]
    assert received(view, "then", "h = h * 2") == ""
    assert view.structure["notice"].startswith(RIGHT)


def test_the_view_follows_what_is_typed():
    view = typed("T.sqrt(w)", "h += 1")
    assert "h += 1 wrote into it" in view.structure["notice"]
    assert any(saved["stale"] for node in view.structure["nodes"] for saved in node["saved"])
    assert received(view, "h", "T.sin(w)") == ""
    assert view.structure["notice"].startswith(RIGHT) and view.event == len(view.trace.events)
    assert received(view, "late", "w.data.mul_(2)") == ""
    assert WRONG in view.structure["notice"]
    assert "cannot run" not in str(view.structure["events"]), "backward ran"

"""`who_wrote`: each write counted, each stale save told at the line that wrote, on both engines."""

import xml.etree.ElementTree as xml

import pytest
import torch

import autograd_core
from autograd_core.lessons.widgets.versions import lines_of, who_wrote

ENGINES = autograd_core, torch
LEAF = "w = T.tensor([0.5, 1.0], requires_grad=True)\n"
REFUSED = "raises: is at version 1; expected version 0"


def notes_of(program, T=autograd_core, **given):
    """The notes of each line but the first, LEAF."""
    return [notes for _, _, notes in lines_of(LEAF + program, {"T": T, **given})][1:]


# what is written behind the first line, and the notes of each line of it
PROGRAMS = {
    "h = T.sqrt(w)\nh.mul_(2)\nh.sum().backward()": [
        ["SqrtBackward0 saves h: version 0"],
        ["writes into h: version 0 → 1", "stale: what SqrtBackward0 saved; it will refuse"],
        [REFUSED],
    ],
    # the same numbers, written again
    "h = T.sqrt(w)\nh.mul_(1)": [
        ["SqrtBackward0 saves h: version 0"],
        ["writes into h: version 0 → 1", "stale: what SqrtBackward0 saved; it will refuse"],
    ],
    "h = T.sin(w)\nh.mul_(2)\nh.sum().backward()": [
        ["SinBackward0 saves w: version 0"],
        ["writes into h: version 0 → 1"],
        [],
    ],
    "h = w + 1\nh.data.mul_(2)\nh.sum().backward()": [[], ["writes into h: not counted"], []],
    "h = T.tanh(w)\nh.data.mul_(2)\nh.sum().backward()": [
        ["TanhBackward0 saves h: version 0"],
        ["writes into h: not counted", "stale: what TanhBackward0 saved; it will not notice"],
        [],
    ],
    "h = T.tanh(w)\nh.detach().numpy()[0] = 0": [
        ["TanhBackward0 saves h: version 0"],
        ["writes into h: not counted", "stale: what TanhBackward0 saved; it will not notice"],
    ],
    # freed, so nothing of it can be stale
    "h = T.tanh(w)\nh.sum().backward()\nh.detach().mul_(2)": [
        ["TanhBackward0 saves h: version 0"],
        [],
        ["writes into h: version 0 → 1"],
    ],
    # by another name
    "h = T.sigmoid(w)\nd = h.detach()\nd[0] = 7.0": [
        ["SigmoidBackward0 saves h: version 0"],
        [],
        [
            "writes into h: version 0 → 1",
            "writes into d: version 0 → 1",
            "stale: what SigmoidBackward0 saved; it will refuse",
        ],
    ],
    # in the statement that saved, by a name that nobody has
    "h = T.exp(w).mul_(2)\nh.sum().backward()": [
        ["stale: what ExpBackward0 saved; it will refuse"],
        [REFUSED],
    ],
    "for _ in range(3):\n    with T.no_grad():\n        w += 1": [["writes into w: version 0 → 3"]],
    "loss = (w * w).sum()\nwith T.no_grad():\n    w -= 0.1\nloss.backward()": [
        ["MulBackward0 saves w: version 0"],
        ["writes into w: version 0 → 1", "stale: what MulBackward0 saved; it will refuse"],
        [REFUSED],
    ],
    # another tensor of the same name is no write
    "h = w * 2\nh = w * 3": [[], []],
    "h = w + 1\nh.detach().numpy()[:] = float('nan')\nh + 1": [
        [],
        ["writes into h: not counted"],
        [],
    ],
    "h = w + nothing\nh = w": [["raises: NameError: name 'nothing' is not defined"]],
}


@pytest.mark.parametrize("T", ENGINES, ids=lambda T: T.__name__)
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_line_tells_what_it_did(program, T):
    assert notes_of(program, T) == PROGRAMS[program]


def test_the_order_of_what_a_node_saves_is_no_difference():
    program = f"{LEAF}a = w * 2\nb = w * 3\nc = a * b\nd = a / b\ne = a ** b"
    ours, theirs = (lines_of(program, {"T": T}) for T in ENGINES)
    assert ours == theirs
    assert ours[3][2] == ["MulBackward0 saves a: version 0", "MulBackward0 saves b: version 0"]


def test_a_long_message_is_cut():
    *_, (_, _, [note]) = lines_of(
        f"{LEAF}l = (w * w).sum()\nl.backward()\nl.backward()", {"T": torch}
    )
    assert note.startswith("raises: RuntimeError: Trying to") and note.endswith("…")
    assert len(note) < 90


@pytest.mark.parametrize("T", ENGINES, ids=lambda T: T.__name__)
def test_a_graph_from_before_the_program_is_watched_too(T):
    x = T.tensor([0.5], requires_grad=True)
    h = T.sqrt(x)
    notes = notes_of("h.data.mul_(2)", T, h=h)
    assert notes == [
        ["writes into h: not counted", "stale: what SqrtBackward0 saved; it will not notice"]
    ]


def test_versions_are_those_of_the_names_that_the_program_has_used():
    old = autograd_core.tensor([1.0])
    lines = lines_of(f"{LEAF}h = w * 2\nh.mul_(2)", {"T": autograd_core, "h": old, "other": old})
    assert [known for _, known, _ in lines] == [{"w": 0}, {"h": 0, "w": 0}, {"h": 1, "w": 0}]


def run_on(T):
    def run(write):
        return lines_of(f"{LEAF}h = T.sqrt(w)\n{write}\nh.sum().backward()", {"T": T})

    return run


WRITES = ["h.mul_(2)", "h.data.mul_(2)"]


def texts(svg):
    return [each.text for each in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_picture_has_the_lines_their_versions_and_what_went_stale():
    widget = who_wrote(run_on(autograd_core), run_on(torch), write=WRITES)
    assert widget.verdict == {
        "text": "✓ both engines agree: 4 lines, each version and each note",
        "differs": False,
    }
    shown = texts(widget.still())
    assert "h.mul_(2)" in shown and "stale: what SqrtBackward0 saved; it will refuse" in shown
    assert "1" in shown and "writes into h: not counted" not in shown
    widget.set("write", WRITES[1])
    assert "writes into h: not counted" in texts(widget.drawn["narrow"])
    assert "writes into h: not counted" in repr(widget)


@pytest.mark.parametrize("place, other", [(1, "h = T.exp(w)"), (3, "pass")])
def test_a_planted_difference_is_told(place, other):
    def wrong(write):
        program = [LEAF.strip(), "h = T.sqrt(w)", write, "h.sum().backward()"]
        return lines_of("\n".join([*program[:place], other, *program[place + 1 :]]), {"T": torch})

    verdict = who_wrote(run_on(autograd_core), wrong, write=WRITES).verdict
    assert verdict["differs"] and other in verdict["text"]


def test_a_line_that_is_missing_is_told():
    def short(write):
        return run_on(torch)(write)[:-1]

    assert who_wrote(run_on(autograd_core), short, write=WRITES).verdict["differs"]


def test_markup_in_a_program_stays_text():
    widget = who_wrote(lambda: lines_of("x = '<img src=x>'\nraise ValueError('<b>')", {}))
    assert "img" not in {
        each.tag.rpartition("}")[2] for each in xml.fromstring(widget.still()).iter()
    }
    assert "raises: ValueError: <b>" in texts(widget.still())

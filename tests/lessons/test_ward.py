"""The patients of lesson 13: ill as they stand, well when mended; and the ward in which a learner
points and edits.
"""

import copy
import functools
import itertools
import re
import xml.etree.ElementTree as xml
from dataclasses import replace

import nbformat
import pytest
import torch

import autograd_core
from autograd_core.lessons.patients import HEALTHY, PATIENTS, UNSEEN, objection, parting
from autograd_core.lessons.widgets.ward import _sound, ward
from autograd_core.widgets.graph.heat import grid_apart
from notebooks.authoring.refresh import NOTEBOOKS

ALL = {**PATIENTS, **UNSEEN}


@functools.cache
def lesson(engine):
    """`run` as the cells of lesson 13 before the first ward make it, on `engine`. A loop runs once."""
    names = {"T": engine, "nn": engine.nn, "F": engine.nn.functional, "optim": engine.optim}
    [path] = NOTEBOOKS.glob("13_*.ipynb")
    code = [
        each.source for each in nbformat.read(path, as_version=4).cells if each.cell_type == "code"
    ]
    for source in itertools.takewhile(lambda source: "\nward(" not in source, code):
        if "predict(" not in source:
            exec(re.sub(r"^%.*$", "", source, flags=re.MULTILINE), names)
    return functools.cache(names["run"])


@pytest.mark.parametrize("name", ALL)
def test_a_patient_is_ill_as_it_stands_and_well_when_mended(name):
    run, patient = lesson(torch), ALL[name]
    ill, reached = run(patient.source, patient.goal)
    assert not reached
    cures = [run(cure, patient.goal) for cure in patient.cures]
    assert all(reached for _, reached in cures)
    histories = [history.data() for history, _ in cures]
    assert all(not objection(history, histories) for history in histories)
    # its steps are not what is wrong
    assert all(parting(ill.data(), history).what for history in histories) == (name != "15")


# patient, words of the verdict, what is replaced by what: goals that are reached without a cure
FALSE = [
    ("11", "nan at step 0. The patient is dead",
     [("T.where(known, (ratio - 1) ** 2, 0.0).mean()",
       "T.nan_to_num(T.where(known, (ratio - 1) ** 2, 0.0)).mean()")]),
    ("9", "never below 0", [("F.cross_entropy(p, label)", "F.nll_loss(p, label)")]),
    ("9", "in the mended loop", [("F.cross_entropy(p, label)", "F.cross_entropy(p * 20, label)")]),
    ("9", "0.1 times the mended loop's",
     [("F.cross_entropy(p, label)", "0.1 * F.cross_entropy(net(x), label)")]),
    ("4", "no gradient arrives at kind.weight",
     [("loss = kind + how_large.item()", "loss = how_large")]),
    ("7", "Leave the optimizer and its rate", [("Adam", "SGD"), ("lr=0.05", "lr=0.1")]),
    ("6", "It has 200 steps, the mended loop 40.", [("range(STEPS)", "range(200)")]),
    ("10", "Until step 15 no norm differs", [("if step == 15", "if False")]),
    ("15", "have other names", [("net = with_dropout()", "net = network()")]),
]  # fmt: skip


@pytest.fixture(scope="module")
def on_torch():
    return ward(lesson(torch), None, ALL)


@pytest.mark.parametrize("name, words, changes", FALSE)
def test_a_goal_that_is_reached_without_a_cure_is_no_cure(on_torch, name, words, changes):
    patient = ALL[name]
    source = patient.source
    for before, after in changes:
        assert before in source
        source = source.replace(before, after)
    on_torch.set("patient", name)
    assert not on_torch.treat(source)
    # the goal alone would have ticked it
    assert "Not fixed, although" in on_torch.found["cure"] and words in on_torch.found["cure"]


@pytest.mark.parametrize(
    "name, before, after",
    [
        ("5", "known.to(T.int64)", "known.nonzero()[:, 0]"),
        ("9", "F.cross_entropy(p, label)", "F.nll_loss(T.log(p), label)"),
        ("11", "/ area", "/ area.clamp(min=1e-6)"),
        ("3", "teacher, net = network(), network()", "net = teacher = network()"),
    ],
)
def test_a_cure_of_another_kind_is_one(on_torch, name, before, after):
    patient = ALL[name]
    assert before in patient.source
    on_torch.set("patient", name)
    assert on_torch.treat(patient.source.replace(before, after)), on_torch.found["cure"]


@pytest.mark.parametrize("name", ALL)
def test_the_guilty_lines_are_told_by_no_mark_and_mending_touches_them_first(name):
    patient = ALL[name]
    lines = patient.source.splitlines()
    assert patient.guilty and max(patient.guilty) < len(lines) and "#!" not in patient.source
    touched = set().union(*patient.mended)
    assert not touched or any(lines[i].strip() in touched for i in patient.guilty)


@pytest.fixture(scope="module")
def room():
    return ward(lesson(autograd_core), lesson(torch), ALL, only=["1", "4"], title="Ward")


def test_the_first_finger_counts_and_unlocks_the_loop(room):
    assert not room.found["known"] and room.found["fingers"] == []
    assert room.point(0) == "other" and not room.found["known"] and room.found["fingers"] == [0]
    assert "Not there. At step 0 no gradient arrives at 0.weight. Click" in room.found["told"]
    assert room.point(min(room.patient.guilty)) == "right" and room.found["known"]
    assert "✓ Yes: zero, step, backward" in room.found["told"]
    assert "You found 0 of 1 bugs with the first click" in room.found["told"]


def test_after_a_second_wrong_finger_it_is_told():
    room = ward(lesson(torch), None, ALL, only=["15"])
    room.point(0)
    assert "Look beyond them" in room.found["told"]
    room.point(0)  # a double click
    assert room.found["fingers"] == [0] and not room.found["known"]
    room.point(1)
    assert "Not there: eval() is missing" in room.found["told"] and room.found["known"]


def texts(svg):
    return [each.text for each in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def frames(svg):
    """The frames around the first step that differs: x, y, width."""
    return [
        [float(each.get(key)) for key in ("x", "y", "width")]
        for each in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect")
        if "stroke-width: 2" in each.get("style", "") or each.get("stroke-width") == "2"
    ]


@pytest.mark.parametrize(
    "name, words, what, step, parameter",
    [
        ("3", "At step 0 the gradients are those of the mended loop, and", "share", 0, "0.weight"),
        ("7", "Until step 1 no norm differs. Then the gradient of", "gradient", 1, "0.weight"),
        ("10", "Until step 15 no norm differs. Then the gradients are", "share", 15, "0.weight"),
    ],
)
def test_after_the_cure_it_is_said_and_drawn_where_they_parted(
    on_torch, name, words, what, step, parameter
):
    on_torch.set("patient", name)
    assert on_torch.treat(ALL[name].cured)
    assert f"The first difference from the failing loop: {words}" in on_torch.found["cure"]
    assert on_torch.subtracted[1:] == (what, step, parameter)
    maps = dict(zip(("gradient", "share"), on_torch.drawn["instruments"][2:]))
    assert [shown for shown, svg in maps.items() if frames(svg)] == [what]
    # it is around the first number of the two histories that is not the same
    numbers = [history.data()[what] for history in on_torch.histories.values()]
    differs = {
        (at, row)
        for row in numbers[0]
        for at, (a, b) in enumerate(zip(numbers[0][row], numbers[1][row]))
        if (a is None) != (b is None) or a is not None and abs(a - b) > 1e-3 * max(a, b, 1e-6)
    }
    assert min(differs)[0] == step and (step, parameter) in differs


@pytest.mark.parametrize(
    "name, cure, words",
    [
        ("15", 0, "No norm differs at any step. Look beyond them."),
        ("10", 2, "It has 40 steps, the mended loop 15."),
    ],
)
def test_where_they_parted_is_not_guessed(on_torch, name, cure, words):
    on_torch.set("patient", name)
    assert on_torch.treat(ALL[name].cures[cure])
    assert f"The first difference from the failing loop: {words}" in on_torch.found["cure"]
    assert not any(map(frames, on_torch.drawn["instruments"]))


def test_histories_of_other_parameters_are_not_subtracted():
    one, other = (lesson(torch)(source)[0] for source in (HEALTHY, PATIENTS["4"].source))
    assert "other names" in parting(one.data(), other.data()).text
    with pytest.raises(ValueError, match="same parameters"):
        grid_apart(one, other)


def test_an_edited_loop_is_judged_and_drawn_over_the_healthy_one(room):
    ill = room.drawn["instruments"]
    assert not room.treat(room.patient.source) and "Not fixed yet" in room.found["cure"]
    assert room.drawn["instruments"] == ill
    for svg in ill:
        assert {"patient", "healthy"} <= set(texts(svg))
    assert room.treat(room.patient.cured) and "✓ Fixed" in room.found["cure"]
    assert "both engines agree" in room.verdict["text"]
    assert all(a != b for a, b in zip(ill, room.drawn["instruments"]) if "nodes of" not in a)


LOG, STEP = "    history.log(loss)\n", "    optimizer.step()"
ORDERS = {
    "log after the step": HEALTHY.replace(LOG, "").replace(STEP, f"{STEP}\n{LOG.rstrip()}"),
    "no log": HEALTHY.replace(LOG, ""),
}


@pytest.mark.parametrize("source", ORDERS.values(), ids=ORDERS)
def test_a_correct_loop_is_cured_wherever_it_logs(source):
    room = ward(lesson(autograd_core), lesson(torch), ALL, only=["1"])
    assert source != HEALTHY and room.treat(source) and "✓ Fixed" in room.found["cure"]
    assert room.verdict["text"].startswith("✓ both engines agree")
    losses = [history.data()["loss"] for history in (room._history(source), room._history(HEALTHY))]
    assert losses[0] == losses[1] and None not in losses[0] and len(losses[0]) == 40


def test_steps_without_a_known_loss_are_judged():
    source = PATIENTS["1"].source.replace(LOG, "")
    room = ward(lesson(torch), None, {"1": replace(PATIENTS["1"], goal="True")}, only=["1"])
    assert not room.treat(source) and "no gradient arrives at 0.weight" in room.found["cure"]
    assert set(room.histories["patient"].data()["loss"]) == {None}


def test_the_maps_of_patient_and_healthy_loop_have_one_scale():
    room = ward(lesson(torch), None, ALL, only=["3", "7"])
    norms = [
        norm
        for source in (HEALTHY, room.patient.source)
        for name, norms in lesson(torch)(source)[0].data()["gradient"].items()
        for norm in norms
    ]
    low, high = (float(text) for text in texts(room.drawn["instruments"][2])[1:3])
    # of a layer the larger of weight and bias is drawn
    assert high / 10 < max(norms) <= high and min(norms) < 10 * low
    # so beside a patient whose gradients grow the healthy map is paler than beside a cured one
    shades = [re.findall(r'href="([^"]+)"', room.drawn["instruments"][2])]
    room.set("patient", "7")
    assert not room.treat(f"{HEALTHY}\nloss = loss + 1")
    shades.append(re.findall(r'href="([^"]+)"', room.drawn["instruments"][2]))
    assert [len(each) for each in shades] == [2, 2]
    assert shades[0][1] != shades[1][1] and shades[1][0] == shades[1][1]


WITHOUT_END = "\n".join([*HEALTHY.splitlines()[:3], "while True:", STEP])


@pytest.mark.parametrize(
    "source, words, judged",
    [
        ("nonsense(", "The loop raises SyntaxError", "✓ both engines raise SyntaxError"),
        ("raise ValueError('no')", "The loop raises ValueError: no", "both engines raise Value"),
        (WITHOUT_END, "does this loop end?", "both engines raise RuntimeError"),
        ("raise KeyboardInterrupt", "The loop was interrupted", ""),
        ("exit()", "The loop raises SystemExit", ""),
    ],
)
def test_what_goes_wrong_in_a_loop_is_one_sentence(room, source, words, judged):
    assert not room.treat(source) and words in room.found["cure"]
    assert room.drawn["instruments"] == [] and room.drawn["loop"] == source
    assert judged in room.verdict["text"] if judged else room.verdict == {}


def test_each_patient_keeps_its_finger_and_its_edit():
    room = ward(lesson(torch), None, ALL, only=["1", "4"])
    room.point(min(room.patient.guilty))
    room.treat("exit()")
    room.set("patient", "4")
    assert not room.found["known"] and "never right" in room.drawn["complaint"]
    assert room.point(min(room.patient.guilty)) == "right" and "✓ Yes" in room.found["told"]
    room.set("patient", "1")
    assert room.found["known"] and room.drawn["loop"] == "exit()"


def test_two_wards_share_no_id(room):
    room.treat(room.patient.cured)
    other = ward(lesson(torch), None, ALL, only=["1"], title="Another")
    ids = [
        re.findall(r'<mask id="([^"]+)"', "".join(shown))
        for each in (room, other)
        for shown in (each.drawn["instruments"], [each.still()])
    ]
    assert all(ids) and len(set().union(*ids)) == sum(len(set(each)) for each in ids)


def test_a_preview_shows_the_loop_and_the_instruments(room):
    room.set("patient", "4")
    shown, _ = room._repr_mimebundle_()
    written = texts(shown["image/svg+xml"])
    lines = [line.strip() for line in room.patient.source.splitlines()]
    assert written[1 : 1 + len(lines)] == lines
    assert "norm of the gradient" in written and "Ward, patient 4: two heads" in written[0]
    assert shown["text/plain"].startswith("Ward: 1, the loss stays")


def test_after_the_finger_the_history_speaks_and_not_before(room):
    hidden = ward(lesson(torch), None, ALL, only=["3"])
    assert "never changes" not in f"{hidden.found}{hidden.drawn}{hidden.still()}"
    hidden.point(min(hidden.patient.guilty))
    told = hidden.found["history"]
    assert told.startswith("print(history)") and "never changes" in told
    # edited or not, it is the history of the loop as it was brought in
    assert hidden.treat(hidden.patient.cured) and hidden.found["history"] == told


def test_a_history_that_differs_between_engines_is_told():
    def wrong(source, goal):
        history, reached = lesson(torch)(source, goal)
        history = copy.copy(history)
        history._rows = copy.deepcopy(history._rows)
        history._rows[3][0][0] *= 1 + 1e-6
        return history, reached

    room = ward(lesson(autograd_core), wrong, ALL, only=["1"])
    room.treat(HEALTHY)
    assert room.verdict["differs"]
    assert "The engines differ: gradient, 0.weight at 3" in room.verdict["text"]


def test_steps_of_a_gradient_that_is_rounding_alone_are_not_compared():
    """A softmax over the points does not see a bias: its gradient is 0 but for rounding, and Adam
    makes a step of that."""
    steps = {"a": [0.1], "b": [5e-10]}
    ours = {"gradient": {"a": [0.3], "b": [1.03e-16, None]}, "share": steps, "zeros": steps}
    assert _sound(ours)["share"] == {"a": [0.1]}
    ours["gradient"]["b"] = [0.0, None]
    assert _sound(ours)["share"].keys() == {"a", "b"}
    ours["gradient"]["b"] = [1e-9, None]
    assert _sound(ours)["share"].keys() == {"a", "b"}

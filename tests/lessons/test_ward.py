"""The patients of lesson 13: ill as they stand, well when mended; and the ward in which a learner points and edits."""

import pytest
import torch

import autograd_core
from autograd_core.lessons.patients import HEALTHY, PATIENTS, UNSEEN, Patient
from autograd_core.lessons.widgets.ward import ward
from autograd_core.trace import History

ALL = {**PATIENTS, **UNSEEN}


def lesson(engine):
    """`run` as lesson 13 has it, with its data and networks, on `engine`."""
    T, nn, F, optim = engine, engine.nn, engine.nn.functional, engine.optim
    T.manual_seed(0)
    centres = T.randn(10, 4, dtype=T.float64)
    label = T.arange(100) % 10
    x = centres[label] + 0.4 * T.randn(100, 4, dtype=T.float64)
    size, known = T.sigmoid(x[:, 0]), T.arange(100) % 3 > 0
    area = T.where(known, 1 + x[:, 0] ** 2, 0.0)
    common, rare = T.nonzero(label < 8)[:32, 0], T.nonzero(label >= 8)[:4, 0]

    def accuracy(net, some=slice(None)):
        return (net(x[some]).argmax(1) == label[some]).double().mean().item()

    def network(outputs=10, *between):
        T.manual_seed(1)
        return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), *between, nn.Linear(16, outputs)).double()

    def one_output():
        return network(1)

    def with_dropout():
        return network(10, nn.Dropout(0.8))

    def two_heads():
        T.manual_seed(1)
        return nn.ModuleDict({"trunk": nn.Linear(4, 16), "kind": nn.Linear(16, 10), "size": nn.Linear(16, 1)}).double()

    def two_losses(net):
        h = T.tanh(net["trunk"](x))
        return F.cross_entropy(net["kind"](h), label), F.mse_loss(net["size"](h)[:, 0], size)

    STEPS = 40
    there = dict(locals())

    def instruments(net, optimizer):
        def ends(*_):
            if len(history) == 400:
                raise RuntimeError("400 steps: does this loop end?")
        history = History(net, optimizer)
        optimizer.register_step_post_hook(ends)
        return history

    def run(source, goal="True"):
        names = {**there, "instruments": instruments}
        exec(source, names)
        return names["history"], bool(eval(goal, names))
    return run


@pytest.mark.parametrize("name", ALL)
def test_a_patient_is_ill_as_it_stands_and_well_when_mended(name):
    run, patient = lesson(torch), ALL[name]
    assert not run(patient.source, patient.goal)[1]
    assert run(patient.cured, patient.goal)[1]


@pytest.mark.parametrize("name", ALL)
def test_the_guilty_lines_are_told_by_no_mark_and_mending_touches_them_first(name):
    patient = ALL[name]
    lines = patient.source.splitlines()
    assert patient.guilty and max(patient.guilty) < len(lines) and "#!" not in patient.source
    assert any(lines[i].strip() in patient.mended for i in patient.guilty)


@pytest.fixture(scope="module")
def room():
    return ward(lesson(autograd_core), lesson(torch), ALL, only=["1", "4"], title="Ward")


def test_the_first_finger_counts_and_unlocks_the_loop(room):
    assert room.editor.disabled and not room.lines.disabled
    assert room.point(0) == "other" and room.point(min(room.patient.guilty)) == "other"
    assert room.lines.disabled and not room.editor.disabled
    assert "Not there: zero, step, backward" in room.told.value and "0 of 1 found" in room.told.value


def test_an_edited_loop_is_judged_and_drawn_beside_the_healthy_one(room):
    assert not room.treat(room.patient.source) and "Not cured yet" in room.verdict.value
    assert room.treat(room.patient.cured) and "✓ Cured" in room.verdict.value
    assert "both engines agree" in room.verdict.value
    assert all("<svg" in picture.value for picture in room.pictures)


@pytest.mark.parametrize("source, words", [
    ("nonsense(", "The loop raises SyntaxError"),
    ("raise ValueError('no')", "The loop raises ValueError: no"),
    (HEALTHY.replace("range(STEPS)", "iter(int, 1)"), "does this loop end?"),
    ("raise KeyboardInterrupt", "The loop was interrupted"),
    ("exit()", "The loop raises SystemExit"),
])
def test_what_goes_wrong_in_a_loop_is_one_sentence(room, source, words):
    assert not room.treat(source) and words in room.verdict.value


def test_each_patient_keeps_its_finger_and_its_edit(room):
    room.choice.value = "4"
    assert not room.lines.disabled and "never right" in room.complaint.value
    assert room.point(min(room.patient.guilty)) == "right" and "✓ Yes" in room.told.value
    room.choice.value = "1"
    assert room.lines.disabled and room.editor.value == "exit()"


def test_a_preview_shows_the_loops(room):
    shown = room._repr_mimebundle_()
    assert "optimizer.step()" in shown["text/html"] and shown["text/plain"].startswith("Ward: 1, the loss stays")


def test_markup_in_a_loop_stays_text():
    strange = {"x": Patient("<b>", "history.log('<i>')  #!", {}, "True", "<u>")}
    net = torch.nn.Linear(1, 1)
    empty = History(net, torch.optim.SGD(net.parameters(), lr=0.1))
    shown = ward(lambda source, goal: (empty, True), None, strange)._repr_mimebundle_()
    assert "<b>" not in shown["text/html"].replace("<b>x</b>", "") and "&lt;i&gt;" in shown["text/html"]


@pytest.mark.parametrize("name", PATIENTS)
def test_what_a_history_says_by_itself(name):
    said = lesson(torch)(PATIENTS[name].source)[0].surprises()
    assert bool(said) == (name in ("1", "2", "3", "4", "10", "11", "12"))


def test_after_the_finger_the_history_speaks_and_not_before(room):
    hidden = ward(lesson(torch), None, ALL, only=["3"])
    assert "no step moves it" not in hidden.told.value + hidden.pictures[0].value
    hidden.point(0)
    assert "print(history)" in hidden.told.value and "no step moves it" in hidden.told.value


def test_a_history_that_differs_between_engines_is_told():
    def wrong(source, goal):
        history, reached = lesson(torch)(source, goal)
        history._rows[3][0][0] *= 1 + 1e-6
        return history, reached
    room = ward(lesson(autograd_core), wrong, ALL, only=["1"])
    room.treat(HEALTHY)
    assert "The engines differ: gradient, 0.weight at 3" in room.verdict.value

"""The failing loops of lesson 13: their instruments, the check of a fix, and the ward around them."""

import math
import re
from xml.etree import ElementTree

import pytest
import torch
from torch.optim.optimizer import _global_optimizer_pre_hooks

import autograd_core
from autograd_core.core.recording import recording
from autograd_core.lessons import fixes, instruments
from autograd_core.lessons.failing_loops import HEALTHY, LOOPS, WARDS
from autograd_core.lessons.lesson_13 import FAILING, TWELVE, measure, points, slope, verdict
from autograd_core.lessons.widgets.ward import EDITS, FOUND, own, ward
from autograd_core.widgets.graph.instruments import NARROW, WIDE, InstrumentsSheet, readings_of

ENGINES = {"engine": autograd_core, "torch": torch}
SVG = "{http://www.w3.org/2000/svg}"
ALARMS = {
    "1": ["no gradient"],
    "2": ["no gradient"],
    "3": ["not moved", "used twice"],
    "4": ["no gradient"],
    "7": ["used twice"],
    "10": ["not moved", "used twice"],
    "11": ["nan"],
    "12": ["grows"],
}


def edited(number, *pairs):
    """A failing loop with these changes, each of which it must contain."""
    source = FAILING[number]
    for before, after in pairs:
        assert before in source, before
        source = source.replace(before, after)
    return number, source


BODY = HEALTHY.splitlines()
RIGHT = [
    ("2", HEALTHY),
    ("8", HEALTHY),
    ("9", HEALTHY),
    ("1", "\n".join([*BODY[:3], *BODY[4:], BODY[3]])),  # zero_grad() comes last
    ("1", "\n".join([*BODY[:3], BODY[6], *BODY[3:6]])),  # step() comes first
    ("1", HEALTHY.replace("label)", "label) * 3")),  # one constant factor
    edited("3", ("teacher.p", "net.p")),
    edited("3", ("teacher, net = network(), network()", "teacher = net = network()")),
    edited("4", (".item()", "")),
    edited("5", (".long()", "")),
    edited("6", ("label[rare])", 'label[rare], reduction="sum")')),
    edited("6", (', reduction="sum"', ""), ("= F.", "= 32 * F."), ("+ F.", "+ 4 * F.")),
    *(
        ("7", f"{FAILING['7']}\n    {zero}")
        for zero in ("net.zero_grad()", "for p in net.parameters(): p.grad = None")
    ),
    edited("8", ("p.data /= p.data.sum", "p = p / p.sum")),
    edited("9", ("F.softmax", "F.log_softmax")),
    edited("9", ("F.cross_entropy(p,", "F.nll_loss(torch.log(p),")),
    edited(
        "10",
        ("weight = nn.Parameter(layer.weight.clamp(-1, 1))", "weight.data.clamp_(-1, 1)"),
        ("bias = nn.Parameter(layer.bias.clamp(-1, 1))", "bias.data.clamp_(-1, 1)"),
    ),
    edited("11", ("/ area", "/ torch.where(known, area, 1.0)")),
    edited("12", ("0.9 * mean", "0.9 * mean.detach()"), ("retain_graph=True", "")),
    edited("12", ("0.9 * mean + 0.1 * h.mean(0)", "(0.9 * mean + 0.1 * h.mean(0)).detach()")),
    edited("13", ("net(x) -", "net(x)[:, 0] -")),
    edited("14", ("net(x), 0", "net(x), 1")),
    edited("15", ("score =", "net.eval()\nscore =")),
]
WHERE = "torch.where(known, (ratio - 1) ** 2, 0.0)"
CLIP = "    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n    optimizer.step()"
TEMPTING = {
    edited("1", ("0.05", "50.0")): "The optimizer is Adam(lr=50.0). Keep Adam(lr=0.05)",
    edited("7", ("0.05", "0.01")): "The optimizer is Adam(lr=0.01). Keep Adam(lr=0.05)",
    edited("2", ("requires_grad=True)", "requires_grad=True) * torch.ones(())")): (
        "Only 0 steps had a gradient; the loop needs at least 39."
    ),
    edited("4", ("label_loss + size_loss.item()", "size_loss")): (
        "At step 0, label.weight.grad is None, but the meant loss depends on it."
    ),
    edited("6", (', reduction="sum"', "")): "by 85.5% of its length.",
    edited("9", ("F.cross_entropy", "F.nll_loss")): "by 55.1% of its length.",
    edited("8", ("p.data /= p.data.sum(1, keepdim=True)", "pass")): "by 66.2% of its length.",
    edited("11", (WHERE, f"torch.nan_to_num({WHERE})")): "the gradient of 0.weight is nan.",
    edited("11", ("    optimizer.step()", CLIP)): "the gradient of 0.weight is nan.",
    edited("12", ("retain_graph=True", "")): "The loop raises RuntimeError: Trying to backward",
    edited("7", ("    optimizer.step()", "    pass")): "No optimizer called step()",
    ("1", HEALTHY.replace("net", "model").replace("modelwork", "network")): "called `net`",
    ("1", HEALTHY.replace("loss.backward()", "(loss / loss.detach()).backward()")): (
        "times the gradient of the meant loss, and"
    ),
    ("1", HEALTHY.replace("range(40)", "range(20)")): "Only 20 steps had a gradient",
    ("1", HEALTHY.replace("    optimizer.step()", "    if step % 2: optimizer.step()")): "steps",
    ("1", HEALTHY.replace("for step in range(40)", "while True")): "does this loop end?",
    ("1", HEALTHY.replace("loss.backward()", "(-loss).backward()")): "check the sign.",
}

HALF = HEALTHY.replace("(net.p", "(net[0].p").replace("optimizer.zero", "net.zero")
GROWS = (
    HEALTHY.replace("net = network()", "net, t = network(), torch.ones((), requires_grad=True)")
    .replace("label)", "label) + 0 * t")
    .replace("    optimizer.zero_grad()", "    t = t * 1\n    optimizer.zero_grad()")
    .replace("backward()", "backward(retain_graph=True)")
)


# ---- the check of a fix


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_right_fixes_are_accepted(engine):
    assert [(n, told) for n, loop in RIGHT if (told := verdict(n, loop, engine))] == []


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_tempting_edits_are_refused_with_their_reason(engine):
    for (number, loop), words in TEMPTING.items():
        assert words in verdict(number, loop, engine), loop


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_failing_loops_are_refused(engine):
    assert all(verdict(number, loop, engine) for number, loop in FAILING.items())


def test_some_tempting_edits_lower_the_loss():
    """So a check of the loss would accept them."""
    losses = {pair: measure(pair[1], torch).loss for pair in TEMPTING}
    lower = {pair[0] for pair, loss in losses.items() if loss and loss[-1] < loss[0] / 10}
    assert {"4", "8", "9", "11"} <= lower


@pytest.mark.parametrize(
    "target, name, value, pairs",
    [
        (fixes, "SAME", 10.0, [*TEMPTING][4:7]),
        (fixes, "_is_idle", lambda record, step: False, RIGHT[4:5]),
        (fixes, "_unmoved", lambda record, steps: "", [("1", HALF)]),
        (instruments, "GROWING", 500, [("1", GROWS)]),
    ],
    ids=["any gradient", "no idle step", "nothing need move", "a graph may grow"],
)
def test_a_planted_error_in_the_check_is_found(monkeypatch, target, name, value, pairs):
    before = [bool(verdict(*pair, torch)) for pair in pairs]
    monkeypatch.setattr(target, name, value)
    assert [bool(verdict(*pair, torch)) for pair in pairs] != before


# ---- the instruments


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_alarms_of_the_failing_loops(engine):
    records = {number: measure(loop, engine) for number, loop in FAILING.items()}
    assert not any(record.error for record in records.values())
    assert {n: sorted(r.alarms) for n, r in records.items() if r.alarms} == ALARMS
    assert [n for n in TWELVE if records[n].alarms] == [*ALARMS]
    assert not measure(HEALTHY, engine).alarms
    for number in "123":  # the loss stays, also with a thousand times the learning rate
        faster = measure(FAILING[number].replace("0.05", "50.0"), engine)
        assert len({*records[number].loss}) == len({*faster.loss}) == 1
    grown = records["3"].row("0.weight")
    assert all(math.isclose(grown[k], (k + 1) * grown[0]) for k in range(40))
    assert {*records["2"].nodes} == {0} and records["12"].nodes[-1] == 288
    assert records["10"].alarms["not moved"][0] == 15
    assert records["11"].alarms["nan"] == (0, "the gradient is nan or inf: 0.weight and 3 more")


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_slope_check_and_points(engine):
    slopes = {n: slope(FAILING[n], engine) for n in "5689"}
    assert [n for n, (a, b) in slopes.items() if abs(a - b) > 1e-5 * abs(a)] == ["8"]
    pulls = {n: points(FAILING[n], engine) for n in "5689"}
    assert [i for i, pull in enumerate(pulls["5"]) if pull] == [0, 1]
    assert sum(pull > 0 for pull in pulls["6"]) == 36
    assert all(all(pulls[n]) and len(pulls[n]) == 100 for n in "89")


def test_measuring_changes_no_number_and_leaves_no_hook():
    names = instruments.setting(torch)
    exec(HEALTHY, names)
    record = measure(HEALTHY, torch)
    assert record.loss[-1] == names["loss"].item()
    hooks = _global_optimizer_pre_hooks
    assert not hooks and not recording.subscribers
    with pytest.raises(KeyboardInterrupt):
        measure("raise KeyboardInterrupt", torch)
    assert not hooks and not recording.subscribers


@pytest.mark.parametrize(
    "source, error, line",
    [
        ("net = network()\nnonsense(", "SyntaxError: '(' was never closed", 2),
        ("x = 1\nraise ValueError('no')", "ValueError: no", 2),
        ("exit()", "SystemExit: None", 1),
    ],
)
def test_an_error_is_kept_with_its_line(source, error, line):
    record = measure(source, torch)
    assert record.error.startswith(error) and record.line == line


# ---- the widgets


def texts(svg):
    return [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_the_loops_of_the_wards():
    assert {name: [n for n, each in LOOPS.items() if each.ward == name] for name in WARDS} == {
        "I": ["1", "2", "3"],
        "II": ["4", "7", "10", "11", "12"],
        "III": ["5", "6", "8", "9"],
        "more": ["13", "14", "15"],
    }
    for number, loop in LOOPS.items():
        lines = loop.source.splitlines()
        assert loop.faulty and max(loop.faulty) <= len(lines) and len(loop.questions) == 2
        tempting, fix = loop.edits
        assert loop.source not in (tempting, fix)
        assert verdict(number, tempting, torch) and not verdict(number, fix, torch)


@pytest.mark.parametrize("name", WARDS)
def test_a_ward_shows_each_loop_and_its_edits(name):
    room = ward(name)
    assert room.verdict["text"].startswith("✓ both engines agree")
    for number, loop in room.found.items():
        room.set("loop", number)
        assert room.settings["edit"] == FOUND and room.drawn["loop"] == loop.source
        for edit, told in zip(EDITS, ("Not fixed: ", "✓ Fixed.")):
            room.set("edit", edit)
            assert room.drawn["said"].startswith(told), (number, edit)
            assert not room.verdict["differs"], (number, room.verdict)
    assert name in repr(room) or name == "more"


def test_a_typed_loop_is_checked_on_both_engines():
    room = ward("I")
    room.changed({"name": "source", "value": FAILING["1"]})
    assert room.settings["edit"] == "yours" and "Only 0 steps" in room.drawn["said"]
    room.changed({"name": "source", "value": HEALTHY})
    assert room.drawn["said"] == "✓ Fixed." and room.drawn["alarms"] == []
    assert "both engines agree" in room.verdict["text"]
    room.changed({"name": "source", "value": HEALTHY.replace("label)", "label) / 4")})
    assert "Your gradients are 0.25 times" in room.drawn["said"]
    room.changed({"name": "source", "value": "exit("})
    assert "SyntaxError" in room.drawn["error"] and "raises" in room.drawn["said"]
    room.set("edit", FOUND)
    assert room.drawn["loop"] == FAILING["1"] and room.drawn["said"] == ""


def test_the_learning_rate_is_in_the_text_of_the_loop():
    room = ward("I")
    room.set("rate", True)
    assert "lr=50.0" in room.drawn["loop"] and "2.503 → 2.503" in room.drawn["wide"]


def test_a_difference_between_the_engines_is_reported(monkeypatch):
    room = ward("III")
    honest = room.other

    def wrong(**arguments):
        check = honest(**arguments)
        check.record.gradient[3]["0.bias"] *= 1 + 1e-6
        return check

    room.other = wrong
    room.set("loop", "9")
    assert room.verdict["text"].startswith("The engines differ: gradient, 0.bias at 3")


def test_the_tests_of_ward_three():
    room = ward("III")
    (_, _, _), (_, told, grid) = room.drawn["tests"]
    assert told == "2 of 100 points have a gradient, from 0.343 to 0.646." and "<svg" in grid
    room.set("loop", "8")
    (_, told, _), _ = room.drawn["tests"]
    assert (
        told == "Slope of the last bias [0]: finite difference −0.011, .grad −0.1: a factor of 8.8."
    )


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_picture_has_the_numbers(width):
    sheet = InstrumentsSheet(measure(FAILING["3"], torch), [], width)
    written = texts(sheet.svg("told"))
    told = "0.765 → 10.2" + ", ×13" * (width == WIDE)
    assert {"2.503 → 2.503", "11 nodes at every step", told, "0 at every step"} <= {*written}
    shown = [text for text in written if re.match(r"[02]\.(weight|bias)", text)]
    assert [text.split()[0] for text in shown[:4]] == [text.split()[0] for text in shown[4:]]
    missing = InstrumentsSheet(measure(FAILING["4"], torch), [], width)
    assert texts(missing.svg("told")).count("None") == 3  # of two rows and the legend
    wrong = InstrumentsSheet(measure(FAILING["11"], torch), [], width).svg("told")
    assert "ac-error-stripes" in wrong and "0.865 → nan" in wrong


def test_each_cell_can_be_read():
    record = measure(FAILING["10"], torch)
    rows = readings_of(record)
    assert [len(row) for row in rows] == [40] * 4
    assert rows[0][15].startswith("step 15, 0.weight: gradient ") and "movement 0" in rows[0][15]


# ---- the learner's own loop


def own_loop():
    torch.manual_seed(0)
    net = torch.nn.ModuleDict({"encoder": torch.nn.Linear(4, 8), "head": torch.nn.Linear(8, 1)})
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(40):
        optimizer.zero_grad()
        with torch.no_grad():
            features = torch.tanh(net["encoder"](torch.eye(4)))
        loss = (net["head"](features)[:, 0] - torch.arange(4.0)).square().mean()
        loss.backward()
        optimizer.step()


def test_an_own_loop_is_measured():
    shown = own(own_loop)
    assert [name for name, norm in shown.record.gradient[0].items() if norm is None] == [
        "encoder.weight",
        "encoder.bias",
    ]
    (alarm,) = shown.drawn["alarms"]
    assert alarm == "step 0: no gradient at two steps in a row: encoder.weight and 1 more"
    assert "torch.manual_seed(0)" in shown.drawn["loop"] and len(shown.record.loss) == 40


def test_two_networks_an_error_and_a_loop_without_end():
    def two():
        model, critic = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD([*model.parameters(), *critic.parameters()], lr=0.1)
        while True:
            critic(model(torch.ones(1, 1))).sum().backward()
            optimizer.step()

    def none():
        return 1

    def wrong():
        raise ValueError("no")

    record = own(two).record
    assert [*record.gradient[0]] == ["model.weight", "model.bias", "critic.weight", "critic.bias"]
    assert len(record.gradient) == 400 and not record.error and "used twice" in record.alarms
    assert "no optimizer called step()" in own(none).drawn["error"]
    assert own(wrong).drawn["error"] == "line 2: ValueError: no"
    with pytest.raises(TypeError, match="own takes a function"):
        own(own_loop())


def test_a_large_network_shows_the_rows_with_an_alarm_first():
    def deep():
        net = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(20)))
        net.register_parameter("unused", torch.nn.Parameter(torch.ones(1)))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            net(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()

    rows = InstrumentsSheet(own(deep).record, [], WIDE).rows
    assert len(rows) == 12 and rows[:2] == ["unused", "0.weight"]

"""Each patient is asked about in every way that real code asks, and what is said of its parameters
is compared with what `loss.backward()` alone leaves in `.grad`.
"""

import copy
import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograd_core.parity import watching
from autograd_core.trace import names_in, report
from tests.budget import PROVE

from . import ward

RECORDED = {"inf", "unused"}  # what only a recording shows
FINDINGS = "cut unused frozen zero nan inf".split()


# ---- the ways: each takes a model and what computes its loss, and returns a report ---------------


def recorded(make_loss):
    with watching():
        return make_loss()


def told_the_model(net, make_loss):
    return report(recorded(make_loss), net)


def in_a_notebook(net, make_loss):
    variables = {"net": net, "foreign": nn.Sequential(nn.Linear(9, 9)), "loss": recorded(make_loss)}
    return report(variables["loss"], names=names_in(variables))


def after_the_backward(net, make_loss):
    with watching():
        loss = make_loss()
        loss.backward()
    return report(loss, net)


def onto_old_gradients(net, make_loss):
    for parameter in net.parameters():
        parameter.grad = torch.ones_like(parameter)
    return report(recorded(make_loss), net)


def unwatched(net, make_loss):
    return report(make_loss(), net)


ALWAYS = [told_the_model, in_a_notebook, unwatched]
IN_TURN = [after_the_backward, onto_old_gradients]


# ---- what is so, and what is said -----------------------------------------------------------------


def truth_of(patient):
    """{name: the statuses that are true of it}, as PyTorch alone has it."""
    net, make_loss = patient.made()
    make_loss().backward()
    return {
        name: {"frozen"}
        if not parameter.requires_grad
        else {"cut", "unused"}
        if parameter.grad is None
        else {"nan"}
        if not parameter.grad.to_dense().isfinite().all()
        else {"zero"}
        if not parameter.grad.to_dense().any()
        else {"trained" if patient.fate(name) else "only rounding"}
        for name, parameter in net.named_parameters(remove_duplicate=False)
    }


def rows_of(found, net):
    """({name of a parameter: the statuses said of it}, the rows of none)"""
    names = sorted(net.named_parameters(remove_duplicate=False), key=lambda pair: -len(pair[0]))
    said, rest = {id(parameter): set() for _, parameter in names}, []
    for row in found.data()["parameters"]:
        ends = (p for name, p in names if f".{row['name']}".endswith(f".{name}"))
        parameter = next(ends, None)
        rest.append(row) if parameter is None else said[id(parameter)].add(row["status"])
    return {name: said[id(parameter)] for name, parameter in names}, rest


def raised(found, name):
    """Whether `raise_if` raises."""
    try:
        found.raise_if(**{name: True})
    except AssertionError:
        return True
    return False


def wrong_statuses(patient, truth, found, net, unsure):
    said, rest = rows_of(found, net)
    for name, true in truth.items():
        fate, so = patient.fate(name), true | (unsure if "trained" not in true else set())
        if not said[name] or not said[name] <= so:
            yield f"{name} is {said[name] or 'not listed'}, .grad says {true}"
        elif fate in ("cut", "unused") and not unsure and said[name] != {fate}:
            yield f"{name} is {said[name]}, not {fate}"
    loose = [row["name"] for row in rest if row["status"] == "unregistered"]
    if len(loose) != patient.loose:
        yield f"of {patient.loose} unregistered parameters are told {loose}"
    strange = [row for row in rest if row["status"] not in ("trained", "unregistered")]
    yield from (f"{row['name']} is {row['status']}" for row in strange)
    there = set().union(*truth.values(), {"cut"} if patient.loose else ())
    for name in ("frozen", "cut") if patient in ward.HEALTHY else ("frozen", "cut", "zero"):
        if raised(found, name) != (name in there):
            yield f"raise_if({name}=True) {'passes' if name in there else 'raises'}"


def wrong_words(patient, found):
    text = str(found)
    yield from (f"{word!r} is not said" for word in patient.says.split(" | ") if word not in text)
    if patient.places and not any(place in text for place in patient.places):
        yield f"{' or '.join(sorted(patient.places))} is not said"


def alarms(patient, found):
    on_purpose = {*patient.fates.keys() & {"frozen", "unused"}}
    if patient.fates.keys() & {"cut", "lost", "unused"}:
        on_purpose.add("cut")
    if patient.maybe != "?":
        on_purpose.add("zero")
    for name in {*FINDINGS} - on_purpose:
        if raised(found, name):
            yield f"raise_if({name}=True) raises"


def wrong_in(patient, truth, way):
    net, make_loss = patient.made()
    found, unsure = way(net, make_loss), {"cannot tell"} if way is unwatched else set()
    yield from wrong_statuses(patient, truth, found, net, unsure)
    known = {*patient.raises.split()} - (RECORDED if unsure else set())
    yield from (f"raise_if({name}=True) passes" for name in known if not raised(found, name))
    if patient in ward.BUGS and not unsure:
        yield from wrong_words(patient, found)
    if patient in ward.HEALTHY:
        yield from alarms(patient, found)


PATIENTS = [*ward.BUGS, *ward.HEALTHY]


@pytest.mark.parametrize("number", range(len(PATIENTS)), ids=lambda n: PATIENTS[n].forward.__name__)
def test_what_is_said_of_a_patient_is_what_its_backward_does(number):
    patient, wrong = PATIENTS[number], {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PyTorch, on what is wrong with them
        truth = truth_of(patient)
        for name, true in truth.items():
            fate = patient.fate(name)
            ill = true == {"nan"} and "nan" in patient.raises
            assert not fate or ill or fate in true or fate == "lost" and "cut" in true, (name, true)
        for way in [*ALWAYS, *(IN_TURN if PROVE else [IN_TURN[number % len(IN_TURN)]])]:
            for sentence in wrong_in(patient, truth, way):
                wrong.setdefault(sentence, {})[way.__name__] = None
    lines = [f"{said}   [{', '.join(ways)}]" for said, ways in wrong.items()]
    assert not wrong, "\n".join([patient.forward.__name__, *lines])


# ---- what is asked for in other ways ---------------------------------------------------------------

X, Y = ward.X, ward.Y


def gan():
    torch.manual_seed(0)
    G, D = nn.Linear(6, 6), nn.Linear(6, 1)
    with watching():
        loss = F.softplus(D(G(X).detach())).mean()
    return G, D, loss


def test_two_models_in_a_dict_in_a_list_and_in_variables():
    G, D, loss = gan()
    for found in (report(loss, {"G": G, "D": D}), report(loss, names=names_in({"G": G, "D": D}))):
        rows = [(row["name"][0], row["status"]) for row in found.data()["parameters"]]
        assert rows == [("G", "cut")] * 2 + [("D", "trained")] * 2
        assert raised(found, "cut") and found.raise_if(unused=True)
    assert raised(report(loss, [G, D]), "cut") and raised(report(loss, G), "cut")
    assert report(loss, D).raise_if(cut=True)


def test_weights_of_losses_that_are_in_no_module():
    net, s = nn.Linear(6, 3), nn.Parameter(torch.zeros(2))
    with watching():
        out = net(X)
        loss = s.neg().exp()[0] * F.cross_entropy(out, Y) + s[1].neg().exp() * out.pow(2).mean()
        loss = loss + s.sum()
    for found in (report(loss, names=names_in({"net": net})), report(loss, net)):
        statuses = {row["status"] for row in found.data()["parameters"]}
        assert statuses == {"trained"} and "registered nowhere" not in str(found)
        assert found.raise_if(**dict.fromkeys(FINDINGS, True))


def test_a_loss_of_a_copy_trains_nothing_of_the_model():
    net = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3))
    other = copy.deepcopy(net)
    with watching():
        loss = F.cross_entropy(other(X), Y)
    found = report(loss, net)
    assert {row["status"] for row in found.data()["parameters"]} <= {"cut", "unused"}
    assert raised(found, "cut") and raised(found, "unused")

"""The last line of an error says where find_your_error.md explains it, if one row or lesson fits."""

import pytest

from autograd_core.parity.agreement_report import PLACES, place_of
from notebooks.authoring.find_your_error import flat, read, records

RECORDS = [record for record in records(read()) if "message" in record]
BEGINS = {record["id"]: f"{record['type']}: {flat(record['message'])}" for record in RECORDS}
NOT_IN_THE_ENGINE = {"backward_twice_rnn_state"}  # its program needs nn.RNN


def fitting(start):
    """The records whose message begins so; PyTorch writes "Only Tensors" and "only Tensors"."""
    lower = start.lower()
    return [record for record in RECORDS if BEGINS[record["id"]].lower().startswith(lower)]


def wrong_places(places):
    """The entries that don't name the one row, or else the one lesson, of their message."""
    for start, place in places.items():
        found = fitting(start)
        row = f"#{found[0]['id']}" if len(found) == 1 else ""
        lessons = {record["lesson"].partition("_")[0] for record in found}
        lesson = f" (lesson {lessons.pop()})" if len(lessons) == 1 else ""
        if not found or place != f"{row}{lesson.replace(' (lesson —)', '')}":
            yield start


def test_each_place_is_the_row_or_the_lesson_of_its_message():
    assert [*wrong_places(PLACES)] == [] and all(PLACES.values())


@pytest.mark.parametrize(
    "start, place",
    [
        ("RuntimeError: a leaf Variable", "#leaf_in_place (lesson 05)"),
        ("RuntimeError: a leaf Variable", "#leaf_inplace (lesson 04)"),
        ("RuntimeError: a leaf Variable", "#leaf_inplace"),
        ("RuntimeError: Can't call numpy()", "#numpy_requires_grad (lesson 02)"),
        ("RuntimeError: Trying to backward through", "#backward_twice (lesson 04)"),
        ("RuntimeError: element 0 of tensors", " (lesson 13)"),
        ("RuntimeError: no such message", "#leaf_inplace (lesson 05)"),
    ],
)
def test_a_planted_wrong_place_is_found(start, place):
    assert [*wrong_places({start: place})] == [start]


PLACE_OF_ROW = {each["id"]: place for start, place in PLACES.items() for each in fitting(start)}
PROGRAMS = {
    record["id"]: record["program"]
    for record in RECORDS
    if record["id"] in PLACE_OF_ROW.keys() - NOT_IN_THE_ENGINE
}


@pytest.mark.parametrize("row", PROGRAMS)
def test_the_cell_of_a_row_ends_with_its_place(notebook, row):
    shown = notebook.both(PROGRAMS[row])
    line = f"See find_your_error.md{PLACE_OF_ROW[row]}."
    assert shown.message.endswith(f"\n{line}") and shown.printed.rstrip().endswith(line)


def test_messages_of_other_records_get_no_place():
    others = BEGINS.keys() - PLACE_OF_ROW.keys()
    assert {"no_graph_item", "no_graph_no_grad"} <= others
    for name in others:
        kind, _, message = BEGINS[name].partition(": ")
        assert place_of(type(kind, (Exception,), {})(message)) == "", name


@pytest.mark.parametrize(
    "cell",
    [
        "1 / 0",
        "nobody",
        "[1][2]",
        "{}['a']",
        "int('a')",
        "(1).backward",
        "torch.ones(2) + torch.ones(3)",
        "torch.ones(2, 3) @ torch.ones(2, 3)",
        "torch.ones(1).backward()",
        "raise ValueError('a leaf Variable that requires grad')",
        "raise RuntimeError('this is a leaf Variable that requires grad')",
        "assert False, 'grad can be implicitly created only for scalar outputs'",
        "raise RuntimeError",
    ],
)
def test_an_unrelated_error_gets_no_place(notebook, cell):
    shown = notebook.both(cell)
    assert shown.error is not None and "find_your_error" not in shown.message + shown.printed


def test_a_cell_that_should_raise_gets_no_place(notebook):
    leaf = "w = torch.ones(2, requires_grad=True)\nw += 1"
    shown = notebook.both(leaf, "raises RuntimeError")
    assert shown.error is None and "find_your_error" not in shown.line + shown.table

"""The page "Find your error" is made of its records, and every record is true: its program raises
the message or asserts the symptom, and the fixed program runs without a warning.
"""

import contextlib
import warnings

import pytest
import torch
import torch.distributed

from notebooks.authoring import find_your_error
from notebooks.authoring.find_your_error import PAGE, page, problems, read, records

GROUPS = read()
RECORDS = {record["id"]: record for record in records(GROUPS)}


@contextlib.contextmanager
def state_kept():
    """Seeded, and with the settings of PyTorch as they were at the end."""
    default_dtype, always = torch.get_default_dtype(), torch.is_warn_always_enabled()
    anomaly, check_nan = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    torch.set_warn_always(True)
    try:
        with torch.random.fork_rng(), torch.set_grad_enabled(True):
            torch.manual_seed(0)
            yield
    finally:
        torch.set_default_dtype(default_dtype)
        torch.set_warn_always(always)
        torch.autograd.set_detect_anomaly(anomaly, check_nan)
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()


def run(program):
    """The warnings and the exception of a program: [("RuntimeError", "its text")]."""
    exceptions = []
    with state_kept(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            exec(compile(program, "program", "exec"), {"__name__": "program"})
        except Exception as error:
            exceptions = [(type(error).__name__, str(error.args[0]).strip() if error.args else "")]
    texts = [(w.category.__name__, str(w.message).partition(" (Triggered ")[0]) for w in warned]
    return [(kind, text.strip()) for kind, text in texts], exceptions


def explain_failure(record):
    """Why the record isn't true, or "" if it is. A program may also print other warnings."""
    warned, raised = run(record["program"])
    wanted = (record.get("type"), record.get("message"))
    if wanted[0] is None and raised:
        return f"the program doesn't show the symptom: {raised}"
    if wanted[0] is not None and (wanted not in warned + raised or raised not in ([], [wanted])):
        return f"the program gives {warned + raised} instead of {wanted}"
    left = sum(run(record["fixed"]), [])
    return f"the fixed program gives {left}" if left else ""


def test_the_page_is_made_of_the_records():
    assert problems(GROUPS) == []
    assert PAGE.read_text(encoding="utf-8") == page(GROUPS), (
        "python -m notebooks.authoring.find_your_error writes notebooks/find_your_error.md"
    )


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_the_record_is_true(record):
    assert explain_failure(record) == ""


# ---- planted errors ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, change, failure",
    [
        ("scalar_only", {"message": "grad can be created"}, "the program gives [('RuntimeError'"),
        ("scalar_only", {"type": "ValueError"}, "the program gives [('RuntimeError'"),
        ("scalar_only", {"program": "import torch"}, "the program gives []"),
        ("scalar_only", {"fixed": RECORDS["scalar_only"]["program"]}, "the fixed program gives"),
        ("copy_construct", {"message": "To copy a tensor"}, "the program gives [('UserWarning'"),
        ("copy_construct", {"fixed": RECORDS["copy_construct"]["program"]}, "the fixed program"),
        (
            "empty_mean",
            {"program": RECORDS["empty_mean"]["fixed"] + "assert loss.isnan()"},
            "the program doesn't show",
        ),
        (
            "empty_mean",
            {"fixed": RECORDS["empty_mean"]["fixed"] + "assert loss.isnan()"},
            "the fixed program gives",
        ),
    ],
)
def test_planted_untruth_is_found(name, change, failure):
    assert explain_failure(RECORDS[name] | change).startswith(failure)


@pytest.mark.parametrize(
    "name, change, problem",
    [
        ("scalar_only", {"lesson": "02_backward"}, "there is no lesson '02_backward'"),
        ("scalar_only", {"fix": "\n".join("abcd")}, "the fix has more than 3 lines"),
        (
            "scalar_only",
            {"fix": "loss.sum().backward()"},
            "the fixed program doesn't contain this line of the fix: loss.sum().backward()",
        ),
        ("scalar_only", {"cause": None}, "the field 'cause' is missing"),
        ("scalar_only", {"couse": ""}, "the field 'couse' is unknown"),
        ("scalar_only", {"type": None}, "needs both a message and its type, or neither"),
        ("empty_mean", {"symptom": None}, "needs a message or a symptom"),
        ("empty_mean", {"program": "print(loss)"}, "a symptom needs an assertion in 'program'"),
    ],
)
def test_planted_fault_of_form_is_found(name, change, problem):
    changed = {field: v for field, v in (RECORDS[name] | change).items() if v is not None}
    assert problem in list(find_your_error.record_problems(changed))


def test_planted_repeat_is_found():
    record = RECORDS["scalar_only"]
    found = problems([{"error": [record, record]}])
    assert len(found) == 2 and "another record has the same 'scalar_only'" in found[0]


def test_planted_change_of_a_record_changes_the_page():
    for field in ("message", "also", "cause", "fix", "lesson"):
        changed = RECORDS["scalar_only"] | {field: ["x"] if field == "also" else "x"}
        groups = [
            {**g, "error": [changed if r["id"] == "scalar_only" else r for r in g["error"]]}
            for g in GROUPS
        ]
        assert page(groups) != page(GROUPS)


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "01_a.toml").write_text("title = ")
    with pytest.raises(ValueError, match="01_a.toml: Invalid value"):
        read(tmp_path)


def test_a_program_changes_no_setting():
    def settings():
        return (
            torch.get_default_dtype(),
            torch.is_grad_enabled(),
            torch.is_anomaly_enabled(),
            torch.initial_seed(),
        )

    before = settings()
    changes = (
        "torch.set_default_dtype(torch.float64)",
        "torch.set_grad_enabled(False)",
        "torch.autograd.set_detect_anomaly(True)",
        "torch.manual_seed(7)",
    )
    run("import torch\n" + "\n".join(changes))
    assert settings() == before

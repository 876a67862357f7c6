"""Faults in backward rules are found; and the script that plants faults tells one that no test
finds.
"""

import random

import pytest

from . import mutants as script
from .budget import SEED, budget
from .mutants import HOUSE, UNKEPT, Mutant, copied, fails, is_found, mutants, planted

RULES = [
    mutant
    for path in sorted((HOUSE / "autograd_core" / "ops").rglob("*.py"))
    for mutant in mutants(path)
    if mutant.in_rule
]
CHOSEN, PARTS = random.Random(SEED).sample(RULES, budget(1, len(RULES))), budget(1, 30)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_fault_in_a_rule_is_found(part, tmp_path):
    copied(tmp_path)
    for mutant in CHOSEN[part::PARTS]:
        with planted(mutant, tmp_path):
            assert fails(["ops/test_operations.py"], tmp_path, *UNKEPT), f"no case finds {mutant}"


def test_there_are_rules_to_change():
    assert len(RULES) > 60


def test_each_kind_of_fault_is_planted(tmp_path):
    (tmp_path / "a.py").write_text(
        'def f(x: int = 2) -> list[int]:\n    """1 + 1"""\n    return -x if x < 1 and not x else x * 3.0\n'
    )
    found = {(mutant.was, mutant.now) for mutant in mutants(tmp_path / "a.py", tmp_path)}
    assert found == {
        ("2", "3"),
        ("-x if x < 1 and not x else x * 3.0", "x * 3.0 if x < 1 and (not x) else -x"),
        ("-x", "x"),
        ("x < 1", "x <= 1"),
        ("x < 1 and not x", "x < 1 or not x"),
        ("1", "2"),
        ("not x", "x"),
        ("x * 3.0", "x + 3.0"),
        ("3.0", "4.0"),
    }
    assert all(
        compile(mutant.source, "a.py", "exec") for mutant in mutants(tmp_path / "a.py", tmp_path)
    )


@pytest.mark.prove
def test_a_fault_that_a_test_sees_is_found_and_another_survives(tmp_path, monkeypatch):
    monkeypatch.setattr(script, "TESTS", ("optim",))
    monkeypatch.setattr(script, "WORKERS", UNKEPT)
    file = tmp_path / "autograd_core" / "optim" / "a.py"
    for path, text in {
        file: "def f(x):\n    return x + 1 if x else 0\n",
        tmp_path / "autograd_core" / "__init__.py": "",
        tmp_path / "tests" / "optim" / "test_a.py": "from autograd_core.optim.a import f\n\n"
        "def test_f():\n    assert f(1) == 2\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    outcome = {mutant.was: is_found(mutant, tmp_path) for mutant in mutants(file, tmp_path)}
    assert outcome == {"x + 1 if x else 0": True, "x + 1": True, "1": True, "0": False}
    assert file.read_text() == "def f(x):\n    return x + 1 if x else 0\n"
    assert str(Mutant("a.py", 3, "x", "y", "")) == "a.py:3: x  ->  y"


@pytest.mark.prove
def test_nothing_is_planted_where_a_test_fails_without_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(script, "HOUSE", tmp_path)
    monkeypatch.setattr(script, "WORKERS", UNKEPT)
    monkeypatch.setattr(script, "TESTS", ("optim",))
    for path, text in {
        "autograd_core/optim/a.py": "x = 1\n",
        "tests/optim/test_a.py": "def test_a():\n    assert False\n",
        "notebooks/a.md": "",
        "pyproject.toml": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    with pytest.raises(SystemExit, match="without any fault"):
        script.main(["1", "--only", "optim"])
    (tmp_path / "tests" / "optim" / "test_a.py").write_text("def test_a():\n    assert True\n")
    script.main(["1", "--only", "optim"])

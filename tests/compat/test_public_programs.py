"""PyTorch scripts as people write them, unchanged, on both engines: every loss and every parameter
after 20 steps.
"""

import contextlib
import io
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
# relative to the largest number in a tensor; everything is float64
TOLERANCE = 1e-8


def ours(program, saved):
    """What the script prints in a Python of its own."""
    ended = subprocess.run(
        [sys.executable, "-m", "autograd_core", str(program), str(saved)],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        },
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def theirs(program, *arguments):
    """What it prints on PyTorch, which is loaded here."""
    with contextlib.ExitStack() as after, contextlib.redirect_stdout(io.StringIO()) as printed:
        after.callback(torch.set_default_dtype, torch.get_default_dtype())
        after.enter_context(pytest.MonkeyPatch.context()).setattr(
            sys, "argv", [*map(str, (program, *arguments))]
        )
        runpy.run_path(str(program), run_name="__main__")
    return printed.getvalue()


def trained(run, program, saved):
    """Run a script. Returns its losses, its other lines, and the parameters that it saved."""
    lines = run(program, saved).splitlines()
    losses = [float(line.split()[1]) for line in lines if line.startswith("loss ")]
    with np.load(saved) as parameters:
        return losses, [line for line in lines if not line.startswith("loss ")], dict(parameters)


def assert_same_training(ours, theirs):
    """Two results of `trained`: losses and parameters to 1e-8, other lines literally."""
    np.testing.assert_allclose(ours[0], theirs[0], rtol=TOLERANCE, atol=0)
    assert ours[1] == theirs[1]
    assert list(ours[2]) == list(theirs[2])
    for name, expected in theirs[2].items():
        assert ours[2][name].dtype == expected.dtype and ours[2][name].shape == expected.shape, name
        largest = np.abs(expected).max(initial=0)
        np.testing.assert_allclose(
            ours[2][name], expected, rtol=0, atol=TOLERANCE * largest, err_msg=name
        )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_both_engines_train_alike(program, tmp_path):
    text = program.read_text()
    assert "import torch" in text and "autograd_core" not in text
    results = [trained(run, program, tmp_path / f"{run.__name__}.npz") for run in (ours, theirs)]
    assert len(results[1][0]) == 20 and results[1][0][-1] < results[1][0][0]
    assert_same_training(*results)


def test_three_programs():
    assert [path.stem for path in PROGRAMS] == ["character_model", "resnet_digits", "segmentation"]


PLANTED = {
    "a loss": lambda losses, lines, parameters: (
        [*losses[:-1], losses[-1] * (1 + 1e-7)],
        lines,
        parameters,
    ),
    "a line": lambda losses, lines, parameters: (losses, [*lines, "more"], parameters),
    "a parameter": lambda losses, lines, parameters: (
        losses,
        lines,
        {**parameters, "w": parameters["w"] + [0, 1e-7]},
    ),
    "a name": lambda losses, lines, parameters: (losses, lines, {"v": parameters["w"]}),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_difference_is_found(planted):
    result = [1.0, 0.5], ["accuracy 0.5"], {"w": np.array([1.0, 2.0])}
    assert_same_training(result, result)
    with pytest.raises(AssertionError):
        assert_same_training(PLANTED[planted](*result), result)

"""What pip installs: the source distribution and the wheel made of it, each tried in an environment
of its own.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

import pytest

from notebooks.authoring.kernels import through_files

HOUSE = Path(__file__).resolve().parents[1]
BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"
ENGINE = """
import autograd_core as T, sys
w = T.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
assert w.grad.tolist() == [2.0, 4.0]
assert not {"torch", "anywidget", "IPython"} & {*sys.modules}
"""
WIDGETS = """
import autograd_core as T
from autograd_core import watch
w = T.tensor(2.0, requires_grad=True)
assert "<svg" in watch(w * w)._repr_mimebundle_()[0]["image/svg+xml"]
"""

BESIDE = """
import autograd_core, sys, torch
from autograd_core import watching, report, watch, follow, explore
net = torch.nn.Linear(2, 1)
with watching():
    loss = net(torch.ones(3, 2)).log1p().sum()
assert "2 trained" in report(loss).line and "<svg" in watch(loss).svg()
assert sys.prefix in autograd_core.__file__ and sys.prefix not in torch.__file__
"""
NOTEBOOK = """
import sys, json, nbformat, nbclient, traitlets, autograd_core
notebook, config = nbformat.read(sys.argv[1], 4), traitlets.config.Config(json.loads(sys.argv[2]))
nbclient.NotebookClient(
    notebook, kernel_name="python3", timeout=None, startup_timeout=3600, config=config
).execute()
print(autograd_core.__file__, sum(c.get("execution_count") is not None for c in notebook.cells))
"""


def run(*command, **options):
    """What it prints. Raises CalledProcessError, with what it printed, where it fails."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    done = subprocess.run(
        [*map(str, command)], env=environment, text=True, capture_output=True, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """(the source distribution, the wheel made of it), from the files that git knows."""
    folder = tmp_path_factory.mktemp("built")

    def build(kind, source):
        return run(sys.executable, "-c", BUILD, kind, folder, cwd=folder / source).split()[-1]

    listed = "git ls-files --cached --others --exclude-standard -z".split()
    for name in run(*listed, cwd=HOUSE).split("\0"):
        if name and (HOUSE / name).is_file():
            (folder / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HOUSE / name, folder / "checkout" / name)
    made = build("build_sdist", "checkout")
    with tarfile.open(folder / made) as tar:
        tar.extractall(folder, filter="data")
    return folder / made, folder / build("build_wheel", made.removesuffix(".tar.gz"))


@pytest.fixture(scope="module")
def clean(built, tmp_path_factory):
    """A function that makes a new environment with the wheel and what it needs: `clean("widgets")`."""

    def make(extra="", *options):
        folder = tmp_path_factory.mktemp("environment")
        venv.create(folder, with_pip=True)
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        install = "-m pip install -q --disable-pip-version-check".split()
        run(python, *install, *options, f"{built[1]}{extra}", cwd=folder)
        return python

    return make


def test_the_wheel_holds_code_scripts_licence_and_lessons(built):
    with zipfile.ZipFile(built[1]) as wheel:
        names = wheel.namelist()
    lessons = sorted(path.name for path in (HOUSE / "notebooks").glob("*.ipynb"))
    assert sorted(Path(name).name for name in names if name.endswith(".ipynb")) == lessons
    for part in (
        "autograd_core/py.typed",
        "licenses/LICENSE",
        "notebooks/find_your_error.md",
        "autograd_core/parity/places.toml",
        "autograd_core/widgets/static/widgets.js",
        "autograd_core/lessons/questions/quiz_questions.txt",
    ):
        assert any(name.endswith(part) for name in names), part
    assert not [name for name in names if "node_modules" in name or name.startswith("tests/")]


@pytest.mark.prove
def test_the_engine_needs_numpy_alone(clean, tmp_path):
    python = clean()
    run(python, "-c", ENGINE, cwd=tmp_path)
    run(python, "-c", "from autograd_core import follow, report", cwd=tmp_path)


@pytest.mark.prove
def test_the_widgets_do_without_pytorch(clean, tmp_path):
    run(clean("[widgets]"), "-c", WIDGETS, cwd=tmp_path)


def beside_this_environment(python):
    """Let `python` find what is installed here too, after its own."""
    here = sysconfig.get_path("purelib")
    run(
        python,
        "-c",
        "import pathlib, sysconfig; "
        f"pathlib.Path(sysconfig.get_path('purelib'), 'more.pth').write_text({here!r})",
    )


@pytest.mark.prove
def test_beside_a_pytorch_that_is_there(clean, tmp_path):
    python = clean("[widgets]")
    beside_this_environment(python)
    run(python, "-c", BESIDE, cwd=tmp_path)


@pytest.mark.prove
def test_the_lessons_that_are_installed_run(clean, tmp_path):
    """With this environment's JupyterLab and PyTorch, which are too large to install twice, and the
    wheel before them.
    """
    python = clean("", "--no-deps")
    beside_this_environment(python)
    told = run(python, "-m", "autograd_core", "lessons", tmp_path / "mine", cwd=tmp_path)
    first = tmp_path / "mine" / sorted(os.listdir(tmp_path / "mine"))[0]
    assert "jupyter lab" in told and first.name in told
    cells = [cell for cell in json.loads(first.read_text())["cells"] if cell["cell_type"] == "code"]
    with tempfile.TemporaryDirectory() as sockets:
        options = json.dumps(through_files(sockets))
        done = run(python, "-c", NOTEBOOK, first, options, cwd=first.parent)
    where, count = done.split()
    assert str(python.parents[1]) in where and int(count) == len(cells)
    again = subprocess.run(
        [python, "-m", "autograd_core", "lessons", tmp_path / "mine"],
        cwd=tmp_path,
        text=True,
        capture_output=True,
    )
    assert again.returncode and "already" in again.stderr

"""`python -m autograd_core script.py`: an unchanged PyTorch script on the engine."""

import subprocess
import sys

from .test_public_programs import theirs

SCRIPT = """
import sys
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1)).double()
optimizer = optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(8, 2, dtype=torch.float64), torch.randn(8, 1, dtype=torch.float64)
for _ in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.12f}")
print(sys.argv[1:], __name__, "autograd_core" in sys.modules, "torch._C" in sys.modules)
"""

CHECKPOINTS = """
import sys
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(50, 3, dtype=torch.float64)
training, validation = random_split(TensorDataset(x, x.sum(1) > 0), [40, 10])
net = torch.nn.Linear(3, 2).double()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(2):
    for a, b in DataLoader(training, batch_size=16, shuffle=True):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(a), b.long()).backward()
        optimizer.step()
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, sys.argv[1])
checkpoint = torch.load(sys.argv[1], map_location="cpu", weights_only=True)
optimizer.load_state_dict(checkpoint["optimizer"])
again = torch.nn.Linear(3, 2).double()
again.load_state_dict(checkpoint["net"])
print(checkpoint["epoch"], *(f"{again(a).sum().item():.10f}" for a, b in DataLoader(validation, batch_size=4)))
"""


def run(tmp_path, text, *arguments):
    script = tmp_path / "script.py"
    script.write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "autograd_core", str(script), *arguments],
        capture_output=True,
        text=True,
    )


def test_the_same_script_prints_the_same_on_both_engines(tmp_path):
    ours = run(tmp_path, SCRIPT, "--epochs", "3")
    assert ours.returncode == 0, ours.stderr
    *losses, last = ours.stdout.splitlines()
    assert losses == theirs(tmp_path / "script.py").splitlines()[:3]
    assert last == "['--epochs', '3'] __main__ True False"


def test_loaders_and_checkpoints_are_the_same_on_both_engines(tmp_path):
    ours = run(tmp_path, CHECKPOINTS, str(tmp_path / "ours"))
    assert ours.returncode == 0, ours.stderr
    assert (
        ours.stdout == theirs(tmp_path / "script.py", tmp_path / "theirs")
        and len(ours.stdout.split()) == 4
    )


def test_what_is_missing_is_said_at_once(tmp_path):
    ended = run(tmp_path, "import torch.fft")
    assert (
        ended.returncode == 1
        and "ModuleNotFoundError: autograd_core has no torch.fft" in ended.stderr
    )


def test_a_missing_script_is_said_without_a_traceback(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-m", "autograd_core", str(tmp_path / "none.py")],
        capture_output=True,
        text=True,
    )
    assert (
        ended.returncode == 1
        and "there is no file" in ended.stderr
        and "Traceback" not in ended.stderr
    )


PROCESSES = """
import multiprocessing, subprocess, sys
import torch

def engine_of(x):
    import torch.nn.functional as F
    import torch.cuda
    return torch.__name__, F.relu(torch.tensor([-1.0, x])).tolist(), "torch._C" in sys.modules

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(engine_of, (2.0,)))
    code = "import torch; from torch import nn; print(torch.__name__, nn.Linear(1, 1).bias.shape)"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip())
    code = "import torch.distributed"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr.strip().split("Error: ")[-1])
"""


def test_processes_that_a_script_starts_run_on_the_engine(tmp_path):
    lines = run(tmp_path, PROCESSES).stdout.splitlines()
    assert lines == [
        "('autograd_core', [0.0, 2.0], False)",
        "autograd_core torch.Size([1])",
        "autograd_core has no torch.distributed: this script needs PyTorch itself",
    ]

"""Install requirements.txt with the pip of this Python, and say how far it is: `python install.py
requirements.txt`.

pip tells what it downloads, one line each, before it installs all of it at once. What it says is
kept: where it fails, its last words are printed.
"""

import importlib.util
import platform
import re
import subprocess
import sys

PACKAGES = 130  # about so many: which, pip finds out on the way
LARGE = """\
About 130 packages are installed, once. They take 1.6 GB; half of it is PyTorch, against which
every result is compared (with CUDA several gigabytes more)."""
CUDA = """\
On Linux the ordinary PyTorch brings CUDA, which the lessons do not use. For the small one press
Ctrl-C now and read notebooks/authoring/installations.md; what is installed by then is kept."""
SIZE = re.compile(r"\(([\d.]+) (kB|MB|GB)\)")
UNITS = {"kB": 1e-3, "MB": 1, "GB": 1e3}


def told(line: str, count: int, megabytes: float) -> tuple[str, int, float]:
    """(what to show for a line of pip's, packages so far, megabytes so far)."""
    if line.startswith("Collecting "):
        count += 1
        return (
            f"{count} of about {max(PACKAGES, count)}: {re.split('[ <>=!~;(]', line[11:])[0]}",
            count,
            megabytes,
        )
    if (size := SIZE.search(line)) and line.lstrip().startswith(("Downloading ", "Using cached ")):
        megabytes += float(size[1]) * UNITS[size[2]]
        name = line.split()[-3].split("-")[0]
        return (
            f"{count} of about {max(PACKAGES, count)}, {megabytes:.0f} MB: {name}",
            count,
            megabytes,
        )
    if line.startswith("Installing collected packages"):
        return f"installing {line.count(',') + 1} packages, {megabytes:.0f} MB", count, megabytes
    return "", count, megabytes


def install(requirements: str) -> int:
    """pip's exit status."""
    if importlib.util.find_spec("torch") is None:
        print(LARGE)
        if platform.system() == "Linux":
            print(CUDA)
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--progress-bar",
        "off",
        "-r",
        requirements,
    ]
    said, count, megabytes = [], 0, 0.0
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        for line in pip.stdout or ():
            said.append(line)
            show, count, megabytes = told(line, count, megabytes)
            if show and sys.stdout.isatty():
                print(f"\r\033[K{show}", end="", flush=True)
            elif show and (
                line.startswith("Collecting ") and count % 20 == 0 or show.startswith("installing")
            ):
                print(show, flush=True)
    if sys.stdout.isatty():
        print()
    if pip.returncode:
        print("".join(said[-30:]), file=sys.stderr)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(install(sys.argv[1]))

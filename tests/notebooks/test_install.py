"""What the first start says while pip works."""

import subprocess
import sys

from notebooks.authoring import install


def test_it_says_how_far_it_is():
    count, megabytes, shown = 0, 0.0, []
    for line in (
        "Collecting numpy==2.4.6",
        "  Downloading numpy-2.4.6-cp311.whl (16.9 MB)",
        "Collecting torch (from -r r.txt)",
        "  Using cached torch-2.13.0.whl (190.1 MB)",
        "  Downloading six.whl.metadata (1.7 kB)",
        "Building wheels",
        "Installing collected packages: numpy, torch, six",
    ):
        show, count, megabytes = install.told(line, count, megabytes)
        shown.append(show)
    assert shown == [
        "1 of about 130: numpy",
        "1 of about 130, 17 MB: numpy",
        "2 of about 130: torch",
        "2 of about 130, 207 MB: torch",
        "2 of about 130, 207 MB: six.whl.metadata",
        "",
        "installing 3 packages, 207 MB",
    ]


def test_where_pip_fails_its_last_words_are_told(tmp_path):
    (tmp_path / "r.txt").write_text("no_such_package_anywhere_at_all==0\n")
    done = subprocess.run(
        [sys.executable, install.__file__, tmp_path / "r.txt", "--no-index"],
        capture_output=True,
        text=True,
        env={"PIP_NO_INDEX": "1"},
    )
    assert done.returncode and "no_such_package_anywhere_at_all" in done.stderr

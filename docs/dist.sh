#!/bin/sh
# Packs the sources that git knows, as they are in the tree, into FOLDER: as
# reconstruct-VERSION.tar.gz, and for pip, which builds the module of them without FFTW, as
# reconstruct_poisson-VERSION.tar.gz; reconstruct-VERSION.md says what is new.
#
#     docs/dist.sh VERSION FOLDER [REPOSITORY]
#
# Added is what follows from the version: VERSION, debian/changelog, lines of CITATION.cff. The same
# tree gives the same bytes. Times are SOURCE_DATE_EPOCH, else those of the last commit. In a
# tarball, where there is no git, all files are sources but what `make clean` removes.
set -eu
mkdir -p "$2"
version=$1 out=$(cd "$2" && pwd) repository=${3-}
cd "$(dirname "$0")/.."
list() { git ls-files -z; }
if [ ! -e .git ]; then
    of_release=$(stat -c %Y Makefile)
    list()
    {
        find . \( -path ./build -o -path ./dist -o -path ./demo -o -path './reconstruct*' \
            -o -path ./compile_commands.json \) -prune -o ! -type d -printf '%P\0'
    }
fi
epoch=${SOURCE_DATE_EPOCH:-${of_release:-$(git log -1 --format=%ct)}}
top=$(mktemp -d) && trap 'rm -rf "$top"' EXIT

pack() # NAME: the folder of that name
{
    cd "$top"
    find "$1" ! -type d -print0 | LC_ALL=C sort -z |
        tar --create --null --no-recursion --files-from=- --format=ustar --owner=0 --group=0 \
            --numeric-owner --mode=u=rwX,go=rX --mtime="@$epoch" | gzip -9n >"$out/$1.tar.gz"
    echo "$out/$1.tar.gz"
}

# A release's notes: the newest section of the changelog.
awk '/^## / { sections++ } sections == 1' docs/changelog.md >"$out/reconstruct-$version.md"
echo "$out/reconstruct-$version.md"

name=reconstruct-$version for_pip=reconstruct_poisson-$version
mkdir "$top/$name"
list | tar --create --null --files-from=- | tar --extract -C "$top/$name"
cd "$top/$name"
echo "$version" >VERSION
sed -i "s|@VERSION@|$version|" docs/recipes/*
if [ "$repository" ]; then
    echo "repository-code: $repository" >>CITATION.cff
    sed -i "s|^REPOSITORY ?=.*|REPOSITORY ?= $repository|" Makefile
    sed -i "s|^Standards-Version.*|&\nHomepage: $repository|" debian/control
fi
sed -i '/^version:/d; /^date-released:/d' CITATION.cff
printf '%s\n' "version: $version" "date-released: $(date -uId -d "@$epoch")" >>CITATION.cff
printf 'reconstruct (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' "$version" \
    'What is new: docs/changelog.md in the sources.' \
    "$(sed -n 's/^Maintainer: //p' debian/control)" \
    "$(LC_ALL=C date -uRd "@$epoch")" >debian/changelog
pack "$name"

mv "$name" "$for_pip"
cd "$for_pip"
sed "s|@VERSION@|$version|; ${repository:+s|@REPOSITORY@|$repository|}; /@REPOSITORY@/d
    s|\"README.md\"|\"src/python/README.md\"|
    s|^packages = .*|&\npackage-dir = { \"\" = \"src/python\" }|" src/python/pyproject.toml \
    >pyproject.toml
cp src/python/setup.py .
printf '%s\n' 'Metadata-Version: 2.1' 'Name: reconstruct-poisson' "Version: $version" \
    'Requires-Python: >=3.9' 'License: MIT' 'Description-Content-Type: text/markdown' '' \
    "$(cat src/python/README.md)" >PKG-INFO
pack "$for_pip"

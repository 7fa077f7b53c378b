#!/bin/sh
# Packs the sources that git knows, as they are in the tree, into dist/reconstruct-VERSION.tar.gz,
# and writes what is new into dist/reconstruct-VERSION.md:
#
#     docs/dist.sh VERSION
#
# The same tree gives the same bytes. Times are SOURCE_DATE_EPOCH, else those of the last commit. In
# a tarball, where there is no git, all files are sources but what `make clean` removes.
set -eu
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
mkdir -p dist
list | LC_ALL=C sort -z |
    tar --create --null --no-recursion --files-from=- --format=ustar --owner=0 --group=0 \
        --numeric-owner --mode=u=rwX,go=rX --mtime="@$epoch" --transform="s,^,reconstruct-$1/," |
    gzip -9n >"dist/reconstruct-$1.tar.gz"
# A release's notes: the newest section of the changelog.
awk '/^## / { sections++ } sections == 1' docs/changelog.md >"dist/reconstruct-$1.md"
printf '%s\n' "dist/reconstruct-$1.tar.gz" "dist/reconstruct-$1.md"

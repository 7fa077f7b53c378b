#!/bin/sh
# Packs the sources that git knows, as they are in the tree, into dist/reconstruct-VERSION.tar.gz:
#
#     docs/dist.sh VERSION
#
# The same tree gives the same bytes. Times are SOURCE_DATE_EPOCH, else those of the last commit.
set -eu
cd "$(dirname "$0")/.."
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
mkdir -p dist
git ls-files -z | LC_ALL=C sort -z |
    tar --create --null --no-recursion --files-from=- --format=ustar --owner=0 --group=0 \
        --numeric-owner --mode=u=rwX,go=rX --mtime="@$epoch" --transform="s,^,reconstruct-$1/," |
    gzip -9n >"dist/reconstruct-$1.tar.gz"
echo "dist/reconstruct-$1.tar.gz"

#!/bin/sh
# Prints the version of this tree, of which the Makefile says that it follows RELEASE:
#
#     docs/version.sh RELEASE
#
# It is RELEASE for the commit that is tagged vRELEASE; else, with the number of commits since
# RELEASE was last changed and the name of the last, RELEASE+N.gHASH, which dpkg and pip sort. A
# shallow clone cannot count, and says so. A tarball has its version in the file VERSION.
set -eu
cd "$(dirname "$0")/.."
[ ! -e VERSION ] || exec cat VERSION
of_git() { [ -e .git ] && git describe --dirty=.dirty "$@" 2>/dev/null; }
[ "$(of_git --exact-match --tags --match "v$1")" != "v$1" ] || exec echo "$1"
hash=$(of_git --always --exclude '*' --abbrev=10) || exec echo "$1+unknown"
case $(git rev-parse --is-shallow-repository) in
true) echo "$1+0.shallow.g$hash" ;;
*) echo "$1+$(git rev-list --count \
    "$(git log -1 --format=%H -G'^RELEASE := ' -- Makefile)..HEAD").g$hash" ;;
esac

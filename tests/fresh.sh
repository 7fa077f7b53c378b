#!/usr/bin/env bash
# A fresh machine: a minimal Debian, into which nothing comes but what is installed on the way.
#
#   tests/fresh.sh SUITE                 README's commands as an ordinary user with sudo, in a clone
#                                        of this commit, with most tests; and `make deb`, whose
#                                        packages are installed in one more system, used, and
#                                        removed without a trace
#   tests/fresh.sh SUITE FOLDER [OLDER]  packages of FOLDER, such as a release's, beside OLDER's
#
# SUITE is trixie, bookworm, ... The last line is "fresh SUITE: N passed, N failed, N skipped" and
# counts what is done, not the tests that `make deps check` counts itself. It needs root,
# debootstrap and 6 GB in TMPDIR (/var/tmp).
set -u
cd "$(dirname "$0")/.." || exit 1
suite=${1:?usage: tests/fresh.sh SUITE [FOLDER [OLDER]]}
# Not what is the same on each system, and takes long; nor the same compiler's work twice.
export RECONSTRUCT_TESTS=small
export WITHOUT='documents.sh handover.sh mine.sh wrong.sh course.sh bench.sh faults.sh kills.sh
    memcheck.sh views.sh paint.sh jumps.sh inputs.sh clone.sh sources.sh boundary.sh inverse.sh
    signals.sh fibres.sh photograph.sh slabs.sh convolution multigrid install.sh lists.sh heal.sh
    progress.sh brush.sh main_job.sh outputs.sh overwrite.sh owner.sh frames.sh report.sh slurm.sh'
passed=0 failed=0 job=

skip() { # REASON
    echo "  fresh $suite # SKIP $1"
    echo "fresh $suite: 0 passed, 0 failed, 1 skipped"
    exit
}
command -v debootstrap >/dev/null || skip 'no debootstrap here: apt-get install debootstrap'
[ "$(id -u)" = 0 ] || skip 'only root makes a new system'
unshare --mount --pid --fork true 2>/dev/null || skip 'root cannot mount here'

# The first is in the text, between backquotes.
# shellcheck disable=SC2016
mapfile -t commands < <(sed -nE '/^## Two commands/,/^## [^T]/{
    s/.*`(apt-get install [^`]*)`.*/\1/p
    s/^(make deps [a-z]*).*/\1/p }' README.md)
[ ${#commands[@]} = 3 ] || { echo "README.md: not three commands: ${commands[*]}"; exit 1; }
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' | grep -vm1 security)

# Mounts are in name spaces of their own, and end with them.
top=$(mktemp -d "${TMPDIR:-/var/tmp}/reconstruct-fresh.XXXXXX") || exit 1
trap 'rm -rf --one-file-system "$top"' EXIT
trap 'kill -KILL $job; wait; exit 1' INT TERM
chmod 755 "$top"

# Bash stays the system's first process, which reaps the others.
inside() { # USER COMMAND
    # shellcheck disable=SC2016
    TEST_OF="$suite, $1" unshare --mount --pid --fork --kill-child bash -c '
        mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
            mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/dev/shm" &&
            mount -t tmpfs tmpfs "$1/run" &&
            mount --bind "$1/../archives" "$1/var/cache/apt/archives" &&
            chroot "$1" su - -w TEST_OF,RECONSTRUCT_TESTS,WITHOUT "$2" -c "$3"
        exit' . "$system" "$1" "$2" </dev/null &
    job=$!
    wait $job
}

user_system() {
    system=$top/user
    mv "$top/base" "$system" && inside root "${commands[0]}" &&
        inside root "apt-get install -y --no-install-recommends sudo &&
            useradd -m -s /bin/bash user &&
            echo 'user ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/user" &&
        git -c safe.directory='*' clone -q --no-hardlinks . "$system/home/user/reconstruct" &&
        chroot "$system" chown -R user: /home/user/reconstruct
}

# Dpkg would sync each file, and each package's archive is fetched once.
base_system() {
    debootstrap --variant=minbase "$suite" "$top/base" "$mirror" >"$top/log" 2>&1 &
    job=$!
    wait $job || { cat "$top/log"; return 1; }
    echo "127.0.0.1 localhost $(hostname)" >"$top/base/etc/hosts" # as Debian's installer does
    echo force-unsafe-io >"$top/base/etc/dpkg/dpkg.cfg.d/unsafe-io"
    mv "$top/base/var/cache/apt/archives" "$top" && mkdir "$top/base/var/cache/apt/archives"
}

count() { # NAME COMMAND...
    local name="$suite, $1" TIMEFORMAT="$suite, $1: %0R s, CPU %0U + %0S s"
    echo "---- $name"
    if time "${@:2}"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name, FAILED"
    fi
}

readme() {
    count "${commands[0]}" user_system
    count "${commands[1]}" inside user "cd reconstruct && ${commands[1]}"
    count 'demo/castle.pgm is exact' \
        cmp "$system/home/user/reconstruct/demo/castle.pgm" data/castle.pgm
    # The packages are built where the tests' are not.
    cp -a "$system" "$top/builder"
    count "${commands[2]}" inside user "cd reconstruct && ${commands[2]}"
    rm -rf --one-file-system "$system"
}

build_packages() {
    # A first upload to Debian closes a bug: this is none. AppStream 1.0 wants a homepage: none yet;
    # Debian 12 does not know the tag.
    local lint='lintian --allow-root --fail-on error,warning --suppress-tags'
    local explained=initial-upload-closes-no-bugs
    [ "$suite" = bookworm ] || explained+=,appstream-metadata-validation-failed
    system=$top/builder
    # The tests have shown what -O3 makes.
    count 'packages: make deb' inside user 'cd reconstruct &&
        DEB_CFLAGS_MAINT_APPEND=-O1 make deps deb'
    count 'packages: lintian' inside root "apt-get install -y --no-install-recommends lintian &&
        $lint $explained /home/user/reconstruct/dist/*.deb"
    mv "$system/home/user/reconstruct/dist" "$top/dist"
    rm -rf --one-file-system "$system"
}

use_packages() { # OLDER
    system=$top/installed
    mv "$top/fresh" "$system" && mv "$top/dist" "$system/dist"
    cp docs/library.md "$system/dist"
    if [ "$1" ]; then
        cp -r "$1" "$system/older"
        count 'packages: those of before' inside root 'apt-get install -y \
            --no-install-recommends /older/*.deb'
    fi
    count 'packages: installed' inside root 'apt-get install -y --no-install-recommends \
        gcc libc6-dev pkg-config /dist/*.deb && ldconfig -p | grep libreconstruct.so.0'
    count 'packages: the sample' inside root 'cd /tmp && reconstruct --version &&
        reconstruct --headless /usr/share/reconstruct/castle-edges.pgm -o castle.pgm &&
        reconstruct bench --rungs 1-4 --size 64 --time 0'
    count 'packages: it is exact' cmp "$system/tmp/castle.pgm" data/castle.pgm
    # shellcheck disable=SC2016
    count 'packages: the example in C' inside root 'cd /tmp &&
        sed -n "/^\`\`\`c\$/,/^\`\`\`\$/{/^\`\`\`/d; p}" /dist/library.md >clone.c &&
        cc clone.c $(pkg-config --cflags --libs reconstruct) -lm -o clone && ./clone'
    # What dpkg and its log keep is theirs.
    count 'packages: removed without a trace' inside root 'apt-get purge -y reconstruct \
        reconstruct-bench libreconstruct0 libreconstruct-dev &&
        ! find / -xdev -name "*reconstruct*" |
            grep -vE "^/(dist|older|var/(lib/apt|cache|log))"'
}

count 'a minimal system' base_system
if [ $# = 1 ]; then
    cp -a "$top/base" "$top/fresh"
    readme
    build_packages
    use_packages ''
else
    mv "$top/base" "$top/fresh" && cp -r "$2" "$top/dist"
    use_packages "${3-}"
fi
echo "fresh $suite: $passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]

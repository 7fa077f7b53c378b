#!/usr/bin/env bash
# The library as others use it: installed into a fresh prefix, found by pkg-config, linked as a
# shared library and as an archive. What it exports; the examples of docs/library.md as they stand.
. tests/lib.sh

built=$(dirname "$program")
[ -e "$built/installs" ] || built=$root/build
needs '! sanitized && command -v pkg-config && [ -e "$built/installs" ]' \
    'a sanitizer, no pkg-config, or nothing to install' 'the library'
given make -s -C "$root" --no-print-directory AS_BUILT=1 BUILD="$built" PREFIX="$PWD/usr" install
lib=$(dirname "$(find usr -name libreconstruct.a)")
export PKG_CONFIG_PATH=$PWD/$lib/pkgconfig LD_LIBRARY_PATH=$PWD/$lib:${LD_LIBRARY_PATH-}
CC=${CC:-gcc}
read -ra flags < <(pkg-config --cflags --libs reconstruct)
read -ra all_flags < <(pkg-config --static --cflags --libs reconstruct)
warnings=(-Wall -Wextra -Werror)

# ---- what is in it ----

in_header=$(sed -nE 's/^[a-z].*[ *](rec_[a-z_]+)\(.*/\1/p' usr/include/reconstruct.h | sort)
names() { nm "$@" | sed -E 's/@.*//' | awk '$2 ~ /[TDBRW]/ { print $3 }' | sort; }
check 'the header has eighteen functions' equal "$(wc -l <<<"$in_header")" 18
check 'the shared library exports them and no more' eval \
    'diff <(names -D --defined-only "$lib/libreconstruct.so") <(echo "$in_header")'
symbols=$root/debian/libreconstruct0.symbols
check 'each has its version for ever: ten the first, six the second' eval '
    diff <(nm -D --defined-only "$lib/libreconstruct.so" | awk "\$2 == \"T\" { print \$3 }" |
        sed "s/@@/@/" | sort) <(sed -n "s/^ \(rec_[^ ]*\) .*/\1/p" "$symbols" | sort) &&
        equal "$(sed -n "s/^ rec_.*@\(.* 0.1.0\)/\1/p" "$symbols" | sort | uniq -c | xargs)" \
            "10 RECONSTRUCT_0 0.1.0 6 RECONSTRUCT_0.2 0.1.0"'
version_macros() {
    equal "$(sed -nE 's/^#define REC_VERSION_(MAJOR|MINOR|PATCH) //p' \
        usr/include/reconstruct.h | paste -sd.)" "$(pkg-config --modversion reconstruct)"
}
check 'the macros have the version' version_macros
check 'the archive has no other global names' eval \
    'diff <(names -g --defined-only "$lib/libreconstruct.a") <(echo "$in_header")'
check 'its name is libreconstruct.so.0' eval \
    'objdump -p "$lib/libreconstruct.so" | grep -q "SONAME *libreconstruct.so.0$"'
needs_little() { ! ldd "$lib/libreconstruct.so" | grep -E 'netpbm|png|jpeg|SDL|not found'; }
check 'it needs no library of file formats, and no window' needs_little
in_manual() {
    local name
    for name in $in_header; do contains usr/share/man/man3/reconstruct.3 "$name" || return; done
    ! command -v mandoc >/dev/null ||
        empty "$(mandoc -Tlint -Wwarning usr/share/man/man3/reconstruct.3)"
}
check 'the manual of section 3 has them' in_manual
echo '#include <reconstruct.h>' >header.cc
check 'C++ may include the header' \
    g++ "${warnings[@]}" -pedantic -fsyntax-only "${flags[@]}" header.cc

# ---- what it does ----

given "$CC" "${warnings[@]}" -O1 "$root/tests/library.c" "${flags[@]}" -lm -pthread -o library
if where 'built_with FFTW &&
    "$CC" "${warnings[@]}" -O1 -DHAVE_FFTW=1 "$root/tests/library.c" "${all_flags[@]}" \
        -Wl,-Bstatic -lreconstruct -Wl,-Bdynamic -lfftw3 -lm -pthread -o by-hand' \
    'built without FFTW' 'the exact picture is that of FFTW called by hand'; then
    check 'the exact picture is that of FFTW called by hand' ./by-hand speed 300
    [ -z "${LIBRARY_SPEED-}" ] || ./by-hand speed "$LIBRARY_SPEED"
fi
from_archive() {
    "$CC" "${warnings[@]}" "$root/tests/library.c" -L"$lib" -Wl,-Bstatic "${flags[@]}" \
        -Wl,-Bdynamic,--as-needed "${all_flags[@]}" -pthread -o static &&
        ! ldd static | grep reconstruct && ./static pfm 77 150
}
check 'linked from the archive' from_archive
if built_with FFTW; then
    check 'what is wrong is refused, with words' ./library refused
    check 'arrays of all kinds' ./library arrays 131 73
    check 'masks' env MALLOC_MMAP_THRESHOLD_=65536 ./library masks
    check 'a source is sought between black and white' ./library guided
    check 'a stack of pictures' env OMP_NUM_THREADS=4 ./library stack
    check 'several threads' env OMP_NUM_THREADS=2 ./library threads
    check 'children of fork()' env OMP_NUM_THREADS=2 ./library forked
    check "the caller's rounding mode and traps" env OMP_NUM_THREADS=2 ./library environment
    mkdir locales
    if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null; then
        check "a decimal comma stays the caller's" \
            env LOCPATH="$PWD/locales" LC_ALL=de_DE.UTF-8 ./library threads
    fi
fi
check "an iterate has the program's bits" all ./library pfm 77 150 and works --headless \
    -q -n 77 --halo 3 -s cpu noise.pfm -o program.pfm and same iterate.pfm program.pfm

# 64-bit ARM; once, by the fullest build, and not on each system.
on_arm() {
    local from=aarch64-linux-gnu-
    env -u MAKEFLAGS make -sj2 -C "$root" BUILD="$PWD/arm" CC=${from}gcc AR=${from}ar \
        OBJCOPY=${from}objcopy CFLAGS=-O0 CUDA=0 SDL=0 FFT=0 PNG=0 JPEG=0 TIFF=0 NVTX=0 \
        "$PWD/arm/libreconstruct.a" && mkdir there &&
        ${from}gcc -O1 "$root/tests/library.c" -Iusr/include arm/libreconstruct.a -lm -pthread \
            -static -o there/library && (cd there && qemu-aarch64 ./library pfm 77 150) &&
        same there/iterate.pfm iterate.pfm
}
check_where '[ "${RECONSTRUCT_TESTS-}" != small ] && built_with FFTW &&
    command -v aarch64-linux-gnu-gcc && command -v qemu-aarch64' \
    'small tests, no compiler for it, or nothing that executes it; or built without FFTW' \
    'built for another processor, which has the same bits' on_arm

# ---- the examples ----

example() { # LANGUAGE FILE
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d; p}" "$root/docs/library.md" >"$2" && [ -s "$2" ]
}
for language in c:clone.c python:poisson.py cuda:device.cu; do
    given example "${language%:*}" "${language#*:}"
done
# By the lines that stand in it.
c_example() {
    local line lines=$(sed -nE 's/^[ /]\* (cc [^,*]*[^ ,*]).*/\1/p' clone.c)
    equal "$(wc -l <<<"$lines")" 2 && while read -r line; do
        eval "$CC ${line#cc } ${warnings[*]} -o clone" && ./clone || return
    done <<<"$lines"
    ! ldd clone | grep reconstruct
}
check 'the example in C' c_example
of_before() { # linked with a library that has what 0.1.0 had, and not even that inside
    sed -nE 's/^ (rec_[a-z_]*)@(.*) 0.1.0$/\1 \2/p' "$symbols" | tee names |
        sed 's/\(.*\) .*/void \1(void) {}/' >before.c && sort -k 2 names | awk '
            $2 != node { printf "%s%s {", node ? "};\n" : "", node = $2 } { print $1 ";" }
            END { print "};" }' >before.map && mkdir before &&
        "$CC" -shared -fPIC -fno-builtin -Wl,-soname,libreconstruct.so.0 \
            -Wl,--version-script=before.map before.c -o before/libreconstruct.so &&
        "$CC" clone.c -Lbefore "${flags[@]}" -lm -o before/clone && before/clone &&
        ! LD_LIBRARY_PATH=before before/clone
}
check 'a program of 0.1.0 runs with this library' of_before
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(clone C)
find_package(reconstruct 0.1 REQUIRED)
foreach(kind reconstruct static)
    add_executable(clone-${kind} clone.c)
    target_link_libraries(clone-${kind} reconstruct::${kind} m)
endforeach()
END
check_where 'command -v cmake >/dev/null' 'no CMake here' 'the same by CMake' \
    all env -u LD_LIBRARY_PATH CC="$CC" cmake -DCMAKE_PREFIX_PATH="$PWD/usr" -B cmake . \
    and make -C cmake MAKEFLAGS= and cmake/clone-reconstruct and cmake/clone-static
requested() { # VERSION
    echo "set(PACKAGE_FIND_VERSION $1)
        include(\${PACKAGE}/reconstruct-config-version.cmake)
        message(\"met: \${PACKAGE_VERSION_COMPATIBLE}\")" >requested.cmake
    cmake -DPACKAGE="$PWD/$lib/cmake/reconstruct" -P requested.cmake 2>&1
}
check_where 'command -v cmake' 'no CMake here' 'CMake: 0.1 is met, 2.0 is not' eval \
    'equal "$(requested 0.1)$(requested 2.0)" "met: TRUEmet: "'
check 'the module file names its folder' contains usr/share/modulefiles/reconstruct \
    "join \$prefix ${lib#usr/}]"
python=$(for p in python3 /usr/bin/python3; do
    "$p" -c 'import numpy' 2>/dev/null && echo "$p" && break; done)
check_where '[ "$python" ] && built_with FFTW' 'no NumPy here, or built without FFTW' \
    'the example in Python' env PYTHONPATH="$root/src/python" "$python" poisson.py
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
if where '[ "$nvcc" ] && built_with CUDA' 'no nvcc, or built without CUDA' \
    'the example in CUDA'; then
    check 'the example in CUDA is compiled' "$nvcc" -arch=native device.cu "${flags[@]}" -o device
    check 'the test in CUDA is compiled' "$nvcc" -arch=native "$root/tests/library_device.cu" \
        "${flags[@]}" -o library_device
    if where has_device 'no device' 'the example in CUDA'; then
        check 'the example in CUDA' ./device
        for arguments in 500 512 '512 gaps'; do
            # shellcheck disable=SC2086
            check "arrays on a device give the same bits: $arguments" ./library_device $arguments
        done
        [ -z "${LIBRARY_SPEED-}" ] || ./library_device "$LIBRARY_SPEED"
    fi
fi

finish

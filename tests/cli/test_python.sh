#!/usr/bin/env bash
# The Python module, over the library of this build; and the wheel, in an environment of its own.
. tests/lib.sh

built=$(dirname "$program")
python=$(for p in python3 /usr/bin/python3; do
    "$p" -c 'import numpy' 2>/dev/null && echo "$p" && break; done)
needs '! sanitized && [ "$python" ] && [ -e "$built/libreconstruct.so.0" ]' \
    'a sanitizer, no NumPy, or no library' 'the Python module'
export PYTHONPATH=$root/src/python RECONSTRUCT_LIBRARY=$built/libreconstruct.so.0
export RECONSTRUCT=$program
newest=$(for p in "$python" python3.{10..19}; do
    "$p" -c 'import numpy, sys; print(sys.version_info[1], sys.executable)' 2>/dev/null
done | sort -n | tail -1 | cut -d' ' -f2-)
names=$("$newest" "$root/tests/python.py")
check 'there are tests' [ "$(wc -l <<<"$names")" -gt 10 ]
for name in $names; do
    check "${name//_/ }" "$newest" "$root/tests/python.py" "$name"
done

example() { "$newest" "$root/examples/$1.py" . && ls ./*.ppm && rm ./*.ppm; } # NAME
for name in holes_in_a_dem a_second_dem land_of_an_ocean_model a_clone a_normal_map; do
    check "the example ${name//_/ }" example "$name"
done
check_where '"$newest" -m mypy --version' 'no mypy' 'the types hold' \
    "$newest" -m mypy --strict --cache-dir=/dev/null "$root/src/python/reconstruct"

# ---- the sources, and the wheel ----

from_sources() { # what compiles them is another test's; a wheel of another build has that library
    mkdir -p bin && printf '#!/bin/sh\nmkdir -p build && cp "%s" build\n' \
        "$built/libreconstruct.so.0" >bin/make && chmod +x bin/make &&
        PATH=$PWD/bin:$PATH "$python" -m pip install -q --no-index --no-deps --no-build-isolation \
            --target fresh.d "$("$root/docs/dist.sh" 1.0.0 sources | tail -1)" &&
        cmp fresh.d/reconstruct/*.so.0 "$built/libreconstruct.so.0"
}
check_where '"$python" -c "import setuptools, wheel, pip"' 'no pip, setuptools or wheel' \
    'pip builds it of its sources' from_sources

in_a_wheel() { # NAME [GLIBC LIBRARIES...]
    local name numpy
    numpy=$("$python" -c 'import numpy; print(numpy.__file__.rsplit("/", 2)[0])')
    built_with FFTW && numpy=$root/src/python:$numpy # the wheel is the library alone
    rm -rf wheels fresh && "$root/src/python/wheel.sh" "$built/libreconstruct.so.0" 1.0.0 wheels \
        "${@:2}" && [[ $(echo wheels/*) == *$1* ]] && "$python" -m venv fresh &&
        fresh/bin/pip install -q --no-deps wheels/*.whl || return
    for name in the_picture_comes_back known_samples_stay heights; do
        env -u RECONSTRUCT_LIBRARY PYTHONPATH="$numpy" fresh/bin/python "$root/tests/python.py" \
            $name || return
    done
    env -u RECONSTRUCT_LIBRARY PYTHONPATH="$numpy" fresh/bin/python -c \
        "import reconstruct; name = reconstruct._library._name; assert '$PWD/fresh' in name, name"
}
check_where 'built_with FFTW && "$python" -m pip download -q --no-deps -d pip wheel' \
    'no pip, or PyPI cannot be reached; or built without FFTW' 'a wheel, installed' in_a_wheel linux
# shellcheck disable=SC2046
check_where 'built_with FFTW && python3 -c "import ziglang"' 'no Zig as a package of Python' \
    'one for older C libraries' in_a_wheel manylinux 2.28 \
    $(sed -n 's/^archive=[^ ]* //p' "$built/reconstruct.pc")
finish

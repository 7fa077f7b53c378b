#!/usr/bin/env bash
# The Python module, over the library of this build; and the wheel, in an environment of its own.
. tests/lib.sh

built=$(dirname "$program")
python=$(for p in python3 /usr/bin/python3; do
    "$p" -c 'import numpy' 2>/dev/null && echo "$p" && break; done)
if [ "${SANITIZED-}" = 1 ] || [ ! "$python" ] || [ ! -e "$built/libreconstruct.so.0" ]; then
    skip 'the Python module' 'a sanitizer, no NumPy, or no library'
    finish
fi
export PYTHONPATH=$root/src/python RECONSTRUCT_LIBRARY=$built/libreconstruct.so.0
names=$("$python" "$root/tests/python.py")
check 'there are tests' [ "$(wc -l <<<"$names")" -gt 10 ]
for name in $names; do
    check "${name//_/ }" "$python" "$root/tests/python.py" "$name"
done

# ---- the wheel ----

in_a_wheel() {
    local name
    "$root/src/python/wheel.sh" "$built/libreconstruct.so.0" 0.1.0 wheels &&
        "$python" -m venv --system-site-packages fresh &&
        fresh/bin/pip install -q --no-deps wheels/*.whl || return
    for name in the_picture_comes_back known_samples_stay heights; do
        env -u PYTHONPATH -u RECONSTRUCT_LIBRARY fresh/bin/python "$root/tests/python.py" $name ||
            return
    done
    env -u PYTHONPATH -u RECONSTRUCT_LIBRARY fresh/bin/python -c \
        "import reconstruct; assert '$PWD/fresh' in reconstruct.__file__, reconstruct.__file__"
}
check_where 'built_with FFTW && "$python" -m pip download -q --no-deps -d pip wheel' \
    'no pip, or PyPI cannot be reached; or built without FFTW' 'a wheel, installed' in_a_wheel
finish

#!/usr/bin/env bash
# The machine code of the kernels, where cuobjdump is: a hot loop beyond 32 KiB does not fit into
# the instruction cache and runs at half the rate. The size of every loop is printed.
. tests/lib.sh

if "$program" --version | grep -q 'built without: .*CUDA'; then
    skip 'hot loops fit into the instruction cache' 'built without CUDA'
    finish
elif ! command -v cuobjdump >/dev/null; then
    skip 'hot loops fit into the instruction cache' 'there is no cuobjdump here'
    finish
fi

# Prints BYTES LIMIT KERNEL for every loop of at least 4 KiB that has no other such loop in it. A
# loop of stream_pass or diagonal_pass has its body twice, of which one is worked through: for rows
# inside the image and at its edge.
loops()
{
    cuobjdump -sass "$program" | awk '
        function hex(text, i, value) {
            for (i = 1; i <= length(text); i++)
                value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
            return value
        }
        function put(i, j, inner) {
            for (i = 0; i < n; i++) {
                inner = 1
                for (j = 0; j < n; j++)
                    if (j != i && from[i] <= from[j] && to[j] <= to[i] &&
                        (to[j] - from[j] < to[i] - from[i] || j < i))
                        inner = 0
                if (inner)
                    print to[i] - from[i], (name ~ /(stream|diagonal)_pass/ ? 2 : 1) * 32768, name
            }
            n = 0
        }
        /Function :/ { put(); name = $NF }
        /^ *\/\*[0-9a-f]+\*\/.*[ \t]BRA/ {
            here = $1
            gsub(/[^0-9a-f]/, "", here)
            if (!match($0, /0x[0-9a-f]+ *;/))
                next
            target = substr($0, RSTART + 2, RLENGTH - 3)
            gsub(/[^0-9a-f]/, "", target)
            if (hex(here) + 16 - hex(target) >= 4096) {
                from[n] = hex(target)
                to[n++] = hex(here) + 16
            }
        }
        END { put() }' | c++filt
}

loops >"$top/loops"
given test -s "$top/loops"
sort -rn "$top/loops" | sed 's/^/# /'
fit()
{
    awk '$1 > $2 { print "too large: " $0; bad = 1 } END { exit bad }' "$top/loops"
}
check 'hot loops fit into the instruction cache' fit
finish

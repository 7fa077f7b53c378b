#!/usr/bin/env bash
# The multigrid solver by name, without a mask: the exact picture, and what it says of it.
. tests/lib.sh

castle 131 96 --colour >picture.ppm
given "$program" edges picture.ppm -o edges.pfm

exactly() { # BOUNDARY
    "$program" edges picture.ppm --boundary "$1" -o "$1.pfm" >said || return
    set -- "$1" "$(sed -n 's/^mean //p' said)"
    works --headless -q -s multigrid "$1.pfm" --boundary "$1" ${2:+--mean "$2"} -o back.ppm &&
        same picture.ppm back.ppm
}
for boundary in halo sawtooth; do # others: tests/unit/test_multigrid.c
    check "$boundary: the same bytes" exactly $boundary
done

reports() { # LIMIT [OPTION...]
    local limit=$1
    shift
    works --headless -q -s multigrid "$@" -o out.ppm --report r.json &&
        awk -v rms="$(value distance_rms)" -v max="$(value distance_max)" -v limit="$limit" \
            'BEGIN { exit !(0 < rms && rms <= max && max <= limit) }'
}
given "$program" edges picture.ppm -o edges.ppm
check 'it says that it is within 0.01' reports 0.01 edges.ppm
check 'or within -t' reports 1e-6 edges.ppm -t 1e-6
check 'floats are within a millionth of their largest' reports 0.000128 edges.pfm

check 'what double does not resolve is not claimed' \
    all exits 1 --headless -q -s multigrid -t 1e-14 edges.ppm -o out.ppm and says 'comes no closer'
check '-n is refused' refuses 64 'only the limit' --headless -s multigrid -n 5 edges.ppm -o out.ppm
check '--frames-at is refused' refuses 64 'only the limit' --headless -s multigrid \
    --frames films --frames-at 1,2 edges.ppm
check 'a stencil is refused' refuses 69 'applies no stencils' --headless -s multigrid \
    --stencil laplace8 edges.ppm -o out.ppm
finish

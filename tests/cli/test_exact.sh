#!/usr/bin/env bash
# The exact picture from the command line, by both solvers that have it; what they say of it; any
# iterate by the spectral one; and what they refuse.
. tests/lib.sh

castle 131 96 >picture.pgm
castle 60 45 --colour >picture.ppm
given "$program" edges picture.pgm -o edges.pgm
given "$program" edges picture.ppm -o edges.ppm
given "$program" edges picture.ppm -o edges.pfm

# ---- solvers and boundaries: sizes are in tests/unit/test_limits.c and test_multigrid.c ----

for solver in spectral multigrid; do
    has_spectral || [ $solver = multigrid ] || continue
    solved=(-s $solver)
    for boundary in halo mirror wrap sawtooth cylinder; do
        check "$solver, $boundary: the same bytes" comes_back picture.ppm e.pfm --boundary $boundary
    done
    check "$solver, with halo 255" comes_back picture.pgm e.pgm --halo 255
done
solved=()
check 'the solver is chosen' all comes_back picture.ppm e.pfm --boundary mirror \
    and exits 0 --headless edges.pgm -o out.pgm and same picture.pgm out.pgm \
    and says "($(has_spectral && echo spectral || echo multigrid), "

# ---- by multigrid ----

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

# ---- the spectral solver ----

if ! has_spectral; then
    check 'a build without FFTW and CUDA says so' \
        refuses 69 FFTW --headless -q -s spectral edges.pgm -o out.pgm
    finish
fi

sixteen_bits() {
    plain 40 30 65535 '(y * 40 + x) * 7919 % 65536' >deep.pgm &&
        works edges deep.pgm -o "deep.$1" &&
        works --headless -q "deep.$1" --maxval 65535 -o deep-back.pgm &&
        within 0 deep.pgm deep-back.pgm
}
check '16 bits through PFM' sixteen_bits pfm
check '16 bits through .dat' sixteen_bits dat

ignored() { # option value: nothing is ignored silently
    refuses 64 "$1 has no effect" --headless -q "$1" "$2" edges.pgm -o none.pgm
}
check 'the limit has no start' ignored --start 77
check 'one step has no batches' ignored -k 5
check 'iterate 1000, from a start' all works --headless -q -s spectral -n 1000 --start 12.5 \
    edges.pgm -o spectral.pfm \
    and works --headless -q -s cpu -n 1000 --start 12.5 edges.pgm -o stencil.pfm \
    and within 0.01 spectral.pfm stencil.pfm
check 'iterate 2^53 is the picture' all works --headless \
    -q -s spectral -n 9007199254740992 edges.pgm -o far.pgm and same picture.pgm far.pgm

report_has() { # TEXT... : of the last report
    local text
    for text; do
        contains r.json "$text" || return
    done
}
check 'the report of the limit' all works --headless -q edges.pgm --report r.json -o r.pgm \
    and report_has '"solver": "spectral"' '"iterations": null' \
    '"stopped": "limit"' '"updates_per_second": null' '"plan": ' '"distance_rms": '
check 'the report of an iterate' all works --headless -q -s spectral \
    -n 300 edges.pgm --report r.json and report_has '"iterations": 300' '"stopped": "iterations"'
check 'the last line on stderr' all exits 0 --headless edges.pgm -o out.pgm and says 'spectral' \
    and grep -qE 'exact picture in [0-9.e-]+ s \(rounding error 0\.0{2,}[1-9] grey levels\)' \
    "$top/stderr"
check 'a distance is measured' all exits 0 --headless -n 2 edges.pgm -o out.pgm \
    and says ' 2 iterations' and says 'levels RMS from the exact picture' and not says 'at most'

check '-t: the limit is near enough, iterate 5 is not' all \
    exits 0 --headless -q -s spectral -t 0.001 edges.pgm -o out.pgm and same picture.pgm out.pgm \
    and exits 1 --headless -q -s spectral -n 5 -t 0.001 edges.pgm -o out.pgm \
    and exits 1 --headless -q -s spectral -t 1e-300 edges.pgm -o out.pgm and says 'in double'
check '-t and a large -n end with what is sooner' \
    all exits 0 --headless -t 2 edges.pgm -o out.pgm and says 's: leave out -t' \
    and exits 0 --headless -n 10000 edges.pgm -o out.pgm and says 's: leave out -n' \
    and exits 0 --headless -n 9999 edges.pgm -o out.pgm and not says 'leave out'
check '--compare with it needs --max-difference' \
    all refuses 64 --max-difference --headless -q -s spectral -n 50 --compare edges.pgm \
    and exits 0 --headless -q -s spectral -n 50 --compare --max-difference 0.01 edges.pgm
check '--compare spectral: how far from the picture' \
    all exits 0 --headless -q -s cpu -n 200 --compare spectral edges.pgm and prints 'the limit' \
    and prints RMS and exits 0 --headless -q -s cpu -n 200 --compare=spectral edges.pgm \
    and exits 1 --headless -q -s cpu -n 200 --compare spectral --max-difference 1 edges.pgm \
    and exits 0 --headless -q -s spectral -n 9007199254740992 --compare spectral \
    --max-difference 0.001 edges.pgm
check '--compare with a word that it does not know' \
    refuses 64 'reference|spectral' --headless -q -n 2 --compare=cpu edges.pgm
check '--compare before an operand, and with its word' \
    all exits 0 --headless -q -s cpu -n 20 --compare edges.pgm and prints 'bit for bit' \
    and exits 0 --headless -q -s cpu -n 20 --compare reference edges.pgm and prints 'bit for bit'
frames() {
    works --headless -q --frames film --frames-at 0,1,10..1e3:3,limit edges.pgm &&
        equal "$(cd film && echo ./*)" "$(printf './edges-%06d.pgm ' 1 2 3 4 5 6 | sed 's/ $//')" &&
        works --headless -q -s spectral -n 100 edges.pgm -o hundred.pgm &&
        works --headless -q -s spectral -n 0 edges.pgm -o zero.pgm &&
        same film/edges-000001.pgm zero.pgm && same film/edges-000004.pgm hundred.pgm &&
        same film/edges-000006.pgm picture.pgm && tidy film
}
check '--frames: a list, a range and the limit' frames
check '--frames beside an output' all works --headless \
    -q --frames film2 --frames-at 9007199254740992 --format pfm -n 50 edges.pgm -o fifty.pfm \
    and works --headless -q -s spectral -n 50 edges.pgm -o fifty2.pfm \
    and same fifty.pfm fifty2.pfm and within 0.001 film2/edges-000001.pfm picture.pgm
early_frames_are_different() {
    works --headless -q --frames film3 --frames-at 1..100:1000,1..3:3 edges.pgm &&
        equal "$(find film3 -type f | wc -l)" 103 # 1.7 is 2
}
check '--frames: what rounds to one iterate is one frame' early_frames_are_different
for list in '' 1, ,1 -1 1.5 9007199254740993 0..10:3 10..1:3 1..10 1..10:1 limits 1-5; do
    check "--frames-at '$list'" refuses 64 --frames-at --headless -q --frames film4 \
        --frames-at "$list" edges.pgm
done
check '--frames without its list' refuses 64 --frames-at --headless -q --frames film4 edges.pgm
check '--frames by a stencil' \
    refuses 64 jumps --headless -q -s cpu -n 5 --frames film4 --frames-at 1 edges.pgm
check 'a refusal makes no folder' absent film4
check 'a kernel that it does not have' \
    refuses 64 fftw --headless -q -s spectral --kernel pixel edges.pgm -o out.pgm
named_stencil() { exits 0 --headless -s cpu edges.pgm -o out.pgm && says 1000; }
check 'a named stencil without -n iterates' named_stencil

# ---- memory ----

peak() { # 12 bytes a pixel, and 20 MB for the program and its tables
    local pixels=$((2500 * 2000))
    { echo P5 2500 2000 255 && head -c $pixels /dev/zero; } >large.pgm
    with_faults FAULT_PEAK="$top/peak" "$program" --headless -q large.pgm -o large.out.pgm \
        --force &&
        [ "$(cat "$top/peak")" -gt $((8 * pixels / 1024)) ] &&
        [ "$(cat "$top/peak")" -lt $((12 * pixels / 1024 + 20000)) ]
}
check_where '! sanitized && ! has_device' 'sanitizers and CUDA take memory of their own' \
    'an exact picture takes 12 bytes a pixel' peak

finish

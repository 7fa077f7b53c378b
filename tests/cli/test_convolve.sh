#!/usr/bin/env bash
# reconstruct convolve: filters by name and from files, in turn and repeated, and what is refused.
. tests/lib.sh

castle 61 44 >picture.pgm
castle 40 33 --colour >picture.ppm
convolve=(convolve --headless -q)

printf '3 3 1 0\n0 1 0\n1 -4 1\n0 1 0\n' >laplace.mat
printf '3 3 9 0\n"1",1;1\n1 1 1\n1\t1 1\n' >box

# ---- what it computes ----

by_hand() {
    printf 'P2\n3 2\n255\n10 20 30\n40 50 60\n' >small.pgm
    printf '3 1 2 1\n1 2 4\n' >taps.mat
    works "${convolve[@]}" small.pgm --stencil taps.mat -o small.dat &&
        equal "$(tr -s ' \n' ' ' <small.dat)" '3 2 51 86 41 141 191 86 ' &&
        works "${convolve[@]}" small.pgm --stencil taps.mat --flip -o small.dat &&
        equal "$(tr -s ' \n' ' ' <small.dat)" '3 2 21 56 71 66 161 161 ' &&
        works "${convolve[@]}" small.pgm --stencil taps.mat --boundary wrap -o small.dat &&
        equal "$(tr -s ' \n' ' ' <small.dat)" '3 2 66 86 61 171 191 166 '
}
check 'a small picture by hand' by_hand
laplace_is_edges() {
    works edges picture.pgm -o edges.pfm &&
        works "${convolve[@]}" picture.pgm --stencil laplace -o laplace.pfm &&
        same edges.pfm laplace.pfm &&
        works "${convolve[@]}" picture.pgm --stencil laplace.mat -o laplace.pfm &&
        same edges.pfm laplace.pfm && works edges picture.pgm --stencil laplace.mat \
        -o laplace.pfm &&
        same edges.pfm laplace.pfm && works edges picture.pgm --stencil laplace -o laplace.pfm &&
        same edges.pfm laplace.pfm
}
check 'laplace makes the edges' laplace_is_edges
a_file_beats_a_name() {
    works "${convolve[@]}" picture.pgm --stencil ./box -o file.pfm &&
        works "${convolve[@]}" picture.pgm --stencil box -o name.pfm && same file.pfm name.pfm &&
        works "${convolve[@]}" picture.pgm --stencil box --width 2 -o wide.pfm &&
        differ name.pfm wide.pfm && works "${convolve[@]}" picture.pgm --stencil laplace9 \
        --stencil ./box -o two.pfm && works "${convolve[@]}" picture.pgm --stencil laplace9 \
        -o one.pfm && works "${convolve[@]}" one.pfm --stencil ./box -o two-steps.pfm &&
        same two.pfm two-steps.pfm
}
check 'files and names, one after the other' a_file_beats_a_name

# ---- as everywhere ----

check '--compare: every bit is that of the reference' all exits 0 "${convolve[@]}" picture.ppm \
    --stencil gaussian:1.7 -n 3 --compare --boundary replicate and prints 'all 3960 samples are'
frames_and_report() {
    works "${convolve[@]}" picture.pgm --stencil box -n 4 -k 2 --frames frames -o last.pgm \
        --report report.json && equal "$(ls frames | wc -l)" 3 &&
        same frames/picture-000001.pgm picture.pgm && same frames/picture-000003.pgm last.pgm &&
        grep -q '"iterations": 4' report.json && grep -q '"distance_rms": null' report.json &&
        contains report.json '"stencils": ["box"]' && ! grep '"kernel": "separable"' report.json
}
check 'frames and a report' frames_and_report
checkpoint_is_its_own() {
    printf '3 1\n1 0 0\n' >turn.mat # which never stands still
    # On the host, which begins at once: a device may still be starting when the signal comes.
    "$program" "${convolve[@]}" -s cpu picture.pgm --stencil turn.mat --boundary wrap \
        -n 100000000 -o part.pfm --checkpoint c.bin --checkpoint-every 0.1 &
    local pid=$!
    appears c.bin
    kill -TERM $pid
    wait $pid
    equal $? 75 && [ -s c.bin ] && refuses 65 'c.bin' "${convolve[@]}" -s cpu picture.pgm \
        --stencil box --boundary wrap -n 100000000 -o part.pfm --checkpoint c.bin
}
check 'a checkpoint belongs to its stencil' checkpoint_is_its_own
lists() {
    local command
    for command in convolve edges --headless; do
        exits 0 $command --stencil list && grep -q '^gaussian:SIGMA ' "$top/stdout" || return
    done
}
check '--stencil list' lists

# ---- refusals; what stencils take is in tests/unit/test_stencil.c ----

refused() { # CODE TEXT ARGUMENT...
    refuses "$1" "$2" "${convolve[@]}" picture.pgm -o refused.pfm "${@:3}"
}
check 'no stencil' refused 64 '--stencil list'
check 'an unknown name' refused 66 '--stencil list' --stencil blur
check 'an unknown boundary' refused 64 'mirror101|replicate' --stencil box --boundary torus
check_where 'built_with FFTW' 'no spectral solver' 'a solver that cannot' \
    refused 69 'applies no stencils' --stencil box -s spectral
check 'a result beyond all bounds' refused 65 'not finite' --stencil laplace -n 100
check 'no slabs' refused 64 'no option --slabs' --stencil box --slabs 2
check 'no tolerance' refused 64 'no option --tolerance' --stencil box --tolerance 1
check 'no reconstruction with replicate' refuses 64 'halo' --headless -q laplace.pfm -o r.pfm \
    --boundary replicate

printf '1 1\n1\n' >one.mat
check 'the report over a stencil' keeps one.mat 'input and output' "${convolve[@]}" picture.pgm \
    --stencil ./one.mat --report one.mat
check 'a report called as a stencil' works "${convolve[@]}" picture.pgm --stencil sharpen \
    --report sharpen
for option in --flip --normalise '--width 2'; do
    # shellcheck disable=SC2086
    check "edges ${option% *} without a stencil" refuses 64 'needs --stencil' edges $option \
        picture.pgm -o without.pfm
done

finish

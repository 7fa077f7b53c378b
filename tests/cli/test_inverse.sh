#!/usr/bin/env bash
# --stencil without a command: the picture that has the edges of a stencil, and what is refused.
. tests/lib.sh

needs has_spectral 'no spectral solver' 'the inverse of stencils'
castle 45 38 >grey.pgm
castle 21 32 --colour >colour.ppm

stencil() { # FILE WIDTH ROWS...
    local file=$1 width=$2
    shift 2
    printf '%d %d\n' "$width" $# >"$file"
    printf '%s\n' "$@" >>"$file"
}
stencil binomial.mat 3 '1 2 1' '2 4 2' '1 2 1'
stencil log.mat 5 '0 0 1 0 0' '0 1 2 1 0' '1 2 -16 2 1' '0 1 2 1 0' '0 0 1 0 0'
stencil fourth.mat 5 '0 0 -1 0 0' '0 0 16 0 0' '-1 16 -60 16 -1' '0 0 16 0 0' '0 0 -1 0 0'
stencil biharmonic.mat 5 '0 0 1 0 0' '0 2 -8 2 0' '1 -8 20 -8 1' '0 2 -8 2 0' '0 0 1 0 0'
stencil unsharp.mat 5 '-1 -4 -6 -4 -1' '-4 -16 -24 -16 -4' '-6 -24 476 -24 -6' \
    '-4 -16 -24 -16 -4' '-1 -4 -6 -4 -1'
stencil tenths.mat 3 '.1 .4 .1' '.4 -2 .4' '.1 .4 .1'
stencil asymmetric.mat 3 '0 1 0' '2 -1 3' '-4 31 5' '1 2 -2' '0 3 1'

for name in laplace laplace9 laplace8 sharpen log:1 {tenths,log,fourth,biharmonic,unsharp}.mat; do
    for boundary in halo mirror wrap; do
        check "$name, $boundary" comes_back grey.pgm e.pfm --stencil "$name" --boundary $boundary
    done
    check "$name, in colour" comes_back colour.ppm edges.pfm --stencil "$name" --boundary mirror
done
check 'wide iterates have no closed form' refuses 69 'cpu' --headless -q --stencil unsharp.mat \
    -n 5 -s spectral edges.pfm -o out.pfm
check 'binomial, halo' comes_back grey.pgm e.pfm --stencil binomial.mat

# ---- iterates: their bits are in tests/unit/test_convolution.c ----

given works edges --stencil sharpen grey.pgm -o edges.pfm
check 'omega without -n' works --headless -q --stencil gaussian:1 -s cpu edges.pfm -o back.pgm
damped_laplace() { # --omega 1 is the iteration without --stencil
    local run=(--headless -q -n 30 -s cpu e5.pfm)
    works edges grey.pgm -o e5.pfm && works "${run[@]}" -o plain.pfm &&
        works "${run[@]}" --stencil laplace --omega 1 -o one.pfm && same one.pfm plain.pfm &&
        works "${run[@]}" --stencil laplace --omega 0.5 -o half.pfm && differ half.pfm plain.pfm
}
check '--omega holds for the five-point stencil, too' damped_laplace

# ---- what it says and refuses ----

not_back() { # STATUS TEXT STENCIL OPTION...
    refuses "$1" "$2" --headless -q -o out.pgm --stencil "${@:3}"
}
says_what_comes_back() {
    works edges --stencil sharpen grey.pgm -o edges.pfm &&
        exits 0 --headless --stencil sharpen edges.pfm -o back.pgm --report r.json &&
        says 'noise gain' && says '0 lost modes' && grep -q '"inverse"' r.json &&
        grep -q '"stencils": *\["sharpen"\]' r.json && castle 1 1 >pixel.pgm &&
        exits 0 edges --stencil laplace8 --boundary wrap pixel.pgm -o pixel.pfm &&
        exits 0 --headless --stencil laplace8 --boundary wrap pixel.pfm -o back.pgm &&
        says 'eigenvalue 0 of the largest'
}
check 'it says what the stencil can give back' says_what_comes_back
castle 45 39 >thirds.pgm
works edges --stencil box --boundary mirror thirds.pgm -o edges.pfm
works edges --stencil gaussian:1.5 --boundary mirror thirds.pgm -o noisy.pfm
check 'a box where 3 divides a side' not_back 65 loses box --boundary mirror edges.pfm
check 'a binomial of 5 x 5' not_back 65 '' binomial --width 2 --boundary mirror edges.pfm
check '--force' works --headless -q --stencil box --boundary mirror --force edges.pfm -o out.pgm
check 'noise that would grow' not_back 65 'grey levels' gaussian:1.5 --boundary mirror noisy.pfm
for boundary in mirror101 replicate sawtooth; do
    check "no inverse with $boundary" not_back 64 'halo, mirror or wrap' sharpen \
        --boundary "$boundary" edges.pfm
done
check 'an asymmetric stencil needs wrap' not_back 65 wrap asymmetric.mat --boundary mirror edges.pfm
check 'sobel has no middle' not_back 64 middle sobel-x --boundary wrap -n 2 edges.pfm
check 'sobel needs wrap' not_back 65 wrap sobel-x edges.pfm
sobel_under_wrap() {
    local sobel=(--stencil sobel-x --boundary wrap)
    exits 0 edges "${sobel[@]}" thirds.pgm -o e.pfm &&
        refuses 65 'loses 38 ' --headless "${sobel[@]}" e.pfm -o back.pfm &&
        works --headless -q "${sobel[@]}" --force e.pfm -o back.pfm &&
        exits 0 edges "${sobel[@]}" back.pfm -o again.pfm &&
        exits 0 compare --max-difference 1e-3 e.pfm again.pfm
}
check 'what sobel leaves comes back under wrap' sobel_under_wrap
stencil both.mat 5 '0 0 1 0 0' '0 0 0 0 0' '1 0 -1 0 1' '0 0 0 0 0' '0 0 1 0 0'
check 'a wide symbol of both signs' not_back 65 'changes sign' both.mat --force edges.pfm
check 'two stencils' not_back 64 'one --stencil' sharpen --stencil box edges.pfm
stencil sign.mat 3 '0 1 0' '1 1 1' '0 1 0'
check 'a symbol that changes sign' not_back 64 'changes sign' sign.mat -n 5 edges.pfm
blurred() { # to 8 bits
    local run=(--headless --stencil gaussian:1 blurred.pgm -o out.pgm)
    works convolve -q --headless --stencil gaussian:1 grey.pgm -o blurred.pgm &&
        refuses 65 'blurred.pgm: the stencil gaussian:1 amplifies the rounding' "${run[@]}" &&
        exits 0 "${run[@]}" --force && says 'needs --zero-level 0'
}
check 'a picture that was blurred' blurred
check '--omega and the exact picture' not_back 64 'no effect' sharpen --omega 1 edges.pfm
check '--omega 0' not_back 64 'above 0' sharpen --omega 0 -n 2 edges.pfm
check 'an iteration that diverges' all not_back 65 'not finite' sharpen --omega 9 -n 10000 -s cpu \
    edges.pfm --report r.json and contains r.json '"stopped": "diverged"' \
    and contains r.json '"change_rms": null'
check '--omega alone' refuses 64 'needs --stencil' --headless --omega 1 edges.pfm -o out.pgm
check '-t' not_back 64 'at once' sharpen -t 1 edges.pfm

finish

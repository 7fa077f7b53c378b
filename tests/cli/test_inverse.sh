#!/usr/bin/env bash
# --stencil without a command: the picture that has the edges of a stencil, and what is refused.
. tests/lib.sh

if ! "$program" --help | grep -q '^  spectral'; then
    skip 'the inverse of stencils' 'no spectral solver'
    finish
fi
castle 45 38 >grey.pgm
castle 21 32 --colour >colour.ppm

stencil() # FILE WIDTH ROWS...
{
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
stencil crooked.mat 3 '0 1 0' '2 -1 3' '-4 31 5' '1 2 -2' '0 3 1'

there_and_back() # STENCIL BOUNDARY PICTURE OPTION...
{
    local mean=() picture=$3
    local options=(--stencil "$1" --boundary "$2")
    shift 3
    exits 0 edges "${options[@]}" "$@" "$picture" -o edges.pfm || return 1
    grep -q '^mean' "$top/stdout" && mean=(--mean "$(sed -n 's/^mean //p' "$top/stdout")")
    works --headless -q "${options[@]}" "${mean[@]}" "$@" edges.pfm -o "back.${picture##*.}" &&
        same "back.${picture##*.}" "$picture"
}
for name in laplace laplace9 laplace8 sharpen log:1 ./tenths.mat; do
    for boundary in halo mirror wrap; do
        check "$name, $boundary" there_and_back "$name" "$boundary" grey.pgm
    done
    check "$name, in colour" there_and_back "$name" mirror colour.ppm
done
for name in log fourth biharmonic unsharp; do
    check "$name, mirror" there_and_back "$name.mat" mirror grey.pgm
    check "$name, wrap" there_and_back "$name.mat" wrap grey.pgm
    check "$name, halo" there_and_back "$name.mat" halo grey.pgm
done
check 'wide iterates have no closed form' refuses 69 'cpu' --headless -q --stencil unsharp.mat \
    -n 5 -s spectral edges.pfm -o out.pfm
check 'binomial, halo' there_and_back binomial.mat halo grey.pgm

# ---- iterates ----

an_iterate() # STENCIL BOUNDARY N
{
    local run=(--headless -q --stencil "$1" --boundary "$2" -n "$3" iterated.pfm)
    exits 0 edges --stencil "$1" --boundary "$2" grey.pgm -o iterated.pfm &&
        works "${run[@]}" -s reference -o one.pfm && works "${run[@]}" -s cpu -o two.pfm &&
        same one.pfm two.pfm && works "${run[@]}" -s spectral -o three.pfm &&
        within 0.01 two.pfm three.pfm && differ two.pfm iterated.pfm
}
check 'iterates of a crooked stencil' an_iterate crooked.mat wrap 40
check 'weights whose roundings leave a sum' an_iterate tenths.mat mirror 40
converges()
{
    works edges --stencil sharpen grey.pgm -o edges.pfm &&
        works --headless -q --stencil sharpen -n 200 -s cpu edges.pfm -o back.pgm &&
        same back.pgm grey.pgm && works --headless -q --stencil sharpen -n 200 -s cpu \
            --omega 0.001 edges.pfm -o slow.pgm && differ slow.pgm grey.pgm
}
check 'the iteration converges to the picture' converges
check 'its omega is chosen without -n, too' exits 0 --headless -q --stencil gaussian:1 -s cpu \
    edges.pfm -o back.pgm
damped_laplace() # --omega 1 is the iteration without --stencil
{
    local run=(--headless -q -n 30 -s cpu e5.pfm)
    works edges grey.pgm -o e5.pfm && works "${run[@]}" -o plain.pfm &&
        works "${run[@]}" --stencil laplace --omega 1 -o one.pfm && same one.pfm plain.pfm &&
        works "${run[@]}" --stencil laplace --omega 0.5 -o half.pfm && differ half.pfm plain.pfm
}
check '--omega holds for the five-point stencil, too' damped_laplace

# ---- what it says and refuses ----

says_what_comes_back()
{
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
check 'a box where 3 divides a side' refuses 65 'loses' --headless --stencil box --boundary mirror \
    edges.pfm -o out.pgm
check 'a binomial of 5 x 5' refuses 65 '' --headless --stencil binomial --width 2 \
    --boundary mirror edges.pfm -o out.pgm
forced() { works --headless -q --stencil box --boundary mirror --force edges.pfm -o out.pgm; }
check '--force goes on' forced
check 'noise that would grow' refuses 65 'grey levels' --headless --stencil gaussian:1.5 \
    --boundary mirror noisy.pfm -o out.pgm
for boundary in mirror101 replicate sawtooth; do
    check "no inverse with $boundary" refuses 64 'halo, mirror or wrap' --headless \
        --stencil sharpen --boundary "$boundary" edges.pfm -o out.pgm
done
check 'a crooked stencil needs wrap' refuses 65 'wrap' --headless --stencil crooked.mat \
    --boundary mirror edges.pfm -o out.pgm
check 'sobel has no middle' refuses 64 'middle' --headless --stencil sobel-x --boundary wrap -n 2 \
    edges.pfm -o out.pgm
check 'sobel needs wrap' refuses 65 'wrap' --headless --stencil sobel-x edges.pfm -o out.pgm
sobel_under_wrap()
{
    local sobel=(--stencil sobel-x --boundary wrap)
    exits 0 edges "${sobel[@]}" thirds.pgm -o e.pfm &&
        refuses 65 'loses 38 ' --headless "${sobel[@]}" e.pfm -o back.pfm &&
        works --headless -q "${sobel[@]}" --force e.pfm -o back.pfm &&
        exits 0 edges "${sobel[@]}" back.pfm -o again.pfm &&
        exits 0 compare --max-difference 1e-3 e.pfm again.pfm
}
check 'what sobel leaves comes back under wrap' sobel_under_wrap
stencil both.mat 5 '0 0 1 0 0' '0 0 0 0 0' '1 0 -1 0 1' '0 0 0 0 0' '0 0 1 0 0'
check 'a wide symbol of both signs' refuses 65 'changes sign' --headless -q --stencil both.mat \
    --force edges.pfm -o out.pfm
check 'two stencils' refuses 64 'one --stencil' --headless --stencil sharpen --stencil box \
    edges.pfm -o out.pgm
stencil sign.mat 3 '0 1 0' '1 1 1' '0 1 0'
check 'a symbol that changes sign' refuses 64 'changes sign' --headless -n 5 --stencil sign.mat \
    edges.pfm -o out.pgm
blurred() # to 8 bits
{
    local run=(--headless --stencil gaussian:1 blurred.pgm -o out.pgm)
    works convolve -q --headless --stencil gaussian:1 grey.pgm -o blurred.pgm &&
        refuses 65 'blurred.pgm: the stencil gaussian:1 makes the rounding' "${run[@]}" &&
        exits 0 "${run[@]}" --force && says 'needs --zero-level 0'
}
check 'a picture that was blurred' blurred
check '--omega and the exact picture' refuses 64 'no effect' --headless --stencil sharpen \
    --omega 1 edges.pfm -o out.pgm
check '--omega alone' refuses 64 'needs --stencil' --headless --omega 1 edges.pfm -o out.pgm
check '-t' refuses 64 'at once' --headless --stencil sharpen -t 1 edges.pfm -o out.pgm

finish

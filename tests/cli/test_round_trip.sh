#!/usr/bin/env bash
# Picture -> edges -> a stencil solver to its standstill: the picture again, within 1 grey level.
. tests/lib.sh

comes_back() # WIDTH HEIGHT ENDING [OPTION...]
{
    local size="$1 $2" ending=$3 colour=
    [ "$3" = pgm ] || colour=--colour
    shift 3
    castle $size $colour >"picture.$ending" && works edges "picture.$ending" "$@" -o "edges.$ending" &&
        exits 0 --headless -n 100000000 "edges.$ending" "$@" -o "back.$ending" &&
        says 'stands still' && within 1 "picture.$ending" "back.$ending"
}
check '128 x 128' comes_back 128 128 pgm
check '200 x 120' comes_back 200 120 pgm
check '128 x 128 in colour' comes_back 128 128 ppm
check '200 x 120 in colour' comes_back 200 120 ppm
check '120 x 90 with halo 255' comes_back 120 90 pgm --halo 255
check '1 x 1' comes_back 1 1 pgm
check '1 x 40' comes_back 1 40 pgm
check '57 x 3' comes_back 57 3 ppm

finish

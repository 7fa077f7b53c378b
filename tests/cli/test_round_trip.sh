#!/usr/bin/env bash
# Picture -> edges -> a stencil solver to its standstill: the picture again, within 1 grey level.
. tests/lib.sh

comes_back() # WIDTH HEIGHT ENDING [OPTION...]
{
    local size="$1 $2" ending=$3 colour=
    [ "$3" = pgm ] || colour=--colour
    shift 3
    castle $size $colour >"picture.$ending" &&
        works edges "picture.$ending" "$@" -o "edges.$ending" &&
        exits 0 --headless -n 100000000 "edges.$ending" "$@" -o "back.$ending" &&
        says standstill && within 1 "picture.$ending" "back.$ending"
}
sizes=('128 128' '200 120')
[ "${SANITIZED-0}" != 1 ] || sizes=('32 32' '50 30') # the iterations grow with the fourth power
for size in "${sizes[@]}"; do
    # shellcheck disable=SC2086 # two numbers
    {
        check "${size/ / x }" comes_back $size pgm
        check "${size/ / x } in colour" comes_back $size ppm
    }
done
check '60 x 45 with halo 255' comes_back 60 45 pgm --halo 255
check '1 x 1' comes_back 1 1 pgm
check '1 x 40' comes_back 1 40 pgm
check '57 x 3' comes_back 57 3 ppm

finish

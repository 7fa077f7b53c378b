#!/usr/bin/env bash
# Bad input: each with its exit code and one clear line that names the file; nothing is written. All
# that can be wrong with a file of each format is in tests/unit/test_image_refused.c.
. tests/lib.sh

waves 9 7 >good.pgm
waves 7 9 >turned.pgm
printf 'P3 1 1 255\n1 2 3\n' >colour.ppm
printf 'P3 1 2 255\n1 2 3 4 5\n' >few.ppm
printf 'P2 1 1 255\n-1\n' >negative.pgm
mkdir folder
: >empty.pgm

refusals --headless -q -n 3 -o out.pfm <<'END'
66~missing.pgm: cannot be opened: No such file~missing.pgm
66~folder: is a folder~folder
65~empty.pgm: is empty~empty.pgm
65~standard input: is empty~-
65~few.ppm: ends in line 3, after 5 of the 6~few.ppm
65~7 x 9~good.pgm --start turned.pgm
65~must be the same~good.pgm --start colour.ppm
65~few.ppm: ends~good.pgm --start few.ppm
66~missing.pgm~good.pgm --start missing.pgm
65~1e31~good.pgm --start 1e31
66~12abc~good.pgm --start 12abc
66~nan~good.pgm --start nan
END
check 'a missing picture' refuses 66 'missing.pgm: ' edges missing.pgm -o out.pfm
check 'a picture with a negative sample' refuses 65 'negative.pgm: ' edges negative.pgm -o out.pfm
check 'nothing is left' tidy

from_header() # nothing is behind it
{
    (ulimit -v 1000000 && refuses 71 'takes 1.3 GB of memory, more than the' --headless -q -n 3 \
        -s cpu - -o out.pfm < <(echo P5 9000 9000 255)) && tidy
}
if where '! sanitized' 'sanitizers need it' 'less address space than the image needs'; then
    check 'less address space than the image needs' eval '{ echo P5 9000 9000 255 && zeros 81000000;
        } >big.pgm; (ulimit -v 300000 &&
        refuses 71 big.pgm --headless -q -n 3 big.pgm -o out.pfm) && tidy'
    check 'an image that does not fit is refused from its header' from_header
fi

finish

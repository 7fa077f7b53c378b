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

bad() { # CODE TEXT FILE OPTION...: as edges; the message names the file and has the text
    refuses "$1" "$3: " --headless -q -n 3 "$3" "${@:4}" -o out.pfm && says "$2" && tidy
}
start() { refuses "$1" "$2" --headless -q -n 3 good.pgm --start "$3" -o out.pfm; } # CODE TEXT START
picture() { refuses "$1" "$2: " edges "$2" -o out.pfm && tidy; } # CODE FILE

check 'a missing file' bad 66 'No such file' missing.pgm
check 'a folder' bad 66 folder folder
check 'an empty file' bad 65 empty empty.pgm
check 'nothing on standard input' refuses 65 'standard input: is empty' \
    --headless -q -n 3 - -o out.pfm
check 'too few samples' bad 65 'after 5 of the 6' few.ppm
check 'a missing picture' picture 66 missing.pgm
check 'a picture with a negative sample' picture 65 negative.pgm
check 'edges and start of different sizes' start 65 '7 x 9' turned.pgm
check 'grey edges and a start in colour' start 65 'must be the same' colour.ppm
check 'a damaged start is named' start 65 'few.ppm: ends' few.ppm
check 'a missing start' start 66 missing.pgm missing.pgm
check 'a start of 1e31' start 65 1e31 1e31
for name in 12abc nan; do
    check "a start of $name is the name of a file" start 66 $name $name
done

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

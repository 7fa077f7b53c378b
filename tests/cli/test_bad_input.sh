#!/usr/bin/env bash
# Bad input: each with its exit code and one clear line that names the file; nothing is written.
. tests/lib.sh

waves 9 7 >good.pgm

bad() { # CODE TEXT FILE OPTION...: as edges; the message names the file and has the text
    local code=$1 text=$2 file=$3
    rm -f out.pfm
    refuses "$code" "$file: " --headless -q -n 3 "$file" "${@:4}" -o out.pfm && says "$text" &&
        absent out.pfm && tidy
}

# ---- files: those that cannot be read are in tests/unit/test_image_read.c ----

mkdir folder
: >empty.pgm
check 'a missing file' bad 66 'No such file' missing.pgm
check 'a folder' bad 66 folder folder
check 'an empty file' bad 65 empty empty.pgm

# ---- the formats: tests/unit/test_image_refused.c has all that can be wrong with each ----

write() { printf "$2" >"$1"; } # NAME CONTENT
write beyond.pgm 'P5 2 1 100\n\144\145'
write few.ppm 'P3 1 2 255\n1 2 3 4 5\n'
check 'plain PPM with too few samples' bad 65 'after 5 of the 6' few.ppm

# ---- the start, the picture ----

start() { # TEXT FILE
    refuses 65 "$1" --headless -q -n 3 good.pgm --start "$2" -o out.pfm && says "$2" &&
        absent out.pfm
}
picture() { refuses "$1" "$2: " edges "$2" -o out.pfm && absent out.pfm && tidy; } # CODE FILE
waves 7 9 >turned.pgm
printf 'P3 1 1 255\n1 2 3\n' >colour.ppm
check 'edges and start of different sizes' refuses 65 '7 x 9' \
    --headless -q -n 3 good.pgm --start turned.pgm -o out.pfm
check 'grey edges and a start in colour' refuses 65 'must be the same' \
    --headless -q -n 3 good.pgm --start colour.ppm -o out.pfm
check 'a damaged start is named' start ends few.ppm
rm -f out.pfm
check 'a missing start' refuses 66 missing.pgm \
    --headless -q -n 3 good.pgm --start missing.pgm -o out.pfm
check 'a start of 1e31' refuses 65 1e31 --headless -q -n 3 good.pgm --start 1e31 -o out.pfm
for name in 12abc nan; do
    check "a start of $name is the name of a file" refuses 66 $name \
        --headless -q -n 3 good.pgm --start $name -o out.pfm
done
check 'a picture with a sample above its maxval' picture 65 beyond.pgm
write negative.pgm 'P2 1 1 255\n-1\n'
write above.pgm 'P2 1 1 255\n256\n'
check 'a picture with a negative sample' picture 65 negative.pgm
check 'a plain picture above its maxval' picture 65 above.pgm
check 'a missing picture' picture 66 missing.pgm

# ---- more than memory ----

too_large() { # SIZE OPTION...: refused at once, with the size
    local begin=$SECONDS size=$1
    run "${@:2}"
    { complaint_is 71 "$size" || complaint_is 65 "$size"; } && [ $((SECONDS - begin)) -lt 20 ]
}
write million.pgm 'P5 1000000 1000000 255\n'
check 'a header of 10^12 pixels' \
    too_large '1000000 x 1000000' --headless -q -n 3 million.pgm -o out.pfm

if [ "${SANITIZED-0}" = 1 ]; then
    skip 'less address space than the image needs' 'sanitizers need address space'
else
    limited() {
        { echo P5 9000 9000 255 && zeros 81000000; } >big.pgm
        (
            ulimit -v 300000
            run --headless -q -n 3 big.pgm -o out.pfm
            complaint_is 71 big.pgm
        ) && absent out.pfm && tidy
    }
    check 'less address space than the image needs' limited
fi

finish

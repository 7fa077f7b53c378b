#!/usr/bin/env bash
# Comparison: --compare against the reference, and `compare A B`.
. tests/lib.sh

waves 33 65 >picture.pgm # other sizes: tests/unit/test_iterates.c
given works edges picture.pgm -o edges-33x65.pgm
castle 65 33 --colour >picture.ppm
given works edges picture.ppm -o edges.ppm

equal_bits() { # EDGES OPTION...
    exits 0 --headless -q --compare "$@" && prints 'equal, bit for bit' && prints reference &&
        prints 'times as fast' && [ ! -s "$top/stderr" ]
}
with_threads() { OMP_NUM_THREADS=$1 equal_bits -s cpu "${@:2}"; } # THREADS EDGES OPTION...
check 'three threads' with_threads 3 edges-33x65.pgm -n 101
check 'colour' with_threads 2 edges.ppm -n 100
check 'a start from a file' with_threads 2 edges.ppm -n 100 --start picture.ppm
check 'to a tolerance' equal_bits edges-33x65.pgm -t 0.25

check 'without -n: 100 iterations' all equal_bits edges-33x65.pgm --report hundred.json \
    and grep -q '"iterations": 100,' hundred.json
check 'with the picture on stdout the comparison goes to stderr' all works --headless -q \
    -n 100 edges-33x65.pgm -o hundred.pgm and exits 0 --headless -q --compare edges-33x65.pgm -o - \
    and says 'bit for bit' and same "$top/stdout" hundred.pgm

# ---- compare A B ----

printf 'P2 3 2 255\n10 20 30\n40 50 60\n' >a.pgm
printf 'P2 3 2 255\n10 20 30\n40 53 60\n' >b.pgm
printf 'P2 2 3 255\n10 20 30\n40 50 60\n' >turned.pgm
printf 'P5 3 2 255\n\012\024\036\050\062\074' >raw.pgm

where_and_how_much() {
    run compare a.pgm b.pgm
    equal "$status" 1 && prints '1 of 6' && prints 'column 1, row 1' && prints 'maximum 3' &&
        prints 'maximum 3 at column 1, row 1, plane 0, RMS' &&
        prints 'RMS 1.22474487' && prints 'PSNR 46.37 dB' && # sqrt(9/6), 20 log10(255/RMS)
        equal "$(cat "$top/stderr")" 'reconstruct: 1 sample differs'
}
whites_differ() {
    printf 'P2 3 2 65535\n10 20 30\n40 50 60\n' >wide.pgm && exits 0 compare a.pgm wide.pgm &&
        says 'note: white is 255 in a.pgm and 65535 in wide.pgm; samples are compared as' &&
        exits 0 compare -q a.pgm wide.pgm && empty "$(cat "$top/stderr")"
}
check 'a note where the whites differ' whites_differ
ranges_differ() { # 0.25, 0.5, 0.75
    printf 'Pf\n3 1\n-1\n\0\0\200\76\0\0\0\77\0\0\100\77' >u.pfm &&
        printf 'P2 3 1 255\n64 128 191\n' >u.pgm && exits 1 compare u.pgm u.pfm &&
        says 'is 255 in u.pgm and 0.75 in u.pfm; samples are compared as they are; --white V says'
}
check 'and where floats are of another range' ranges_differ
white_of_floats() { # 2, 4, 6 / 8, 10, 12, and white is 51
    printf 'Pf\n3 2\n-1\n\0\0\0\101\0\0\40\101\0\0\100\101' >w.pfm &&
        printf '\0\0\0\100\0\0\200\100\0\0\300\100' >>w.pfm &&
        exits 0 compare --white 51 a.pgm w.pfm && exits 0 compare --white 51 w.pfm a.pgm
}
check '--white says which value of floats is white' white_of_floats
units_of_floats() {
    printf 'Pf\n3 2\n-1\n\0\0\40\102\0\0\124\102\0\0\160\102' >b.pfm &&
        printf '\0\0\40\101\0\0\240\101\0\0\360\101' >>b.pfm && run compare a.pgm b.pfm &&
        prints 'maximum 3 at column 1, row 1, plane 0, 786432 ULP, RMS'
}
check 'units in the last place if a file holds floats' units_of_floats
check 'equal files: exit 0' exits 0 compare a.pgm a.pgm
check 'the same samples in another format: exit 0' exits 0 compare a.pgm raw.pgm
check 'a difference: exit 1, where and how much' where_and_how_much
check 'a difference of --max-difference: exit 0' exits 0 compare --max-difference 3 a.pgm b.pgm
check 'a difference above it: exit 1' exits 1 compare --max-difference 2.999 a.pgm b.pgm
check 'other sizes: exit 65' refuses 65 'a.pgm and turned.pgm: ' compare a.pgm turned.pgm
check 'a missing file: exit 66' refuses 66 missing.pgm compare a.pgm missing.pgm
check 'a damaged file: exit 65' refuses 65 /dev/null compare /dev/null a.pgm
check '--show without a display: exit 69' refuses 69 '--show' compare --show a.pgm a.pgm
check '--show of a pipe: exit 64' refuses 64 'name files' compare --show - a.pgm
check 'one image: exit 64' refuses 64 'two images' compare a.pgm
check 'three images: exit 64' refuses 64 'two images' compare a.pgm a.pgm a.pgm
stdin_compared() { exits 0 compare - a.pgm <raw.pgm; }
check 'standard input' stdin_compared

# 10 and 10.01 of row 0, 50 and 53 of row 1
printf 'Pf 3 2 -1\n' >c.pfm && cp c.pfm d.pfm
printf '\0\0\110\102\0\0\110\102\0\0\110\102\0\0\40\101\0\0\40\101\0\0\40\101' >>c.pfm
printf '\0\0\110\102\0\0\124\102\0\0\110\102\0\0\40\101\366\50\40\101\0\0\40\101' >>d.pfm
relative() {
    exits 1 compare c.pfm d.pfm --relative 0.0004 && prints '2 of 6 samples exceed' &&
        prints 'tolerance, the first at column 1, row 0' && says 'tolerance 0.0004' &&
        exits 1 compare c.pfm d.pfm --relative 0.0006 && prints '1 of 6 samples exceed' &&
        prints 'tolerance, the first at column 1, row 1' &&
        exits 0 compare c.pfm d.pfm --relative 0.03 &&
        exits 1 compare c.pfm d.pfm --relative 0.03 --max-difference 2.9
}
difference_picture() {
    exits 1 compare c.pfm d.pfm -o far.pfm -o far.pgm --report far.json &&
        equal "$(tail -c 6 far.pgm | od -An -tu1 | tr -s ' ')" ' 0 1 0 0 255 0' &&
        exits 1 compare d.pfm c.pfm -o far.pfm && equal "$(float_samples far.pfm 6 | tr '\n' ' ' |
            awk '{ print $2, $1 + $3 + $4 + $6 }')" '3 0' &&
        exits 1 compare d.pfm c.pfm -o - && equal "$(head -c 2 "$top/stdout")" P5
}
reported() {
    local text
    for text in '"a": "c.pfm"' '"differing": 2' '"largest": {"x": 1, "y": 1, "plane": 0}' \
        '"first": {"x": 1, "y": 0, "plane": 0}' '"maximum": 3' '"ulps": 786432'; do
        contains far.json "$text" || return
    done
}
check 'a relative tolerance' relative
check 'quiet: the exit code alone' eval 'run compare -q a.pgm b.pgm; equal "$status" 1 &&
    [ ! -s "$top/stdout" ] && [ ! -s "$top/stderr" ] && works compare -q a.pgm a.pgm &&
    refuses 66 missing.pgm compare -q a.pgm missing.pgm'
check 'the difference as a picture' difference_picture
check 'the report of a comparison' reported
overwriting() { keeps a.pgm "$1" compare a.pgm b.pgm "${@:2}"; } # TEXT OUTPUT...
check 'the picture over an input' overwriting 'input and output' -o ./a.pgm
check 'the report over an input' overwriting 'input and output' --report a.pgm
check 'the report over the picture' overwriting 'the same file' -o d.pgm --report ./d.pgm
check '--format alone' overwriting 'needs an output' --format pfm
check 'both on stdout' overwriting 'cannot both go to stdout' -o - --report -
check 'an output that cannot be is refused first' refuses 73 nowhere compare a.pgm missing.pgm \
    -o nowhere/d.pgm

finish

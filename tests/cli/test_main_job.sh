#!/usr/bin/env bash
# The main job: picture -> edges -> reconstruct --headless -> file, in every format and shape.
. tests/lib.sh

castle 96 64 >picture.pgm
castle 60 45 --colour >picture.ppm

# ---- formats ----

edges_in_every_format() { # PICTURE FORMAT...
    local picture=$1 first="" format
    shift
    for format; do
        works edges "$picture" -o "edges.$format" &&
            works --headless -q -n 50 "edges.$format" -o "from-$format.pfm" || return
        first=${first:-$format}
        same "from-$first.pfm" "from-$format.pfm" || return
    done
}
check 'grey edges as PGM, PAM, PFM and .dat give the same bits' \
    edges_in_every_format picture.pgm pgm pam pfm dat
check 'colour edges as PPM, PAM and PFM give the same bits' \
    edges_in_every_format picture.ppm ppm pam pfm

for format in pgm pam pfm dat; do # the bytes: tests/unit/test_image_write.c
    given works --headless -q -n 50 edges.pgm -o "out.$format"
done
check 'PGM and PAM hold the same samples' within 0 out.pgm out.pam
check '.dat holds the rounded values of PFM' within 0.5 out.pfm out.dat
check 'PPM and PAM hold the same samples' all works --headless -q -n 50 edges.ppm -o out.ppm \
    and works --headless -q -n 50 edges.ppm -o out.pam and within 0 out.ppm out.pam
check '--format overrides the ending' works --headless -q -n 50 edges.pgm --format pfm -o odd.pgm
check '--format pfm under another name is PFM' same odd.pgm from-pgm.pfm
check '--format of edges' works edges picture.ppm --format pfm -o edges.bin
check '--format pfm of edges is PFM' same edges.bin edges.pfm
check 'colour into .pgm is refused' refuses 64 out2.pgm --headless -q -n 1 edges.ppm -o out2.pgm

# ---- standard input and output ----

check 'edges and reconstruct through pipes' eval '"$program" edges - -o - <picture.pgm |
    "$program" --headless -q -n 50 - -o - >piped.pgm &&
    works --headless -q -n 50 edges.pgm -o file.pgm && same piped.pgm file.pgm'
check 'the same in colour: - is P6' eval '"$program" edges - -o - <picture.ppm |
    "$program" --headless -q -n 50 - -o - >piped.ppm &&
    works --headless -q -n 50 edges.ppm -o file.ppm && same piped.ppm file.ppm'
check '--format pfm to stdout' all exits 0 --headless -q -n 50 edges.pgm -o - --format pfm \
    and same "$top/stdout" from-pgm.pfm
check 'with progress, stdout has nothing but the picture' \
    all exits 0 --headless -n 50 edges.pgm -o - and same "$top/stdout" file.pgm and says 50
check 'start from standard input' \
    works --headless -q -n 0 edges.pgm --start - -o started.pgm <picture.pgm
check 'zero iterations from it leave it' within 0 started.pgm picture.pgm

# ---- several inputs ----

into_folder() {
    cp edges.pgm one.pgm && cp edges.ppm two.ppm && cp edges.dat three.x.dat &&
        works --headless -q -n 50 one.pgm two.ppm three.x.dat -o made &&
        same made/one.pgm file.pgm && same made/two.ppm file.ppm &&
        same made/three.x.pgm file.pgm &&
        equal "$(ls -A made | xargs)" 'one.pgm three.x.pgm two.ppm'
}
check 'several inputs into a folder that is made' into_folder
check 'several inputs as PFM' all works --headless -q -n 50 one.pgm two.ppm -o made-pfm/ \
    --format pfm and same made-pfm/one.pfm from-pgm.pfm and same made-pfm/two.pfm from-ppm.pfm
check 'one input into a folder that exists' all mkdir there \
    and works --headless -q -n 50 one.pgm -o there and same there/one.pgm file.pgm
check 'several inputs cannot go to stdout' refuses 64 stdout --headless -q -n 1 one.pgm two.ppm -o -

# ---- what the options do, by numbers worked out by hand ----

# 5 x 1 edges; one iteration from 0 with halo 0 is -E/4.
printf '5 1\n-4 0 8 -400 1020\n' >five.dat
first_iterate() { # WANTED OPTION...
    works --headless -q -n 1 "${@:2}" -o first.pfm && equal "$(float_samples first.pfm 5)" "$1"
}
printf 'P5 5 1 255\n\200\174\210\000\377' >five.pgm   # 128 124 136 0 255
check '.dat: the first iterate' first_iterate '1 0 -2 100 -255' five.dat --start 0
check 'unsigned PGM: the zero level is (maxval + 1) / 2' \
    first_iterate '0 1 -2 32 -31.75' five.pgm --start 0
check '--zero-level 100' first_iterate '-7 -6 -9 25 -38.75' five.pgm --start 0 --zero-level 100
check '--zero-level 4 of a .dat' first_iterate '2 1 -1 101 -254' five.dat --start 0 --zero-level 4
check '--halo 8 comes in from three sides at the ends, from two between' \
    first_iterate '7 4 2 104 -249' five.dat --start 0 --halo 8
check '--start 4' first_iterate '2 2 0 102 -254' five.dat --start 4
printf '5 1\n0 4 0 4 0\n' >start.dat
check '--start FILE' first_iterate '2 0 0 100 -254' five.dat --start start.dat
check '--start edges is the default' works --headless -q -n 3 five.dat --start edges -o e.pfm
check 'nothing else is' works --headless -q -n 3 five.dat -o default.pfm
check 'both have the same bits' same e.pfm default.pfm

halo_of_edges() {
    printf 'P2 1 1 255\n10\n' >dot.pgm && works edges dot.pgm --halo 7 -o dot.dat &&
        equal "$(xargs <dot.dat)" '1 1 -12'
}
edges_beyond_16_bit() {
    printf 'P2 3 1 65535\n0 65535 0\n' >steep.pgm &&
        refuses 65 PFM edges steep.pgm -o steep-edges.pgm && says .dat && absent steep-edges.pgm &&
        works edges steep.pgm -o steep.dat &&
        equal "$(xargs <steep.dat)" '3 1 65535 -262140 65535' &&
        works --headless -q -n 100 steep.dat --maxval 65535 -o back.pgm &&
        within 1 back.pgm steep.pgm
}
check 'edges with a halo' halo_of_edges
check 'edges in PGM: zero level 32768, or --zero-level' eval 'works edges dot.pgm -o dot16.pgm &&
    equal "$(raw_samples dot16.pgm 1 2)" $((32768 - 40)) &&
    works edges dot.pgm --zero-level 100 -o dot100.pgm && equal "$(raw_samples dot100.pgm 1 2)" 60'
check 'edges that 16 bits do not hold are refused, naming PFM and .dat' edges_beyond_16_bit

# Tones: zero iterations show the start itself.
printf '6 1\n-100 0 50 255 256 410\n' >levels.dat
printf '6 1\n0 0 0 0 0 0\n' >flat.dat
shows() { # WANTED BYTES OPTION...
    works --headless -q -n 0 flat.dat "${@:3}" -o tone.pgm &&
        equal "$(raw_samples tone.pgm 6 "$2")" "$1"
}
check '--tone clamp is the default' shows '0 0 50 255 255 255' 1 --start levels.dat
check '--tone stretch: min..max' shows '0 50 75 178 178 255' 1 --start levels.dat --tone stretch
check '--maxval 300' shows '0 0 50 255 256 300' 2 --start levels.dat --maxval 300
# |v|: 100 0 50 255 256 410, lo 0, hi 410 > 255:
# t = (int)(255 |v| / 410 + 0.5): 62 0 31 159 159 255
check '--tone epcc' shows '125 0 88 201 201 255' 1 --start levels.dat --tone epcc
check '--tone epcc has its own maxval' refuses 64 epcc \
    --headless -q -n 0 flat.dat --tone epcc --maxval 100 -o tone.pgm

nothing_said() {
    exits 0 --headless -q "$@" edges.pgm -o thousand.pfm &&
        warns 'iterate 1000, not the exact picture' &&
        works --headless -q -n 1000 edges.pgm -o thousand2.pfm && same thousand.pfm thousand2.pfm
}
check 'with a stencil alone: 1000 iterations, and stderr says so' nothing_said -s cpu
check 'without -n and -t: the exact picture' all works --headless -q edges.pgm -o exact.pgm \
    and within 0 exact.pgm picture.pgm \
    and works --headless -q edges.ppm -o exact.ppm and within 0 exact.ppm picture.ppm
finish

#!/usr/bin/env bash
# Memory that is read before it is written: what no sanitizer of the compilers here sees. The main
# commands on tiny images under valgrind's memcheck, whose errors are exit 99.
. tests/lib.sh

# It does not read every compiler's debugging information.
needs '! sanitized && valgrind -q "$program" --version' \
    'valgrind is not there, or cannot run this build' 'memory that was not written'
needs '[ ! -e /dev/nvidiactl ]' "valgrind does not know what a GPU's driver writes" \
    'memory that was not written'

castle 24 17 >c.pgm
castle 9 8 --colour >c.ppm
plain=$program
checked() { # PROGRAM: under valgrind from here on; it does not follow what is executed
    printf '#!/bin/sh\nexec valgrind -q --error-exitcode=99 "%s" "$@"\n' "$1" >"$top/checked"
    chmod +x "$top/checked"
    program=$top/checked
}
checked "$plain"
export OMP_NUM_THREADS=2

check 'edges' works edges c.pgm -o e.pgm
check 'edges of a stencil' works edges --boundary wrap --stencil box c.pgm -o s.pfm
for format in pfm p3 pam $(built_with libpng && echo png); do
    check "a colour picture's edges as $format" works edges --format $format c.ppm -o "e.$format"
done
check 'an iterate' works --headless -q -n 3 e.pgm -o three.pgm
check 'one in colour, by the reference' works --headless -q -n 3 -s reference e.pfm -o three.ppm
check 'the exact picture' works --headless -q e.pgm -o exact.pfm
check 'a tolerance, and frames' \
    works --headless -q -n 9 -t 1e4 -k 4 --frames film --tone auto "e.$format" -o "t.$format"
check 'compared with the reference' exits 0 --headless --compare -n 3 e.pgm --report -
check 'a convolution' \
    works convolve --headless -q -n 2 --stencil gaussian:1 --boundary mirror101 c.pgm -o g.pgm
check 'a comparison' exits 1 compare c.pgm three.pgm -o difference.pfm --report difference.json
check 'a list' exits 0 --headless -n 2 e.pgm s.pfm -o out/ --report list.jsonl

resumed() {
    exits 74 --headless -q -n 3 e.pgm -o /dev/full --format pfm --checkpoint c && [ -s c ] &&
        exits 0 --headless -n 5 e.pgm -o resumed.pfm --checkpoint c --report r.jsonl &&
        contains r.jsonl '"resumed": 3' &&
        "$plain" --headless -q -n 5 e.pgm -o straight.pfm && same resumed.pfm straight.pfm
}
check 'a checkpoint, written and resumed' resumed
checked "$plain-bench"
check 'the bench' exits 0 --rungs 1,2 --size 16,24 --time 0.001 --json bench.json

finish

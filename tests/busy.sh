#!/usr/bin/env bash
# What other programs that want the processors cost a run: tests/busy.sh [PROGRAM [EARLIER]]
#
# Prints a table of seconds, medians. For each case, beside 0, 1, 2 and 4 processes that never rest:
# PROGRAM (./reconstruct), the same with one thread, and two columns for an EARLIER build with
# OpenMP's threads: as it is, and with OMP_WAIT_POLICY=passive. The runs of a row take turns, so
# that a machine that gets slower does so for all of them.
#
#   RUNS=5              of each, after one that is not counted
#   LOADS='0 1 2 4'     processes that never rest
#   CASES=REGEX         the cases whose name it matches
#   WAYS='own one ...'  the columns: own, one, earlier, passive
set -u
export LC_ALL=C
program=$(realpath "${1:-./reconstruct}") && earlier=$(realpath "${2:-$program}") || exit 1
top=$(mktemp -d "${TMPDIR:-/tmp}/reconstruct-busy.XXXXXX") || exit 1
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$top"' EXIT
"${CC:-cc}" -O2 -Idata data/castle.c -lm -o "$top/castle" && cd "$top" || exit 1
for size in 64 300 2048; do
    ./castle $size $size >p$size.pgm && "$program" edges p$size.pgm -o e$size.pgm || exit 1
done
direct=avx2
! grep -q avx512dq /proc/cpuinfo || direct=avx512
cases=(
    "plate, 64 x 64           | bench --problem plate --size 64 -s cpu"
    "stencil, 64 x 64         | --headless -s cpu -n 20000 e64.pgm -o o.pfm"
    "stencil, 300 x 300       | --headless -s cpu -t 0.5 e300.pgm -o o.pfm"
    "stencil, 2048 x 2048     | --headless -s cpu -n 1000 e2048.pgm -o o.pfm"
    "exact, 2048 x 2048       | --headless -s spectral e2048.pgm -o o.pfm"
    "iterate 700, 2048 x 2048 | --headless -s spectral -n 700 e2048.pgm -o o.pfm"
    "separable, 2048 x 2048   | convolve --headless -s cpu --stencil gaussian:2 p2048.pgm -o o.pfm
                                --kernel separable -n 20"
    "direct, 2048 x 2048      | convolve --headless -s cpu --stencil gaussian:2 p2048.pgm -o o.pfm
                                --kernel $direct -n 20"
)

run_once() { # WAY ARGUMENT...: prints its seconds
    local begin=$EPOCHREALTIME way=$1 run=$program
    [[ $way == o* ]] || run=$earlier
    [ "$2" != bench ] || { run+=-bench && set -- "$1" "${@:3}"; }
    (
        [ "$way" != one ] || export OMP_NUM_THREADS=1
        [ "$way" != passive ] || export OMP_WAIT_POLICY=passive
        exec "$run" "${@:2}" >notes 2>&1
    ) || { sed "s/^/$way: /" notes >&2; return 1; }
    awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { print end - begin }'
}

read -ra ways <<<"${WAYS:-own one${2:+ earlier passive}}"
echo "$(nproc) processors; seconds, the median of ${RUNS:-5}"
echo
echo "| case | others |$(printf ' %s |' "${ways[@]}")"
echo "|---|--:|$(printf -- '--:|%.0s' "${ways[@]}")"
for others in ${LOADS:-0 1 2 4}; do
    for ((i = 0; i < others; i++)); do
        while :; do :; done &
    done
    for case in "${cases[@]}"; do
        [[ ${case%%|*} =~ ${CASES:-.} ]] || continue
        read -rd '' -a arguments <<<"${case#*|}"
        rm -f -- *.seconds
        for ((i = 0; i <= ${RUNS:-5}; i++)); do
            for way in "${ways[@]}"; do
                seconds=$(run_once "$way" "${arguments[@]}") || exit
                [ $i -eq 0 ] || echo "$seconds" >>"$way.seconds"
            done
        done
        printf '| %s | %d |' "$(sed 's/ *$//' <<<"${case%%|*}")" "$others"
        for way in "${ways[@]}"; do
            sort -n "$way.seconds" | awk '{ x[NR] = $1 }
                END { printf " %.2g |", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
        done
        echo
    done
    busy=$(jobs -p)
    [ -z "$busy" ] || { kill $busy && wait $busy; } 2>/dev/null
done

#!/usr/bin/env bash
# What the window costs: iterations in SECONDS with and without it, in turns; no test, it prints.
#
#   tests/window/cost.sh [EDGES [SECONDS [OPTION]...]]     (data/castle-edges.pgm, 6; e.g. -k 100)
#
# Needs a display. The iterations are read from the message of a run that is stopped by a signal, so
# that start-up, the same for both, is in both.
set -u
program=${RECONSTRUCT:-./reconstruct}
edges=${1:-data/castle-edges.pgm} seconds=${2:-6}
shift $(($# < 2 ? $# : 2))
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT

iterations() # OPTION...
{
    rm -f "$folder/checkpoint"
    timeout -s TERM "$seconds" "$program" -n 1000000000000 --checkpoint "$folder/checkpoint" \
        --checkpoint-every 1000000 "$@" "$edges" 2>&1 | sed -n 's/.* after \([0-9]*\) iterations;.*/\1/p'
}

for turn in 1 2 3; do
    headless=$(iterations --headless -q --report "$folder/report" "$@")
    window=$(iterations "$@")
    [ -n "$headless" ] && [ -n "$window" ] ||
        { echo "it did not run for $seconds s: no display, or it stood still?" >&2; exit 1; }
    awk -v h="$headless" -v w="$window" -v t="$turn" 'BEGIN {
        printf "%d: %d iterations headless, %d in the window: %+.1f%%\n", t, h, w, 100 * (w - h) / h }'
done

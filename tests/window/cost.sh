#!/usr/bin/env bash
# What the window costs: the rate of iterations with and without it, in turns; no test, it prints.
#
#   tests/window/cost.sh [EDGES [SECONDS [OPTION]...]]     (data/castle-edges.pgm, 4; e.g. -k 100)
#
# Needs a display. The iterations are read from the message of a run that is stopped by a signal,
# after SECONDS and after twice as many: start-up, which is in both, drops out.
set -u
program=${RECONSTRUCT:-./reconstruct}
edges=${1:-data/castle-edges.pgm} seconds=${2:-4}
shift $(($# < 2 ? $# : 2))
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT

iterations() { # SECONDS OPTION...
    rm -f "$folder/checkpoint"
    timeout -s TERM "$1" "$program" -n 1000000000000 --checkpoint "$folder/checkpoint" \
        --checkpoint-every 1000000 "${@:2}" "$edges" 2>&1 |
        sed -n 's/.* after \([0-9]*\) iterations;.*/\1/p'
}

rate() { # OPTION...: iterations a second
    local less more
    less=$(iterations "$seconds" "$@") && more=$(iterations $((2 * seconds)) "$@")
    [ -n "$less" ] && [ -n "$more" ] && [ "$more" -gt "$less" ] && echo $(((more - less) / seconds))
}

for turn in ${TURNS:-1 2 3}; do
    headless=$(rate --headless -q --report "$folder/report" "$@")
    window=$(rate --pace max "$@")
    [ -n "$headless" ] && [ -n "$window" ] ||
        {
            echo "it did not run for $((2 * seconds)) s: no display, or it stood still?" >&2
            exit 1
        }
    awk -v h="$headless" -v w="$window" -v t="$turn" 'BEGIN {
        printf "%d: %d iterations a second headless, %d in the window: %+.1f%%\n", t, h, w,
               100 * (w - h) / h }'
done

#!/bin/bash
# How far a list is: docs/slurm/progress.sh LIST OUT
#
# Counts the names of the list by the newest line that OUT/*.jsonl has of each, as exit codes, and
# then names those that are not done: with their error, or as "not begun". Needs jq.
set -euo pipefail
usage='usage: progress.sh LIST OUT'
list=${1:?$usage} out=${2:?$usage}

# grep ends a line that a dying node has torn, and jq passes over it.
shopt -s nullglob
{ grep -hs . "$out"/*.jsonl /dev/null || true; } | jq -nRr --rawfile list "$list" '
    (reduce (inputs | fromjson?) as $line ({}; .[$line.input] |=
        if .finished > $line.finished then . else $line end)) as $newest
    | [$list | split("\n") | map(rtrimstr("\r") | select(. != "")) | unique[]
        | {name: ., line: $newest[.]} | .state = (.line.status // "not begun" | tostring)]
    | (group_by(.state) | map({(.[0].state): length}) | add | tojson),
        (.[] | select(.state | test("^[01]$") | not) | .line.error // "\(.name): not begun")'

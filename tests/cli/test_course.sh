#!/usr/bin/env bash
# docs/course.md: each of its commands runs (on a small image), and its tables say what the files of
# `bench --json` and of the profiler say.
. tests/documents.sh

# GPU or not, minutes, what to read, what to know; and what is to be read is there.
heads() {
    local lesson head lines file mark
    awk 'BEGIN { RS = "" } /^## H?[0-9]/ { title = $0; getline; gsub("\n", " "); print title $0 }' \
        "$root/docs/course.md" >"$top/heads"
    [ "$(wc -l <"$top/heads")" -ge 18 ] || { echo 'lessons are missing'; return 1; }
    while read -r head; do
        [[ $head =~ \*GPU:\ (needed|not\ needed).*\ About\ [0-9]+\ minutes\.\ Read.*\ Know ]] ||
            { echo "$head"; return 1; }
    done <"$top/heads"
    grep -oE '\]\([^)#]*\)(, from `---- [^`]*`)?' "$top/heads" |
        sed -E 's/^\]\(([^)]*)\)(, from `(.*)`)?/\1 \3/' >"$top/reads"
    while read -r file mark; do
        grep -qF -e "$mark" "$root/docs/$file" || { echo "$file has no $mark"; return 1; }
    done <"$top/reads"
}
check 'every lesson has its head' heads
PROFILE_REPORT=0 run_document docs/course.md
check 'it had its commands' test ${#commands[@]} -ge 30

check_where 'command -v python3' 'no python3' \
    'the tables are those of the files' python3 "$root/docs/course-tables.py" --check
finish

#!/usr/bin/env bash
# docs/course.md: each of its commands runs (on a small image), and its tables say what the files of
# `bench --json` and of the profiler say.
. tests/lib.sh

ln -s "$root/kernels" "$root/tests" .
mapfile -t commands < <(sed -n '/^```sh$/,/^```$/p' "$root/docs/course.md" | grep '/')
ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null)

small() { # COMMAND: of 61 x 61 pixels, without measuring for long
    local line=$1
    [[ $line == *'bench '* || $line == *profile.sh* ]] || { echo "$line"; return; }
    line=$(sed -E 's/ --(size|time) [^ ]+//g' <<<"$line")
    [[ $line == *--help* ]] || line+=' --size 61'
    [[ $line == *--help* || $line == *--problem* || $line == *profile.sh* ]] || line+=' --time 0'
    echo "${line/.\/reconstruct/\"\$program\"}"
}

# Sets needs where something is missing here. A mistake of tests/wrong is found.
runs() { # COMMAND
    local status wanted=0
    needs=
    [[ $1 == *tests/wrong* ]] && wanted=1
    eval "$(small "$1")" >out 2>err
    status=$?
    if [ $status -eq 69 ] || grep -q ERR_NVGPUCTRPERM out err ||
        { [ $status -eq 64 ] && grep -q 'no CUDA' err; }; then
        needs=$(head -n 1 err)
        return 0
    fi
    [ $status -eq $wanted ] && return
    echo "exit $status: $(small "$1")"
    cat out err
    return 1
}

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
check 'the course has its commands' test ${#commands[@]} -ge 30
for command in "${commands[@]}"; do
    if [[ $command == *profile.sh* && -z $ncu ]]; then
        skip "$command" 'no ncu'
        continue
    fi
    PROFILE_REPORT=0 runs "$command" >"$top/result"
    result=$?
    if [ $result -eq 0 ] && [ -n "$needs" ]; then
        skip "$command" "$needs"
    else
        check "$command" eval "cat '$top/result'; [ $result -eq 0 ]"
    fi
done

check_where 'command -v python3' 'no python3' \
    'the tables are those of the files' python3 "$root/docs/course-tables.py" --check
finish

#!/usr/bin/env bash
# Runs test programs that print TAP, side by side, and adds up:
#
#   tests/run.sh PROGRAM...            all of them
#   tests/run.sh --one FOLDER PROGRAM  one; FOLDER gets its numbers
#   tests/run.sh --sum FOLDER COUNT    the numbers of so many programs
#
# The last line is "N passed, N failed, N skipped"; exit 1 when anything failed, a program died,
# took longer than a test may, or printed fewer results than it announced.
#
#   TEST_JOBS   so many at a time (as many as there are processors)
#   TEST_LIMIT  the most seconds that one of them may take (900)
#   TEST_OF     what to call the build that is tested
set -u
export CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C

# One program: a line, what went wrong, and its numbers for the sum.
run_one() { # FOLDER PROGRAM
    local begin=$SECONDS status p f s planned trouble='' log job
    log=$(mktemp -p "$1")
    set -m # a process group of its own, in which nothing ignores signals
    timeout -k 10 "$limit" "$2" >"$log" 2>&1 </dev/null &
    job=$!
    trap 'kill -TERM -- "-$job"; exit 1' INT TERM
    wait "$job"
    status=$?
    times >"$log.times" # the last line: of what ended
    # cmocka calls a skipped test "not ok ... # SKIP"; a skip is neither passed nor failed.
    s=$(grep -cE '^(not )?ok [0-9]+.*# SKIP' "$log")
    p=$(grep -E '^ok [0-9]+' "$log" | grep -vc '# SKIP')
    f=$(grep -E '^not ok [0-9]+' "$log" | grep -vc '# SKIP')
    planned=$(sed -nE 's/^1\.\.([0-9]+).*/\1/p' "$log" | awk '{n += $1} END {print n + 0}')
    [ "$planned" -gt 0 ] && [ $((p + f + s)) -ge "$planned" ] ||
        trouble="$((p + f + s)) of $planned planned tests ran"
    [ $status -eq 0 ] || [ "$f" -gt 0 ] || trouble="exit status $status"
    [ $status -ne 124 ] && [ $status -ne 137 ] || trouble="it hung: ended after $limit s"
    exec 9>"$1/lock"
    flock 9
    printf '%s%-26s %4d passed %4d failed %4d skipped %4d s, CPU %4.0f s\n' \
        "${TEST_OF:+$TEST_OF: }" "${2##*/}" "$p" "$f" "$s" $((SECONDS - begin)) \
        "$(awk -F'[ms ]+' 'END { print 60 * ($1 + $3) + $2 + $4 }' "$log.times")"
    [ -z "$trouble" ] || { echo "  $trouble"; f=$((f + 1)); }
    if [ "$f" -gt 0 ]; then
        sed 's/^/  | /' "$log"
    else
        grep -E '# SKIP|^# [0-9]' "$log" | sed 's/^/  /' # and figures
    fi
    echo "$p $f $s" >>"$1/sums"
}

add_up() { # FOLDER COUNT
    touch "$1/sums"
    awk -v programs="$2" -v of="${TEST_OF:+$TEST_OF: }" '{p += $1; f += $2; s += $3}
        END {
            f += programs - NR # that left no numbers
            printf "%s%d passed, %d failed, %d skipped\n", of, p, f, s
            exit f > 0 || p + s == 0
        }' "$1/sums"
}

limit=${TEST_LIMIT:-900}
jobs=${TEST_JOBS:-$(nproc 2>/dev/null || echo 2)}
# Threads of tests that run side by side get in each other's way.
[ "$jobs" -le 4 ] || export OMP_NUM_THREADS=${OMP_NUM_THREADS:-4}
case ${1-} in
--one) run_one "$2" "$3" ;;
--sum) add_up "$2" "$3" ;;
*)
    folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
    [ $# -eq 0 ] || printf '%s\0' "$@" | xargs -0 -r -P "$jobs" -n 1 "$0" --one "$folder"
    add_up "$folder" $#
    ;;
esac

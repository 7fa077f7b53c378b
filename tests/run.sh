#!/usr/bin/env bash
# Runs test programs that print TAP, and adds up: tests/run.sh PROGRAM...
# The last line is "N passed, N failed, N skipped"; exit 1 when anything failed, a program died, or
# printed fewer results than it announced.
set -u
passed=0 failed=0 skipped=0
log=$(mktemp) && trap 'rm -f "$log"' EXIT
export CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C
for program in "$@"; do
    begin=$SECONDS
    "$program" >"$log" 2>&1
    status=$?
    # cmocka calls a skipped test "not ok ... # SKIP"; a skip is neither passed nor failed.
    s=$(grep -cE '^(not )?ok [0-9]+.*# SKIP' "$log")
    p=$(grep -E '^ok [0-9]+' "$log" | grep -vc '# SKIP')
    f=$(grep -E '^not ok [0-9]+' "$log" | grep -vc '# SKIP')
    planned=$(sed -nE 's/^1\.\.([0-9]+).*/\1/p' "$log" | awk '{n += $1} END {print n + 0}')
    trouble=
    [ "$planned" -gt 0 ] && [ $((p + f + s)) -ge "$planned" ] ||
        trouble="$((p + f + s)) of $planned planned tests ran"
    [ $status -eq 0 ] || [ "$f" -gt 0 ] || trouble="exit status $status"
    printf '%-44s %4d passed %4d failed %4d skipped %4d s\n' "${program##*/}" "$p" "$f" "$s" \
        $((SECONDS - begin))
    if [ -n "$trouble" ]; then
        echo "  $trouble"
        f=$((f + 1))
    fi
    if [ "$f" -gt 0 ]; then sed 's/^/  | /' "$log"; else grep '# SKIP' "$log" | sed 's/^/  /'; fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]

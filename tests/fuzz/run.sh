#!/usr/bin/env bash
# Every fuzz target for its share of the time: tests/fuzz/run.sh MINUTES FOLDER-OF-PROGRAMS
# Starts from tests/fuzz/corpus. What makes a target fail is kept in FOLDER/found and belongs into
# the corpus, where the tests replay it. SEED: of the random numbers, else another one each time.
set -u
minutes=${1:?usage: tests/fuzz/run.sh MINUTES FOLDER} folder=${2:?}
targets=("$folder"/fuzz_*)
mkdir -p "$folder/found"
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=512
seconds=$(awk -v m="$minutes" -v n=${#targets[@]} 'BEGIN { print int(m * 60 / n) + 1 }')
failed=0
for target in "${targets[@]}"; do
    name=${target##*/fuzz_}
    mkdir -p "$folder/seen/$name"
    "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=12000 -max_len=4096 \
        ${SEED:+-seed="$SEED"} \
        -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$folder/found/$name-" \
        "$folder/seen/$name" "tests/fuzz/corpus/$name" >"$folder/$name.log" 2>&1
    status=$?
    printf '%-12s %12s executions in %d s%s\n' "$name" \
        "$(sed -n 's/^stat::number_of_executed_units: //p' "$folder/$name.log")" "$seconds" \
        "$([ $status -eq 0 ] || echo ', FAILED')"
    [ $status -eq 0 ] && continue
    failed=$((failed + 1))
    grep -vE '^#[0-9]+' "$folder/$name.log" | tail -n 40
done
echo "$((${#targets[@]} - failed)) passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]

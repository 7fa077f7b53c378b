#!/usr/bin/env bash
# The kernels under every tool of compute-sanitizer: tests/sanitize.sh FOLDER-OF-UNIT-TESTS
# A tool must find nothing and say so: one that crashed says nothing.
set -u
tests=${1:?usage: tests/sanitize.sh FOLDER}
log=$(mktemp) && trap 'rm -f "$log"' EXIT
# The host's threads have nothing to show here.
export RECONSTRUCT_TESTS=small OMP_NUM_THREADS=2
units=(solver iterates device_iterates looks convolution limits spectral_solver layers marks)
for tool in memcheck racecheck synccheck initcheck; do
    for test in "${units[@]/#/test_}"; do
        echo "== $tool $test"
        options=(--tool "$tool" --error-exitcode 99)
        # Peer access that is already enabled answers with a code, which is no error here.
        [ $tool = memcheck ] && options+=(--report-api-errors no)
        # The barriers of a block: the diagonal kernel has 28. By default it follows fewer; with
        # thousands there is no memory for it, and it says that it did not track the launch.
        [ $tool = synccheck ] && options+=(--num-cuda-barriers 32)
        # It does not see what bulk copies write, nor, as it seems, what other devices write.
        [ $tool = initcheck ] && export CUDA_VISIBLE_DEVICES=0 &&
            options+=(--kernel-name-exclude kns=diagonal_pass --kernel-name-exclude kns=rotate)
        compute-sanitizer "${options[@]}" "$tests/$test" >"$log" 2>&1
        status=$?
        tail -n 3 "$log"
        [ $status -eq 0 ] && grep -qE 'SUMMARY: 0 (errors|hazards)' "$log" && continue
        cat "$log"
        exit 1
    done
done

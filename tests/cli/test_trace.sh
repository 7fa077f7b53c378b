#!/usr/bin/env bash
# NVTX ranges as a profiler sees them: tests/nvtx_recorder.c takes the profiler's place.
. tests/lib.sh

recorder=$root/tests/nvtx_recorder.c
headers=$(for folder in "${CUDA_PATH:-/usr/local/cuda}" /opt/cuda; do
    [ -e "$folder/include/nvtx3/nvToolsExt.h" ] && echo "$folder/include"; done | head -1)
needs 'built_with NVTX' 'built without NVTX' 'NVTX ranges'
needs '! sanitized' 'a library without sanitizers cannot be loaded into a program with them' \
    'NVTX ranges'
given "${CC:-gcc}" -shared -fPIC ${headers:+-isystem "$headers"} "$recorder" -o recorder.so
waves 64 48 >picture.pgm
given works edges picture.pgm -o e.pgm

traced() { NVTX_INJECTION64_PATH=$PWD/recorder.so "$program" -q --headless "$@" 2>trace; }
ranges() { sed -n 's/^nvtx reconstruct \([a-z]*\) [0-9]*$/\1/p' trace | grep -vx pop; }

check 'the run goes through' traced -n 250 e.pgm -o out.pgm
for range in load allocate upload iterate norm save; do
    check "range $range" eval "ranges | grep -qx $range"
done
# But for the limit, which distances are measured from.
all_iterations() {
    equal "$(awk '/^nvtx reconstruct iterate/ && $4 < 1e18 { n += $4 } END { print n }' trace)" 250
}
check 'the batches, with their iterations as payloads' all_iterations
check 'load and save know their bytes' eval "grep -qx 'nvtx reconstruct load 12288' trace &&
    grep -qx 'nvtx reconstruct save 12288' trace"
balanced() {
    equal "$(grep -c '^nvtx reconstruct pop' trace)" "$(ranges | wc -l)" &&
        equal "$(grep -v '^warning' trace | tail -n 1)" 'nvtx reconstruct pop 0'
}
check 'every range ends' balanced
rungs() {
    NVTX_INJECTION64_PATH=$PWD/recorder.so "$program-bench" --rungs 3,4 --size 16 --time 0 \
        >table 2>trace && contains trace 'nvtx reconstruct cpu-rows 0' &&
        contains trace 'nvtx reconstruct cpu-swap 0' &&
        equal "$(tail -n 1 trace)" 'nvtx reconstruct pop 0'
}
check 'a range for each rung of the ladder, by its name' rungs
check 'nothing of it without a profiler' \
    eval 'works -q --headless -n 250 e.pgm -o out.pgm && ! says nvtx'
finish

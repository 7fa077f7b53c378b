#!/usr/bin/env bash
# What the profiler sees of every rung: `make profile`, or
#
#   kernels/ladder/profile.sh ./reconstruct [SIZE [RUNGS]]
#
# with size 4096 and the rungs of the GPU and of the cuda solver unless they are given.
#
# Nsight Compute looks at one warm batch of each rung (the program marks it) and this prints, a line
# a kernel: sectors per request of global loads and stores (a request is a warp's; 4 sectors of 32
# bytes is what 32 neighbouring floats need, 32 is every thread in a line of its own), DRAM
# throughput and achieved occupancy in percent, and the reason for which warps waited most. Clocks
# are left as they are, so that the card is seen as it runs. Where there is Nsight Systems, its
# timeline is kept too. PROFILE_DIR (profile) gets the raw files.
set -euo pipefail

program=${1:?usage: profile.sh PROGRAM [SIZE [RUNGS]]}
size=${2:-4096}
rungs=${3:-gpu,cuda/pixel,cuda/auto}
folder=${PROFILE_DIR:-profile}

ncu=$(command -v ncu ||
    ls /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1 || true)
nsys=$(command -v nsys || ls /usr/local/cuda/bin/nsys 2>/dev/null || true)
if [ -z "$ncu" ] && [ -z "$nsys" ]; then
    echo "profile: neither ncu nor nsys is here; both come with CUDA" >&2
    exit 69
fi
mkdir -p "$folder"

if [ -n "$ncu" ]; then
    loads=l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio
    stores=l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio
    dram=dram__throughput.avg.pct_of_peak_sustained_elapsed
    occupancy=sm__warps_active.avg.pct_of_peak_sustained_active
    time=gpu__time_duration.sum
    stalls=$(printf 'smsp__average_warps_issue_stalled_%s_per_issue_active.ratio,' \
        barrier branch_resolving dispatch_stall drain lg_throttle long_scoreboard \
        math_pipe_throttle membar mio_throttle misc no_instruction not_selected \
        short_scoreboard sleeping tex_throttle wait)
    # The copies and fills of the runtime are no rungs: only what the program itself launches
    # between its two marks is looked at.
    "$ncu" --profile-from-start off --clock-control none --csv --page raw \
        --print-kernel-base demangled \
        --metrics "$loads,$stores,$dram,$occupancy,$time,${stalls%,}" --log-file "$folder/ncu.csv" \
        "$program" bench --rungs "$rungs" --size "$size" --time 0 >"$folder/ncu-table.txt" ||
        { cat "$folder/ncu-table.txt"; tail -n 5 "$folder/ncu.csv"; exit 1; } >&2
    echo "Nsight Compute, $size: one launch of each kernel (all figures in $folder/ncu.csv)"
    # Every field is quoted, some have commas in them: `","` parts them. The first line names the
    # columns, the second has the units.
    grep '^"' "$folder/ncu.csv" | awk -v loads="$loads" -v stores="$stores" -v dram="$dram" \
        -v occupancy="$occupancy" '
        { gsub(/^"|"$/, ""); fields = split($0, value, /","/) }
        NR == 1 {
            for (i = 1; i <= fields; i++) column[value[i]] = i
            printf "%-24s%16s%9s%9s%9s%12s  %s\n", "kernel", "block", "loads", "stores", "DRAM %",
                "occupancy %", "warps wait most for"
        }
        NR <= 2 { next }
        {
            name = value[column["Kernel Name"]]
            gsub(/\(anonymous namespace\)::|<unnamed>::|^void /, "", name)
            sub(/\(.*/, "", name)
            block = value[column["Block Size"]]
            if (seen[name, block]++) next
            most = -1
            for (key in column)
                if (key ~ /issue_stalled_/ && value[column[key]] + 0 > most) {
                    most = value[column[key]] + 0
                    why = key
                }
            gsub(/^.*issue_stalled_|_per_issue_active.*$/, "", why)
            gsub(/_/, " ", why)
            printf "%-24s%16s%9.1f%9.1f%9.1f%12.1f  %s (%.1f)\n", name, block,
                value[column[loads]], value[column[stores]], value[column[dram]],
                value[column[occupancy]], why, most
        }'
fi

if [ -n "$nsys" ]; then
    "$nsys" profile --force-overwrite=true --trace=cuda,nvtx --output "$folder/ladder" \
        "$program" bench --rungs "$rungs" --size "$size" --time 0.1 >"$folder/nsys-table.txt"
    echo "Nsight Systems: $folder/ladder.nsys-rep"
    "$nsys" stats --quiet --report cuda_gpu_kern_sum "$folder/ladder.nsys-rep" || true
fi

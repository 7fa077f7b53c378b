#!/usr/bin/env bash
# What the profiler sees of every rung: `make profile`, or
#
#   kernels/ladder/profile.sh ./reconstruct [OPTION OF bench]...
#
# By default 4096 x 4096 pixels and the rungs of the GPU and of the cuda solver. Others, say, by
#
#   kernels/ladder/profile.sh ./reconstruct --rungs 23,24 --size 2048
#   kernels/ladder/profile.sh ./reconstruct --problem convolution --radius 5
#   make profile PROFILE_ARGS='--mine my.cu --rungs 11'
#
# Nsight Compute looks at one warm batch of each rung, which the program marks. Three tables have a
# line for each kernel; docs/course.md explains the first one's columns, and `warps wait most for`.
# The second has the raw requests and sectors, and the sectors as a percentage of a baseline: the
# kernel named by PROFILE_BASELINE, or the first one. The third is what OpenACC prints with
# NV_ACC_TIME=1. Clocks are left as they are, so that the card is seen as it runs. PROFILE_DIR
# (profile) gets the raw files: ncu.csv, the full report ladder.ncu-rep (which takes minutes;
# PROFILE_REPORT=0 leaves it out), and Nsight Systems' timeline and summaries, with the copies, too.
set -euo pipefail
program=${1:?usage: profile.sh PROGRAM [OPTION OF bench]...}
shift
[[ $program == *-bench ]] || program+=-bench # a profiler need not follow what is executed
options=("$@")
[[ " $* " == *" --size "* ]] || options+=(--size 4096)
case " $* " in
*" --rungs "* | *" --mine "*) ;;
*" convolution "*) options+=(--rungs 'gpu,60-62') ;;
*) options+=(--rungs 'gpu,40-43') ;;
esac
time=(--time 0)
[[ " $* " == *" convolution "* ]] && time=() # has its own number of repetitions
folder=${PROFILE_DIR:-profile}

ncu=$(command -v ncu ||
    ls /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1 || true)
nsys=$(command -v nsys || ls /usr/local/cuda/bin/nsys 2>/dev/null || true)
if [ -z "$ncu" ] && [ -z "$nsys" ]; then
    echo "profile: found neither ncu nor nsys; both come with CUDA" >&2
    exit 69
fi
mkdir -p "$folder"

profile() # LOG OPTION...: Nsight Compute on one batch of each rung
{
    # The runtime's copies and fills are no rungs: only the launches between two marks count.
    local log=$1
    shift
    "$ncu" --target-processes all --profile-from-start off --clock-control none "$@" \
        "$program" "${options[@]}" "${time[@]}" >"$folder/$log" ||
        { # where --log-file is given, what Nsight Compute says is there
            tail -n 25 "$folder/$log"
            grep -h '^==ERROR' "$folder"/*.csv
            exit 1
        } >&2
}

if [ -n "$ncu" ]; then
    # A column of the tables: its title, its digits, its metric.
    columns='loads 1 l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio
stores 1 l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio
ld.eff% 1 smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct
st.eff% 1 smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct
SM% 1 sm__throughput.avg.pct_of_peak_sustained_elapsed
L2% 1 lts__throughput.avg.pct_of_peak_sustained_elapsed
DRAM% 1 dram__throughput.avg.pct_of_peak_sustained_elapsed
occup.% 1 sm__warps_active.avg.pct_of_peak_sustained_active
eligible 2 smsp__warps_eligible.avg.per_cycle_active
waves 2 launch__waves_per_multiprocessor
L1hit% 1 l1tex__t_sector_hit_rate.pct
L2hit% 1 lts__t_sector_hit_rate.pct
cycles 0 sm__cycles_elapsed.max'
    counts='l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum'
    stalls=$(printf 'smsp__average_warps_issue_stalled_%s_per_issue_active.ratio,' \
        barrier branch_resolving dispatch_stall drain lg_throttle long_scoreboard \
        math_pipe_throttle membar mio_throttle misc no_instruction not_selected \
        short_scoreboard sleeping tex_throttle wait)
    metrics=$(printf '%s\n%s\n' "$(awk '{print $3}' <<<"$columns")" "$counts" | paste -sd,)
    profile ncu-table.txt --csv --page raw --print-units base --print-kernel-base demangled \
        --metrics "$metrics,gpu__time_duration.sum,${stalls%,}" --log-file "$folder/ncu.csv"
    echo "Nsight Compute, ${options[*]}: a launch of each kernel (all figures in $folder/ncu.csv)"
    # Fields are quoted, some have commas: `","` separates. First line: metrics, second: units.
    grep '^"' "$folder/ncu.csv" | awk -v columns="$columns" -v counts="$counts" \
        -v baseline="${PROFILE_BASELINE:-}" '
        function number(metric,    text) {
            text = value[column[metric]]
            gsub(/,/, "", text)
            return text + 0
        }
        { gsub(/^"|"$/, ""); fields = split($0, value, /","/) }
        NR == 1 {
            for (i = 1; i <= fields; i++) column[value[i]] = i
            parts = split(columns, part, /[ \n]/) # title, digits, metric; and so on
            printf "%-24s%16s", "kernel", "block"
            for (i = 1; i <= parts; i += 3) printf "%9s", part[i]
            print "  warps wait most for"
            split(counts, count, "\n")
        }
        NR <= 2 { next }
        {
            name = value[column["Kernel Name"]]
            gsub(/\(anonymous namespace\)::|<unnamed>::|^void /, "", name)
            gsub(/\((int|bool)\)/, "", name)
            sub(/\(.*/, "", name)
            k = sprintf("%-24s%16s", name, value[column["Block Size"]])
            time = number("gpu__time_duration.sum") / 1000
            if (!launches[k]++ || time < least[k]) least[k] = time
            if (time > longest[k]) longest[k] = time
            total[k] += time
            if (launches[k] > 1) next
            kernel[++rows] = k
            grid[k] = value[column["Grid Size"]]
            printf "%s", k
            for (i = 1; i <= parts; i += 3) printf "%9.*f", part[i + 1], number(part[i + 2])
            most = -1
            for (key in column)
                if (key ~ /issue_stalled_/ && number(key) > most) {
                    most = number(key)
                    why = key
                }
            gsub(/^.*issue_stalled_|_per_issue_active.*$/, "", why)
            gsub(/_/, " ", why)
            printf "  %s (%.1f)\n", why, most
            for (i = 1; i <= 4; i++) raw[k, i] = number(count[i])
            sectors[k] = raw[k, 2] + raw[k, 4]
            if (rows == 1 || (baseline != "" && name ~ baseline && !found++)) base = sectors[k]
        }
        END {
            printf "\n%-24s%16s%15s%15s%15s%15s%15s\n", "kernel", "block", "load requests",
                "sectors", "store requests", "sectors", "% of baseline"
            for (i = 1; i <= rows; i++) {
                k = kernel[i]
                printf "%s%15.0f%15.0f%15.0f%15.0f%15.1f\n", k, raw[k, 1], raw[k, 2], raw[k, 3],
                    raw[k, 4], base ? 100 * sectors[k] / base : 0
            }
            printf "\n%-24s%16s%20s%10s%12s%11s%11s%11s  microseconds\n", "kernel", "block", "grid",
                "launches", "total", "mean", "longest", "shortest"
            for (i = 1; i <= rows; i++) {
                k = kernel[i]
                printf "%s%20s%10d%12.1f%11.2f%11.2f%11.2f\n", k, grid[k], launches[k],
                    total[k], total[k] / launches[k], longest[k], least[k]
            }
        }'
    if [ "${PROFILE_REPORT:-1}" = 1 ]; then
        profile ncu-full.txt --set full --force-overwrite --export "$folder/ladder"
        echo "the full report: $folder/ladder.ncu-rep"
    fi
fi

if [ -n "$nsys" ]; then
    "$nsys" profile --force-overwrite=true --trace=cuda,nvtx --output "$folder/ladder" \
        "$program" "${options[@]}" "${time[@]}" >"$folder/nsys-table.txt"
    echo "Nsight Systems: $folder/ladder.nsys-rep"
    for report in cuda_api_sum cuda_gpu_kern_sum cuda_gpu_mem_time_sum cuda_gpu_mem_size_sum \
        nvtx_sum; do
        "$nsys" stats --quiet --report "$report" "$folder/ladder.nsys-rep" || true
    done
fi

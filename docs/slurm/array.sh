#!/bin/bash
# A list of images over an array of jobs:
#
#   find edges -name '*.pgm' >list.txt
#   sbatch --array=0-99%16 docs/slurm/array.sh 100 list.txt results -n 100000
#
# The list is cut into 100 shards, of which 16 run at a time: more shards than GPUs, so that a free
# GPU takes the next one. Shard I writes results/... and a line for each image into results/I.jsonl.
# At the end of its time, when preempted, or when its node dies, a shard goes back into the queue
# and continues where it was. The same command again does only what is missing; so does --array=3,17
# for some shards. It looks into all results/*.jsonl, so the number of shards may be another one
# when the first submission has ended. docs/slurm/progress.sh list.txt results: how far it is.
#SBATCH --job-name=reconstruct-array
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=reconstruct-%A_%a.txt
#SBATCH --signal=B:USR1@120
set -uo pipefail

usage='usage: sbatch --array=0-99%16 array.sh SHARDS LIST OUT [OPTION]...'
shards=${1:?$usage} list=${2:?$usage} out=${3:?$usage}
shift 3
shard=${SLURM_ARRAY_TASK_ID:?$usage}
# Shard 0 would never run, and the last one has no number.
if [ "${SLURM_ARRAY_TASK_MAX:-$shard}" -ge "$shards" ]; then
    last=$((shards - 1))
    echo "array.sh: $shards shards have the numbers 0 to $last: --array=0-$last" >&2
    exit 64
fi
# module load reconstruct
cd "${SLURM_SUBMIT_DIR:-.}" && mkdir -p "$out" || exit
program=./reconstruct
[ -x $program ] || program=reconstruct

# A trap hands the signal on, at any time. `wait` ends at it, and is asked again.
signal='' child=''
hand_on() { signal=$1; [ -z "$child" ] || kill -"$1" "$child" 2>/dev/null; }
trap 'hand_on USR1' USR1
trap 'hand_on TERM' TERM
$program --headless --files-from "$list" --shard "$shard/$shards" --parents --output-dir "$out" \
    --report "$out/$shard.jsonl" --resume="$out" --checkpoint "$out/checkpoints" "$@" &
child=$!
[ -z "$signal" ] || hand_on "$signal"
while signal=; wait $child; status=$?; [ -n "$signal" ]; do :; done

# 75: stopped, or another submission has an image of the shard. 138 and 143: USR1 or TERM came while
# it started. A cancelled job is not RUNNING any more, and one that was taken over has another node.
# The array's last job has the array's number, SLURM_JOB_ID, which would name all of its jobs.
job=${SLURM_ARRAY_JOB_ID-}_$shard
if [[ $status =~ ^(75|138|143)$ ]] &&
    [ "$(squeue -h -j "$job" -o '%T %N')" = "RUNNING ${SLURM_JOB_NODELIST-}" ]; then
    echo "$(date '+%F %T'): stopped; the shard goes back into the queue"
    scontrol requeue "$job"
fi
exit $status

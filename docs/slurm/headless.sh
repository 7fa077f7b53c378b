#!/bin/bash
# A long run that survives the end of its time, preemption and a node's failure:
#
#   sbatch docs/slurm/headless.sh EDGES.pgm OUT.pgm -n 10000000
#
# Slurm sends USR1 two minutes before the time is up (it may come up to a minute earlier than that).
# The program ends the batch in hand, writes its checkpoint and exits with 75, which means: run the
# same command again and it goes on from there. This script then puts the job back into the queue; the
# same script runs again under the same job number and finds the checkpoint. Preemption sends TERM and
# is handled alike. Where a node dies without a word, --requeue starts the job again, and at most
# --checkpoint-every seconds of work are lost.
#SBATCH --job-name=reconstruct
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=reconstruct-%j.txt
# B: the signal goes to this script, which hands it on; without it only srun's steps would get it.
#SBATCH --signal=B:USR1@120
set -uo pipefail

input=${1:?usage: sbatch headless.sh EDGES OUT [OPTION]...}
output=${2:?usage: sbatch headless.sh EDGES OUT [OPTION]...}
shift 2
# module load cuda
cd "${SLURM_SUBMIT_DIR:-.}" || exit

./reconstruct --headless "$@" --checkpoint "$output.checkpoint" --checkpoint-every 300 \
    --report "$output.json" "$input" -o "$output" &
program=$!
# A signal interrupts `wait`, so the script waits again until the program has really ended.
trap 'kill -USR1 $program 2>/dev/null' USR1
trap 'kill -TERM $program 2>/dev/null' TERM
while :; do
    wait $program
    status=$?
    kill -0 $program 2>/dev/null || break
done

if [ "$status" -eq 75 ]; then
    echo "$(date '+%F %T'): stopped with a checkpoint; the job goes back into the queue"
    # Where requeueing is not allowed, 75 tells whoever looks that the work is not lost.
    [ -n "${SLURM_JOB_ID:-}" ] && scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"

#!/bin/bash
# A long run that survives the end of its time, preemption and a node's failure:
#
#   sbatch docs/slurm/headless.sh EDGES.pgm OUT.pgm -n 10000000
#
# Slurm sends USR1 two minutes before the time is up (it may come up to a minute earlier than that).
# The program writes its checkpoint and exits with 75: the same command continues from there. This
# script then puts the job back into the queue, and runs again under the same job number. Preemption
# sends TERM and is handled alike. Where a node dies, --requeue starts the job again, and at most
# --checkpoint-every seconds of work are lost. `scancel JOB` cancels it.
#
# With several tasks they share the image, as ranks of reconstruct-mpi (make MPI=1), on one node or
# more:
#
#   sbatch --nodes=2 --ntasks-per-node=4 --gres=gpu:4 docs/slurm/headless.sh EDGES.pgm OUT.pgm \
#       -n 10000000
#
# LAUNCH is what starts them: `mpirun --bind-to none` of Open MPI, if nothing else is said.
#SBATCH --job-name=reconstruct
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=reconstruct-%j.txt
# B: the signal goes to this script, which hands it on.
#SBATCH --signal=B:USR1@120
set -uo pipefail

input=${1:?usage: sbatch headless.sh EDGES OUT [OPTION]...}
output=${2:?usage: sbatch headless.sh EDGES OUT [OPTION]...}
shift 2
# module load reconstruct
cd "${SLURM_SUBMIT_DIR:-.}" || exit
program=./reconstruct
[ -x $program ] || program=reconstruct
launch=
if [ "${SLURM_NTASKS:-1}" -gt 1 ]; then
    launch=${LAUNCH:-mpirun --bind-to none}
    program=$program-mpi
fi

# A trap hands the signal on, at any time. `wait` ends at it, and is asked again. mpirun hands USR1
# on to the ranks; after TERM it would give them two seconds.
signal='' child=''
hand_on() { signal=$1; [ -z "$child" ] || kill -"$1" "$child" 2>/dev/null; }
trap 'hand_on USR1' USR1
if [ -n "$launch" ]; then trap 'hand_on USR1' TERM; else trap 'hand_on TERM' TERM; fi
# Of an option that is given twice the last one counts: those of the command line win.
# shellcheck disable=SC2086
$launch $program --headless --checkpoint "$output.checkpoint" --checkpoint-every 300 \
    --report "$output.json" "$@" "$input" -o "$output" &
child=$!
[ -z "$signal" ] || hand_on "$signal"
while signal=; wait $child; status=$?; [ -n "$signal" ]; do :; done

# 138 and 143: USR1 or TERM came while it started. A cancelled job is not RUNNING any more, and one
# that was taken over runs on another node. Where requeueing is not allowed, 75 tells that the work
# is not lost.
if [[ $status =~ ^(75|138|143)$ ]] && [ -n "${SLURM_JOB_ID:-}" ] &&
    [ "$(squeue -h -j "$SLURM_JOB_ID" -o '%T %N')" = "RUNNING ${SLURM_JOB_NODELIST-}" ]; then
    echo "$(date '+%F %T'): stopped; the job goes back into the queue"
    scontrol requeue "$SLURM_JOB_ID"
fi
exit $status

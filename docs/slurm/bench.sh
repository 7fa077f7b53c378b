#!/bin/bash
# The ladder on one GPU of a cluster: sbatch docs/slurm/bench.sh
# Change the account, the partition and the modules to what the cluster has.
#SBATCH --job-name=reconstruct-bench
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=16
#SBATCH --time=00:15:00
#SBATCH --output=bench-%j.txt
# The whole node, where that can be had: other jobs take memory bandwidth from the CPU's rungs.
##SBATCH --exclusive
set -euo pipefail

# module load reconstruct
cd "${SLURM_SUBMIT_DIR:-.}"
program=./reconstruct-bench
[ -x $program ] || program=reconstruct-bench
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-16}

# docs/ladder.py draws the roofline of the file, and compares it with an earlier one.
# srun does not inherit --cpus-per-task by itself.
srun --cpus-per-task="${SLURM_CPUS_PER_TASK:-16}" $program --size "${SIZES:-2048,8192}" \
    --json "ladder-${SLURM_JOB_ID:-0}.json"

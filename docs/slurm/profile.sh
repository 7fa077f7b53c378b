#!/bin/bash
# What Nsight Compute sees of every rung; in a clone of the repository: sbatch docs/slurm/profile.sh
#
# Counters are often for administrators alone (ERR_NVGPUCTRPERM): then ask for a node or a
# constraint that opens them to users. A monitor that reads the same counters (DCGM) has to pause
# meanwhile, on some clusters by --constraint, on others by dcgmi profile --pause.
#SBATCH --job-name=reconstruct-profile
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --time=00:20:00
#SBATCH --output=profile-%j.txt
set -euo pipefail

# module load reconstruct cuda
cd "${SLURM_SUBMIT_DIR:-.}"
program=./reconstruct-bench
[ -x $program ] || program=$(command -v reconstruct-bench)
PROFILE_DIR=profile-${SLURM_JOB_ID:-0} kernels/ladder/profile.sh "$program" --size "${SIZE:-4096}"

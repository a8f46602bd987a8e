#!/usr/bin/env bash
#SBATCH --job-name=part
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=2G
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=part-%a.log
# A task of a job array: one part of the study, in a folder of its own.
set -euo pipefail

# exec, so that the signal two minutes before the time limit reaches holdfast itself: it stops,
# keeps what is done and exits with 130
exec holdfast study study.toml --part auto --out "parts/$SLURM_ARRAY_TASK_ID" \
  --n-jobs "${SLURM_CPUS_PER_TASK:-1}"

#!/usr/bin/env bash
#SBATCH --job-name=part
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=2G
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=part-%a.log
# A task of a job array: one part of the study, on the disk of the node, kept in parts/TASK.
set -euo pipefail

kept=parts/$SLURM_ARRAY_TASK_ID
scratch=$(mktemp -d "${TMPDIR:-/tmp}/holdfast.XXXXXX")
trap 'rm -rf -- "$scratch"' EXIT
mkdir -p "$kept" "$scratch/part"

# what an earlier run of this task kept continues
if [[ -e $kept/study.sqlite ]]; then
  cp -- "$kept"/* "$scratch/part/"
fi

# SQLite copies the store, so that a transaction that a killed process left is not copied in part
copy_store='import sqlite3, sys
source, target = map(sqlite3.connect, sys.argv[1:])
source.backup(target)'

# Copy each file to a temporary name, and rename it when it is complete. The store comes last, as
# it marks a folder that can be used.
keep_results() {
  local file new
  if [[ -e $scratch/part/study.sqlite ]]; then
    for file in plan.json data.npz study.sqlite; do
      new=parts/.$SLURM_ARRAY_TASK_ID.$file
      rm -f -- "$new"
      if [[ $file == study.sqlite ]]; then
        python -c "$copy_store" "$scratch/part/$file" "$new"
      elif [[ -e $scratch/part/$file ]]; then
        cp -- "$scratch/part/$file" "$new"
      else
        continue
      fi
      mv -- "$new" "$kept/$file"
    done
  fi
  rm -rf -- "$scratch"
}

trap - EXIT # from now on, scratch goes only when its results are kept
status=0
holdfast study study.toml --part auto --out "$scratch/part" \
  --n-jobs "${SLURM_CPUS_PER_TASK:-1}" &
run=$!
trap 'kill -TERM "$run" || true' TERM

# a signal ends `wait` early, while holdfast is still stopping
wait "$run" || status=$?
while kill -0 "$run" 2> /dev/null; do
  status=0
  wait "$run" || status=$?
done
keep_results
exit "$status"

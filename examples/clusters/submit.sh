#!/usr/bin/env bash
# Submit a study to SLURM: an array of parts, then a job that merges them, then the report.
#
#     bash submit.sh PARTS JOB_SCRIPT        for example: bash submit.sh 3 part.sh
#
# Run it in the folder of study.toml, with at least 2 parts. If parts were stopped, run it again:
# they continue, and parts that are complete end at once.
set -euo pipefail

parts=$1
script=$2
mkdir -p parts

array=$(sbatch --parsable --array="1-$parts" "$script")
merge=$(sbatch --parsable --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
  --job-name=merge --time=01:00:00 --output=merge.log \
  --wrap='test -e whole/study.sqlite || holdfast merge parts/*/ --out whole')
sbatch --parsable --dependency="afterok:${merge%%;*}" --kill-on-invalid-dep=yes \
  --job-name=report --time=01:00:00 --output=report.log \
  --wrap='holdfast report whole --found-again 0.8'

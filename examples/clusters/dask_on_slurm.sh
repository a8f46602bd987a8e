#!/usr/bin/env bash
#SBATCH --job-name=holdfast
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --output=dask.log
# One job with a Dask cluster in it: a scheduler, a worker per task, and the study.
set -euo pipefail

file=$PWD/scheduler-$SLURM_JOB_ID.json
dask scheduler --no-dashboard --port 0 --scheduler-file "$file" &
scheduler=$!
until [[ -s $file ]]; do sleep 1; done

srun dask worker --no-dashboard --nthreads 1 --scheduler-file "$file" \
  --local-directory "${TMPDIR:-/tmp}" &
workers=$!
trap 'kill "$workers" "$scheduler" || true; rm -f -- "$file"' EXIT
python -c 'import sys; from distributed import Client
Client(scheduler_file=sys.argv[1]).wait_for_workers(1, timeout=600)' "$file"

holdfast study study.toml --out whole --scheduler-file "$file" &
run=$!
trap 'kill -TERM "$run" || true' TERM
status=0
wait "$run" || status=$?
while kill -0 "$run" 2> /dev/null; do
  status=0
  wait "$run" || status=$?
done
exit "$status"

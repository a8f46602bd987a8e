"""Run a study on workers that dask-jobqueue submits as SLURM jobs; they may come and go.

Run it on a login node or in a small job: ``python dask_jobqueue_study.py``. The same command
continues a study that was stopped.
"""

from __future__ import annotations

from dask.distributed import Client
from dask_jobqueue import JobQueueCluster, SLURMCluster

import holdfast as hf


def run_study(cluster: JobQueueCluster, out: str, *, max_jobs: int = 20) -> hf.Result:
    """Run the study on up to `max_jobs` jobs of a cluster, and return the result."""
    data = hf.io.read_data("@breast_cancer")
    protocol = hf.Subsampling(100, 0.9)
    study = hf.Study(["f_score", "svm_rfe"], protocol=protocol, sizes=[5], classifiers=["knn3"])
    with Client(cluster) as client:
        cluster.adapt(minimum_jobs=1, maximum_jobs=max_jobs)
        client.wait_for_workers(1)
        return study.run(data, out=out, client=client)


if __name__ == "__main__":
    # one worker process per core, as each unit runs in one thread
    with SLURMCluster(cores=4, processes=4, memory="8GB", walltime="04:00:00") as slurm:
        run_study(slurm, "whole").report("whole")

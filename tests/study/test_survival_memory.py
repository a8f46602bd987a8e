"""A study of wide data needs the memory of the data and a little more, in any of its processes."""

import os
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.study._execution._local_pool import LocalPool
from tests.study.runs import FORKS

pytestmark = pytest.mark.integration

SHAPE = (200, 100_000)
MORE = 1_000_000_000


def peak(pid):
    """Return the most bytes that a process ever had in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (found,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return 1024 * int(found)


def children(pid):
    """Return the processes that a process started."""
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in listed for child in path.read_text().split()]


def run_and_measure(answer):
    """Run a wide study, and send the peak memory of this process and of its workers."""
    y = np.arange(SHAPE[0]) % 2
    X = np.random.default_rng(0).standard_normal(SHAPE, dtype=np.float32)
    selectors = ["t_score", "f_score", "symmetrical_uncertainty"]
    peaks = []
    close = LocalPool.close

    def measured_close(pool):
        peaks.extend(peak(child) for child in children(os.getpid()))
        close(pool)

    LocalPool.close = measured_close
    result = hf.Study(selectors, protocol=hf.Subsampling(100, 0.9), replication=0).run(
        X, y, n_jobs=2
    )
    complete = result.complete and len(result.stability) > 0
    answer.send((complete, X.nbytes, [peak(os.getpid()), *peaks]))


@pytest.mark.slow
def test_no_process_of_a_wide_study_needs_more_than_the_data_and_a_gigabyte():
    ours, theirs = FORKS.Pipe()
    process = FORKS.Process(target=run_and_measure, args=(theirs,))
    process.start()
    theirs.close()
    complete, data, peaks = ours.recv()
    process.join()
    assert complete
    assert len(peaks) >= 3
    assert max(peaks) < data + MORE

"""Reports of studies with many selectors: seconds, and the size of the page.

``python -m benchmarks.many_selectors`` prints wall-clock seconds, CPU seconds and the size of the
page for 100 and for 1,000 selectors; the rows of the table of benchmarks hold CPU seconds.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import holdfast as hf
from benchmarks._inputs import labelled
from benchmarks._record import SEED, Goal, benchmark

if TYPE_CHECKING:
    import numpy as np

COUNTS = (100, 1_000)


def finished_study(rng: np.random.Generator, *, count: int) -> hf.Result:
    """Run a study of the F score under many names, with the usual disjoint halves."""
    X, y = labelled(rng, n=60, p=20)
    selectors = dict.fromkeys((f"selector {number}" for number in range(count)), "f_score")
    study = hf.Study(selectors, protocol=hf.Subsampling(10), sizes=[5], classifiers=("knn3",))
    return study.run(hf.io.from_arrays(X, y), n_jobs=1)


def write_page(result: hf.Result) -> int:
    """Report a study that is read again, with no table known yet; return the bytes of the page."""
    with tempfile.TemporaryDirectory() as folder:
        again = hf.Result(result.store, lambda: result.dataset)
        return again.report(Path(folder) / "report.html")[0].stat().st_size


for count, goal in zip(COUNTS, (20, 60), strict=True):
    benchmark(
        task=f"report of {count:,} selectors, 10 resamples, 20 features",
        inputs=partial(finished_study, count=count),
        tiny=partial(finished_study, count=2),
        goal=Goal(seconds=goal),
    )(write_page)


def main() -> None:
    """Print seconds and the size of the page."""
    import numpy as np

    write_page(finished_study(np.random.default_rng(SEED), count=2))  # compiles, imports
    for count in COUNTS:
        result = finished_study(np.random.default_rng(SEED), count=count)
        start, cpu_start = time.perf_counter(), time.process_time()
        megabytes = write_page(result) / 1e6
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        print(f"{count:,} selectors: {wall:.1f} s, {cpu:.1f} s of CPU, page {megabytes:.1f} MB")


if __name__ == "__main__":
    main()

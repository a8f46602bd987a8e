"""From how many samples is SVM-RFE faster without a Gram matrix?

``python -m benchmarks.calibration.svm_solvers`` prints the seconds of both solvers for numbers of
samples and features: the constants `MIN_MANY_SAMPLES` and `MIN_SAMPLES_PER_FEATURE`.
"""

from __future__ import annotations

import time

import numpy as np
from threadpoolctl import threadpool_limits

import holdfast as hf
from holdfast.select import _linear_svm, _svm_rfe

SAMPLES = (100, 200, 400, 800, 1600)
SAMPLES_PER_FEATURE = (2, 4, 8, 16)
REPEATS = 2


def draw(n, p):
    """Draw data whose first five features help to predict the class."""
    generator = np.random.default_rng(n + p)
    X = generator.normal(size=(n, p))
    return X, (X[:, :5].sum(axis=1) + 2 * generator.normal(size=n) > 0).astype(int)


def seconds(X, y, *, with_gram):
    """Return the seconds of an elimination, the fastest of a few."""
    _linear_svm.has_many_samples = _svm_rfe.has_many_samples = lambda *_: not with_gram
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        hf.SVMRFE().fit(X, y)
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    """Print the table."""
    seconds(*draw(50, 10), with_gram=True), seconds(*draw(50, 10), with_gram=False)
    print(f"{'n':>6} {'p':>6} {'Gram':>8} {'without':>8}")
    with threadpool_limits(1):
        for n in SAMPLES:
            for ratio in SAMPLES_PER_FEATURE:
                data = draw(n, max(n // ratio, 5))
                both = [seconds(*data, with_gram=with_gram) for with_gram in (True, False)]
                print(f"{n:6d} {data[0].shape[1]:6d} {both[0]:8.3f} {both[1]:8.3f}", flush=True)


if __name__ == "__main__":
    main()

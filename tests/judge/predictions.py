"""Predictions made by hand, for tests of what judges them."""

import numpy as np

from holdfast.judge import Pair, Tested


def pairs(count):
    return tuple(Pair(f"s{i}", "knn3", 5) for i in range(count))


def once(wrong, known=None, units=None):
    """Return predictions of samples that are tested once each."""
    wrong = np.atleast_2d(np.asarray(wrong, dtype=bool))
    n = wrong.shape[1]
    return Tested(
        pairs=pairs(len(wrong)),
        wrong=wrong,
        known=np.ones_like(wrong) if known is None else known,
        samples=np.arange(n),
        group=np.arange(n) * 5 // n,
        once=True,
        overlap=0.25,
        units=units,
    )


def repeated(wrong, group, samples, overlap=0.25, known=None, units=None):
    """Return predictions of samples that are tested repeatedly."""
    wrong = np.atleast_2d(np.asarray(wrong, dtype=bool))
    return Tested(
        pairs=pairs(len(wrong)),
        wrong=wrong,
        known=np.ones_like(wrong) if known is None else known,
        samples=samples,
        group=group,
        once=False,
        overlap=overlap,
        units=units,
    )


def subsampled(error, n=60, k=20, share=0.2, seed=0):
    """Return predictions on k random test parts; `error` is a probability for each pair."""
    rng = np.random.default_rng(seed)
    size = round(n * share)
    samples = np.concatenate([rng.permutation(n)[:size] for _ in range(k)])
    wrong = rng.random((len(error), k * size)) < np.asarray(error)[:, None]
    return repeated(wrong, np.repeat(np.arange(k), size), samples, size / (n - size))

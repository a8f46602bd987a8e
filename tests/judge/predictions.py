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


def naive_spread(values, samples, group, units, *, once, overlap):
    """Return mean and standard error of values of single predictions, spelled out with loops."""
    parts = np.unique(group)
    weight = np.array([1.0 if once else 1 / np.sum(group == g) for g in group])
    weight /= weight.sum()
    assert once or len(parts) > 0
    mean = float(np.sum(weight * values))
    names = np.unique(units)
    between = 0.0
    for name in names:
        own = units == name
        between += np.sum(weight[own] * (values[own] - mean)) ** 2 / (1 - weight[own].sum())
    general = min(1.0, 40 / len(names))
    if overlap == 0:
        return mean, np.sqrt(between)
    if once:
        return mean, np.sqrt(between * (1 + general))
    single = float(np.sum(weight * (values - mean) ** 2))
    twos = [
        (values[i] - values[j]) ** 2
        for i in range(len(values))
        for j in range(i)
        if samples[i] == samples[j]
    ]
    if twos:
        learned = min(np.mean(twos) / (2 * np.arccos(1 / (1 + overlap))), single)
    else:
        learned = general * single
    return mean, np.sqrt(between + learned / len(names))

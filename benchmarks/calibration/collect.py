"""Draw data sets, run selectors on all parts that the estimate needs, and find the truth.

``python -m benchmarks.calibration.collect CACHE [--seed N] [--only TEXT] [--list hold-out]`` keeps
one file per setting and selector in the folder CACHE; what is there already is not computed again.
"""

from __future__ import annotations

import argparse
import time
import warnings
import zlib
from pathlib import Path

import numpy as np

import holdfast as hf
from benchmarks.calibration.populations import Real
from benchmarks.calibration.settings import LISTS
from holdfast.resample import ReplicationDesign
from holdfast.resample._strata import Units

PAIRS = 30
"""Pairs of halves: what a study with 100 resamples has."""
SLOW = ("svm_rfe", "l1_path", "forest_importance")
DATA_SETS, SLOW_DATA_SETS = 6, 4
TRUTH, SLOW_TRUTH = 200, 100
"""Independent studies that the truth rests on."""


class Ranked:
    """A selector on a data set: ranks from 0, and how many features lie above the lowest score."""

    def __init__(self, selector, X, y, subjects, seed):
        own = hf.select.get_selector(selector).kind(random_state=seed)
        self._judge = own.bind(X, y, subjects if own.supports_subjects else None)

    def bind(self, rows, first=0):
        """Return ranks and the number of features above the lowest score, for lists of rows."""
        weights, ranks = self._judge.select_resamples(rows, first)
        values = np.asarray(ranks.values).astype(np.uint16) - 1
        if weights is None:
            return values, np.full(len(rows), values.shape[1])
        table = np.asarray(weights.values)
        return values, (table > table.min(axis=1, keepdims=True)).sum(axis=1)


def signed_t(X, y, rows):
    """Return pooled two-sample t statistics with their signs, one row per list of rows."""
    found = []
    for chosen in rows:
        a, b = X[chosen][y[chosen] == 0], X[chosen][y[chosen] == 1]
        pooled = ((len(a) - 1) * a.var(0, ddof=1) + (len(b) - 1) * b.var(0, ddof=1)) / (
            len(a) + len(b) - 2
        )
        spread = np.sqrt(pooled * (1 / len(a) + 1 / len(b)))
        found.append(
            np.divide(b.mean(0) - a.mean(0), spread, out=np.zeros(X.shape[1]), where=spread > 0)
        )
    return np.array(found, dtype=np.float32)


def collect(setting, selector, seed):
    """Return the arrays of one setting and selector."""
    key = zlib.crc32(f"{setting.name}/{selector}".encode())
    rng = np.random.default_rng([seed, key])
    slow = selector in SLOW
    data_sets, studies = (SLOW_DATA_SETS, SLOW_TRUTH) if slow else (DATA_SETS, TRUTH)
    real = isinstance(setting.population, Real)
    out = {"n": setting.n, "k": setting.size, "data_sets": data_sets, "studies": studies}
    truth = None
    for number in range(data_sets):
        if real:
            (X, y, subjects), another = setting.population.split(setting.n, rng)
        else:

            def another(rng):
                return setting.population.draw(setting.n, rng)

            X, y, subjects = another(rng)
        out |= {
            f"{name}{number}": value
            for name, value in parts(selector, X, y, subjects, number).items()
        }
        if real or truth is None:
            truth = counted(setting, selector, another, studies // 2 if real else studies, rng)
        out[f"truth{number}"] = truth
    out["p"] = X.shape[1]
    return out


def parts(selector, X, y, subjects, seed):
    units = Units.from_labels(y, subjects)
    resamples = ReplicationDesign(PAIRS).draw_units(units, seed)
    rows = [np.arange(len(y))] * 4 + [one.train for one in resamples]
    roles = np.array(["full"] * 4 + [one.role for one in resamples])
    ranks, untied = Ranked(selector, X, y, subjects, seed).on(rows)
    found = {f"{role}": ranks[roles == role] for role in np.unique(roles)}
    found |= {f"{role}_untied": untied[roles == role] for role in np.unique(roles)}
    if selector in ("t_score", "f_score") and len(np.unique(y)) == 2:
        halves = [row for row, role in zip(rows, roles, strict=True) if role == "half"]
        found["z_full"], found["z_half"] = signed_t(X, y, rows[:1])[0], signed_t(X, y, halves)
    return found


def counted(setting, selector, another, studies, rng):
    """Return how many of the independent studies select each feature, and how many there were."""
    counts = 0
    for study in range(studies):
        X, y, subjects = another(rng)
        ranks, _ = Ranked(selector, X, y, subjects, study).on([np.arange(len(y))])
        counts = counts + (ranks[0] < setting.size)
    return np.append(counts, studies)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", choices=LISTS, default="development")
    parser.add_argument("--part", default="0/1", help="I/N: do the I-th of N parts of the list")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    settings = LISTS[options.list]
    jobs = [(one, name) for one in settings for name in one.selectors]
    part, of = map(int, options.part.split("/"))
    for setting, selector in jobs[part::of]:
        path = options.cache / f"{selector}__{setting.name}.npz"
        if path.exists() or options.only not in path.name:
            continue
        start = time.perf_counter()
        np.savez(path, **collect(setting, selector, options.seed))
        print(f"{path.name} {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()

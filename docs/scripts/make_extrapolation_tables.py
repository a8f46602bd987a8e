"""Print the tables of docs/planning.md: predicted replication stability against the truth.

Run it after a change to `extrapolate`. DIR holds isolet.parquet and semeion.parquet; the argument
is the number of data sets per setting. Ten data sets take half an hour or more::

    HOLDFAST_DATA=DIR python docs/scripts/make_extrapolation_tables.py 10
"""

import os
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

import holdfast as hf

N_PAIRS = 40
SELECTORS = {
    "t_score": hf.TScore(),
    "relieff": hf.ReliefF(),
    "svm_rfe": hf.SVMRFE(step=0.5),
}
REAL = {  # rows that the estimator sees
    "breast cancer": (70, 140, 284),
    "semeion": (200, 400, 796),
    "isolet": (200, 400, 800),
}
SIMULATED = {  # samples, features, effects, selected, features of a block
    "20 equal": (80, 500, [0.35] * 20, 20, 1),
    "20 equal, blocks": (80, 500, [0.35] * 20, 20, 10),
    "10 of 20 equal": (80, 200, [0.45] * 10, 20, 1),
    "exponential": (100, 1000, -0.25 * np.log(1 - (np.arange(50) + 0.5) / 50), 20, 1),
    "exponential, blocks": (100, 1000, -0.25 * np.log(1 - (np.arange(50) + 0.5) / 50), 20, 10),
    "exponential, few samples": (40, 200, -0.4 * np.log(1 - (np.arange(50) + 0.5) / 50), 10, 1),
    "all weak": (400, 2000, "triangular", 50, 1),
    "all weak, blocks": (200, 500, "triangular", 50, 10),
    "5 strong": (40, 2000, [1.0] * 5, 10, 1),
}


def rank_features(selector, X, y, rows):
    """Return the ranks of all features on some rows."""
    return selector.fit(X[rows], y[rows]).ranking_


def corrected_overlap(first, second, size):
    """Return the corrected overlap of the best features of two rankings."""
    n_features = len(first)
    chance = size / n_features
    return (((first <= size) & (second <= size)).sum() / size - chance) / (1 - chance)


def estimate_at_sizes(selector, X, y, sizes, seed):
    """Return the replication stability at each size; one ranking serves all."""
    resamples = hf.resample.ReplicationDesign(N_PAIRS).draw(y, random_state=seed)
    pairs = hf.resample.ReplicationPairs.from_resamples(resamples)
    found = [rank_features(selector, X, y, one.train) for one in resamples]
    return {size: _estimate(found, pairs, len(y), size) for size in sizes}


def _estimate(found, pairs, n_samples, size):
    values = {
        name: np.array(
            [
                corrected_overlap(found[i], found[j], size)
                for i, j in getattr(pairs, name).reshape(-1, 2)
            ]
        ).reshape(getattr(pairs, name).shape[:-1])
        for name in ("halves", "parts", "quarters")
    }
    pair_values = hf.judge.PairValues(**values, n_units=n_samples)
    return hf.judge.estimate_replication(
        pair_values, measure="nogueira", size=size, n_features=len(found[0])
    )


def load_real_data(name):
    """Return data in two classes: of the letters the vowels, of the digits zero."""
    if name == "breast cancer":
        return load_breast_cancer(return_X_y=True)
    table = pd.read_parquet(Path(os.environ["HOLDFAST_DATA"]) / f"{name}.parquet")
    classes = table.pop("class")
    return table.to_numpy(dtype=float), classes.isin(list("AEIOU0")).to_numpy().astype(int)


def sample_rows(y, n_samples, rng):
    """Return random rows with both classes in proportion, in random order."""
    share = n_samples / len(y)
    rows = [
        rng.permutation(np.flatnonzero(y == one))[: round(share * (y == one).sum())]
        for one in (0, 1)
    ]
    return rng.permutation(np.concatenate(rows))


def true_stability_of_rows(selector, X, y, n_samples, sizes, rng):
    """Return the mean similarity between disjoint samples of rows, NaN if there are too few."""
    if 2 * n_samples > len(y) + 1:
        return dict.fromkeys(sizes, np.nan)
    both = []
    for _ in range(N_PAIRS):
        rows = sample_rows(y, min(2 * n_samples, len(y)), rng)
        halves = [np.concatenate([one[at::2] for one in _split_by_class(rows, y)]) for at in (0, 1)]
        both.append([rank_features(selector, X, y, half) for half in halves])
    return {size: np.mean([corrected_overlap(*pair, size) for pair in both]) for size in sizes}


def _split_by_class(rows, y):
    return [rows[y[rows] == one] for one in (0, 1)]


def real_cases(n_repeats):
    """Yield estimates on some rows of real data, and the truth of larger samples from all rows."""
    for name, numbers in REAL.items():
        X, y = load_real_data(name)
        sizes = [size for size in (5, 10, 20, 50) if 3 * size <= X.shape[1]][-3:]
        for n, (kind, selector) in product(numbers, SELECTORS.items()):
            if kind == "svm_rfe" and n == numbers[-1]:  # too slow for a table
                continue
            rng = np.random.default_rng([n, len(kind)])
            truth = [true_stability_of_rows(selector, X, y, m * n, sizes, rng) for m in (1, 2, 4)]
            for seed in range(n_repeats if kind != "svm_rfe" else max(1, n_repeats // 3)):
                rows = sample_rows(y, n, rng)
                for size, found in estimate_at_sizes(
                    selector, X[rows], y[rows], sizes, seed
                ).items():
                    yield (name, n, kind, size), found, [one[size] for one in truth]


def simulated_cases(n_repeats):
    """Yield estimates on simulated data, and the truth from independent data."""
    for name, (n, n_features, effects, size, block) in SIMULATED.items():
        model = hf.simulate.GaussianModel(
            _feature_effects(effects, n_features),
            block_size=block,
            correlation=0.5 if block > 1 else 0.0,
        )
        for kind, selector in SELECTORS.items():
            if kind != "t_score" and name not in ("20 equal", "exponential, few samples"):
                continue
            rng = np.random.default_rng([n, len(kind)])
            truth = [_true_stability_of_model(selector, model, m * n, size, rng) for m in (1, 2, 4)]
            for seed in range(n_repeats if kind != "svm_rfe" else max(1, n_repeats // 3)):
                X, y = model.draw(n // 2, rng)
                yield (
                    (name, n, kind, size),
                    estimate_at_sizes(selector, X, y, [size], seed)[size],
                    truth,
                )


def _feature_effects(effects, n_features):
    if isinstance(effects, str):
        return hf.theory.TriangularEffects(gamma=2, largest=0.4).effects(n_features)
    return np.append(effects, np.zeros(n_features - len(effects)))


def _true_stability_of_model(selector, model, n_samples, size, rng):
    """Return the mean similarity between data sets, by how often each feature is selected."""
    n_sets, counts = 60, np.zeros(model.n_features)
    for _ in range(n_sets):
        counts += selector.fit(*model.draw(n_samples // 2, rng)).ranking_ <= size
    shared = (counts * (counts - 1)).sum() / (n_sets * (n_sets - 1) * size)
    chance = size / model.n_features
    return (shared - chance) / (1 - chance)


def table_rows(cases, columns):
    """Return a table of errors: one row per combination of the columns, then all."""
    groups = defaultdict(list)
    for setting, found, truth in cases:
        ahead = found.curve.loc[found.curve["kind"] == "predicted", "n_samples"].tolist()
        predicted = hf.judge.extrapolate(
            found.points, at=ahead, n_features=found.n_features, size=found.size
        )
        key = tuple(str(setting[column]) for column in columns)
        groups[key].append((predicted, truth))
        groups[("all", *[""] * (len(columns) - 1))].append((predicted, truth))
    everything = groups.pop(("all", *[""] * (len(columns) - 1)))
    rows = [*groups.items(), (("all", *[""] * (len(columns) - 1)), everything)]
    return [[*key, str(len(found)), *_error_cells(found)] for key, found in rows]


def _error_cells(found):
    """Return stability, mean absolute error, bias and coverage at n, 2n and 4n."""
    cells = []
    for at in range(3):
        known = [(one.iloc[at], truth[at]) for one, truth in found if np.isfinite(truth[at])]
        if not known:
            cells += ["", "", ""]
            continue
        truth = np.array([value for _, value in known])
        gaps = np.array([row["value"] for row, _ in known]) - truth
        inside = np.mean([row["low"] <= value <= row["high"] for row, value in known])
        cells += [f"{truth.mean():.2f}", f"{abs(gaps).mean():.3f} ({gaps.mean():+.3f})"]
        cells += [f"{inside:.0%}"]
    return cells


def print_table(cases, columns, titles):
    """Print a table in Markdown."""
    more = [f"{one} at {at}" for at in ("n", "2n", "4n") for one in ("ρ", "error", "covered")]
    titles = [*titles, "sets", *more]
    for line in (titles, ["---"] * len(titles), *table_rows(cases, columns)):
        print(f"| {' | '.join(line)} |", flush=True)  # noqa: T201


def main(n_repeats):
    cases = list(real_cases(n_repeats))
    print_table(cases, (0, 2, 1), ("data", "selector", "n"))
    print_table(cases, (2,), ("selector",))
    print_table(list(simulated_cases(2 * n_repeats)), (0, 1, 2), ("setting", "n", "selector"))


if __name__ == "__main__":
    main(int(sys.argv[1]))

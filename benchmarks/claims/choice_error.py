"""The error of the choice against the true error of what is chosen."""

from __future__ import annotations

import numpy as np

import holdfast as hf
from benchmarks.claims._claim import Claim, share_error
from benchmarks.claims._classified import draw, neighbour_votes, subsampling
from holdfast.judge._decision_rule import CandidateStability, DecisionRule
from holdfast.judge._error_comparison import PredictionErrors

SELECTORS, SIZES = ("t_score", "relieff", "linear_svm_weights"), (5, 20)
SAMPLES, FEATURES, RESAMPLES, HALVES, SUBSETS, NEW = 60, 300, 25, 30, 15, 1000
SETTINGS = {"signal": 1.1, "noise": 0.0}
TRUE_FITS = 2
"""Training parts on which pairs are fitted for their true errors."""
RIDGE = 0.3
BIAS_GOAL, COVERED = 0.005, (0.9, 0.98)
Z95 = 1.96


def discriminant(train, classes, test):
    """Classify by a linear discriminant with a ridge."""
    means = [train[classes == label].mean(axis=0) for label in (0, 1)]
    apart = train - np.where(classes[:, None] == 1, means[1], means[0])
    within = apart.T @ apart / len(train) + RIDGE * np.eye(train.shape[1])
    return (test - (means[0] + means[1]) / 2) @ np.linalg.solve(within, means[1] - means[0]) > 0


def nearest(train, classes, test):
    """Classify by three nearest neighbours."""
    return neighbour_votes(train, classes, test) > 0.5


CLASSIFIERS = {"linear": discriminant, "knn3": nearest}
PAIRS = tuple(
    hf.judge.Pair(selector, classifier, size)
    for selector in SELECTORS
    for size in SIZES
    for classifier in CLASSIFIERS
)


def wrong_on(X, y, features, train, test_X, test_y, classifier):
    """Fit to some rows and features, scaled by these, and return what is misclassified."""
    own = X[np.ix_(train, features)]
    middle, spread = own.mean(axis=0), own.std(axis=0)
    scaled = (test_X[:, features] - middle) / spread
    return CLASSIFIERS[classifier]((own - middle) / spread, y[train], scaled) != test_y


def design(rng, y):
    """Return the rows of subsamples, halves and parts of subsets, and what subsets leave out."""
    everyone = np.arange(SAMPLES)
    trains = subsampling(rng, y, everyone, RESAMPLES, 0.9)
    halves, parts, left_out = [], [], []
    for half in subsampling(rng, y, everyone, HALVES, 0.5):
        halves += [np.flatnonzero(half), np.flatnonzero(~half)]
    for kept in subsampling(rng, y, everyone, SUBSETS, 0.75):
        rows = np.flatnonzero(kept)
        left_out.append(np.flatnonzero(~kept))
        for half in subsampling(rng, y[rows], np.arange(len(rows)), 2, 0.5):
            parts += [rows[half], rows[~half]]
    return trains, halves, parts, left_out


def agreement(marked, size):
    """Return by how much rows that follow each other agree beyond chance."""
    chance = size / FEATURES
    return ((marked[::2] & marked[1::2]).sum(axis=1) / size - chance) / (1 - chance)


def log_odds(value):
    """Return log odds of a value between chance and perfect agreement."""
    inside = np.clip(value, 0.01, 0.99)
    return np.log(inside / (1 - inside))


def simulate(seed, largest):
    """Choose on one data set; return what is said and what is true."""
    rng = np.random.default_rng(seed)
    X, y, _ = draw(rng, SAMPLES, FEATURES, largest)
    new_X, new_y, _ = draw(rng, NEW, FEATURES, largest)
    trains, halves, parts, left_out = design(rng, y)
    rows = [*(np.flatnonzero(train) for train in trains), *halves, *parts, np.arange(SAMPLES)]
    part, sample = np.nonzero(~trains)
    wrong, scores, without, marks = [], [], [], {}
    for selector in SELECTORS:
        ranks = hf.select.get_selector(selector).kind().rank_resamples(X, y, rows)
        for size in SIZES:
            chosen = ranks.top(size)
            marked = np.zeros((len(rows), FEATURES), dtype=bool)
            for row in range(len(rows)):
                marked[row, np.asarray(chosen[row])] = True
            marks[selector, size] = marked
            usual = float(hf.measure("nogueira", chosen[list(range(RESAMPLES))]))
            start = RESAMPLES + 2 * HALVES
            second = agreement(marked[RESAMPLES:start], size).mean()
            scores += [(log_odds(second) + log_odds(usual)) / 2] * len(CLASSIFIERS)
            own = agreement(marked[start : start + 4 * SUBSETS], size).reshape(SUBSETS, 2)
            without += [own.mean(axis=1)] * len(CLASSIFIERS)
            wrong += [
                np.concatenate(
                    [
                        wrong_on(
                            X, y, np.flatnonzero(marked[row]), trains[row], X[~trains[row]],
                            y[~trains[row]], classifier,
                        )
                        for row in range(RESAMPLES)
                    ]
                )
                for classifier in CLASSIFIERS
            ]  # fmt: skip
    tested = hf.judge.Tested(
        pairs=PAIRS, wrong=wrong, known=np.ones_like(wrong), samples=sample, group=part, once=False,
        overlap=float((~trains).sum() / trains.sum()),
    )  # fmt: skip
    sizes = [pair.size for pair in PAIRS]
    deletions = [
        hf.judge.Deletion(out, np.array(without)[:, subset]) for subset, out in enumerate(left_out)
    ]
    estimate = hf.judge.choice_error(tested, scores, deletions=deletions, sizes=sizes)
    fixed = hf.judge.choice_error(tested, scores, sizes=sizes, n_bootstraps=20)
    scored = PredictionErrors(tested).candidate_errors()
    merits = CandidateStability(np.array(scores), np.array(sizes, dtype=float))
    chosen = DecisionRule().decide(scored, merits).chosen
    true = np.array(
        [
            [
                wrong_on(
                    X, y, np.flatnonzero(marks[selector, size][row]), rows[row], new_X, new_y,
                    classifier,
                ).mean()
                for row in [*range(TRUE_FITS), -1]
            ]
            for selector, classifier, size in PAIRS
        ]
    )  # fmt: skip
    parts = true[:, :TRUE_FITS].mean(axis=1)
    luck = (scored.errors - parts).mean()  # of pairs that nobody chose: 0 over all data sets
    return (
        estimate.error, estimate.standard_error, fixed.error, scored.errors[chosen], parts[chosen],
        true[chosen, -1], luck,
    )  # fmt: skip


def run(data_sets):
    """Return a row for each setting."""
    rows = []
    for place, (setting, largest) in enumerate(SETTINGS.items()):
        found = [simulate([207, place, number], largest) for number in range(data_sets)]
        estimate, spread, fixed, apparent, true, full, luck = np.array(found).T
        apart = estimate - true - luck
        rows.append(
            {
                "setting": setting,
                "true": true.mean(),
                "error of the choice": estimate.mean(),
                "bias": apart.mean(),
                "SE of the bias": apart.std(ddof=1) / np.sqrt(data_sets),
                "covered by ±1.96 SE": (np.abs(estimate - true) <= Z95 * spread).mean(),
                "bias, stability fixed": (fixed - true - luck).mean(),
                "bias, apparent error": (apparent - true - luck).mean(),
                "true, fitted to all": full.mean(),
                "data sets": data_sets,
            }
        )
    return rows


def missed(rows, slack):
    """Name the settings with a bias, or a coverage, outside the goals."""
    found = []
    for row in rows:
        if abs(row["bias"]) > BIAS_GOAL + slack * row["SE of the bias"]:
            found.append(
                f"{row['setting']}: a bias of {100 * row['bias']:+.1f} points instead of at most "
                f"{100 * BIAS_GOAL:.1f} (standard error {100 * row['SE of the bias']:.1f})."
            )
        share = row["covered by ±1.96 SE"]
        room = slack * share_error(share, row["data sets"])
        if not COVERED[0] - room <= share <= COVERED[1] + room:
            found.append(
                f"{row['setting']}: ±1.96 standard errors contain the true error in {share:.0%}."
            )
    return found


CLAIM = Claim(
    name="choice_error",
    title="The error of the choice",
    about=(
        "Twelve pairs (t-score, ReliefF, linear SVM weights; 5 and 20 features; a linear "
        "discriminant and 3 nearest neighbours) on 60 samples of 300 features in blocks of 5 with "
        "correlation 0.6, with 30 effects decreasing from 1.1, or none. 25 subsamples of 90%, 30 "
        "pairs of halves. *True* is the error of the chosen pair on 1,000 new samples, when "
        "fitted to as many samples as a training part has. The bias is measured relative to the "
        "mean luck of all pairs in each data set, which is 0 on average. Goals: a bias of at most "
        "0.5 points, and coverage of 90 to 98% by 1.96 standard errors. A model fitted to all "
        "samples has a lower error."
    ),
    run=run,
    missed=missed,
    data_sets=200,
    few_data_sets=15,
)

"""Figures 3 to 5, and the tables of simulations that several figures share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import holdfast as hf
from holdfast.papers._claims import Cause, Claim, UncheckableClaim, require_rows
from holdfast.papers._record import Experiment
from holdfast.papers._runner import ExperimentResult

if TYPE_CHECKING:
    from holdfast.papers._claims import ClaimInput
    from holdfast.papers._runner import ExperimentRunner


ONLY = "as published"
"""The setting of figures that have only one."""
MEASURE_SHORT_NAMES = {
    "relative_weighted_consistency": "CW_rel",
    "ati_pa": "ATI_PA",
    "pearson": "S_W",
    "spearman": "S_R",
}
PANELS = {"n_samples": "N", "n_features": "D", "size": "d", "gamma": "γ"}
MAX_SHOWN_POINTS = 5
"""Points of a panel in the table; the picture shows all."""
MIN_STEADY_TREND = 0.9
"""Absolute rank correlation from which a trend counts as steady; chosen by hand."""


def get_figure_tables(runner: ExperimentRunner, number: int) -> dict[str, pd.DataFrame]:
    """Return the tables of a figure; experiments that share them simulate once."""
    make = partial(
        hf.simulate.figure_tables,
        number,
        full=runner.full,
        random_state=runner.seed,
        n_jobs=runner.workers.n_jobs or -1,
    )
    return runner.tables(f"figure{number}", make)


def pick_spaced_rows(table: pd.DataFrame, count: int = MAX_SHOWN_POINTS) -> pd.DataFrame:
    """Return a few evenly spaced rows, including the first and the last."""
    places = np.unique(np.linspace(0, len(table) - 1, count).round().astype(int))
    return table.iloc[places]


def get_curve(table: pd.DataFrame, x: str, y: str, **keys: object) -> pd.Series:
    """Return column `y` by column `x`, in ascending order and without gaps."""
    for key, value in keys.items():
        table = table[table[key] == value]
    values = table.set_index(x)[y].dropna().sort_index()
    if len(values) < 2:
        raise UncheckableClaim("fewer than two points were simulated")
    return values


def trend(values: pd.Series) -> float:
    """Return the rank correlation of values with their index."""
    if values.nunique() < 2:
        return 0.0
    return float(spearmanr(values.index, values).statistic)


def get_value_at(values: pd.Series, place: float) -> float:
    """Return the number at a place."""
    if place not in values.index:
        raise UncheckableClaim(f"nothing was simulated at {place:g}")
    return float(values[place])


def position_of_highest(values: pd.Series) -> float:
    """Return the place of the largest number, the first of several."""
    return float(values.index[int(values.argmax())])


# Figure 3: scores and ranks of features by their true effect, for few and many samples.

FEW, MANY = 50, 5000
BEST, TENTH, HALF = 10, 100, 500
"""True ranks: of the best features, of the best tenth, of the better half of 1,000."""
POINTS = "points"


def figure3(runner: ExperimentRunner) -> ExperimentResult:
    """Draw scores and ranks; the numbers are those of the best features and the worse half."""
    tables = get_figure_tables(runner, 3)
    means = tables["means"]
    rows = [
        {"n": n, "features": name, "what": what, "value": part[column].mean(), "setting": ONLY}
        for n, own in means.groupby("n_samples")
        for name, part in (
            ("best 10", own[own["true_rank"] <= BEST]),
            ("worse half", own[own["true_rank"] > HALF]),
        )
        for what, column in (
            ("score", "score_mean"),
            ("score sd", "score_sd"),
            ("rank", "rank_mean"),
            ("rank sd", "rank_sd"),
        )
    ]
    return ExperimentResult(
        values=pd.DataFrame(rows),
        pictures={"scores": hf.plot.simulated_figure(3, tables)},
        facts={(ONLY, POINTS): tables["points"]},
    )


def get_points(inputs: ClaimInput, n: int) -> pd.DataFrame:
    """Return scores and ranks in all training sets of one size."""
    points = inputs.fact_table(POINTS)
    points = points[points["n_samples"] == n]
    require_rows(points, f"no training set of {n} samples was simulated")
    return points


def few_scores_overlap(inputs: ClaimInput) -> tuple[bool, str]:
    """With 50 samples, scores of the best features lie in the range of the others."""
    points = get_points(inputs, FEW)
    best, worse = (points.loc[ranks, "score"] for ranks in _best_and_worse_half(points))
    limit = float(worse.quantile(0.99))
    share = float((best <= limit).mean())
    return share >= 0.75 and best.mean() > worse.mean(), (
        f"{share:.0%} of the scores of the best 10 are below {limit:.2f}, as 99% of the worse "
        f"half are; means {best.mean():.2f} and {worse.mean():.2f}"
    )


def many_scores_are_apart(inputs: ClaimInput) -> tuple[bool, str]:
    """With 5,000 samples, scores of the best features are far from those of the worse half."""
    points = get_points(inputs, MANY)
    best, worse = (points.loc[ranks, "score"] for ranks in _best_and_worse_half(points))
    low, high = best.quantile([0.05, 0.95])
    top = worse.quantile(0.95)
    return bool(8 <= best.mean() <= 12 and top <= 3), (
        f"best 10: mean {best.mean():.1f}, 90% between {low:.1f} and {high:.1f}; 95% of the "
        f"worse half below {top:.1f}"
    )


def _best_and_worse_half(own: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return masks of the rows of the ten best features and of the worse half."""
    return own["true_rank"] <= BEST, own["true_rank"] > HALF


def scores_follow_effects(inputs: ClaimInput) -> tuple[bool, str]:
    """Scores go with effects more closely where there are more samples."""
    few, many = (
        float(np.corrcoef(points["score"], points["effect"])[0, 1])
        for points in (get_points(inputs, FEW), get_points(inputs, MANY))
    )
    return few < many, f"correlation {few:.2f} with 50 samples, {many:.2f} with 5,000"


def few_ranks_of_best(inputs: ClaimInput) -> tuple[bool, str]:
    """With 50 samples, the best features rank little better than others."""
    points = get_points(inputs, FEW)
    best = points.loc[points["true_rank"] <= BEST, "rank"]
    mean = float(best.mean())
    return 250 < mean < 500, f"mean rank {mean:.0f} of 1,000 (standard deviation {best.std():.0f})"


def few_ranks_are_noise(inputs: ClaimInput) -> tuple[bool, str]:
    """With 50 samples, ranks outside the best tenth say nothing about true ranks."""
    points = get_points(inputs, FEW)
    correlation = rank_correlation(points[points["true_rank"] > TENTH])
    return correlation < 0.2, f"mean rank correlation with true ranks {correlation:.2f}"


def many_ranks_are_accurate(inputs: ClaimInput) -> tuple[bool, str]:
    """With 5,000 samples, only ranks of the worse half are mostly noise."""
    points = get_points(inputs, MANY)
    upper = rank_correlation(points[points["true_rank"] <= HALF])
    lower = rank_correlation(points[points["true_rank"] > HALF])
    best = float(points.loc[points["true_rank"] <= BEST, "rank"].mean())
    return upper > 0.5 > lower and best < 30, (
        f"mean rank of the best 10 {best:.0f}; rank correlation with true ranks {upper:.2f} in "
        f"the better half, {lower:.2f} in the worse half"
    )


def rank_correlation(points: pd.DataFrame) -> float:
    """Return the correlation of observed with true ranks, averaged over training sets."""
    correlations = [
        spearmanr(training_set["rank"], training_set["true_rank"]).statistic
        for _, training_set in points.groupby("set")
    ]
    return float(np.mean(correlations))


FIGURE3 = Experiment(
    name="figure3",
    place="Section 4.2",
    label="Figure 3",
    title="Scores and ranks of features by their true effect",
    make=figure3,
    size=("50 training sets of each size", "100 training sets of each size"),
    work=("figure3",),
    keys=("n", "features", "what"),
    part="what",
    choices=(
        (
            "The paper does not state the number of training sets for this figure: 100, as "
            "elsewhere."
        ),
    ),
    claims=(
        Claim(
            "With 50 samples the scores of the best features are a little higher on average, but "
            "lie in the same range as others (threshold: three quarters of the scores of the best "
            "10 below the 99% quantile of the worse half).",
            few_scores_overlap,
        ),
        Claim(
            "With 5,000 samples the best features have scores of 8 to 12, far from the 0 to 3 of "
            "the least relevant (mean of the best 10; 95% of the worse half).",
            many_scores_are_apart,
        ),
        Claim(
            "Scores follow the true effects less closely in small samples (one sentence of the "
            "paper states the opposite, against all others).",
            scores_follow_effects,
        ),
        Claim(
            "With 50 samples even the best features rank only slightly better than others "
            "(threshold: mean rank of the best 10 between 250 and 500 of 1,000).",
            few_ranks_of_best,
        ),
        Claim(
            "With 50 samples the ranks of all but the best tenth are noise (threshold: rank "
            "correlation with the true ranks below 0.2).",
            few_ranks_are_noise,
        ),
        Claim(
            "With 5,000 samples the best features are ranked accurately (threshold: mean rank of "
            "the best 10 below 30), and only the worse half is mostly noise (rank correlation with "
            "the true ranks above 0.5 in the better half, below 0.5 in the worse).",
            many_ranks_are_accurate,
        ),
    ),
)


# Figures 4 and 5: how often features are selected, by their true effect.

T, CAT, MI, RFE = "t-score", "CAT score", "mutual information", "SVM-RFE"
FILTER_LABELS = {"t_score": T, "cat_score": CAT, "mutual_information": MI, "svm_rfe": RFE}
NONE, SMALL, MIDDLE, LARGEST = "effect 0", "effect 0.05", "effect 0.10", "effect 0.15"
EFFECTS = {NONE: 0.0, SMALL: 0.05, MIDDLE: 0.10, LARGEST: 0.15}
NEAR_CERTAIN_PROBABILITY = 0.9


def figure4(runner: ExperimentRunner) -> ExperimentResult:
    """Show how often the t-score selects features."""
    tables = get_figure_tables(runner, 4)
    return ExperimentResult(
        values=probabilities_at_effects(tables["curves"]).assign(setting=ONLY),
        pictures={"selection": hf.plot.simulated_figure(4, tables)},
    )


def figure5(runner: ExperimentRunner) -> ExperimentResult:
    """Show the same for the other selectors, next to the t-score of Figure 4."""
    tables = get_figure_tables(runner, 5)
    t_score = probabilities_at_effects(get_figure_tables(runner, 4)["curves"])
    others = probabilities_at_effects(tables["curves"])
    values = pd.concat([others, t_score[t_score["n"].isin(others["n"])]], ignore_index=True)
    return ExperimentResult(
        values=values.assign(setting=ONLY),
        pictures={"selection": hf.plot.simulated_figure(5, tables)},
    )


def probabilities_at_effects(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the fitted probabilities at a few effects."""
    parts = [
        curves[np.isclose(curves["effect"], effect)].assign(effect=name)
        for name, effect in EFFECTS.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    table["selector"] = table["selector"].map(FILTER_LABELS)
    table = table.rename(columns={"n_samples": "n", "probability": "value"})
    order = table.sort_values(["selector", "n", "effect"], ignore_index=True)
    return order[["selector", "n", "effect", "value"]]


def probability_by_n(inputs: ClaimInput, effect: str, selector: str = T) -> pd.Series:
    """Return the probability to be selected by N."""
    probabilities = (
        inputs.table(effect=effect, selector=selector).set_index("n")["value"].sort_index()
    )
    if len(probabilities) < 2:
        raise UncheckableClaim("fewer than two numbers of samples were simulated")
    return probabilities


def small_samples_miss(inputs: ClaimInput) -> tuple[bool, str]:
    """With 50 samples even the most relevant features are seldom selected."""
    best, least = (get_value_at(probability_by_n(inputs, effect), 50) for effect in (LARGEST, NONE))
    return best < 0.35 and least > 0.05, (
        f"probability {best:.2f} at the effect 0.15, {least:.2f} at 0"
    )


def large_samples_find(inputs: ClaimInput) -> tuple[bool, str]:
    """With 5,000 samples selection is accurate."""
    high, low = (get_value_at(probability_by_n(inputs, effect), 5000) for effect in (MIDDLE, SMALL))
    return high >= NEAR_CERTAIN_PROBABILITY and low <= 1 - NEAR_CERTAIN_PROBABILITY, (
        f"probability {high:.2f} at the effect 0.10, {low:.2f} at 0.05"
    )


def curves_steepen(inputs: ClaimInput) -> tuple[bool, str]:
    """With N, relevant features are selected more often, and irrelevant ones less."""
    best, least = (probability_by_n(inputs, effect) for effect in (LARGEST, NONE))
    held = best.is_monotonic_increasing and least.is_monotonic_decreasing
    return held, (
        f"from N = {best.index[0]:,} to {best.index[-1]:,}: {best.iloc[0]:.2f} to "
        f"{best.iloc[-1]:.2f} at the effect 0.15, {least.iloc[0]:.2f} to {least.iloc[-1]:.2f} at 0"
    )


def a_thousand_are_needed(inputs: ClaimInput) -> tuple[bool, str]:
    """From about 1,000 samples on the most relevant features are found."""
    best = probability_by_n(inputs, LARGEST)
    before, after = best[best.index < 1000], best[best.index >= 1000]
    if before.empty or after.empty:
        raise UncheckableClaim("no sizes below and above 1,000 were simulated")
    return bool(before.max() < NEAR_CERTAIN_PROBABILITY <= after.min()), (
        f"probability {before.iloc[-1]:.2f} at N = {before.index[-1]:,}, {after.iloc[0]:.2f} at "
        f"{after.index[0]:,}"
    )


def information_is_a_bit_worse(inputs: ClaimInput) -> tuple[bool, str]:
    """Mutual information finds relevant features less often than both scores."""
    wide = inputs.pivot("n", "selector", effect=LARGEST)
    if not {T, CAT, MI} <= set(wide.columns):
        raise UncheckableClaim("not all three filters were simulated")
    mean = wide.mean()
    gap = min(mean[T], mean[CAT]) - mean[MI]
    texts = [f"{name} {mean[name]:.2f}" for name in (T, CAT, MI)]
    return bool(0 < gap < 0.2), f"mean over {len(wide)} values of N: " + ", ".join(texts)


def svm_is_worse(inputs: ClaimInput) -> tuple[bool, str]:
    """SVM-RFE in one step finds relevant features less often than mutual information."""
    wide = inputs.pivot("n", "selector", effect=LARGEST)
    if not {MI, RFE} <= set(wide.columns):
        raise UncheckableClaim("SVM-RFE and mutual information were not both simulated")
    both = require_rows(wide[[MI, RFE]].dropna())
    mean = both.mean()
    return bool(mean[RFE] < mean[MI]), (
        f"mean over {len(both)} values of N: {MI} {mean[MI]:.2f}, {RFE} {mean[RFE]:.2f}"
    )


def filters_rise_similarly(inputs: ClaimInput) -> tuple[bool, str]:
    """All filters find relevant features more often with more samples."""
    probabilities = {name: probability_by_n(inputs, LARGEST, name) for name in (T, CAT, MI)}
    texts = [
        f"{name} {values.iloc[0]:.2f} to {values.iloc[-1]:.2f}"
        for name, values in probabilities.items()
    ]
    return all(trend(values) >= MIN_STEADY_TREND for values in probabilities.values()), "; ".join(
        texts
    )


CURVES = "Probabilities are those of a logistic regression on the effect, as in the paper."
FIGURE4 = Experiment(
    name="figure4",
    place="Section 4.2",
    label="Figure 4",
    title="How often the t-score selects features, by their true effect",
    make=figure4,
    size=(
        "100 training sets for each of 7 values of N",
        "100 training sets for each of 9 values of N",
    ),
    work=("figure4",),
    keys=("selector", "n", "effect"),
    choices=(CURVES,),
    claims=(
        Claim(
            "With 50 samples the most relevant features are selected with a probability below "
            "0.35, and the least relevant ones not rarely (threshold 0.05).",
            small_samples_miss,
        ),
        Claim(
            "With 5,000 samples features with effects above 0.10 are nearly always selected "
            "(threshold 0.9), and those with effects below 0.05 almost never (threshold 0.1).",
            large_samples_find,
        ),
        Claim(
            "The more samples, the steeper the curve: the probability rises at the effect 0.15 "
            "and falls at 0 with each step of N.",
            curves_steepen,
        ),
        Claim(
            "Only from about 1,000 samples on are the most relevant features selected with good "
            "sensitivity (threshold 0.9 at the effect 0.15).",
            a_thousand_are_needed,
        ),
    ),
)
FIGURE5 = Experiment(
    name="figure5",
    place="Section 4.2",
    label="Figure 5",
    title="How often other filters select features, by their true effect",
    make=figure5,
    size=(
        "50 training sets for each of 4 values of N, 25 to 1,000",
        "100 training sets for each of 9 values of N, 25 to 10,000",
    ),
    work=("figure5", "figure4"),
    keys=("selector", "n", "effect"),
    choices=(
        CURVES,
        "The t-score of Figure 4 is shown next to the other selectors.",
        (
            "SVM-RFE in one step is a figure of the paper's supplement; as there, it is not run "
            "with 5,000 samples or more."
        ),
        "The paper does not say how mutual information bins features: here as in this library.",
    ),
    claims=(
        Claim(
            "Mutual information is a bit worse than t-score and CAT score (probability at the "
            "effect 0.15, averaged over N: lower than both, by less than 0.2).",
            information_is_a_bit_worse,
        ),
        Claim(
            "All filters behave similarly: the probability at the effect 0.15 rises with N (rank "
            "correlation at least 0.9).",
            filters_rise_similarly,
        ),
        Claim(
            "SVM-RFE in one step is worse than mutual information (probability at the effect 0.15, "
            "averaged over N).",
            svm_is_worse,
            cause=Cause(
                "setting",
                "mutual information is binned as in this library, not as in SlimPLS, and the paper "
                "does not state the settings of the SVM",
            ),
        ),
    ),
)

"""Figure 3: scores and ranks of features by their true effect, for few and many samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import holdfast as hf
from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers._made import Made
from holdfast.papers._record import Experiment
from holdfast.papers.dernoncourt2014._simulated import ONLY, fact, tables_of

if TYPE_CHECKING:
    from holdfast.papers._claims import Seen
    from holdfast.papers._workshop import Workshop

FEW, MANY = 50, 5000
BEST, TENTH, HALF = 10, 100, 500
"""True ranks: of the best features, of the best tenth, of the better half of 1,000."""
POINTS = "points"


def figure3(shop: Workshop) -> Made:
    """Draw scores and ranks; the numbers are those of the best features and the worse half."""
    tables = tables_of(shop, 3)
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
    return Made(
        values=pd.DataFrame(rows),
        pictures={"scores": hf.plot.simulated_figure(3, tables)},
        facts={(ONLY, POINTS): tables["points"]},
    )


def points_of(seen: Seen, n: int) -> pd.DataFrame:
    """Return scores and ranks in all training sets of one size."""
    points = fact(seen, POINTS)
    own = points[points["n_samples"] == n]
    if own.empty:
        raise Unchecked(f"no training set of {n} samples was simulated")
    return own


def few_scores_overlap(seen: Seen) -> tuple[bool, str]:
    """With 50 samples, scores of the best features lie in the range of the others."""
    own = points_of(seen, FEW)
    best, worse = (own.loc[ranks, "score"] for ranks in _groups(own))
    limit = float(worse.quantile(0.99))
    share = float((best <= limit).mean())
    return share >= 0.75 and best.mean() > worse.mean(), (
        f"{share:.0%} of the scores of the best 10 are below {limit:.2f}, as 99% of the worse "
        f"half are; means {best.mean():.2f} and {worse.mean():.2f}"
    )


def many_scores_are_apart(seen: Seen) -> tuple[bool, str]:
    """With 5,000 samples, scores of the best features are far from those of the worse half."""
    own = points_of(seen, MANY)
    best, worse = (own.loc[ranks, "score"] for ranks in _groups(own))
    low, high = best.quantile([0.05, 0.95])
    top = worse.quantile(0.95)
    return bool(8 <= best.mean() <= 12 and top <= 3), (
        f"best 10: mean {best.mean():.1f}, 90% between {low:.1f} and {high:.1f}; 95% of the "
        f"worse half below {top:.1f}"
    )


def _groups(own: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Tell which rows are of the ten best features, and which of the worse half."""
    return own["true_rank"] <= BEST, own["true_rank"] > HALF


def scores_follow_effects(seen: Seen) -> tuple[bool, str]:
    """Scores go with effects more closely where there are more samples."""
    few, many = (
        float(np.corrcoef(own["score"], own["effect"])[0, 1])
        for own in (points_of(seen, FEW), points_of(seen, MANY))
    )
    return few < many, f"correlation {few:.2f} with 50 samples, {many:.2f} with 5,000"


def few_ranks_of_best(seen: Seen) -> tuple[bool, str]:
    """With 50 samples, the best features rank little better than others."""
    own = points_of(seen, FEW)
    best = own.loc[own["true_rank"] <= BEST, "rank"]
    mean = float(best.mean())
    return 250 < mean < 500, f"mean rank {mean:.0f} of 1,000 (standard deviation {best.std():.0f})"


def few_ranks_are_noise(seen: Seen) -> tuple[bool, str]:
    """With 50 samples, ranks outside the best tenth say nothing about true ranks."""
    own = points_of(seen, FEW)
    found = rank_correlation(own[own["true_rank"] > TENTH])
    return found < 0.2, f"mean rank correlation with true ranks {found:.2f}"


def many_ranks_are_accurate(seen: Seen) -> tuple[bool, str]:
    """With 5,000 samples, only ranks of the worse half are mostly noise."""
    own = points_of(seen, MANY)
    upper = rank_correlation(own[own["true_rank"] <= HALF])
    lower = rank_correlation(own[own["true_rank"] > HALF])
    best = float(own.loc[own["true_rank"] <= BEST, "rank"].mean())
    return upper > 0.5 > lower and best < 30, (
        f"mean rank of the best 10 {best:.0f}; rank correlation with true ranks {upper:.2f} in "
        f"the better half, {lower:.2f} in the worse half"
    )


def rank_correlation(own: pd.DataFrame) -> float:
    """Return the correlation of observed with true ranks, averaged over training sets."""
    found = [spearmanr(one["rank"], one["true_rank"]).statistic for _, one in own.groupby("set")]
    return float(np.mean(found))


FIGURE3 = Experiment(
    name="figure3",
    label="Figure 3",
    title="Scores and ranks of features by their true effect",
    make=figure3,
    size=("50 training sets of each size", "100 training sets of each size"),
    work=("figure3",),
    keys=("n", "features", "what"),
    part="what",
    choices=("How many training sets are drawn is not said for this figure: 100, as elsewhere.",),
    claims=(
        Claim(
            "With 50 samples the scores of the best features are a little higher on average, but "
            "lie in the same range as others (bar: three quarters of the scores of the best 10 "
            "below the 99% quantile of the worse half).",
            few_scores_overlap,
        ),
        Claim(
            "With 5,000 samples the best features have scores of 8 to 12, far from the 0 to 3 of "
            "the least relevant (mean of the best 10; 95% of the worse half).",
            many_scores_are_apart,
        ),
        Claim(
            "Scores follow the true effects less closely in small samples (one sentence of the "
            "paper has it the other way round, against all others).",
            scores_follow_effects,
        ),
        Claim(
            "With 50 samples even the best features rank only slightly better than others (bar: "
            "mean rank of the best 10 between 250 and 500 of 1,000).",
            few_ranks_of_best,
        ),
        Claim(
            "With 50 samples the ranks of all but the best tenth are noise (bar: rank correlation "
            "with the true ranks below 0.2).",
            few_ranks_are_noise,
        ),
        Claim(
            "With 5,000 samples the best features are ranked accurately (bar: mean rank of the "
            "best 10 below 30), and only the worse half is mostly noise (rank correlation with "
            "the true ranks above 0.5 in the better half, below 0.5 in the worse).",
            many_ranks_are_accurate,
        ),
    ),
)

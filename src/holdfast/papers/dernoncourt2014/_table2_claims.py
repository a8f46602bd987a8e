"""Claims about Table 2: compared with simulated data, by regression, and by N and N/D."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from holdfast.papers._claims import Cause, Claim, UncheckableClaim, count_datasets, require_rows
from holdfast.papers._record import Experiment, Setting
from holdfast.papers.dernoncourt2014._table2 import (
    BOTH_PARTS,
    ERROR,
    FEATURES,
    FEATURES_PUBLISHED,
    FIRST,
    LAST,
    MEASURES,
    SIMULATED,
    TEN,
    TENTH,
    TRAINED,
    TWENTIETH,
    changes_by_step,
    format_count,
    least_squares,
    our_rows,
    published_rows,
    table2,
)

if TYPE_CHECKING:
    from holdfast.papers._claims import ClaimInput
    from holdfast.papers.dernoncourt2014._table2 import Slope


SIGNIFICANCE_LEVEL = 0.05
MIN_REGRESSION_ROWS = 12
"""Rows that a regression needs to detect two slopes; raised from 6 after a reduced run."""


def merge_simulated(inputs: ClaimInput) -> pd.DataFrame:
    """Return our rows merged with those of simulated data of the same size."""
    simulated = inputs.fact(SIMULATED).rename(columns={"CW_rel": "simulated"})
    return our_rows(inputs).merge(simulated, on=["data", "n"])


def above_simulated(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel on real data exceeds that on simulated data of the same size."""
    table = merge_simulated(inputs)
    table = table[table["ratio"] < 1]
    require_rows(table, "no training set has fewer samples than features")
    above = table["CW_rel"] > table["simulated"]
    # real and simulated numbers at the smallest N of each data set
    texts = [
        f"{name} {row['CW_rel']:.2f} and {row['simulated']:.2f}"
        for name, row in table.groupby("data").first().iterrows()
    ]
    means = f"mean {table['CW_rel'].mean():.2f} and {table['simulated'].mean():.2f}"
    evidence = (
        f"real and simulated: {means}; higher in {above.sum()} of {len(table)} rows; "
        f"{', '.join(texts)}"
    )
    return bool(table["CW_rel"].mean() > table["simulated"].mean()), evidence


def simulated_is_a_bound(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel on simulated data exceeds that on real data."""
    table = merge_simulated(inputs)
    below = table["CW_rel"] <= table["simulated"]
    return bool(below.all()), f"real data lower in {below.sum()} of {len(table)} rows"


def vijver_is_more_stable(inputs: ClaimInput) -> tuple[bool, str]:
    """Vijver's data err as simulated ones do, but are more stable."""
    table = merge_simulated(inputs)
    table = table[table["data"] == "vijver"]
    require_rows(table, "these data were not used")
    gap = (table[ERROR] - 100 * table["lda_error"]).abs()
    texts = [
        f"N = {row['n']}: CW_rel {row['CW_rel']:.2f} and {row['simulated']:.2f}, error "
        f"{row[ERROR]:.0f}% and {100 * row['lda_error']:.0f}%"
        for row in table.to_dict("records")
    ]
    held = (table["CW_rel"] > table["simulated"]).all() and gap.max() <= 10
    return bool(held), "; ".join(texts)


def regression(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel depends on difficulty and on N/D, each given the other."""
    measured, published = our_rows(inputs), published_rows(inputs)
    held = any(_depends_on_both(regress_stability(measured, log=log)) for log in (False, True))
    texts = [
        f"{origin} ({len(rows)} rows): {_format_slopes(regress_stability(rows))}, with log N/D: "
        + _format_slopes(regress_stability(rows, log=True))
        for origin, rows in (("ours", measured), ("published numbers", published))
    ]
    return held, "; ".join(texts)


def _depends_on_both(slopes: dict[str, Slope]) -> bool:
    """Return whether both slopes have the paper's sign and are significant."""
    significant = all(slope.p < SIGNIFICANCE_LEVEL for slope in slopes.values())
    return significant and slopes["difficulty"].value < 0 < slopes["N/D"].value


def regress_stability(table: pd.DataFrame, *, log: bool = False) -> dict[str, Slope]:
    """Regress CW_rel on difficulty, in percent, and N/D or its decimal logarithm."""
    if len(table) < MIN_REGRESSION_ROWS:
        raise UncheckableClaim(
            f"a regression needs at least {MIN_REGRESSION_ROWS} rows, {len(table)} were measured"
        )
    ratio = np.log10(table["ratio"]) if log else table["ratio"]
    predictors = table[["difficulty"]].assign(**{"N/D": ratio})
    try:
        return least_squares(table["CW_rel"].to_numpy(), predictors)
    except ValueError as error:
        raise UncheckableClaim(str(error)) from error


def _format_slopes(slopes: dict[str, Slope]) -> str:
    return " and ".join(
        f"{name} {slope.value:+.3f} (p = {slope.p:.2g})" for name, slope in slopes.items()
    )


# Claims about Table 2: how stability and error change with N and N/D.


def stability_rises(inputs: ClaimInput) -> tuple[bool, str]:
    """Each measure rises from each N to the next."""
    table = our_rows(inputs)
    against = []
    total = 0
    for measure in MEASURES:
        changes = changes_by_step(table, measure)
        total += len(changes)
        falls = changes[changes["change"] <= 0]
        against += [f"{row.data} {measure} {row.change:+.3f}" for row in falls.itertuples()]
    text = f"{total - len(against)} of {total} steps upwards on {count_datasets(table)}"
    return not against, "; ".join([text, *against])


def error_falls(inputs: ClaimInput) -> tuple[bool, str]:
    """The error is lower at the largest N than at the smallest."""
    table = our_rows(inputs)
    first, last = (table.groupby("data")[ERROR].agg(one) for one in ("first", "last"))
    change = (last - first)[table.groupby("data")["n"].nunique() > 1]
    require_rows(change, "no data set was measured at two training sizes")
    falls = int((change < 0).sum())
    texts = [f"{name} {value:+.1f}" for name, value in change.items()]
    held = falls >= 0.75 * len(change) and change.mean() < 0
    evidence = f"{falls} of {len(change)} fall, mean {change.mean():+.1f}: {', '.join(texts)}"
    return bool(held), evidence


def faster_where_ratio_is_low(column: str, sign: int) -> Claim:
    """Claim that a number changes faster with N where N/D is low."""

    def correlations(table: pd.DataFrame) -> tuple[float, float, int]:
        changes = changes_by_step(table, column)
        if len(changes) < 4:
            raise UncheckableClaim("fewer than 4 steps between training sizes were measured")
        speed = sign * changes["change"]
        by_sample, by_doubling = (
            float(spearmanr(changes["before"], speed / changes[unit]).statistic)
            for unit in ("samples", "doublings")
        )
        return by_sample, by_doubling, len(changes)

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        by_sample, by_doubling, count = correlations(our_rows(inputs))
        their_sample, their_doubling, _ = correlations(published_rows(inputs))
        if np.isnan(by_sample):
            raise UncheckableClaim("the numbers do not vary")
        return by_sample < 0, (
            f"rank correlation of N/D and speed over {count} steps {by_sample:+.2f}, by doubling "
            f"of N {by_doubling:+.2f}; published numbers {their_sample:+.2f} and "
            f"{their_doubling:+.2f}"
        )

    what = "Stability (CW_rel) rises" if sign > 0 else "The error falls"
    return Claim(
        f"{what} faster with N where N/D is low (negative rank correlation of N/D with the "
        "change for each added sample).",
        check,
    )


def low_below_one(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel is low as long as there are fewer samples than features."""
    table = our_rows(inputs)
    below = table.loc[table["ratio"] < 1, "CW_rel"]
    require_rows(below, "no training set has fewer samples than features")
    beyond = table.loc[table["ratio"] >= 1, "CW_rel"]
    rest = f"; from 1 on {beyond.mean():.2f}" if len(beyond) else ""
    spread = f"{below.min():.2f} to {below.max():.2f}, {format_count(len(below), 'row')}"
    return bool(below.mean() < 0.5), f"mean CW_rel below 1 {below.mean():.2f} ({spread}){rest}"


def lowest_where_ratio_is_lowest(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel grows over three ranges of N/D."""
    table = our_rows(inputs)
    ranges = pd.cut(
        table["ratio"], [0, 0.1, 1, np.inf], right=False, labels=["below 0.1", "to 1", "from 1 on"]
    )
    means = table.groupby(ranges, observed=False)["CW_rel"].agg(["mean", "size"])
    if (means["size"] == 0).any():
        raise UncheckableClaim("one of the three ranges of N/D has no data set")
    texts = [
        f"{name} {row['mean']:.2f} ({format_count(int(row['size']), 'row')})"
        for name, row in means.iterrows()
    ]
    return bool(means["mean"].is_monotonic_increasing), "mean CW_rel: " + ", ".join(texts)


# The record of Table 2.

SETTINGS = (
    Setting(
        name=BOTH_PARTS,
        title="A tenth of the features is selected; each training set is compared with the samples "
        "that it leaves out, and S_W is computed from signed t-scores. Chosen after seeing the "
        "published numbers, which it fits best.",
    ),
    Setting(
        name=TENTH,
        title="A tenth of the features, as in the simulations; all pairs of training sets are "
        "compared.",
    ),
    Setting(name=TEN, title="Ten features are selected, regardless of their number."),
    Setting(name=TWENTIETH, title="A twentieth of the features is selected."),
    Setting(
        name=FIRST,
        title="A tenth of the features; the first digit and letter, 0 and A, against the rest.",
    ),
    Setting(
        name=LAST,
        title="A tenth of the features; the last digit and letter, 9 and Z, against the rest.",
    ),
)
CHOICES = (
    (
        "The paper states that stability is measured over all pairs of training sets. About bias, "
        "it also says that data were split into two subsets 200 times: so each training set is "
        "compared with the rest as well. The agreement shows which fits."
    ),
    (
        "The paper does not state the number of selected features: 10% of them, with 10 features "
        "and 5% as alternatives. The correlations S_R and S_W do not depend on it."
    ),
    (
        "The paper does not say which class is compared with the rest: the largest, and of several "
        "the first by name. All letters of isolet are about equally frequent; P is taken, because "
        "it fits the published numbers, and A does not. The first and the last digit and letter "
        "are shown as well. No digit fits both rows of semeion."
    ),
    (
        "Training sets are stratified: otherwise some sets of 100 letters would have fewer than "
        "two of the class."
    ),
    (
        "The t-score has a pooled variance. LDA uses a pseudo-inverse where there are more "
        "features than samples; features are scaled by the training set."
    ),
    "Missing values of arrhythmia are replaced by the median of the training set.",
    (
        "The public copies of the lung and Vijver data have other numbers of features than the "
        "paper's; the paper does not say how it chose its features. The classes of the Vijver data "
        "are death and survival here; the paper does not name its classes."
    ),
    (
        "The paper does not say whether its regression uses N/D or its logarithm: both are shown. "
        "The difficulty is the smallest error of the data set; rows of one data set count as "
        "independent. Simulated data have the same "
        "N, D and number of selected features as the real data, independent features and a Bayes "
        "error of 0.10."
    ),
)
CLAIMS = (
    Claim("Each of the four measures rises with N on every data set.", stability_rises),
    Claim(
        "The error falls with N (from the smallest to the largest N: on average, and on three "
        "data sets in four).",
        error_falls,
    ),
    faster_where_ratio_is_low("CW_rel", 1),
    faster_where_ratio_is_low(ERROR, -1),
    Claim(
        "Stability stays low as long as N/D is below 1 (threshold: mean CW_rel 0.5).",
        low_below_one,
    ),
    Claim(
        "Stability is lowest where N/D is lowest (mean CW_rel rises over N/D below 0.1, from 0.1 "
        "to 1, and from 1 on).",
        lowest_where_ratio_is_lowest,
        cause=Cause("setting", "it holds where the two parts of a split are compared"),
    ),
    Claim(
        "Where N/D is below 1, CW_rel is globally higher on real data than on simulated data of "
        "the same size (threshold: mean over rows).",
        above_simulated,
    ),
    Claim(
        "Simulated data give an upper bound: CW_rel on real data of the same size is not higher.",
        simulated_is_a_bound,
        cause=Cause("paper", "its table contradicts it"),
    ),
    Claim(
        "The Vijver data are more stable than simulated data of the same size, at a similar error "
        "(threshold: 10 percentage points).",
        vijver_is_more_stable,
        cause=Cause("data", "our copy has other genes and other classes"),
    ),
    Claim(
        "CW_rel depends on the difficulty of the data and on N/D, independently of each other "
        "(both p-values of a regression on N/D or its logarithm below 0.05; falls with difficulty, "
        "rises with N/D).",
        regression,
        cause=Cause(
            "setting",
            "it holds with the logarithm of N/D where the two parts of a split are compared",
        ),
    ),
)
TABLE2 = Experiment(
    name="table2",
    place="Section 5.2",
    published_facts=lambda _: {FEATURES: FEATURES_PUBLISHED},
    label="Table 2",
    title="Error and stability on real data",
    make=table2,
    size=(
        "50 training sets for each data set and N",
        "200 training sets for each data set and N, as in the paper",
    ),
    data=tuple(TRAINED),
    reduced=("lung203", "leukemia", "breast_cancer", "sonar"),
    work=("table2",),
    keys=("data", "n", "measure"),
    part="measure",
    settings=SETTINGS,
    choices=CHOICES,
    claims=CLAIMS,
)

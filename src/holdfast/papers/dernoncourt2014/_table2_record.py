"""The record of Table 2."""

from __future__ import annotations

from holdfast.papers._claims import Claim
from holdfast.papers._record import Experiment, Setting
from holdfast.papers.dernoncourt2014 import _table2_beside as beside
from holdfast.papers.dernoncourt2014 import _table2_claims as trends
from holdfast.papers.dernoncourt2014._table2 import (
    ERROR,
    FIRST,
    LAST,
    REST,
    TEN,
    TENTH,
    TRAINED,
    TWENTIETH,
    table2,
)

SETTINGS = (
    Setting(name=TENTH, title="A tenth of the features is selected, as in the simulations."),
    Setting(
        name=REST,
        title="A tenth of the features; each training set is compared with the samples that it "
        "leaves out, and S_W is that of t-scores with their signs. Added after a look at the "
        "published numbers.",
    ),
    Setting(name=TEN, title="Ten features are selected, however many there are."),
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
        "Stability is that across training sets, as the paper has it: over all pairs of them. It "
        "also says, of bias, that data were split into two subsets 200 times: so each training set "
        "is compared with the rest, too. The agreement shows which fits."
    ),
    (
        "How many features were selected is not said: 10% of them, and 10 and 5% beside it. The "
        "correlations S_R and S_W do not depend on it."
    ),
    (
        "Which class stands against the rest is not said: the largest, and of several the first by "
        "name. As all digits and all letters are about equally frequent, the first and the last of "
        "them are shown, too."
    ),
    (
        "Training sets keep the shares of the classes: of 100 letters drawn freely, some would "
        "have fewer than two of the class."
    ),
    (
        "The t-score has a pooled variance. LDA takes a pseudo-inverse where there are more "
        "features than samples; features are scaled by the training part."
    ),
    "Missing values of arrhythmia are replaced by the median of the training part.",
    (
        "The public copies of the lung and Vijver data have other numbers of features than the "
        "paper's; how the paper chose its features is not said. The classes of the Vijver data "
        "are death and survival here; the paper does not name its own."
    ),
    (
        "The regression takes N/D as it is, and the difficulty is the smallest error of the data "
        "set; rows of one data set count as independent. Simulated data beside real ones have the "
        "same N, D and number of selected features, independent features and a Bayes error of "
        "0.10."
    ),
)
CLAIMS = (
    Claim("Each of the four measures rises with N on every data set.", trends.stability_rises),
    Claim(
        "The error falls with N (from the smallest to the largest N: on average, and on three "
        "data sets in four).",
        trends.error_falls,
    ),
    trends.faster_where_ratio_is_low("CW_rel", 1),
    trends.faster_where_ratio_is_low(ERROR, -1),
    Claim(
        "Stability stays low as long as N/D is below 1 (bar: mean CW_rel 0.5).",
        trends.low_below_one,
    ),
    Claim(
        "Stability is lowest where N/D is lowest (mean CW_rel rises over N/D below 0.1, from 0.1 "
        "to 1, and from 1 on).",
        trends.lowest_where_ratio_is_lowest,
    ),
    Claim(
        "Where N/D is below 1, CW_rel is higher on real data than on simulated data of the same "
        "size (in every row).",
        beside.above_simulated,
    ),
    Claim(
        "Simulated data give an upper bound: CW_rel on real data of the same size is not higher.",
        beside.simulated_is_a_bound,
    ),
    Claim(
        "Vijver's data are more stable than simulated ones of the same size, at a similar error "
        "(bar: 10 percentage points).",
        beside.vijver_is_more_stable,
    ),
    Claim(
        "CW_rel depends on the difficulty of the data and on N/D, independently of each other "
        "(both p-values of a regression below 0.05; falls with difficulty, rises with N/D).",
        beside.regression,
    ),
)
TABLE2 = Experiment(
    name="table2",
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

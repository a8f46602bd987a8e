"""Figures 1 and 2: theoretical predictions, and samples per feature of the data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import norm

import holdfast as hf
from holdfast.papers._claims import (
    Cause,
    Check,
    Claim,
    UncheckableClaim,
    require_rows,
)
from holdfast.papers._record import Experiment, Setting
from holdfast.papers._runner import ExperimentResult
from holdfast.papers.dernoncourt2014._figures3_5 import ONLY, get_figure_tables
from holdfast.papers.dernoncourt2014._table2 import format_count

if TYPE_CHECKING:
    from holdfast.papers._claims import ClaimInput
    from holdfast.papers._runner import ExperimentRunner


NONCENTRAL, CHI, TOGETHER = "noncentral F", "chi-squared", "N in all"
FIGURE1_SAMPLE_COUNTS = (25, 50, 100, 200, 500, 1000, 2000)
EFFECTS = (0.01, 0.03, 0.05, 0.07, 0.1, 0.15)
SELECTED, STABILITY = "selected", "stability"
INFORMATIVE = 100
EASIEST = 0.15


def figure1(runner: ExperimentRunner) -> ExperimentResult:
    """Compute both panels under three readings."""
    surfaces_by_law = runner.tables("figure1", compute_surfaces)
    tables = {
        NONCENTRAL: surfaces_by_law["f"],
        CHI: surfaces_by_law["chi2"],
        TOGETHER: surfaces_by_law["together"],
    }
    values = [long_form(table).assign(setting=name) for name, table in tables.items()]
    picture = hf.plot.stability_surface(tables[NONCENTRAL], measure="expected CW_rel")
    return ExperimentResult(
        values=pd.concat(values, ignore_index=True), pictures={"expected": picture}
    )


def compute_surfaces() -> dict[str, pd.DataFrame]:
    """Return selection probability and stability: N per class by two laws, and N in total."""
    usual: dict[str, Any] = {"effects": EFFECTS, "n_informative": INFORMATIVE}
    halves = [n // 2 for n in FIGURE1_SAMPLE_COUNTS]
    together = hf.theory.stability_surface(n_per_class=halves, **usual)
    named = dict(zip(halves, FIGURE1_SAMPLE_COUNTS, strict=True))
    return {
        "f": hf.theory.stability_surface(n_per_class=FIGURE1_SAMPLE_COUNTS, **usual),
        "chi2": hf.theory.stability_surface(n_per_class=FIGURE1_SAMPLE_COUNTS, law="chi2", **usual),
        "together": together.assign(n_per_class=together["n_per_class"].map(named)),
    }


def long_form(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per number."""
    columns = {"n_per_class": "n", "informative": SELECTED}
    wide = table.rename(columns=columns)[["n", "effect", SELECTED, STABILITY]]
    return wide.melt(["n", "effect"], var_name="what")


def check_value_between(
    what: str, n: int, effect: float, *, below: float = np.inf, above: float = -np.inf
) -> Check:
    """Return a check that a number lies between two thresholds."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        value = inputs.value(what=what, n=n, effect=effect)
        return above < value < below, f"{value:.2f} at N = {n}, effect {effect:g}"

    return check


def rises(inputs: ClaimInput) -> tuple[bool, str]:
    """Both panels rise with N at every effect."""
    texts, held = [], True
    for what in (SELECTED, STABILITY):
        wide = inputs.pivot("n", "effect", what=what)
        up = (wide.diff().dropna() > 0).to_numpy()
        if not len(up):
            raise UncheckableClaim("it was computed for one number of samples only")
        held = held and bool(up.all())
        texts.append(f"{what}: {up.sum()} of {up.size} steps upwards")
    return held, "; ".join(texts)


def check_small_effects_low(what: str, most: float) -> Check:
    """Return a check that effects below 0.05 stay low at N = 2000."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        rows = inputs.table(what=what, n=2000)
        rows = rows[rows["effect"] < 0.05]
        if rows.empty:
            raise UncheckableClaim("no effect below 0.05 was computed")
        texts = [f"effect {row.effect:g}: {row.value:.2f}" for row in rows.itertuples()]
        return bool(rows["value"].max() < most), "; ".join(texts)

    return check


def bayes_errors(inputs: ClaimInput) -> tuple[bool, str]:
    """The ends of the range of effects have the Bayes errors that the paper names."""
    effects = inputs.table(what=SELECTED)["effect"]
    require_rows(effects, "no effect was computed")
    low, high = (
        float(norm.sf(np.sqrt(INFORMATIVE) * one)) for one in (effects.max(), effects.min())
    )
    held = abs(low - 0.01) < 0.005 and abs(high - 0.49) < 0.005
    return held, f"Φ(-μ√100) is {low:.3f} for μ = 0.15 and {high:.3f} for μ = 0.01"


FIGURE1 = Experiment(
    name="figure1",
    place="Section 3",
    label="Figure 1",
    title="Theoretical predictions by number of samples and effect",
    make=figure1,
    size=("computed, without random draws", "computed, without random draws"),
    work=("figure1",),
    keys=("what", "n", "effect"),
    part="what",
    settings=(
        Setting(
            name=NONCENTRAL,
            title="N samples of each class; variances are estimated, so that squared t-scores "
            "follow a noncentral F distribution.",
        ),
        Setting(
            name=CHI,
            title="N samples of each class; noncentral chi-squared, the paper's limit for known "
            "variances.",
        ),
        Setting(name=TOGETHER, title="N samples of both classes together; noncentral F."),
    ),
    choices=(
        (
            "The paper is inconsistent about whether N counts the samples of one class or of both: "
            "its law χ²(Nμ²) of N/2 times the score means N of both, the variance 2/N of a "
            "difference of means N per class, which fits its numbers better."
        ),
        "D = 1000, 100 informative features, d = 100, as in the paper; CW_rel for many runs.",
        "Half of N = 25 samples is rounded to 12.",
    ),
    claims=(
        Claim("Both panels rise with N at every effect.", rises),
        Claim(
            "Informative features with effects below 0.05 are not reliably selected even with N = "
            "2000 (threshold 0.95).",
            check_small_effects_low(SELECTED, 0.95),
        ),
        Claim(
            "The easiest features are nearly always selected at N = 500 (threshold 0.95).",
            check_value_between(SELECTED, 500, EASIEST, above=0.95),
        ),
        Claim(
            "Even the easiest features are selected with a probability below 0.3 at N = 25.",
            check_value_between(SELECTED, 25, EASIEST, below=0.3),
        ),
        Claim(
            "Even the easiest features are selected with a probability below 0.5 at N = 100.",
            check_value_between(SELECTED, 100, EASIEST, below=0.5),
            cause=Cause(
                "paper", "it holds with N samples in all, the other statements with N per class"
            ),
        ),
        Claim(
            "In the worst case selection is random: the probability tends to 0.1 (threshold 0.12).",
            check_value_between(SELECTED, 25, 0.01, below=0.12),
        ),
        Claim(
            "Stability is below 0.2 at N = 25, even for the easiest features.",
            check_value_between(STABILITY, 25, EASIEST, below=0.2),
        ),
        Claim(
            "Stability is below 0.5 at N = 100, even for the easiest features.",
            check_value_between(STABILITY, 100, EASIEST, below=0.5),
        ),
        Claim(
            "Stability is close to 1 at N = 500 for the easiest features (threshold 0.9).",
            check_value_between(STABILITY, 500, EASIEST, above=0.9),
        ),
        Claim(
            "Stability stays low for hard problems, effects below 0.05, even with N = 2000 "
            "(threshold 0.5).",
            check_small_effects_low(STABILITY, 0.5),
        ),
        Claim(
            "The effects 0.01 to 0.15 correspond to Bayes errors from 0.01 to 0.49.",
            bayes_errors,
            main_only=True,
            cause=Cause("paper", "these errors do not follow from its effects"),
        ),
    ),
)


# Figure 2: how many samples simulated and real data sets have for their features.

ORDER = (
    "leukemia", "lung203", "vijver", "arrhythmia", "sonar", "semeion", "isolet", "breast_cancer",
)  # fmt: skip
"""In the order of Table 1."""
FIGURE2_SAMPLE_RANGE, FIGURE2_FEATURE_RANGE = (25, 10_000), (50, 10_000)
"""Ranges of the sizes that the paper names for its simulated data."""
USUAL_SAMPLES, USUAL_FEATURES = 100, 1000
"""Constant sizes in the panels of Figure 6."""
SIMULATED = "simulated"
RATIO = "N/D"


def figure2(runner: ExperimentRunner) -> ExperimentResult:
    """Count samples and features of the available data sets, and of the simulated ones."""
    real = pd.DataFrame(
        [
            {"name": name, "n_samples": dataset.n_samples, "n_features": dataset.n_features}
            for name in runner.names
            for dataset in [runner.data(name)]
        ]
    )
    simulated = simulated_sizes(runner)
    sizes = pd.concat(
        [real.assign(kind="real"), simulated.assign(kind=SIMULATED, name="")], ignore_index=True
    )
    ratio = real["n_samples"] / real["n_features"]
    values = pd.DataFrame({"data": real["name"], "what": RATIO, "value": ratio})
    return ExperimentResult(
        values=values.assign(setting=ONLY),
        pictures={"ratios": hf.plot.ratios(sizes)},
        facts={(ONLY, SIMULATED): simulated},
    )


def simulated_sizes(runner: ExperimentRunner) -> pd.DataFrame:
    """Return the sizes of data sets simulated for Figures 6 and 9."""
    sweeps, constant = (
        get_figure_tables(runner, 6)["stability"],
        get_figure_tables(runner, 9)["stability"],
    )
    samples = sweeps.loc[sweeps["panel"] == "n_samples", "x"].unique()
    features = sweeps.loc[sweeps["panel"] == "n_features", "x"].unique()
    parts = [
        pd.DataFrame({"n_samples": samples, "n_features": USUAL_FEATURES}),
        pd.DataFrame({"n_samples": USUAL_SAMPLES, "n_features": features}),
        constant[["n_samples", "n_features"]],
    ]
    return pd.concat(parts, ignore_index=True).astype(int).drop_duplicates(ignore_index=True)


def simulated_span_real(inputs: ClaimInput) -> tuple[bool, str]:
    """The sizes named for simulated data reach below and above all real ratios."""
    real = inputs.table(what=RATIO)["value"]
    require_rows(real, "no data set is available")
    low, high = (
        FIGURE2_SAMPLE_RANGE[0] / FIGURE2_FEATURE_RANGE[1],
        FIGURE2_SAMPLE_RANGE[1] / FIGURE2_FEATURE_RANGE[0],
    )
    simulated = inputs.fact(SIMULATED)
    ratios = simulated["n_samples"] / simulated["n_features"]
    return bool(low < real.min() and real.max() < high), (
        f"{format_count(len(real), 'real data set')} from {real.min():.3f} to "
        f"{real.max():.1f}; sizes in the paper's ranges reach from {low:g} to {high:g}, those "
        f"drawn here from {ratios.min():.3g} to {ratios.max():.3g}"
    )


FIGURE2 = Experiment(
    name="figure2",
    place="Section 3",
    label="Figure 2",
    title="Samples per feature in simulated and real data sets",
    make=figure2,
    size=("data sets as they are; the reduced grid of simulations", "as in the paper"),
    data=ORDER,
    reduced=ORDER,
    work=("figure6", "figure9"),
    keys=("data", "what"),
    choices=(
        "The paper does not say which simulated data sets it shows: here those of Figures 6 and 9.",
        (
            "The published numbers are those of Table 1; it counts 32 columns of the Wisconsin "
            "data, two of which are not features."
        ),
    ),
    claims=(
        Claim(
            "The sizes that the paper names for simulated data cover all ratios N/D of the real "
            "data.",
            simulated_span_real,
        ),
    ),
)

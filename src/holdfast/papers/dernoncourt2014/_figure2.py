"""Figure 2: how many samples simulated and real data sets have for their features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

import holdfast as hf
from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers._made import Made
from holdfast.papers._record import Experiment
from holdfast.papers.dernoncourt2014._simulated import ONLY, tables_of
from holdfast.papers.dernoncourt2014._table2_rows import counted

if TYPE_CHECKING:
    from holdfast.papers._claims import Seen
    from holdfast.papers._workshop import Workshop

ORDER = (
    "leukemia", "lung203", "vijver", "arrhythmia", "sonar", "semeion", "isolet", "breast_cancer",
)  # fmt: skip
"""As Table 1 has them."""
SAMPLES, FEATURES = (25, 10_000), (50, 10_000)
"""Ranges of the sizes that the paper names for its simulated data."""
USUAL_SAMPLES, USUAL_FEATURES = 100, 1000
"""What Figure 6 has where it does not vary."""
SIMULATED = "simulated"
RATIO = "N/D"


def figure2(shop: Workshop) -> Made:
    """Count samples and features of data sets at hand, and of those simulated."""
    real = pd.DataFrame(
        [
            {"name": name, "n_samples": one.n_samples, "n_features": one.n_features}
            for name in shop.names
            for one in [shop.data(name)]
        ]
    )
    made = simulated_sizes(shop)
    drawn = pd.concat(
        [real.assign(kind="real"), made.assign(kind=SIMULATED, name="")], ignore_index=True
    )
    ratio = real["n_samples"] / real["n_features"]
    values = pd.DataFrame({"data": real["name"], "what": RATIO, "value": ratio})
    return Made(
        values=values.assign(setting=ONLY),
        pictures={"ratios": hf.plot.ratios(drawn)},
        facts={(ONLY, SIMULATED): made},
    )


def simulated_sizes(shop: Workshop) -> pd.DataFrame:
    """Return the sizes of data sets simulated for Figures 6 and 9."""
    sweeps, constant = tables_of(shop, 6)["stability"], tables_of(shop, 9)["stability"]
    samples = sweeps.loc[sweeps["panel"] == "n_samples", "x"].unique()
    features = sweeps.loc[sweeps["panel"] == "n_features", "x"].unique()
    parts = [
        pd.DataFrame({"n_samples": samples, "n_features": USUAL_FEATURES}),
        pd.DataFrame({"n_samples": USUAL_SAMPLES, "n_features": features}),
        constant[["n_samples", "n_features"]],
    ]
    return pd.concat(parts, ignore_index=True).astype(int).drop_duplicates(ignore_index=True)


def simulated_span_real(seen: Seen) -> tuple[bool, str]:
    """The sizes named for simulated data reach below and above all real ratios."""
    real = seen.table(what=RATIO)["value"]
    if real.empty:
        raise Unchecked("no data set is at hand")
    low, high = SAMPLES[0] / FEATURES[1], SAMPLES[1] / FEATURES[0]
    made = seen.fact(SIMULATED)
    own = made["n_samples"] / made["n_features"]
    return bool(low < real.min() and real.max() < high), (
        f"{counted(len(real), 'real data set')} from {real.min():.3f} to "
        f"{real.max():.1f}; sizes in the paper's ranges reach from {low:g} to {high:g}, those "
        f"drawn here from {own.min():.3g} to {own.max():.3g}"
    )


FIGURE2 = Experiment(
    name="figure2",
    label="Figure 2",
    title="Samples for each feature, in simulated and real data sets",
    make=figure2,
    size=("data sets as they are; the reduced grid of simulations", "as in the paper"),
    data=ORDER,
    reduced=ORDER,
    work=("figure6", "figure9"),
    keys=("data", "what"),
    choices=(
        "Which of the simulated data sets are drawn is not said: those of Figures 6 and 9.",
        (
            "The published numbers are those of Table 1; it counts 32 columns of the Wisconsin "
            "data, two of which are no features."
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

"""A small paper, for tests of the frame: one experiment on data, one without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

import holdfast as hf
from holdfast.papers._claims import Cause, Claim, make_unchecked_claim
from holdfast.papers._record import Experiment, Paper, Setting
from holdfast.papers._runner import ExperimentResult

if TYPE_CHECKING:
    from holdfast.papers._runner import ExperimentRunner

NAME = "somol2008"  # a key among the references, whose published numbers fit no sample
PUBLISHED = pd.DataFrame(
    {
        "data": ["wine", "wine", "breast_cancer", "sonar"],
        "selector": ["F", "random", "F", "F"],
        "value": [0.9, 0.2, 0.5, 0.3],
    }
)


def stability(runner: ExperimentRunner) -> ExperimentResult:
    """Measure two selectors on each data set."""
    rows, facts = [], {}
    for name in runner.names:
        result = runner.study(
            name,
            {"F": hf.FScore(), "random": hf.RandomScore()},
            runner.data(name),
            protocol=hf.Subsampling(runner.reduced_or_full(4, 6), 0.8),
            sizes=[2, 3],
            classifiers=(),
            measures=["jaccard"],
        )
        for size, setting in ((2, "two"), (3, "three")):
            table = result.stability
            own = table[table["size"] == size][["selector", "value"]]
            rows.append(own.assign(setting=setting, data=name))
            facts[setting, name] = result.n_resamples
    values = pd.concat(rows, ignore_index=True)
    picture = hf.plot.frequencies(result.frequencies.query("selector == 'F' and size == 2"))
    return ExperimentResult(
        values=values, pictures={"often": picture}, facts=facts, notes=("<b>A note.</b>",)
    )


def simulated(runner: ExperimentRunner) -> ExperimentResult:
    """Hand over tables that were made without a study."""
    made = runner.tables(
        "drawn", lambda: {"drawn": pd.DataFrame({"n": [1, 2], "value": [0.1, 0.25]})}
    )
    return ExperimentResult(values=made["drawn"].assign(setting="as published"))


def f_is_stabler(claim_input):
    wide = claim_input.pivot("data", "selector")
    return bool((wide["F"] > wide["random"]).all()), f"on {len(wide)} data sets"


STABILITY = Experiment(
    name="table",
    label="Table",
    place="Section 2",
    limits="A small run cannot show much.",
    title="Stability <of> two selectors",
    make=stability,
    size=("4 resamples", "6 resamples"),
    keys=("data", "selector"),
    data=("wine", "breast_cancer", "sonar", "stroke"),
    reduced=("wine", "sonar"),
    work=("stability",),
    mean_over="data",
    settings=(
        Setting(name="two", title="Two features."),
        Setting(name="three", title="Three features."),
    ),
    choices=("How many features: two, & three.",),
    claims=(
        Claim("F is stabler than chance.", f_is_stabler),
        Claim(
            "F is less stable.",
            lambda claim_input: (not f_is_stabler(claim_input)[0], "no"),
            main_only=True,
            cause=Cause("data", "few samples"),
        ),
        make_unchecked_claim("Something about stroke.", "the data cannot be had"),
    ),
)
SIMULATED = Experiment(
    name="figure1",
    label="Fig. 1",
    title="Drawn numbers",
    make=simulated,
    size=("some", "all"),
    keys=("n",),
    work=("drawing",),
    n_heads=0,
)
SAMPLE = Paper(
    name=NAME,
    title="A sample",
    experiments=(STABILITY, SIMULATED),
    sizes={"wine": (178, 14), "breast_cancer": (569, 30)},
    terms={"F": "the F statistic", "unused": "never shown"},
    seconds={
        ("stability", "wine"): (2, 100),
        ("stability", "breast_cancer"): (3, 400),
        ("stability", "sonar"): (5, 5000),
        "drawing": (1, 10),
    },
)

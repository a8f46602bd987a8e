"""Somol and Novovičová (2008): subset searches on wine, and the similarity of their subsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB

import holdfast as hf
from holdfast._typing import EstimatorLike
from holdfast.papers._claims import Cause, Check, Claim, ClaimInput, format_values
from holdfast.papers._record import Experiment, Paper, Setting
from holdfast.papers._registry import PAPERS
from holdfast.papers._runner import ExperimentResult

if TYPE_CHECKING:
    from holdfast.papers._runner import ExperimentRunner

MAIN, LINEAR, NAIVE = "main", "linear SVM", "naive Bayes"
CLASSIFIERS: dict[str, dict[str, Any]] = {
    MAIN: {"Gaussian": "gaussian", "3-NN": "knn3", "SVM": "rbf_svm"},
    LINEAR: {"SVM": "linear_svm:C=1"},
    NAIVE: {"Gaussian": GaussianNB()},
}
RUNS = {MAIN: (100, 1000), LINEAR: (50, 1000), NAIVE: (10, 50)}
"""Runs, reduced and full; naive Bayes is not compiled, so it is slow."""
MEASURES = {
    "C": "consistency",
    "CW": "weighted_consistency",
    "CW_rel": "relative_weighted_consistency",
    "GK": "jaccard",
}
SEARCHES = ("SFS", "SFFS", "DOS")


def table(runner: ExperimentRunner) -> ExperimentResult:
    """Run all searches, with one study per classifier."""
    rows, facts = [], {}
    for setting, classifiers in CLASSIFIERS.items():
        for name, classifier in classifiers.items():
            result = run_search_study(runner, setting, name, classifier)
            table = tabulate_study(result)
            rows.append(table.assign(setting=setting, classifier=name))
            facts[setting, f"leads {name}"] = compare_searches(result)
    return ExperimentResult(values=pd.concat(rows, ignore_index=True), facts=facts)


def run_search_study(
    runner: ExperimentRunner, setting: str, name: str, classifier: EstimatorLike
) -> hf.Result:
    """Run the searches with one classifier."""
    selectors = {
        "random": hf.RandomSubset(classifier),
        "SFS": hf.ForwardSelection(classifier),
        "SFFS": hf.FloatingSelection(classifier),
        "DOS": hf.OscillatingSearch(classifier),
    }
    return runner.study(
        f"{setting} {name}",
        selectors,
        runner.data("wine"),
        protocol=hf.Subsampling(runner.reduced_or_full(*RUNS[setting]), 0.8),
        classifiers=(),
        measures=list(MEASURES.values()),
    )


def tabulate_study(result: hf.Result) -> pd.DataFrame:
    """Return the columns of the table, one row per number."""
    rates = result.values.groupby("selector", sort=False)["value"].agg(["mean", "std"])
    summary = result.summary().set_index("selector")
    stability = result.stability.pivot(index="selector", columns="measure", values="value")
    columns = {
        "rate": rates["mean"],
        "rate sd": rates["std"],
        "size": summary["selected"],
        "size sd": summary["selected_sd"],
        **{short: stability[name] for short, name in MEASURES.items()},
    }
    wide = pd.DataFrame(columns).loc[list(result.selectors)].rename_axis("method")
    return wide.reset_index().melt("method", var_name="what")


SEARCH_PAIRS = (("SFFS", "SFS"), ("DOS", "SFFS"), ("DOS", "SFS"))


def compare_searches(result: hf.Result) -> dict[tuple[str, str], hf.measures.Comparison]:
    """Compare the searches with each other, on the same runs."""
    subsets = {name: result.preferences[name, "own"] for name in SEARCHES}
    return {
        (first, second): hf.compare(
            subsets[first], subsets[second], MEASURES["CW_rel"], paired=True
        )
        for first, second in SEARCH_PAIRS
    }


def _random_subset_values(inputs: ClaimInput, what: str) -> pd.Series[float]:
    """Return a column of the table for random subsets, by classifier."""
    return inputs.pivot("classifier", "what", method="random", what=what)[what]


def random_is_near_zero(inputs: ClaimInput) -> tuple[bool, str]:
    """Random subsets have nothing in common."""
    values = _random_subset_values(inputs, "CW_rel")
    return bool(values.abs().max() < 0.05), format_values(values, ".4f", "; ")


def unadjusted_rates_random_high(inputs: ClaimInput) -> tuple[bool, str]:
    """CW of random subsets is high although they have nothing in common."""
    values = _random_subset_values(inputs, "CW")
    evidence = f"CW of random subsets {values.min():.2f} to {values.max():.2f}"
    return bool(values.min() > 0.4), evidence


@dataclass(frozen=True)
class PublishedLead:
    """The difference of two published numbers, which have no interval."""

    difference: float
    low: float = np.nan
    high: float = np.nan


def published_leads(published: pd.DataFrame) -> dict[str, Any]:
    """Return the leads of one search over another in the published CW_rel, by classifier."""
    rows = published[published["what"] == "CW_rel"]
    wide = rows.pivot(index="classifier", columns="method", values="value")
    return {
        f"leads {classifier}": {
            (first, second): PublishedLead(float(row[first] - row[second]))
            for first, second in SEARCH_PAIRS
        }
        for classifier, row in wide.iterrows()
    }


def _format_lead(lead: hf.measures.Comparison | PublishedLead) -> str:
    if np.isnan(lead.low):
        return f"{lead.difference:+.3f}"
    return f"{lead.difference:+.3f} [{lead.low:+.3f}, {lead.high:+.3f}]"


def dos_leads(classifier: str) -> Claim:
    """Claim that DOS is more consistent than SFFS, and SFFS than SFS."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        comparisons = inputs.fact(f"leads {classifier}")
        texts = [
            f"{first} over {second} {_format_lead(lead)}"
            for (first, second), lead in comparisons.items()
            if (first, second) != ("DOS", "SFS")
        ]
        held = (
            comparisons["DOS", "SFFS"].difference > 0 and comparisons["SFFS", "SFS"].difference > 0
        )
        return held, "; ".join(texts)

    return Claim(
        f"{classifier}: DOS is more consistent than SFFS, and SFFS than SFS (CW_rel).", check
    )


def best_of_all(what: str, best: str, *, lowest: bool = False, tie: float = 0.0) -> Check:
    """Return a check that one search is ahead of the others, or ties, for every classifier."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        wide = inputs.pivot("classifier", "method", what=what)[list(SEARCHES)]
        behind = wide[best] - wide.min(axis=1) if lowest else wide.max(axis=1) - wide[best]
        texts = [f"{name}: {format_values(row, '.4f')}" for name, row in wide.iterrows()]
        return bool((behind <= tie).all()), "; ".join(texts)

    return check


SOMOL2008 = Paper(
    name="somol2008",
    title="Subset searches that find the size themselves",
    sizes={"wine": (178, 13)},
    terms={
        "SFS": "sequential forward selection",
        "SFFS": "sequential floating forward selection",
        "DOS": "dynamic oscillating search",
        "rate": "accuracy of the classifier on the subset, by the splits of the search itself",
        "C": "consistency: how often a feature that is selected at all is selected, on average",
        "CW": "weighted consistency: the same, features weighted by how often they are selected",
        "CW_rel": "weighted consistency between its bounds for these subset sizes, 0 to 1",
        "GK": "mean Tanimoto (Jaccard) index over pairs of subsets",
    },
    seconds={"main": (30, 1500), "linear SVM": (60, 1200), "naive Bayes": (100, 550)},
    experiments=(
        Experiment(
            name="table",
            place="Slide of the table (it states no findings)",
            published_facts=published_leads,
            label="Table",
            title="Consistency of subset searches on wine",
            make=table,
            size=(
                "100 runs (linear SVM 50, naive Bayes 10)",
                "1,000 runs, as in the paper (naive Bayes 50)",
            ),
            data=("wine",),
            reduced=("wine",),
            work=("main", "linear SVM", "naive Bayes"),
            keys=("classifier", "method", "what"),
            part="what",
            digits=3,
            settings=(
                Setting(
                    name=MAIN,
                    title="Gaussian: quadratic discriminant analysis, each covariance matrix "
                    "shrunk by 1%; 3-NN; SVM with an RBF kernel, C = 1. Features are scaled by "
                    "the training part.",
                ),
                Setting(name=LINEAR, title="SVM with a linear kernel, C = 1."),
                Setting(
                    name=NAIVE,
                    title="Gaussian with independent features within a class (naive Bayes).",
                ),
            ),
            choices=(
                (
                    "The paper does not name its Gaussian classifier: a quadratic one, and naive "
                    "Bayes as an alternative."
                ),
                (
                    "The paper does not name the kernel of the SVM: RBF, the usual default, and "
                    "linear as an alternative."
                ),
                "The paper does not state the depth of the oscillating search: 5.",
                "The paper, a set of slides, states no findings: they are read from its table.",
                (
                    "Random subsets have sizes uniform on 1 to 12, as the published mean and "
                    "standard deviation suggest."
                ),
            ),
            claims=(
                Claim(
                    "Random subsets have a CW_rel near 0 (published 0.025; threshold 0.05).",
                    random_is_near_zero,
                ),
                Claim(
                    "CW, which is not adjusted for size, rates random subsets high (threshold "
                    "0.4).",
                    unadjusted_rates_random_high,
                ),
                dos_leads("Gaussian"),
                dos_leads("3-NN"),
                dos_leads("SVM"),
                Claim(
                    "DOS has the highest GK for each classifier (threshold: up to 0.01 is a tie).",
                    best_of_all("GK", "DOS", tie=0.01),
                    cause=Cause(
                        "paper",
                        "its searches are more consistent than ours; the perturbation is not fully "
                        "stated",
                    ),
                ),
                Claim(
                    "DOS finds the smallest subsets of the three searches for each classifier.",
                    best_of_all("size", "DOS", lowest=True),
                ),
                Claim(
                    "DOS finds the subsets with the highest rate for each classifier.",
                    best_of_all("rate", "DOS"),
                ),
            ),
        ),
    ),
)
PAPERS.register(SOMOL2008)
